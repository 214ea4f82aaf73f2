// Records of the kernel log: what is one, what was lost, and that only new ones are reported.
#include "kernelside/kernel_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "held_clock.h"

namespace ingero::kernelside {
namespace {

TEST(KernelLog, ReadsTheFieldsOfARecord) {
  KernelMessage message;
  ASSERT_TRUE(parse_kernel_message("6,339,5140900,-;NVRM: Xid, with; signs\n SUBSYSTEM=pci\n", message));
  EXPECT_EQ(message.sequence, 339U);
  EXPECT_EQ(message.mono_ns, 5'140'900'000U);
  EXPECT_EQ(message.text, "NVRM: Xid, with; signs");
  for (const char* bad : {"", ";", "6,1;x", "6,a,2,-;x", "6,1,b,-;x", "6,1,99999999999999999999,-;x", "no semicolon"}) {
    EXPECT_FALSE(parse_kernel_message(bad, message)) << bad;
  }
}

TEST(KernelLog, CountsMessagesThatWereOverwritten) {
  // A FIFO stands in for the device: one write is one record, as long as each is read before the next.
  const std::string path =
      (std::filesystem::temp_directory_path() / ("ingero_kmsg_" + std::to_string(getpid()))).string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  auto log = KernelLog::open(path);
  ASSERT_TRUE(log.ok()) << log.error().text();
  const Fd writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  std::vector<std::string> seen;
  const auto say = [&](const std::string& record) {
    EXPECT_EQ(::write(writer.get(), record.data(), record.size()), static_cast<ssize_t>(record.size()));
    return log->read([&](uint64_t, std::string_view text) { seen.emplace_back(text); });
  };
  EXPECT_EQ(say("6,10,1,-;first\n"), 0U);
  EXPECT_EQ(say("6,11,2,-;second\n"), 0U);
  EXPECT_EQ(say("6,15,3,-;after a gap\n"), 3U);
  EXPECT_EQ(say("nonsense"), 0U);
  EXPECT_EQ(seen, (std::vector<std::string>{"first", "second", "after a gap"}));
  EXPECT_EQ(log->read([](uint64_t, std::string_view) { ADD_FAILURE(); }), 0U);
  std::filesystem::remove(path);
}

// The kernel's stamps are of a clock of its own.
TEST(KernelLog, AMessageIsNoOlderThanTheReadBeforeAndNoNewerThanNow) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("ingero_kmsg_stamps_" + std::to_string(getpid()))).string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  HeldClock clock;
  const uint64_t opened = clock.now_ns;
  auto log = KernelLog::open(path, clock);
  ASSERT_TRUE(log.ok()) << log.error().text();
  const Fd writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const auto stamp_of = [&](uint64_t stamped_ns) {
    const std::string record = fmt::format("6,10,{},-;NVRM: Xid\n", stamped_ns / 1000);
    EXPECT_EQ(::write(writer.get(), record.data(), record.size()), static_cast<ssize_t>(record.size()));
    uint64_t found = 0;
    (void)log->read([&](uint64_t mono_ns, std::string_view) { found = mono_ns; });
    return found;
  };
  clock.now_ns = opened + kSecond;
  EXPECT_EQ(stamp_of(opened - 100 * kSecond), opened) << "nothing has been read before";
  clock.now_ns = opened + 2 * kSecond;
  EXPECT_EQ(stamp_of(clock.now_ns - 100 * kSecond), opened + kSecond);
  clock.now_ns = opened + 3 * kSecond;
  EXPECT_EQ(stamp_of(clock.now_ns + 100 * kSecond), clock.now_ns);
  clock.now_ns = opened + 4 * kSecond;
  EXPECT_EQ(stamp_of(clock.now_ns - kSecond / 2), clock.now_ns - kSecond / 2) << "it may well be so";
  std::filesystem::remove(path);
}

TEST(KernelLog, OfThisMachineReportsOnlyNewMessages) {
  auto log = KernelLog::open();
  if (!log.ok()) GTEST_SKIP() << log.error().text();
  (void)log->read([](uint64_t, std::string_view) {});
  const Fd writer(::open("/dev/kmsg", O_WRONLY | O_CLOEXEC));
  const std::string line = "ingero test " + std::to_string(getpid());
  // What a program writes stays open for its continuation until the next message.
  for (const std::string& words : {line, std::string("ingero test ends")}) {
    if (!writer.valid() || ::write(writer.get(), words.data(), words.size()) < 0) {
      GTEST_SKIP() << "/dev/kmsg takes no words here";
    }
  }
  int found = 0;
  (void)log->read([&](uint64_t, std::string_view text) { found += text == line ? 1 : 0; });
  EXPECT_EQ(found, 1);
}

TEST(KernelLog, AMissingLogIsAnError) { EXPECT_FALSE(KernelLog::open("/nonexistent").ok()); }

}  // namespace
}  // namespace ingero::kernelside
