// The two spellings of a frame in JSON differ in their keys only.
#include "symbols/frame.h"

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

const StackFrame* line_of(const std::vector<StackFrame>& frames) {
  const StackFrame* any_python = nullptr;
  const StackFrame* any_native = nullptr;
  for (const StackFrame& frame : frames) {
    if (frame.is_python()) {
      if (!is_installed(frame.python_file)) return &frame;
      if (any_python == nullptr) any_python = &frame;
    } else if (any_native == nullptr && frame.line != 0 && !frame.source.empty()) {
      any_native = &frame;
    }
  }
  return any_python != nullptr ? any_python : any_native;
}

}  // namespace ingero::symbols
