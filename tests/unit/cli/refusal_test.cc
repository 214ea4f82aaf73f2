// Wrong command lines, as users type them: each is refused with one sentence that names what is wrong and what to do.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "recording_fixture.h"

namespace ingero::cli {
namespace {

class Refusal : public Recording {
 protected:
  void expect(std::vector<std::string> arguments, int status, const std::string& part) const {
    SCOPED_TRACE(testing::PrintToString(arguments));
    expect_refused(run_cli(std::move(arguments)), status, part);
  }
};

TEST_F(Refusal, OfACommandNamesTheNearest) {
  expect({"qeury"}, kExitUsage, "unknown command \"qeury\", did you mean query? (see 'ingero --help')");
  expect({"expalin", "run.db"}, kExitUsage, "did you mean explain?");
  expect({"run.db"}, kExitUsage, "unknown command \"run.db\" (see");
}

TEST_F(Refusal, OfAFlagNamesTheNearestOfThatCommand) {
  expect({"explain", "--per-proces"}, kExitUsage, "unknown flag \"--per-proces\", did you mean --per-process?");
  expect({"trace", "--durration=5s"}, kExitUsage, "unknown flag \"--durration\", did you mean --duration?");
  expect({"--verbose", "trace"}, kExitUsage, "\"--verbose\" stands before the command: put it behind");
  expect({"query", "--jsno", database_}, kExitUsage, "did you mean --json?");
  expect({"check", "--frobnicate"}, kExitUsage, "unknown flag \"--frobnicate\" (see 'ingero check --help')");
  expect({"explain", "-x"}, kExitUsage, "unknown flag \"-x\"");
}

TEST_F(Refusal, OfAWordTooMuchNamesTheFirst) {
  expect({"version", "now"}, kExitUsage, "unexpected argument \"now\"");
  expect({"mcp", "one", "two"}, kExitUsage, "unexpected argument \"one\"");
  expect({"compare", "a.db", "b.db", "c.db"}, kExitUsage, "unexpected argument \"c.db\"");
  expect({"query", "a.db", "SELECT", "1"}, kExitUsage, "too many arguments: put quotes around one that has blanks");
}

TEST_F(Refusal, OfAValueNamesFlagValueAndWhatIsTaken) {
  expect({"explain", "--pid", "python3"}, kExitUsage, "--pid: \"python3\" is not a number");
  expect({"explain", "--slowest", "many"}, kExitUsage, "--slowest: \"many\" is not a number from 0 to 10000");
  expect({"explain", "--last", "0"}, kExitUsage, "--last: \"0\" is not a positive number");
  expect({"dashboard", "--rate", "-1"}, kExitUsage, "--rate: \"-1\" is not a number from 0 on");
  expect({"trace", "--stack", "atuo"}, kExitUsage, "--stack: \"atuo\" is none of auto, all, off");
  expect({"trace", "--stack", "atuo"}, kExitUsage, "did you mean auto?");
  expect({"trace", "--duration", "5"}, kExitUsage, "--duration: duration \"5\": a unit is missing");
  expect({"trace", "--max-db", "huge"}, kExitUsage, "--max-db");
  expect({"explain", "--since", "yesterday"}, kExitUsage, "yesterday");
  expect({"explain", database_, "--from", "25:99"}, kExitUsage, "25:99");
  expect({"completion", "tcsh"}, kExitUsage, "\"tcsh\" is none of bash, zsh, fish");
}

TEST_F(Refusal, OfWhatIsMissingNamesIt) {
  expect({"query", "--db"}, kExitUsage, "--db needs a value");
  expect({"merge", "a.db"}, kExitUsage, "--output is missing");
  expect({"export", "--db", database_}, kExitUsage, "--format is missing");
  expect({"completion"}, kExitUsage, "no shell given");
  expect({"fleet"}, kExitUsage, "fleet: no command given: serve or simulate (see 'ingero fleet --help')");
  expect({"trace", "--prometheus-cert", "a.pem"}, kExitUsage, "--prometheus-cert has no effect without --prometheus");
  expect({"trace", "--otlp-interval", "1s"}, kExitUsage, "--otlp-interval has no effect without --otlp");
  expect({"trace", "--otlp-traces"}, kExitUsage, "--otlp-traces has no effect without --otlp");
  expect({"trace", "--fleet-timeout", "1s"}, kExitUsage, "--fleet-timeout has no effect without --fleet-endpoint");
  expect({"trace", "--fleet-insecure"}, kExitUsage, "--fleet-insecure has no effect without --fleet-endpoint");
  expect({"trace", "--annotate-socket", "/run/a"}, kExitUsage, "--annotate-socket has no effect without --annotate");
  expect({"compare", database_}, kExitUsage, "compare takes two recordings, the earlier one first");
}

TEST_F(Refusal, OfTwoThatExcludeEachOtherNamesBoth) {
  expect({"query", database_, "--csv", "--json"}, kExitUsage, "--json and --csv cannot be combined: give only one");
  expect({"explain", database_, "--db", database_}, kExitUsage, "twice");
}

TEST_F(Refusal, OfAFileSaysWhatItIsAndWhatToDo) {
  expect({"explain", path("none.db")}, kExitFailed, "none.db");
  expect({"query", path("none.db"), "SELECT 1"}, kExitFailed, "'sudo ingero trace --db FILE' makes a recording");
  expect({"explain", folder_}, kExitFailed, "is a directory (name the recording in it)");
  std::ofstream(path("empty.db")).close();
  expect({"explain", path("empty.db")}, kExitFailed, "empty (name another file, or record into it");
  expect({"compare", database_, path("none.db")}, kExitFailed, "none.db does not exist");
  expect({"export", "--format", "csv", "--db", database_, "-o", path("none/out.csv")}, kExitFailed,
         "none/out.csv: No such file or directory (check the path; its directory must exist)");
  expect({"mcp", "--db", database_, "--http", "127.0.0.1:0", "--token-file", path("none")}, kExitFailed,
         "--token-file: open(");
}

TEST_F(Refusal, OfASecretAmongTheArgumentsComesBeforeItIsUsed) {
  expect({"mcp", "--db", database_, "--token", "secret"}, kExitUsage,
         "--token: a secret among the arguments can be read by every user of this machine (put it into INGERO_TOKEN or "
         "--token-file)");
  // The flag that was typed is named.
  expect({"mcp", "--db", database_, "--mcp-bearer-token", "x"}, kExitUsage, "--mcp-bearer-token: a secret among");
  expect({"mcp", "--pagerduty-routing-key=x"}, kExitUsage, "(put it into INGERO_PAGERDUTY_KEY)");
}

TEST_F(Refusal, OfAKeyThatOthersCanReadNamesItsFlag) {
  std::ofstream(path("key.pem")) << "key";
  std::filesystem::permissions(path("key.pem"), std::filesystem::perms(0640));
  expect({"dashboard", "--db", database_, "--addr", "127.0.0.1:0", "--tls-cert", path("c.pem"), "--tls-key",
          path("key.pem")},
         kExitUsage, "--tls-key: ");
}

TEST_F(Refusal, OfExportFromNodesAndAFileSaysWhatToChoose) {
  expect({"export", "--format", "perfetto", "--db", database_, "--nodes", "127.0.0.1:1", "-o", path("t")}, kExitUsage,
         "--nodes and --db cannot be combined: give only one");
}

TEST_F(Refusal, OfALegacyFlagSaysWhatToDoInstead) {
  for (const auto& line : std::vector<std::vector<std::string>>{
           {"--config", "x.yaml", "version"}, {"--config=x.yaml", "version"}, {"version", "--config", "x.yaml"}}) {
    expect(line, kExitUsage, "--config: no flag names the configuration (set INGERO_CONFIG=FILE in the environment)");
  }
  expect({"query", "--include-rolled", database_}, kExitUsage, "--include-rolled: a recording is one file (ask");
  expect({"export", "--format", "csv", "--limit", "5"}, kExitUsage, "(give --last N, or --since)");
  expect({"mcp", "--log", "file"}, kExitUsage, "--log: requests are logged to standard error (give --audit-log FILE)");
  expect({"migrate", "--dry-run"}, kExitUsage,
         "migrate is not needed: recordings of older schemas are read as they are");
  expect({"rates", "update"}, kExitUsage, "rates is left out");
}

TEST_F(Refusal, OfACallNamesTheNearestInTheRecording) {
  expect({"explain", database_, "--op", "cudaLaunchKernl"}, kExitUsage,
         "is named \"cudaLaunchKernl\", did you mean cudaLaunchKernel?");
  expect({"query", database_, "--op", "cudamemcopy"}, kExitUsage, "did you mean cudaMemcpy?");
  expect({"query", database_, "--op", "frobnicate"}, kExitUsage, "is named \"frobnicate\" ('ingero explain' lists");
  EXPECT_EQ(run_cli({"query", database_, "--op", "CUDAMEMCPY"}).status, 0);
  EXPECT_EQ(run_cli({"explain", database_, "--op", "cudamemcpy"}).status, 0);
  // Spellings of one call: of the exported symbol, and without what users leave out.
  for (const char* typed : {"cudaMemcpy_v2", "cudamemcpyv2", "cuda_memcpy"}) {
    SCOPED_TRACE(typed);
    const Outcome listed = run_cli({"query", database_, "--op", typed, "--json"});
    EXPECT_EQ(listed.status, 0) << listed.err;
    EXPECT_EQ(nlohmann::json::parse(listed.out).size(), 3U);
    const Outcome explained = run_cli({"explain", database_, "--op", typed, "--json"});
    EXPECT_EQ(explained.out, run_cli({"explain", database_, "--op", "cudaMemcpy", "--json"}).out);
  }
}

TEST_F(Refusal, AloneTheProgramListsItsCommands) {
  const Outcome alone = run_cli({});
  EXPECT_EQ(alone.status, 0) << alone.err;
  for (const char* command : {"trace", "explain", "query", "compare"}) {
    EXPECT_NE(alone.out.find(command), std::string::npos) << command;
  }
  EXPECT_EQ(run_cli({"help"}).out, alone.out);
  EXPECT_EQ(run_cli({"help", "query"}).out, run_cli({"query", "--help"}).out);
}

TEST_F(Refusal, OfAHostileWordIsPrintable) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"\x1b[2Jx"},
                                                    {"explain", "--\x1b[2Jx"},
                                                    {"explain", database_, "--op", "\x1b[2J"},
                                                    {"trace", "--stack", std::string(5000, 'a')}}) {
    const Outcome outcome = run_cli(arguments);
    EXPECT_NE(outcome.status, 0);
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
    EXPECT_LT(outcome.err.size(), 1300U);
  }
}

class Glance : public Recording {};

TEST_F(Glance, ATableWithoutConditionsIsTheLatestTwenty) {
  const auto lines = [](const Outcome& outcome) { return std::count(outcome.out.begin(), outcome.out.end(), '\n'); };
  const Outcome glance = run_cli({"query", database_});
  EXPECT_EQ(lines(glance), 21) << glance.out;  // and the header
  EXPECT_NE(glance.out.find("sched_switch"), std::string::npos) << "the last one";
  EXPECT_NE(glance.err.find("the latest 20 events"), std::string::npos) << glance.err;
  EXPECT_EQ(lines(run_cli({"query", database_, "--limit", "100"})), 27);
  EXPECT_EQ(lines(run_cli({"query", database_, "--pid", "4321"})), 27);
  EXPECT_EQ(lines(run_cli({"query", database_, "--csv"})), 27);
}

class Compare : public Recording {};

TEST_F(Compare, TwoRecordingsAreShownSideBySideOnceAsTextAndOnceAsJson) {
  const std::string other = path("later.db");
  std::filesystem::copy_file(database_, other);
  const Outcome text = run_cli({"compare", database_, other});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("Before: " + database_ + ": 26 events"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("After:  " + other + ": 26 events"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("1.00x"), std::string::npos) << "as it was:\n" << text.out;
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  const auto answer = nlohmann::json::parse(run_cli({"compare", database_, other, "--json"}).out);
  EXPECT_EQ(answer["before"]["events"], answer["after"]["events"]);
}

}  // namespace
}  // namespace ingero::cli
