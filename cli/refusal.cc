// One sentence for each of the library's kinds of refusal: see refusal.h.
#include "cli/refusal.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/legacy/legacy_flags.h"

namespace ingero::cli {
namespace {

constexpr size_t kShown = 200;      // bytes of what was typed
constexpr size_t kLongestEnd = 30;  // of a range

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", printable(text, kShown)); }

// What stands before and after `between`; nothing where it does not stand there.
struct Halves {
  std::string_view before, after;
};
std::optional<Halves> split_at(std::string_view text, std::string_view between) {
  const size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  return Halves{text.substr(0, at), text.substr(at + between.size())};
}

// "--name=value" is about --name.
std::string_view flag_of(std::string_view argument) { return argument.substr(0, argument.find('=')); }

// The first of the arguments that the library's list ("b a", from the last to the first) holds.
std::string unexpected(std::string_view list, const CommandFacts& command, std::span<const std::string> arguments) {
  const std::string padded = fmt::format(" {} ", list);
  const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& one) {
    return !one.empty() && padded.find(fmt::format(" {} ", one)) != std::string::npos;
  });
  const std::string word = found == arguments.end() ? std::string(list) : *found;
  if (!word.starts_with('-') || word == "-") return fmt::format("unexpected argument {}", in_quotes(word));
  const std::string_view name = flag_of(word);
  const std::string_view bare = name.substr(std::min(name.size(), name.find_first_not_of('-')));
  std::vector<std::string> known;
  for (const FlagFacts& flag : command.flags) known.insert(known.end(), flag.long_names.begin(), flag.long_names.end());
  if (std::ranges::find(known, bare) != known.end())
    return fmt::format("{} stands before the command: put it behind", in_quotes(name));
  return fmt::format("unknown flag {}{}", in_quotes(name), did_you_mean(bare, known, "--"));
}

// "Value many not in range 0 to 10000" and "foo not in {a,b}", which name what would be accepted.
std::optional<std::string> not_among(std::string_view flag, std::string_view said) {
  if (const auto halves = split_at(said, " not in range ")) {
    std::string_view value = halves->before;
    if (value.starts_with("Value ")) value.remove_prefix(6);
    const auto ends = split_at(halves->after, " to ");
    // A positive number is a range to the greatest one there is, which helps no reader.
    if (ends && ends->after.size() > kLongestEnd)
      return fmt::format("{}: {} is not a positive number", flag, in_quotes(value));
    return fmt::format("{}: {} is not a number{}", flag, in_quotes(value),
                       ends ? fmt::format(" from {} to {}", ends->before, ends->after) : "");
  }
  if (const auto halves = split_at(said, " not in {")) {
    std::string_view list = halves->after;
    if (list.ends_with('}')) list.remove_suffix(1);
    std::vector<std::string> words;
    std::string shown;
    for (const std::string_view one : split(list, ',')) {
      words.emplace_back(one);
      shown += (shown.empty() ? "" : ", ") + words.back();
    }
    return fmt::format("{}: {} is none of {}{}", flag, in_quotes(halves->before), shown,
                       did_you_mean(halves->before, words));
  }
  for (const std::string_view kind : {"Number less or equal to 0: ", "Number less than 0: "}) {
    if (!said.starts_with(kind)) continue;
    return fmt::format("{}: {} is not a {}", flag, in_quotes(said.substr(kind.size())),
                       kind.find("or equal") != std::string_view::npos ? "positive number" : "number from 0 on");
  }
  return std::nullopt;
}

}  // namespace

std::string unknown_command_text(std::string_view word, const CommandFacts& root) {
  if (const auto text = legacy_command_text(word); !text.empty()) return std::string(text);
  std::vector<std::string> names;
  for (const CommandFacts& command : root.commands) names.push_back(command.name);
  return fmt::format("unknown command {}{}", in_quotes(word), did_you_mean(word, names));
}

std::string refusal_text(std::string_view said, const CommandFacts& command, std::span<const std::string> arguments) {
  for (const std::string_view kind :
       {"The following argument was not expected: ", "The following arguments were not expected: "}) {
    if (said.starts_with(kind)) return unexpected(said.substr(kind.size()), command, arguments);
  }
  if (said == "A subcommand is required") return "no command given";
  if (said.starts_with("Could not convert: ")) {
    const auto halves = split_at(said.substr(19), " = ");
    if (halves) return fmt::format("{}: {} is not a number", halves->before, in_quotes(halves->after));
  }
  if (said.ends_with(" is required")) {
    const std::string_view what = said.substr(0, said.size() - 12);
    return what.starts_with('-') ? fmt::format("{} is missing", what) : fmt::format("no {} given", what);
  }
  if (const auto halves = split_at(said, " excludes ")) {
    return fmt::format("{} and {} cannot be combined: give only one", halves->before, halves->after);
  }
  if (const auto halves = split_at(said, " requires ")) {
    return fmt::format("{} has no effect without {}", halves->before, halves->after);
  }
  if (const auto halves = split_at(said, ": ")) {
    if (halves->after.starts_with("At Most ")) {
      return "too many arguments: put quotes around one that has blanks, such as an SQL statement";
    }
    if (halves->after.ends_with(" missing") || halves->after.find("required") != std::string_view::npos) {
      return fmt::format("{} needs a value", halves->before);
    }
    if (const auto text = not_among(halves->before, halves->after)) return *text;
  }
  return one_line(std::string(said));
}

}  // namespace ingero::cli
