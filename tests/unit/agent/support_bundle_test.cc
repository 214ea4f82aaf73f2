// The support bundle: what is in it, what is redacted, and what a program that misbehaves does to it.
#include "agent/check/support_bundle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/fd.h"
#include "base/text.h"
#include "unit/cli/cli_fixture.h"

namespace ingero::agent {
namespace {

using cli::Outcome;
using cli::run_cli;
using cli::TemporaryFolder;

TEST(SupportBundle, MasksByNameAndByUrlPassword) {
  for (const char* name : {"GITHUB_TOKEN", "my_secret", "DB_PASSWORD", "SSH_KEY", "API_URL", "MY_API", "AWS_REGION",
                           "XDG_SESSION_ID", "cookie_jar", "PRIVATE_X", "OAUTH"}) {
    EXPECT_TRUE(is_secret(name, "x")) << name;
  }
  EXPECT_TRUE(is_secret("PROXY", "http://me:word@proxy:3128"));
  EXPECT_FALSE(is_secret("PROXY", "http://proxy:3128"));
  EXPECT_FALSE(is_secret("LANG", "C"));
  EXPECT_FALSE(is_secret("MAIL", "me@here"));
}

TEST(SupportBundle, KeepsTheLastLines) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last_lines("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb\n", 5), "a\nb\n");
  EXPECT_EQ(last_lines("", 5), "");
  EXPECT_EQ(last_lines("\n\n\n", 1), "\n");
}

TEST(SupportBundle, DoesNotWaitForeverForAProgram) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  EXPECT_FALSE(wait_status(child, 20'000'000).has_value());
  kill(child, SIGKILL);
  const auto status = wait_status(child, 10'000'000'000);
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status));
  EXPECT_FALSE(wait_status(child, 10'000'000'000).has_value()) << "no child any more, and no wait";
}

TEST(SupportBundle, RunsSystemProgramsOnlyAndReportsFailures) {
  using Command = std::vector<std::string_view>;
  const auto good = output_of(Command{"printf", "%s", "said"});
  ASSERT_TRUE(good.ok()) << good.error().text();
  EXPECT_EQ(*good, "said");
  const auto failed = output_of(Command{"ls", "/nonexistent/folder"});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().text().find("exit status 2"), std::string::npos) << failed.error().text();
  EXPECT_EQ(output_of(Command{"no-such-program-anywhere"}).error().code(), Errc::kNotFound);
  EXPECT_FALSE(output_of(Command{}).ok());
  const auto endless = output_of(Command{"yes"});  // cut at its limit, and ended
  ASSERT_TRUE(endless.ok()) << endless.error().text();
  EXPECT_GE(endless->size(), size_t{1} << 20);
  EXPECT_LT(endless->size(), size_t{2} << 20);
}

class SupportBundleFile : public TemporaryFolder {
 protected:
  std::string unpacked(const std::string& bundle, const std::string& entry) const {
    const std::string command =
        "tar xzOf " + bundle + " ingero-support/" + entry + " > " + path("entry") + " 2>/dev/null";
    if (std::system(command.c_str()) != 0) return "tar failed";
    std::ifstream in(path("entry"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(SupportBundleFile, HoldsItsEntriesForItsOwnerOnly) {
  std::ofstream(path("agent-trace.log")) << "first\nlast\n";
  constexpr std::string_view kCommand[] = {"printf", "from the tool"};
  constexpr std::string_view kMissing[] = {"no-such-program-anywhere"};
  const hal::Diagnostic diagnostics[] = {{.name = "tool.txt", .command = kCommand},
                                         {.name = "gone.txt", .command = kMissing},
                                         {.name = "version.txt", .path = "/proc/version"}};
  constexpr std::string_view kVariables[] = {"XYZ_"};
  const hal::Backend backend{.name = "x", .vendor = "y", .libraries = {}, .diagnostics = diagnostics};
  const hal::Backend* const backends[] = {&backend};
  const std::string bundle = path("bundle.tar.gz");
  const BundleOptions options{
      "{\"a\":1}\n",
      folder_,
      1'700'000'000'000'000'000,
      {"INGERO_TEST_TOKEN=do-not-tell", "no name", "LANG=kept", "XYZ_LEVEL=2", "XYZ_PROXY=http://me:do-not-tell@p",
       "MYSQL_PWD=do-not-tell", "DATABASE_DSN=do-not-tell", "SLACK_WEBHOOK=do-not-tell", "PGPASSFILE=do-not-tell",
       "HISTFILE=do-not-tell", "SSH_AUTH_SOCK=do-not-tell", "SENTRY=do-not-tell", "MAIL=do-not-tell",
       "PLAIN=do-not-tell"},
      kVariables};
  const Status written = write_support_bundle(bundle, backends, options);
  ASSERT_TRUE(written.ok()) << written.error().text();
  struct stat status {};
  ASSERT_EQ(stat(bundle.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(unpacked(bundle, "check.json"), "{\"a\":1}\n");
  EXPECT_EQ(unpacked(bundle, "tool.txt"), "from the tool");
  EXPECT_EQ(unpacked(bundle, "agent-trace.log"), "first\nlast\n");
  EXPECT_NE(unpacked(bundle, "gone.txt.error.txt").find("not installed"), std::string::npos);
  EXPECT_NE(unpacked(bundle, "version.txt").find("Linux"), std::string::npos);
  EXPECT_NE(unpacked(bundle, "sink-stderr.log.error.txt").find("No such file"), std::string::npos);
  EXPECT_NE(unpacked(bundle, "metadata.txt").find("2023-11-14T22:13:20"), std::string::npos);
  const std::string environment = unpacked(bundle, "env-redacted.txt");
  EXPECT_NE(environment.find("INGERO_TEST_TOKEN=<redacted>"), std::string::npos);
  EXPECT_EQ(environment.find("do-not-tell"), std::string::npos);
  EXPECT_NE(environment.find("LANG=kept"), std::string::npos);
  EXPECT_NE(environment.find("XYZ_LEVEL=2"), std::string::npos);
  EXPECT_EQ(environment.find("MYSQL_PWD"), std::string::npos) << "not on the list";
}

TEST_F(SupportBundleFile, DoesNotFollowALinkAndReportsWhereItCannotWrite) {
  std::ofstream(path("victim")) << "precious";
  ASSERT_EQ(symlink(path("victim").c_str(), path("bundle").c_str()), 0);
  EXPECT_FALSE(write_support_bundle(path("bundle"), {}, {}).ok());
  EXPECT_FALSE(write_support_bundle(path("no/such/folder"), {}, {}).ok());
  std::ifstream in(path("victim"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "precious");
}

TEST_F(SupportBundleFile, ReplacesAFileAndIsItsOwnersAloneWhateverTheUmask) {
  std::ofstream(path("bundle")) << "of before";
  const Fd before(open(path("bundle").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(chmod(path("bundle").c_str(), 0644), 0);
  const mode_t mask = umask(0);
  const Status written = write_support_bundle(path("bundle"), {}, {});
  umask(mask);
  ASSERT_TRUE(written.ok()) << written.error().text();
  struct stat status {};
  ASSERT_EQ(stat(path("bundle").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(*read_file(before.get(), "bundle"), "of before") << "who has it open must not read the new one";
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  ASSERT_EQ(chown(path("bundle").c_str(), 65534, 65534), 0);
  const Status refused = write_support_bundle(path("bundle"), {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("belongs to user 65534"), std::string::npos) << refused.error().text();
}

TEST_F(SupportBundleFile, CheckReportsAManifestsMistakesByLine) {
  std::ofstream(path("wrong.yaml")) << "backend: x\nvendor: y\nlibraries: []\nknd: 1\n";
  const Outcome outcome = run_cli({"check", "--backend", path("wrong.yaml"), "--backends-dir", path("none")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("wrong.yaml:4:1: unknown key 'knd'"), std::string::npos) << outcome.out;
  const Outcome good = run_cli({"check", "--json", "--backends-dir", path("none"), "--backend",
                                INGERO_SOURCE_DIR "/backends/manifests/opencl.yaml"});
  EXPECT_NE(good.out.find("opencl (khronos): "), std::string::npos) << good.out;
  EXPECT_NE(good.out.find("\"file\": \"" INGERO_SOURCE_DIR "/backends/manifests/opencl.yaml\""), std::string::npos);
  const Outcome shipped = run_cli({"check", "--backends-dir", path("none"), "--backend", "opencl"});
  EXPECT_NE(shipped.out.find("[PASS] backend opencl: part of this program"), std::string::npos) << shipped.out;
}

}  // namespace
}  // namespace ingero::agent
