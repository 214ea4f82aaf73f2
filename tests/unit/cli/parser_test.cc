// The parser by itself, with a tree of its own: what it sets, what it refuses and with which words, what it shows.
#include "cli/parser.h"

#include <gtest/gtest.h>

namespace ingero::cli {
namespace {

struct Values {
  std::string file = "a.db", time = "5s";
  uint64_t count = 3;
  std::vector<std::string> labels;
  bool wide = true, count_given = false, parsed = false;
};

Parser parser_of(Values& values) {
  Parser parser("tool", "Does things.", "See also: nothing.");
  const Command command = parser.root().add_command("list", "List them: all");
  command.add_option("file", values.file, "Which").usage("[FILE]");
  command.add_option("-n,--count", values.count, "How many").type_name("N").range(1, 9).reports(values.count_given);
  command.add_option("--time", values.time, "How long").duration().show_default();
  command.add_option("--label", values.labels, "Which of them").one_value_each();
  const Flag wide = command.add_flag("--wide,!--narrow", values.wide, "All columns");
  command
      .add_flag_callback(
          "--old", [] {}, "")
      .hidden();
  command.add_flag("--plain", "Without colours").excludes(wide);
  command.group_flags("Shape", {"wide", "plain"});
  command.on_parsed([&values] { values.parsed = true; });
  parser.add_help_flags();
  return parser;
}

std::string refusal(std::vector<std::string> arguments) {
  Values values;
  const auto outcome = parser_of(values).parse(std::move(arguments));
  return outcome.ok() ? "" : outcome.error().text();
}

TEST(Parser, SetsVariablesAndRunsTheCallbackOfTheCommand) {
  Values values;
  const auto outcome =
      parser_of(values).parse({"list", "b.db", "--narrow", "-n", "4", "--label", "x", "--label", "y", "--old"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  EXPECT_FALSE(outcome->has_value());
  EXPECT_EQ(values.file, "b.db");
  EXPECT_EQ(values.count, 4U);
  EXPECT_EQ(values.labels, (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(values.wide);
  EXPECT_TRUE(values.count_given);
  EXPECT_TRUE(values.parsed);
}

TEST(Parser, LeavesAloneWhatIsNotGiven) {
  Values values;
  ASSERT_TRUE(parser_of(values).parse({"list"}).ok());
  EXPECT_EQ(values.file, "a.db");
  EXPECT_EQ(values.count, 3U);
  EXPECT_FALSE(values.count_given);
}

TEST(Parser, RefusesWithASentenceThatPointsAtTheCommandsHelp) {
  EXPECT_EQ(refusal({"lost"}), "unknown command \"lost\", did you mean list? (see 'tool --help')");
  EXPECT_EQ(refusal({"list", "-n", "10"}), "--count: \"10\" is not a number from 1 to 9 (see 'tool list --help')");
  EXPECT_NE(refusal({"list", "--time", "soon"}).find("expected a number"), std::string::npos);
  EXPECT_NE(refusal({"list", "--wide", "--plain"}).find("cannot be combined"), std::string::npos);
  EXPECT_NE(refusal({}), "");
}

TEST(Parser, GivesHelpInsteadOfRunning) {
  Values values;
  const auto outcome = parser_of(values).parse({"list", "--help"});
  ASSERT_TRUE(outcome.ok() && outcome->has_value());
  const std::string& help = **outcome;
  EXPECT_NE(help.find("Usage: tool list [OPTIONS] [FILE]\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  -n,--count N            How many\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  --time DURATION         How long (default: 5s)\n"), std::string::npos) << help;
  EXPECT_NE(help.find("Shape:\n  --wide,--narrow"), std::string::npos) << help;
  EXPECT_EQ(help.find("--old"), std::string::npos) << help;
  EXPECT_FALSE(values.parsed);
}

std::vector<FlagSetting> set(const std::string& name, std::vector<std::string> values) {
  return {{name, std::move(values), "x.yaml:2:3"}};
}

TEST(Parser, SettingsAreArgumentsUnlessTheirFlagIsTyped) {
  Values values;
  auto settings = set("count", {"5"});
  settings.push_back({"label", {"x", "y"}, "x.yaml:3:3"});
  settings.push_back({"wide", {"false"}, "x.yaml:4:3"});
  ASSERT_TRUE(parser_of(values).parse({"list", "b.db"}, settings).ok());
  EXPECT_EQ(values.count, 5U);
  EXPECT_EQ(values.labels, (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(values.wide);
  EXPECT_EQ(values.file, "b.db");

  for (const std::vector<std::string>& typed : {std::vector<std::string>{"list", "--count", "7"},
                                                {"list", "--count=7"},
                                                {"list", "-n", "7"},
                                                {"list", "-n7"}}) {
    Values own;
    const auto outcome = parser_of(own).parse(typed, settings);
    ASSERT_TRUE(outcome.ok()) << outcome.error().text();
    EXPECT_EQ(own.count, 7U);
    EXPECT_FALSE(own.wide) << "another flag's setting counts all the same";
  }
}

TEST(Parser, AWrongSettingIsRefusedWithItsPlace) {
  const auto refused = [](const std::vector<FlagSetting>& settings) {
    Values values;
    const auto outcome = parser_of(values).parse({"list"}, settings);
    return outcome.ok() ? "" : outcome.error().text();
  };
  EXPECT_EQ(refused(set("cuont", {"5"})), "x.yaml:2:3: list has no flag --cuont, did you mean count?");
  EXPECT_EQ(refused(set("plain", {"maybe"})), "x.yaml:2:3: plain is true or false, not maybe");
  EXPECT_TRUE(refused(set("count", {"12"})).starts_with("x.yaml:2:3: --count: ")) << refused(set("count", {"12"}));
  EXPECT_NE(refused(set("file", {"a"})), "") << "a positional is no flag";
}

TEST(Parser, RareFlagsAreShownWithHelpAllOnly) {
  Values values;
  Parser parser = parser_of(values);
  parser.root().add_command("make", "Makes one");  // has none
  const auto command = parser.root().add_command("take", "Takes one");
  bool deep = false;
  command.add_flag("--deep-down", deep, "Further");
  command.add_flag("--near", "Not far");
  command.add_flag("--far-away", "Far");
  command.rare_flags("deep far");
  parser.add_help_flags();
  const auto shown = parser.parse({"take", "--help"});
  ASSERT_TRUE(shown.ok() && shown->has_value());
  EXPECT_EQ((*shown)->find("--deep-down"), std::string::npos) << **shown;
  EXPECT_NE((*shown)->find("--near"), std::string::npos) << **shown;
  EXPECT_NE((*shown)->find("2 more flags: tool take --help-all"), std::string::npos) << **shown;
  const auto all = parser.parse({"take", "--help-all"});
  ASSERT_TRUE(all.ok() && all->has_value());
  EXPECT_NE((*all)->find("--deep-down"), std::string::npos) << **all;
  EXPECT_EQ((*all)->find("more flags"), std::string::npos) << **all;
}

TEST(Parser, ReportsFlagsButNotPositionalsAndHiddenOnes) {
  Values values;
  const auto commands = parser_of(values).root().facts().commands;
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].name, "list");
  EXPECT_EQ(commands[0].description, "List them: all");
  std::vector<std::string> names;
  for (const FlagFacts& flag : commands[0].flags) names.push_back(flag.long_names.front());
  EXPECT_EQ(names, (std::vector<std::string>{"count", "time", "label", "wide", "plain", "help"}));
  EXPECT_EQ(commands[0].flags[0].short_names, std::vector<std::string>{"n"});
  EXPECT_EQ(commands[0].flags[3].type, "");
}

}  // namespace
}  // namespace ingero::cli
