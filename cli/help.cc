// Our own layout of help, because parsers neither wrap lines nor show one plain type word per flag.
#include "cli/help.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::cli {
namespace {

constexpr size_t kNameWidth = 26;
constexpr size_t kLineWidth = 80;

// `text` in lines that start at kNameWidth; the first continues `out`.
void wrap(std::string& out, const std::string& text) {
  size_t column = kNameWidth;
  bool first = true;
  for (const std::string_view word : split(text, ' ')) {
    if (!first && column + 1 + word.size() > kLineWidth) {
      out += "\n" + std::string(kNameWidth, ' ');
      column = kNameWidth;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

}  // namespace

std::string help_entry(std::string names, const std::string& description) {
  if (names.size() + 2 > kNameWidth) {
    names += "\n" + std::string(kNameWidth, ' ');
  } else {
    names.append(kNameWidth - names.size(), ' ');
  }
  wrap(names, description);
  return names;
}

std::string type_word(const std::string& type) {
  if (type.empty()) return {};
  for (const std::string_view part : split(type, ':')) {
    const bool generic = part.empty() || part == "TEXT" || part == "UINT" || part == "INT" || part == "FLOAT";
    if (!generic && part.find(" in ") == std::string_view::npos) return std::string(part);
  }
  return type.starts_with("UINT") || type.starts_with("INT") ? "N" : "VALUE";
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(trim(text), 1000);
}

}  // namespace ingero::cli
