// Python lines as file, line and function; native ones as symbol and library.
#include "report/frame_text.h"

#include <cctype>

#include <fmt/format.h>

#include "base/demangle.h"
#include "base/text.h"

namespace ingero::report {
namespace {

// Some recordings have C++ names as the linker spells them.
std::string function_of(const std::string& symbol) {
  return demangled(std::string(std::string_view(symbol).substr(0, symbol.rfind("+0x"))));
}

// "ns::copy<float>" of "ns::copy<float>(float*, int) const": a demangled C++ name, or what is left of one that was cut.
std::string_view without_parameters(std::string_view function) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)", kOperator = "operator";
  int depth = 0;  // inside <>
  for (size_t at = 0; at < function.size(); ++at) {
    const std::string_view rest = function.substr(at);
    const bool begins_word =
        at == 0 || (std::isalnum(static_cast<unsigned char>(function[at - 1])) == 0 && function[at - 1] != '_');
    if (rest.starts_with(kUnnamed)) {
      at += kUnnamed.size() - 1;
    } else if (begins_word && rest.starts_with(kOperator) && rest.size() > kOperator.size() &&
               std::string_view("<>-=(").find(rest[kOperator.size()]) != std::string_view::npos) {
      at += kOperator.size();  // its signs are its name
      if (rest[kOperator.size()] == '(') ++at;
      while (at + 1 < function.size() && std::string_view("<>=").find(function[at + 1]) != std::string_view::npos) ++at;
    } else if (function[at] == '<') {
      ++depth;
    } else if (function[at] == '>') {
      --depth;
    } else if (function[at] == '(' && depth <= 0 && at > 0) {
      return function.substr(0, at);
    }
  }
  return function;
}

// "run()", "ns::copy<float>()": a demangled C++ name has parameters, which say less than they take.
std::string call_text(const std::string& function) {
  return printable(std::string(without_parameters(function)), 200) + "()";
}

// "clpeak+0x4a31", of a file without symbols: what addr2line and debuggers take.
std::string place_in_file(const symbols::StackFrame& frame) {
  return fmt::format("{}+{:#x}", printable(file_name(frame.file)), frame.ip);
}

// "train.py:8"
std::string python_place(const symbols::StackFrame& frame) {
  return printable(file_name(frame.python_file)) +
         (frame.python_line != 0 ? fmt::format(":{}", frame.python_line) : std::string());
}

}  // namespace

std::string frame_text(const symbols::StackFrame& frame) {
  if (frame.is_python()) {
    return fmt::format("[Python] {}{} in {}()", printable(file_name(frame.python_file), 200),
                       frame.python_line != 0 ? fmt::format(":{}", frame.python_line) : "",
                       printable(frame.python_function, 200));
  }
  const size_t offset = frame.symbol.rfind("+0x");
  if (frame.symbol.empty() && !frame.file.empty()) return "[Native] " + place_in_file(frame);
  const std::string name = frame.symbol.empty()
                               ? fmt::format("{:#x}", frame.ip)
                               : printable(function_of(frame.symbol), 200) +
                                     (offset == std::string::npos ? "" : printable(frame.symbol.substr(offset), 20));
  std::string out = "[Native] " + name;
  if (!frame.file.empty()) out += " (" + printable(file_name(frame.file)) + ")";
  if (!frame.source.empty() && frame.line != 0) {
    out += fmt::format(" at {}:{}", printable(file_name(frame.source)), frame.line);
  }
  return out;
}

std::string frame_name(const symbols::StackFrame& frame) {
  if (frame.is_python()) {
    return fmt::format("{} ({})", printable(frame.python_function, 200), printable(file_name(frame.python_file)));
  }
  if (!frame.symbol.empty()) return printable(function_of(frame.symbol), 200);
  return frame.file.empty() ? "[unknown]" : place_in_file(frame);
}

std::string line_text(const symbols::StackFrame& frame) {
  if (frame.is_python()) {
    return fmt::format("{}() at {}", printable(frame.python_function, 200), python_place(frame));
  }
  if (frame.symbol.empty()) return place_in_file(frame);
  const std::string function = call_text(function_of(frame.symbol));
  if (frame.line == 0 || frame.source.empty()) {
    return fmt::format("{} in {}", function, printable(file_name(frame.file)));
  }
  return fmt::format("{} at {}:{}", function, printable(file_name(frame.source)), frame.line);
}

std::string caller_text(const std::vector<symbols::StackFrame>& frames, const symbols::StackFrame& line) {
  const symbols::StackFrame* caller = symbols::caller_of(frames, line);
  if (caller == nullptr) return {};
  if (caller->python_function != "<module>") return "called in " + line_text(*caller);
  return "called at " + python_place(*caller);
}

std::string library_text(const std::vector<symbols::StackFrame>& frames, const symbols::StackFrame& line,
                         bool is_running) {
  const symbols::StackFrame* frame = symbols::library_of(frames, line, is_running);
  if (frame == nullptr || frame->is_python()) return frame == nullptr ? std::string() : line_text(*frame);
  const std::string_view file = file_name(frame->file);
  const std::string library = printable(std::string(file.substr(0, file.find('.'))), 100);
  if (frame->symbol.empty()) return library;
  return fmt::format("{} of {}", call_text(function_of(frame->symbol)), library);
}

std::vector<std::string> frame_texts(std::string_view stored) {
  std::vector<std::string> texts;
  for (const symbols::StackFrame& frame : symbols::parse_frames(stored)) {
    std::string text = frame_text(frame);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

std::string line_of_stored(std::string_view stored) {
  const auto frames = symbols::parse_frames(stored);
  const symbols::StackFrame* line = symbols::line_of_thread(frames);
  return line == nullptr ? std::string() : line_text(*line);
}

}  // namespace ingero::report
