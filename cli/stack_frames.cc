// JSON and words.
#include "cli/stack_frames.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/event_json.h"
#include "symbols/symboliser.h"

namespace ingero::cli {
namespace {

constexpr size_t kMostFrames = 1024;
constexpr size_t kMostJsonBytes = 4 << 20;

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

// Earlier agents stored C++ names as the linker spells them.
std::string function_of(const std::string& symbol) {
  return symbols::demangled(std::string(std::string_view(symbol).substr(0, symbol.rfind("+0x"))));
}

// Installed with the interpreter or by a package manager: not where a user looks for his own line.
bool is_installed(std::string_view file) {
  return file.find("/site-packages/") != std::string_view::npos ||
         file.find("/dist-packages/") != std::string_view::npos ||
         file.find("/lib/python3") != std::string_view::npos || file.starts_with("<frozen");
}

}  // namespace

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string stored_frames(const std::vector<StackFrame>& frames) { return frames_json(frames, kStored); }
std::string shown_frames(const std::vector<StackFrame>& frames) { return frames_json(frames, kShown); }

std::vector<StackFrame> parse_frames(std::string_view json) {
  std::vector<StackFrame> frames;
  if (json.empty() || json.size() > kMostJsonBytes) return frames;
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_array()) return frames;
  for (const auto& item : parsed) {
    if (!item.is_object() || frames.size() >= kMostFrames) continue;
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

std::string frame_text(const StackFrame& frame) {
  if (frame.is_python()) {
    return fmt::format("[Python] {}{} in {}()", printable(base_name(frame.python_file), 200),
                       frame.python_line != 0 ? fmt::format(":{}", frame.python_line) : "",
                       printable(frame.python_function, 200));
  }
  const size_t offset = frame.symbol.rfind("+0x");
  const std::string name = frame.symbol.empty()
                               ? fmt::format("{:#x}", frame.ip)
                               : printable(function_of(frame.symbol), 200) +
                                     (offset == std::string::npos ? "" : printable(frame.symbol.substr(offset), 20));
  std::string out = "[Native] " + name;
  if (!frame.file.empty()) out += " (" + printable(base_name(frame.file)) + ")";
  if (!frame.source.empty() && frame.line != 0) {
    out += fmt::format(" at {}:{}", printable(base_name(frame.source)), frame.line);
  }
  return out;
}

std::string frame_name(const StackFrame& frame) {
  if (frame.is_python()) {
    return fmt::format("{} ({})", printable(frame.python_function, 200), printable(base_name(frame.python_file)));
  }
  if (!frame.symbol.empty()) return printable(function_of(frame.symbol), 200);
  return "[" + (frame.file.empty() ? std::string("unknown") : printable(base_name(frame.file))) + "]";
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

std::string line_text(const StackFrame& frame) {
  if (frame.is_python()) {
    return fmt::format("{}() at {}{}", printable(frame.python_function, 200), printable(base_name(frame.python_file)),
                       frame.python_line != 0 ? fmt::format(":{}", frame.python_line) : "");
  }
  return fmt::format("{}() at {}:{}", printable(function_of(frame.symbol), 200), printable(base_name(frame.source)),
                     frame.line);
}

}  // namespace ingero::cli
