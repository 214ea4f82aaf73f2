// The two spellings of a frame in JSON differ in their keys only.
#include "symbols/frame.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace ingero::symbols {
namespace {

constexpr size_t kMaxFrames = 1024;
constexpr size_t kMaxJsonBytes = 4 << 20;

struct Keys {
  const char *ip, *symbol, *file, *source, *line, *inlined, *python_file, *python_function, *python_line;
};
constexpr Keys kStored = {"i", "s", "f", "sf", "l", "in", "pf", "pfn", "pl"};
constexpr Keys kShown = {"ip", "symbol", "file", "source_file", "line", "inlined", "py_file", "py_func", "py_line"};

std::string frames_json(const std::vector<StackFrame>& frames, const Keys& keys) {
  std::string out = "[";
  for (const StackFrame& frame : frames) {
    out += out.size() > 1 ? ",{" : "{";
    const char* separator = "";
    const auto text = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      out += fmt::format("{}\"{}\":{}", separator, key, json_string(value));
      separator = ",";
    };
    const auto number = [&](const char* key, uint32_t value) {
      if (value == 0) return;
      out += fmt::format("{}\"{}\":{}", separator, key, value);
      separator = ",";
    };
    if (frame.ip != 0) text(keys.ip, fmt::format("{:#x}", frame.ip));
    text(keys.symbol, frame.symbol);
    text(keys.file, frame.file);
    text(keys.source, frame.source);
    number(keys.line, frame.line);
    if (frame.is_inlined) number(keys.inlined, 1);
    text(keys.python_file, frame.python_file);
    text(keys.python_function, frame.python_function);
    number(keys.python_line, frame.python_line);
    out += "}";
  }
  return out + "]";
}

// Installed with the interpreter or by a package manager: not where a user looks for his own line.
bool is_installed(std::string_view file) {
  return file.find("/site-packages/") != std::string_view::npos ||
         file.find("/dist-packages/") != std::string_view::npos ||
         file.find("/lib/python3") != std::string_view::npos || file.starts_with("<frozen");
}

bool is_library(std::string_view file) {
  const std::string_view name = file_name(file);
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

}  // namespace

std::string stored_frames(const std::vector<StackFrame>& frames) { return frames_json(frames, kStored); }
std::string shown_frames(const std::vector<StackFrame>& frames) { return frames_json(frames, kShown); }

std::vector<StackFrame> parse_frames(std::string_view json) {
  std::vector<StackFrame> frames;
  if (json.empty() || json.size() > kMaxJsonBytes) return frames;
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_array()) return frames;
  for (const auto& item : parsed) {
    if (!item.is_object() || frames.size() >= kMaxFrames) continue;
    const auto text = [&](const char* key) {
      const auto found = item.find(key);
      return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto number = [&](const char* key) -> uint32_t {
      const auto found = item.find(key);
      return found != item.end() && found->is_number_unsigned() ? found->get<uint32_t>() : 0;
    };
    StackFrame frame;
    frame.ip = parse_u64(text(kStored.ip)).value_or(0);
    frame.symbol = text(kStored.symbol);
    frame.file = text(kStored.file);
    frame.source = text(kStored.source);
    frame.line = number(kStored.line);
    frame.is_inlined = number(kStored.inlined) != 0;
    frame.python_file = text(kStored.python_file);
    frame.python_function = text(kStored.python_function);
    frame.python_line = number(kStored.python_line);
    frames.push_back(std::move(frame));
  }
  return frames;
}

bool is_start_up(const StackFrame& frame) {
  constexpr std::string_view kNames[] = {"_start",
                                         "__libc_start_main",
                                         "__libc_start_call_main",
                                         "__libc_start_main_impl",
                                         "start_thread",
                                         "clone",
                                         "__clone",
                                         "clone3",
                                         "__clone3",
                                         "thread_start",
                                         "_dl_start_user"};
  constexpr std::string_view kFiles[] = {"libc.so.", "libc-2.", "libpthread", "ld-linux", "ld-musl"};
  const std::string_view symbol = frame.symbol, file = file_name(frame.file);
  const std::string_view name = symbol.substr(0, symbol.find_first_of("+@"));
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kFiles), std::end(kFiles), [&](auto prefix) { return file.starts_with(prefix); });
}

const StackFrame* line_of(const std::vector<StackFrame>& frames) {
  const StackFrame* any_python = nullptr;
  const StackFrame* with_line = nullptr;
  const StackFrame* of_program = nullptr;
  const StackFrame* of_library = nullptr;  // on its own thread: that called the described one
  for (const StackFrame& frame : frames) {
    if (frame.is_python()) {
      if (!is_installed(frame.python_file)) return &frame;
      if (any_python == nullptr) any_python = &frame;
    } else if (!frame.file.empty() && &frame != frames.data() && !is_start_up(frame)) {
      if (with_line == nullptr && frame.line != 0 && !frame.source.empty()) with_line = &frame;
      if (of_program == nullptr && !is_library(frame.file)) of_program = &frame;
      if (of_library == nullptr && !frame.symbol.empty() && frame.file != frames.front().file) of_library = &frame;
    }
  }
  if (any_python != nullptr) return any_python;
  if (with_line != nullptr) return with_line;
  return of_program != nullptr ? of_program : of_library;
}

}  // namespace ingero::symbols
