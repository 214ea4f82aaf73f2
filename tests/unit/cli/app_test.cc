// The command line refuses what it does not understand with one sentence and the right exit status.
#include <array>
#include <cstdio>

#include "base/text.h"
#include "cli_fixture.h"

namespace ingero::cli {
namespace {

TEST(CommandLine, PrintsTheVersionByCommandAndByFlag) {
  const Outcome command = run_cli({"version"});
  EXPECT_EQ(command.status, 0);
  EXPECT_EQ(command.out.rfind("ingero ", 0), 0U);
  EXPECT_EQ(run_cli({"--version"}).out, command.out);
}

TEST(CommandLine, RefusesAnUnknownFlagOrCommand) {
  expect_refused(run_cli({"query", "--colour"}), kExitUsage, "--colour");
  expect_refused(run_cli({"quarry"}), kExitUsage, "quarry");
}

TEST(CommandLine, TakesFlagsOfTheLegacyAgentAndSaysWhyTheyDoNothing) {
  const Outcome outcome = run_cli({"trace", "--nccl", "--py-walker", "auto", "--heartbeat", "30s", "--remediate",
                                   "--remediate-gid", "65532", "--cluster", "train", "--backend", "/nonexistent.yaml"});
  EXPECT_EQ(outcome.status, kExitFailed);  // of the backend
  EXPECT_NE(outcome.err.find("/nonexistent.yaml"), std::string::npos) << outcome.err;
  for (const char* reported : {"--nccl has no effect: ", "--py-walker has no effect: ", "--heartbeat has no effect: ",
                               "--remediate has no effect: ", "--remediate-gid has no effect: "}) {
    EXPECT_NE(outcome.err.find(reported), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(outcome.err.find("--deadband"), std::string::npos) << outcome.err;
  EXPECT_EQ(run_cli({"trace", "--help"}).out.find("--py-walker"), std::string::npos);
  EXPECT_EQ(run_cli({"completion", "bash"}).out.find("--py-walker"), std::string::npos);
}

TEST(CommandLine, ALibraryThatWaitsForAFlagIsNotTakenWithoutIt) {
  const Outcome outcome = run_cli({"trace", "--library", "/opt/x/libibverbs.so.1.14.44"});
  expect_refused(outcome, kExitUsage, "--rdma-verbs");
  EXPECT_NE(outcome.err.find("/opt/x/libibverbs.so.1.14.44"), std::string::npos) << outcome.err;
}

TEST(CommandLine, PointsAtTheHelpOfTheCommandThatWasMistyped) {
  EXPECT_NE(run_cli({"explain", "--colour"}).err.find("'ingero explain --help'"), std::string::npos);
}

TEST(CommandLine, RefusesABadDurationWhileParsing) {
  expect_refused(run_cli({"query", "--since", "5 parsecs", "/nonexistent.db"}), kExitUsage, "5 parsecs");
  expect_refused(run_cli({"explain", "--since", "-5m"}), kExitUsage, "negative");
}

TEST(CommandLine, KeepsAHostileArgumentPrintable) {
  const Outcome outcome = run_cli({"query", "--since", "\x1b[2Jx"});
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
}

TEST(CommandLine, EveryCommandHasHelpWithAnExample) {
  std::ostringstream out, err;
  Context context(out, err);
  const auto commands = make_parser(context).root().facts().commands;
  ASSERT_GE(commands.size(), 4U);
  for (const CommandFacts& command : commands) {
    const Outcome help = run_cli({command.name, "--help"});
    EXPECT_EQ(help.status, 0) << command.name;
    EXPECT_NE(help.out.find("Example"), std::string::npos) << command.name;
    EXPECT_NE(help.out.find("ingero " + command.name), std::string::npos) << command.name;
    EXPECT_EQ(help.err, "");
  }
}

TEST(CommandLine, ClocksOfNodesHaveOneThresholdWhateverTheCommand) {
  for (const char* command : {"merge", "query", "explain"}) {
    const std::string help = run_cli({command, std::string(command) == "merge" ? "--help" : "--help-all"}).out;
    const size_t at = help.find("--clock-skew-threshold");
    ASSERT_NE(at, std::string::npos) << command;
    EXPECT_NE(help.substr(at, 250).find("10ms)"), std::string::npos) << help.substr(at, 250);
  }
}

TEST(CommandLine, HelpNamesTheWholeCommandAndGivesFlagsNoValue) {
  const std::string help = run_cli({"query", "--help"}).out;
  EXPECT_NE(help.find("Usage: ingero query [OPTIONS] [FILE] [SQL]\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  --json                  An array"), std::string::npos) << help;
  EXPECT_NE(help.find("  --since DURATION "), std::string::npos) << help;
  EXPECT_NE(help.find("(default: 30s)"), std::string::npos) << help;
}

TEST(CommandLine, HelpOfTraceListsItsFlagsUnderHeadings) {
  const std::string help = run_cli({"trace", "--help-all"}).out;
  const auto between = [&](const std::string& heading, const std::string& flag, const std::string& next) {
    const size_t at = help.find(heading + ":\n"), end = help.find(next + ":\n"), where = help.find("  " + flag);
    return at != std::string::npos && end != std::string::npos && at < where && where < end;
  };
  EXPECT_TRUE(between("Recording", "--max-db", "How it is traced")) << help;
  EXPECT_TRUE(between("Prometheus", "--prometheus-cert", "OpenTelemetry")) << help;
  EXPECT_TRUE(between("OpenTelemetry", "--otlp-queue-size", "Devices, fabric and kernel log")) << help;
  EXPECT_TRUE(between("Annotations", "--annotate-socket", "Inference")) << help;
}

TEST(CommandLine, HelpOfEveryCommandFitsAScreen) {
  static constexpr size_t kLines = 40, kColumns = 80;
  const auto expect_fits = [](std::vector<std::string> command) {
    command.emplace_back("--help");
    const std::string help = run_cli(std::move(command)).out;
    EXPECT_FALSE(help.empty());
    size_t lines = 0;
    for (const std::string_view line : split(help, '\n')) {
      EXPECT_LE(line.size(), kColumns) << line;
      ++lines;
    }
    EXPECT_LE(lines - 1, kLines) << help;  // after the last newline is none
  };
  expect_fits({});
  std::ostringstream out, err;
  Context context(out, err);
  for (const CommandFacts& command : make_parser(context).root().facts().commands) {
    expect_fits({command.name});
    for (const CommandFacts& below : command.commands) expect_fits({command.name, below.name});
  }
}

TEST(CommandLine, HelpOfTraceSaysHowToSeeTheRest) {
  const std::string help = run_cli({"trace", "--help"}).out;
  for (const char* flag : {"--pid", "--duration", "--db", "--prometheus ", "--otlp ", "--help-all"}) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
  EXPECT_NE(help.find("more flags: ingero trace --help-all"), std::string::npos) << help;
}

TEST(CommandLine, SaysWhenStandardOutputTakesNoMore) {
  std::ostringstream err;
  std::ostream broken(nullptr);  // every write fails
  Context context(broken, err);
  EXPECT_EQ(run({"version"}, context), kExitFailed);
  EXPECT_NE(err.str().find("standard output"), std::string::npos);
}

TEST(Completion, OffersEveryCommandAndFlagOfTheTreeInEveryShell) {
  std::ostringstream out, err;
  Context context(out, err);
  const auto commands = make_parser(context).root().facts().commands;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run_cli({"completion", shell}).out;
    for (const CommandFacts& command : commands) {
      EXPECT_NE(script.find(command.name), std::string::npos) << shell << " " << command.name;
      for (const FlagFacts& flag : command.flags) {
        for (const std::string& name : flag.long_names) {
          EXPECT_NE(script.find(name), std::string::npos) << shell << " --" << name;
        }
      }
    }
  }
  expect_refused(run_cli({"completion", "tcsh"}), kExitUsage, "tcsh");
  expect_refused(run_cli({"completion"}), kExitUsage, "shell");
}

// What a shell prints for `script`, run after the completion script was loaded.
std::string shell_says(const std::string& shell, const std::string& completion, const std::string& script) {
  std::string pattern = (std::filesystem::temp_directory_path() / "ingero_completion_XXXXXX").string();
  const int fd = mkstemp(pattern.data());
  if (fd < 0) return {};
  const std::string text = completion + script;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  std::string said;
  if (FILE* pipe = written ? popen((shell + " " + pattern + " 2>&1").c_str(), "r") : nullptr) {
    std::array<char, 4096> buffer{};
    while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) said += buffer.data();
    pclose(pipe);
  }
  std::filesystem::remove(pattern);
  return said;
}

TEST(Completion, WorksInARealBash) {
  const std::string script = run_cli({"completion", "bash"}).out;
  EXPECT_EQ(
      shell_says("bash --norc", script, "COMP_WORDS=(ingero expl); COMP_CWORD=1; _ingero; echo \"${COMPREPLY[*]}\"\n"),
      "explain\n");
  EXPECT_EQ(shell_says("bash --norc", script,
                       "COMP_WORDS=(ingero explain --per); COMP_CWORD=2; _ingero; echo \"${COMPREPLY[*]}\"\n"),
            "--per-process\n");
  EXPECT_EQ(shell_says("bash --norc", script,
                       "COMP_WORDS=(ingero completion z); COMP_CWORD=2; _ingero; echo \"${COMPREPLY[*]}\"\n"),
            "zsh\n");
}

TEST(Completion, IsAcceptedByARealZshAndFish) {
  int tried = 0;
  for (const std::string shell : {"zsh", "fish"}) {
    if (std::system(("command -v " + shell + " >/dev/null").c_str()) != 0) continue;
    ++tried;
    const std::string stub = shell == "zsh" ? "compdef() { :; }\n" : "";
    EXPECT_EQ(shell_says(shell + " -n", stub + run_cli({"completion", shell}).out, ""), "") << shell;
  }
  if (tried == 0) GTEST_SKIP() << "neither zsh nor fish is installed";
}

}  // namespace
}  // namespace ingero::cli
