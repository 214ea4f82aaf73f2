// Options of interpreters come before the script: see script_name.h.
#include "report/script_name.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace ingero::report {
namespace {

constexpr size_t kMaxNameBytes = 60, kMaxLineBytes = 4096;

struct Interpreter {
  std::string_view name;
  std::string_view with_value;      // options of one letter whose value is the next argument
  std::string_view without_script;  // options of one letter after which there is none: the program is on the line
};
// python(1), perl(1), ruby(1), node(1), bash(1) and dash(1).
constexpr Interpreter kInterpreters[] = {{"python", "WX", "c"}, {"pypy", "WX", "c"}, {"perl", "", "eE"},
                                         {"ruby", "", "e"},     {"node", "r", "ep"}, {"bash", "oO", "c"},
                                         {"sh", "o", "c"}};

// "python3.11": the name, and a version behind it.
const Interpreter* interpreter_of(std::string_view program) {
  for (const Interpreter& one : kInterpreters) {
    if (!program.starts_with(one.name)) continue;
    const std::string_view version = program.substr(one.name.size());
    if (std::ranges::all_of(version, [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; })) return &one;
  }
  return nullptr;
}

}  // namespace

std::string script_name(std::string_view untrusted_command_line) {
  const std::vector<std::string_view> words = split(untrusted_command_line.substr(0, kMaxLineBytes), ' ');
  const Interpreter* interpreter = words.empty() ? nullptr : interpreter_of(file_name(words.front()));
  if (interpreter == nullptr) return {};
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.empty()) continue;
    if (word == "-") return {};  // its standard input
    if (!word.starts_with('-')) return printable(file_name(word), kMaxNameBytes);
    if (word == "-m") return i + 1 < words.size() ? printable(words[i + 1], kMaxNameBytes) : std::string();
    if (word.size() != 2) continue;  // "--option", or one with its value
    if (interpreter->without_script.find(word[1]) != std::string_view::npos) return {};
    if (interpreter->with_value.find(word[1]) != std::string_view::npos) ++i;
  }
  return {};
}

}  // namespace ingero::report
