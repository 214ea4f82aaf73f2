// The parser of the command line: commands, their flags, and what values these take. A face of our own on CLI11, whose
// header costs seconds of compilation in every file that includes it; one file does.
//
// Ownership: Parser owns the tree. Command and Flag are handles into it, copied freely and valid as long as it is.
// Variables that flags set, and what callbacks refer to, must outlive parse(). Failure: what a user typed wrongly is an
// Error; a tree that is built wrongly (a name twice) is a bug, and throws a std::exception. Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ingero::cli {

// A flag with or without a value, or a positional. Each function changes it and returns it, for the next one.
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}

  // In help. The type is what stands for the value: "FILE" in "--db FILE".
  Flag type_name(const std::string& word) const;
  Flag usage(const std::string& text) const;  // of a positional, instead of its name
  Flag group(const std::string& heading) const;
  Flag hidden() const;        // neither in help nor in completion scripts
  Flag show_default() const;  // what its variable holds now
  Flag show_default(const std::string& value) const;

  // Which values it takes; others are refused while parsing.
  Flag one_of(std::initializer_list<const char*> words) const;
  Flag range(int min, int max) const;
  Flag range(uint32_t min, uint32_t max) const;
  Flag range(double min, double max) const;
  Flag positive() const;
  Flag not_negative() const;
  Flag duration() const;  // what parse_duration_ns accepts, refused with its sentence
  Flag size() const;      // what parse_size_bytes accepts, likewise

  // How many values it takes.
  Flag required() const;
  Flag expected(int min, int max) const;
  Flag one_value_each() const;           // a list has one value after each flag, not all words that follow
  Flag separator(char character) const;  // a list may be one word, split here

  // What else happens when it is given.
  Flag excludes(Flag other) const;
  Flag needs(Flag other) const;
  Flag reports(bool& given) const;  // sets `given` to true

 private:
  friend class Command;
  CLI::Option* option_;
};

// What completion scripts and tests need to know of flags and commands.
struct FlagFacts {
  std::vector<std::string> long_names;   // without dashes
  std::vector<std::string> short_names;  // without the dash
  std::string description;
  std::string type;  // with its checks, as type_word() reads it; empty: no value
};

struct CommandFacts {
  std::string name;
  std::string description;
  std::vector<FlagFacts> flags;  // no positionals, no hidden ones
  std::vector<CommandFacts> commands;
};

// A flag that is set without being typed.
struct FlagSetting {
  std::string name;                 // a long name without dashes
  std::vector<std::string> values;  // of a flag without value: true or false
  std::string place;                // where it stands, as FILE:LINE:COLUMN
};

class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  // Flags of this command may follow the new one too.
  Command add_command(const std::string& name, const std::string& description) const;

  // `names` are "-p,--pid", or of a positional a word without dashes. `value` is set while parsing.
  // A Value is a text, a truth, a number of 32 or 64 bits, a double, or a list of texts or of numbers of 32 bits.
  template <typename Value>
  Flag add_option(const std::string& names, Value& value, const std::string& help) const;
  // With "--x,!--no-x" the second name sets false.
  Flag add_flag(const std::string& names, bool& value, const std::string& help) const;
  // One that help shows and that sets nothing.
  Flag add_flag(const std::string& names, const std::string& help) const;
  // `given` runs while parsing, where the flag is given; that of an option with its value.
  Flag add_flag_callback(const std::string& names, std::function<void()> given, const std::string& help) const;
  Flag add_option_callback(const std::string& names, const std::function<void(const std::string&)>& given,
                           const std::string& help) const;

  // Once the first positional has come, all that follows is positional.
  void positionals_at_end() const;
  // Puts those flags under `heading` that are under none and whose first long name begins with one of `beginnings`.
  void group_flags(const std::string& heading, std::initializer_list<std::string_view> beginnings) const;
  // Of those flags that there are, each whose first long name begins so has no effect without `needed`, and needs it.
  void all_need(std::string_view beginning, const Flag& needed) const;
  // Leaves those flags whose first long name begins with one of `beginnings`, words with blanks between them, to
  // --help-all, which the command then has.
  void rare_flags(std::string_view beginnings) const;
  void footer(const std::string& text) const;
  // Runs when this command was parsed.
  void on_parsed(std::function<void()> callback) const;

  CommandFacts facts() const;

 private:
  CLI::App* app_;
};

class Parser {
 public:
  // A program that needs one of its commands.
  Parser(const std::string& name, const std::string& description, const std::string& footer);
  Parser(Parser&& other) noexcept;
  Parser& operator=(Parser&& other) noexcept;
  ~Parser();

  Command root() const { return Command(app_.get()); }
  // Gives every command its --help, as the last flag that help lists: after all others were added.
  void add_help_flags();

  // Sets the variables and runs the callbacks; with --help it gives the text of help instead. kInvalid: the arguments
  // (without the program's name) are wrong, or the settings. These are for the command that is given; one whose flag is
  // typed too does not count.
  Result<std::optional<std::string>> parse(std::vector<std::string> arguments,
                                           const std::vector<FlagSetting>& settings = {});

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace ingero::cli
