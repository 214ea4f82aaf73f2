// CLI11's formatter, replaced: its own output neither wraps lines nor shows one plain type word per flag.
#include "cli/help.h"

#include "base/text.h"

namespace ingero::cli {
namespace {

constexpr size_t kNameWidth = 30;
constexpr size_t kLineWidth = 100;

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

// The parser's type name has type and checks, "TEXT:DURATION" or "UINT:UINT in [1 - 9]"; help shows the most specific
// word only.
std::string type_word(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_type_size() == 0 || type.empty()) return {};  // a flag
  for (const std::string_view part : split(type, ':')) {
    const bool generic = part.empty() || part == "TEXT" || part == "UINT" || part == "INT" || part == "FLOAT";
    if (!generic && part.find(" in ") == std::string_view::npos) return std::string(part);
  }
  return type.starts_with("UINT") || type.starts_with("INT") ? "N" : "VALUE";
}

}  // namespace

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string /*name*/) const {
  return "\n" + Formatter::make_usage(app, full_name(*app));
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string out = "  ";
  if (is_positional) {
    out += option->get_option_text().empty() ? make_option_name(option, true) : option->get_option_text();
  } else {
    // "--no-x{false}" is the parser's way to say what the spelling sets.
    std::string names = make_option_name(option, false);
    while (names.find('{') != std::string::npos) names.erase(names.find('{'), names.find('}') - names.find('{') + 1);
    out += names;
    const std::string type = type_word(*option);
    if (!type.empty()) out += " " + type;
  }
  if (out.size() + 2 > kNameWidth) {
    out += "\n" + std::string(kNameWidth, ' ');
  } else {
    out.append(kNameWidth - out.size(), ' ');
  }
  std::string description = option->get_description();
  if (option->get_type_size() != 0 && !option->get_default_str().empty()) {
    description += " (default: " + option->get_default_str() + ")";
  }
  wrap(out, description);
  return out;
}

std::string HelpFormatter::make_option_usage(const CLI::Option* option) const {
  return option->get_option_text().empty() ? Formatter::make_option_usage(option) : option->get_option_text();
}

}  // namespace ingero::cli
