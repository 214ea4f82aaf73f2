// The face of the command line's parser on CLI11, and the only file that includes its header. What CLI11 throws while
// parsing does not leave this file.
#include "cli/parser.h"

#include <algorithm>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/refusal.h"

namespace ingero::cli {
namespace {

constexpr const char* kHelpNames = "-h,--help";
constexpr const char* kHelpText = "Show this help and exit";
constexpr const char* kHelpAllNames = "--help-all";
constexpr const char* kHelpAllText = "Show all flags and exit";

// Accepts what `parse` accepts; refuses with its sentence.
CLI::Validator accepted_by(Result<uint64_t> (*parse)(std::string_view), const char* type) {
  return {[parse](std::string& text) {
            const auto parsed = parse(text);
            return parsed.ok() ? std::string() : parsed.error().text();
          },
          type};
}

// The first that is neither a flag nor the value of one: the command.
std::vector<std::string>::const_iterator command_word(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto is_flag = [](const std::string& one) { return one.starts_with('-'); };
  auto word = std::find_if_not(arguments.begin(), arguments.end(), is_flag);
  while (word != arguments.begin() && word != arguments.end()) {
    const CLI::Option* before = is_flag(*(word - 1)) ? app.get_option_no_throw(*(word - 1)) : nullptr;
    if (before == nullptr || before->get_items_expected_max() == 0) break;
    word = std::find_if_not(word + 1, arguments.end(), is_flag);
  }
  return word;
}

// "ingero query", from the root down.
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App& deepest_parsed(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : deepest_parsed(*chosen.front());
}

// The word in the place of a command, if it is not one. (CLI11 would only say that a command is missing.)
std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto word = command_word(app, arguments);
  if (word == arguments.end()) return std::nullopt;
  const auto commands = commands_of(app);
  const bool known = std::any_of(commands.begin(), commands.end(),
                                 [&](const CLI::App* command) { return command->get_name() == *word; });
  return known ? std::nullopt : std::optional<std::string>(*word);
}

Error refusal(std::string sentence, const CLI::App& command) {
  return {Errc::kInvalid, std::move(sentence), fmt::format("see '{} --help'", full_name(command))};
}

CommandFacts facts_of(const CLI::App& app) {
  CommandFacts facts{app.get_name(), app.get_description(), {}, {}};
  const auto is_shown = [](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty();
  };
  for (const CLI::Option* option : app.get_options(is_shown)) {
    facts.flags.push_back(
        {option->get_lnames(), option->get_snames(), option->get_description(), option->get_type_name()});
  }
  for (const CLI::App* command : commands_of(app)) facts.commands.push_back(facts_of(*command));
  return facts;
}

// Letters may share a dash, up to the first that takes a value: "-vd2s".
bool has_letter(const std::string& argument, const FlagFacts& flag, const CommandFacts& command) {
  if (argument.starts_with("--")) return false;
  for (size_t i = 1; argument.starts_with('-') && i < argument.size(); ++i) {
    const auto has = [&](const FlagFacts& one) {
      return std::ranges::count(one.short_names, argument.substr(i, 1)) > 0;
    };
    const auto found = std::ranges::find_if(command.flags, has);
    if (has(flag) || found == command.flags.end() || !found->type.empty()) return has(flag);
  }
  return false;
}

bool is_typed(const FlagFacts& flag, const CommandFacts& command, const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, [&](const std::string& argument) {
    const auto is_long = [&](const std::string& name) {
      return argument == "--" + name || argument.starts_with("--" + name + "=");
    };
    return std::ranges::any_of(flag.long_names, is_long) || has_letter(argument, flag, command);
  });
}

// The settings as arguments; each is checked as if it had been typed.
Result<std::vector<std::string>> arguments_of(const std::vector<FlagSetting>& settings, const CommandFacts& command,
                                              const std::vector<std::string>& typed) {
  std::vector<std::string> arguments;
  for (const FlagSetting& setting : settings) {
    std::vector<std::string> known;
    const FlagFacts* flag = nullptr;
    for (const FlagFacts& one : command.flags) {
      known.insert(known.end(), one.long_names.begin(), one.long_names.end());
      if (std::find(one.long_names.begin(), one.long_names.end(), setting.name) != one.long_names.end()) flag = &one;
    }
    if (flag == nullptr) {
      const auto near = nearest_of(setting.name, known);
      return Error(Errc::kInvalid,
                   fmt::format("{}: {} has no flag --{}{}", setting.place, command.name, printable(setting.name),
                               near.empty() ? "" : fmt::format(", did you mean {}?", near)),
                   near.empty() ? fmt::format("see 'ingero {} --help-all'", command.name) : "");
    }
    if (is_typed(*flag, command, typed)) continue;
    for (const std::string& value : setting.values) {
      if (flag->type.empty() && value != "true" && value != "false") {
        return Error(Errc::kInvalid,
                     fmt::format("{}: {} is true or false, not {}", setting.place, setting.name, printable(value)));
      }
      arguments.push_back(fmt::format("--{}={}", setting.name, value));
    }
  }
  return arguments;
}

// The whole command in the usage line, and the entries as help_entry() lays them out.
class HelpFormatter final : public CLI::Formatter {
 public:
  void add_rare(const CLI::Option* option) { rare_.insert(option); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) + shown_groups(app, mode) +
           make_subcommands(app, mode) + '\n' + make_footer(app);
  }

  std::string shown_groups(const CLI::App* app, CLI::AppFormatMode mode) const {
    std::string out;
    std::vector<const CLI::Option*> alone;  // one or two that are left of a heading: one heading for all of them
    size_t left_out = 0;
    for (const std::string& group : app->get_groups()) {
      std::vector<const CLI::Option*> shown;
      const size_t before = left_out;
      for (const CLI::Option* option : app->get_options([](const CLI::Option* one) { return one->nonpositional(); })) {
        if (group.empty() || option->get_group() != group) continue;
        const bool is_shown = mode == CLI::AppFormatMode::All || !rare_.contains(option);
        if (is_shown) shown.push_back(option);
        left_out += is_shown ? 0 : 1;
      }
      const size_t few = left_out > before ? 2 : 1;
      if (shown.size() <= few && group != "Options" && mode != CLI::AppFormatMode::All) {
        alone.insert(alone.end(), shown.begin(), shown.end());
      } else if (!shown.empty()) {
        out += make_group(group, false, shown);
      }
    }
    if (!alone.empty()) out += make_group("Also", false, alone);
    if (left_out > 0) {
      out += fmt::format("\n{} more flags: {} --help-all\n", left_out, full_name(*app));
    }
    return out;
  }

  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    return "\n" + Formatter::make_usage(app, full_name(*app));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return help_entry("  " + command->get_name(), command->get_description());
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const bool takes_value = option->get_type_size() != 0;
    std::string names;
    if (is_positional) {
      names = option->get_option_text().empty() ? make_option_name(option, true) : option->get_option_text();
    } else {
      names = make_option_name(option, false);
      // "--no-x{false}" is CLI11's way to say what the spelling sets.
      while (names.find('{') != std::string::npos) names.erase(names.find('{'), names.find('}') - names.find('{') + 1);
      const std::string type = takes_value ? type_word(option->get_type_name()) : std::string();
      if (!type.empty()) names += " " + type;
    }
    std::string description = option->get_description();
    if (takes_value && !option->get_default_str().empty()) {
      description += " (default: " + option->get_default_str() + ")";
    }
    return help_entry("  " + names, description);
  }

  std::string make_option_usage(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? Formatter::make_option_usage(option) : option->get_option_text();
  }

 private:
  std::set<const CLI::Option*> rare_;  // only with --help-all
};

}  // namespace

Flag Flag::type_name(const std::string& word) const { return Flag(option_->type_name(word)); }
Flag Flag::usage(const std::string& text) const { return Flag(option_->option_text(text)); }
Flag Flag::group(const std::string& heading) const { return Flag(option_->group(heading)); }
Flag Flag::hidden() const { return Flag(option_->group("")); }
Flag Flag::show_default() const { return Flag(option_->capture_default_str()); }
Flag Flag::show_default(const std::string& value) const { return Flag(option_->default_str(value)); }

Flag Flag::one_of(std::initializer_list<const char*> words) const {
  return Flag(option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end()))));
}

Flag Flag::range(int min, int max) const { return Flag(option_->check(CLI::Range(min, max))); }
Flag Flag::range(uint32_t min, uint32_t max) const { return Flag(option_->check(CLI::Range(min, max))); }
Flag Flag::range(double min, double max) const { return Flag(option_->check(CLI::Range(min, max))); }
Flag Flag::positive() const { return Flag(option_->check(CLI::PositiveNumber)); }

// In the words of the library's own check, but without its range, which begins at a number that is not 0 in print.
Flag Flag::not_negative() const {
  const auto check = [](const std::string& text) {
    return text.starts_with('-') ? "Number less than 0: " + text : std::string();
  };
  return Flag(option_->check(CLI::Validator(check, "", "")));
}

Flag Flag::duration() const { return Flag(option_->check(accepted_by(parse_duration_ns, "DURATION"))); }
Flag Flag::size() const { return Flag(option_->check(accepted_by(parse_size_bytes, "SIZE"))); }
Flag Flag::required() const { return Flag(option_->required()); }
Flag Flag::expected(int min, int max) const { return Flag(option_->expected(min, max)); }
Flag Flag::one_value_each() const { return Flag(option_->allow_extra_args(false)); }
Flag Flag::separator(char character) const { return Flag(option_->delimiter(character)); }
Flag Flag::excludes(Flag other) const { return Flag(option_->excludes(other.option_)); }
Flag Flag::needs(Flag other) const { return Flag(option_->needs(other.option_)); }

Flag Flag::reports(bool& given) const {
  return Flag(option_->each([&given](const std::string&) { given = true; }));
}

Command Command::add_command(const std::string& name, const std::string& description) const {
  return Command(app_->add_subcommand(name, description)->fallthrough());
}

template <typename Value>
Flag Command::add_option(const std::string& names, Value& value, const std::string& help) const {
  const Flag flag(app_->add_option(names, value, help));
  // The library reads -1 as the largest number.
  constexpr bool is_unsigned = std::is_same_v<Value, uint32_t> || std::is_same_v<Value, uint64_t> ||
                               std::is_same_v<Value, std::vector<uint32_t>>;
  return is_unsigned ? flag.not_negative() : flag;
}
template Flag Command::add_option(const std::string&, std::string&, const std::string&) const;
template Flag Command::add_option(const std::string&, bool&, const std::string&) const;
template Flag Command::add_option(const std::string&, uint32_t&, const std::string&) const;
template Flag Command::add_option(const std::string&, uint64_t&, const std::string&) const;
template Flag Command::add_option(const std::string&, int64_t&, const std::string&) const;
template Flag Command::add_option(const std::string&, double&, const std::string&) const;
template Flag Command::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Flag Command::add_option(const std::string&, std::vector<uint32_t>&, const std::string&) const;

Flag Command::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return Flag(app_->add_flag(names, value, help));
}

Flag Command::add_flag(const std::string& names, const std::string& help) const {
  return Flag(app_->add_flag(names)->description(help));
}

Flag Command::add_flag_callback(const std::string& names, std::function<void()> given, const std::string& help) const {
  return Flag(app_->add_flag_callback(names, std::move(given), help));
}

Flag Command::add_option_callback(const std::string& names, const std::function<void(const std::string&)>& given,
                                  const std::string& help) const {
  return Flag(app_->add_option_function<std::string>(names, given, help));
}

void Command::positionals_at_end() const { app_->positionals_at_end(); }

void Command::group_flags(const std::string& heading, std::initializer_list<std::string_view> beginnings) const {
  const std::string& ungrouped = app_->option_defaults()->get_group();
  for (CLI::Option* option : app_->get_options()) {
    if (option->get_group() != ungrouped || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    const auto begins = [&](std::string_view beginning) { return name.starts_with(beginning); };
    if (std::any_of(beginnings.begin(), beginnings.end(), begins)) option->group(heading);
  }
}

void Command::all_need(std::string_view beginning, const Flag& needed) const {
  for (CLI::Option* option : app_->get_options([](const CLI::Option* one) { return !one->get_lnames().empty(); })) {
    if (option != needed.option_ && option->get_lnames().front().starts_with(beginning)) option->needs(needed.option_);
  }
}

void Command::rare_flags(std::string_view beginnings) const {
  const auto words = split(beginnings, ' ');
  const auto formatter = std::static_pointer_cast<HelpFormatter>(app_->get_formatter());
  for (const CLI::Option* option : app_->get_options([](const CLI::Option* one) { return one->nonpositional(); })) {
    if (option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    const auto begins = [&](std::string_view beginning) { return name.starts_with(beginning); };
    if (std::any_of(words.begin(), words.end(), begins)) formatter->add_rare(option);
  }
  app_->set_help_all_flag(kHelpAllNames, kHelpAllText);
}

void Command::footer(const std::string& text) const { app_->footer(text); }

void Command::on_parsed(std::function<void()> callback) const { app_->callback(std::move(callback)); }

CommandFacts Command::facts() const { return facts_of(*app_); }

Parser::Parser(const std::string& name, const std::string& description, const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->footer(footer);
  app_->formatter(std::make_shared<HelpFormatter>());  // the commands inherit it
  app_->require_subcommand(1);
  app_->set_help_flag(kHelpNames, kHelpText);
}

Parser::Parser(Parser&& other) noexcept = default;
Parser& Parser::operator=(Parser&& other) noexcept = default;
Parser::~Parser() = default;

void Parser::add_help_flags() {
  for (CLI::App* command : app_->get_subcommands({})) command->set_help_flag(kHelpNames, kHelpText);
}

Result<std::optional<std::string>> Parser::parse(std::vector<std::string> arguments,
                                                 const std::vector<FlagSetting>& settings) {
  if (const auto word = unknown_command(*app_, arguments)) {
    return refusal(unknown_command_text(*word, facts_of(*app_)), *app_);
  }
  if (!settings.empty()) {
    const auto word = command_word(*app_, arguments);
    const auto set = arguments_of(settings, facts_of(*app_->get_subcommand(*word)), arguments);
    if (!set.ok()) return set.error();
    arguments.insert(word + 1, set->begin(), set->end());
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app_->parse(reversed);
    return std::optional<std::string>();
  } catch (const CLI::CallForHelp&) {
    return std::optional<std::string>(app_->help());
  } catch (const CLI::CallForAllHelp&) {
    return std::optional<std::string>(app_->help("", CLI::AppFormatMode::All));
  } catch (const CLI::ParseError& error) {
    const CLI::App& given = deepest_parsed(*app_);
    for (const FlagSetting& setting : settings) {
      if (std::string_view(error.what()).find("--" + setting.name + ":") == std::string_view::npos) continue;
      return Error(Errc::kInvalid, fmt::format("{}: {}", setting.place, error.what()));
    }
    return refusal(refusal_text(error.what(), facts_of(given), arguments), given);
  }
}

}  // namespace ingero::cli
