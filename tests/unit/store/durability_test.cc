// What can happen to a file: a killed writer, a full disk, no permission, damage, strangers, a second writer.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <grp.h>

#include "recording.h"
#include "store/db/schema.h"
#include "store/db/sqlite.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DurabilityTest : public RecordingTest {
 protected:
  Error refusal_of_writer() {
    auto opened = Writer::open(options(), calls(), losses, clock);
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? Error(Errc::kIo, "opened") : opened.error();
  }
  Error refusal_of_reader() {
    auto opened = Reader::open(path);
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? Error(Errc::kIo, "opened") : opened.error();
  }
  // Another process that has committed one event and goes on recording until this ends; then it is killed.
  class RecordingProcess {
   public:
    explicit RecordingProcess(DurabilityTest& test) {
      int ends[2];
      if (::pipe(ends) != 0) return;
      child_ = ::fork();
      if (child_ == 0) {
        WriterOptions given = test.options();
        given.group = test.group_;
        test.open(given);
        test.write({event_of("cudaMalloc", 0, 1)});
        test.flush();
        if (::write(ends[1], "r", 1) != 1) ::_exit(1);
        for (;;) ::pause();
      }
      char ready = 0;
      EXPECT_EQ(::read(ends[0], &ready, 1), 1);
      ::close(ends[0]);
      ::close(ends[1]);
    }
    RecordingProcess(const RecordingProcess&) = delete;
    RecordingProcess& operator=(const RecordingProcess&) = delete;
    ~RecordingProcess() {
      if (child_ <= 0) return;
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }

   private:
    pid_t child_ = -1;
  };

  void execute(const std::string& sql) {
    auto database = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path);
    ASSERT_TRUE(database.ok());
    const Status status = database->execute(sql);
    ASSERT_TRUE(status.ok()) << status.error().text();
  }

  std::optional<uint32_t> group_;
};

// (W1, W2)
TEST_F(DurabilityTest, AfterSigkillEveryCommittedRowIsThereAndCounted) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    WriterOptions given = options();
    given.batch_rows = 64;
    auto opened = Writer::open(given, calls(), losses, clock);
    if (!opened.ok()) ::_exit(1);
    for (uint64_t i = 0;; ++i) {
      std::vector<Event> events;
      for (uint64_t j = 0; j < 64; ++j) events.push_back(event_of("cudaMalloc", i * 64 + j, 1000 + j));
      clock.elapsed_ns += 50'000'000;
      if (!(*opened)->write(events).ok()) ::_exit(2);
      const uint64_t committed = (*opened)->rows_committed();
      if (::write(pipe_ends[1], &committed, sizeof committed) != sizeof committed) ::_exit(3);
    }
  }
  ::close(pipe_ends[1]);
  uint64_t committed = 0;
  for (int i = 0; i < 300; ++i) ASSERT_EQ(::read(pipe_ends[0], &committed, sizeof committed), 8);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (uint64_t more = 0; ::read(pipe_ends[0], &more, sizeof more) == 8;) committed = more;
  ::close(pipe_ends[0]);
  // Before any repair: rows, and the summary of histograms plus the rows they do not hold yet.
  const auto counted = [&] {
    const auto summary = summarise(*read(), {});
    EXPECT_TRUE(summary.ok());
    return summary.ok() && !summary->calls.empty() ? summary->calls[0].count : 0;
  };
  const uint64_t rows_there = std::stoull(row("SELECT count(*) FROM events"));
  EXPECT_GE(rows_there, committed);
  EXPECT_LE(rows_there, committed + 64);
  EXPECT_EQ(counted(), rows_there);
  // The next run completes the aggregates, numbers on, and loses nothing.
  clock.elapsed_ns = 3'600'000'000'000;
  open();
  write({event_of("cudaMalloc", 0, 1)});
  close();
  EXPECT_EQ(row("SELECT count(*), count(DISTINCT seq), max(seq) - min(seq) FROM events"),
            fmt::format("{0}|{0}|{1}", rows_there + 1, rows_there));
  EXPECT_EQ(counted(), rows_there + 1);
  EXPECT_EQ(row("SELECT sum(count) FROM event_aggregates"), std::to_string(rows_there + 1));
  EXPECT_EQ(row("SELECT sum(count) FROM call_stats"), std::to_string(rows_there + 1));
}

// (W4)
TEST_F(DurabilityTest, AFileThatMayNotGrowLosesNothingCommittedAndRecoversWhenItMay) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    WriterOptions given = options();
    given.batch_rows = 512;
    given.max_buffered_rows = 2048;
    auto opened = Writer::open(given, calls(), losses, clock);
    if (!opened.ok()) ::_exit(1);
    Writer& out = **opened;
    std::vector<Event> events;
    for (uint64_t i = 0; i < 512; ++i) events.push_back(event_of("cudaMalloc", i, 1'000'000 + i));
    if (!out.write(events).ok()) ::_exit(2);
    const rlimit limit{1 << 20, RLIM_INFINITY};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
    Status status;
    uint64_t given_rows = events.size();
    for (int i = 0; i < 200 && status.ok(); ++i, given_rows += events.size()) status = out.write(events);
    if (status.ok()) ::_exit(4);
    // A limit on the file's size is EFBIG, which SQLite calls an I/O error; a full disk is another test's.
    if (status.error().code() != Errc::kIo || status.error().hint().empty()) ::_exit(5);
    const uint64_t before = out.rows_committed();
    // No reader takes the errors: what does not fit the buffer is counted.
    for (int i = 0; i < 20; ++i, given_rows += events.size()) (void)out.write(events).ok();
    const uint64_t dropped = losses.count(hal::Loss::store_failed);
    if (given_rows - dropped - before > 2048 || out.rows_committed() != before) ::_exit(6);
    if (dropped == 0) ::_exit(7);
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    if (::setrlimit(RLIMIT_FSIZE, &none) != 0) ::_exit(8);
    if (!out.flush().ok() || out.rows_committed() != given_rows - dropped) ::_exit(9);
    if (!out.close().ok()) ::_exit(10);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0) << "exit " << WEXITSTATUS(status);
  const std::string kept = row("SELECT count(*) FROM events");
  EXPECT_EQ(row("SELECT sum(count) FROM call_stats"), kept);
  EXPECT_EQ(row("SELECT max(seq) FROM event_rows"), kept);
  EXPECT_EQ(row("SELECT count(*) FROM loss WHERE name = 'store_failed' AND count > 0"), "1");
  EXPECT_EQ(row("PRAGMA page_size"), "16384");
}

TEST_F(DurabilityTest, AFullDiskIsReportedAsFullAndTheRowsFollowOnceThereIsRoom) {
  if (::mount("none", directory.c_str(), "tmpfs", 0, "size=4m") != 0)
    GTEST_SKIP() << "needs the right to mount a tmpfs";
  open();
  std::vector<Event> events;
  for (uint64_t i = 0; i < 8192; ++i) events.push_back(event_of("cudaMalloc", i, 1'000'000 + i));
  Status status;
  uint64_t given_rows = 0;
  for (int i = 0; i < 100 && status.ok(); ++i, given_rows += events.size()) status = writer->write(events);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::kFull) << status.error().text();
  EXPECT_THAT(status.error().hint(), HasSubstr("--max-db"));
  ASSERT_EQ(::mount("none", directory.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
  // It is tried again after a while, and not at each event: the clock stands still.
  const uint64_t committed = writer->rows_committed();
  const Event off = event_of("cudaMalloc", 9000, 5);
  EXPECT_EQ(writer->write_wait(off, {}).error().code(), Errc::kFull);
  EXPECT_EQ(writer->write_tcp(off, {}).error().code(), Errc::kFull);
  EXPECT_EQ(writer->write_exchange(off, {}).error().code(), Errc::kFull);
  EXPECT_EQ(writer->write(std::vector<Event>{off}).error().code(), Errc::kFull);
  EXPECT_EQ(writer->rows_committed(), committed);
  const uint64_t taken = given_rows + 4 - losses.count(hal::Loss::store_failed);
  flush();
  close();
  EXPECT_EQ(row("SELECT count(*), max(seq) FROM events"), fmt::format("{0}|{0}", taken));
  ASSERT_EQ(::umount2(directory.c_str(), MNT_DETACH), 0);
}

TEST_F(DurabilityTest, ADirectoryThatCannotBeMadeIsOneSentence) {
  path = "/proc/nowhere/run.db";
  const Error error = refusal_of_writer();
  EXPECT_THAT(error.message(), HasSubstr("/proc/nowhere"));
}

TEST_F(DurabilityTest, AReadOnlyDirectoryIsOneSentenceAndStillReadable) {
  open();
  write({event_of("cudaMalloc", 0, 1)});
  close();
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);  // its owner lets others read it
  ASSERT_EQ(::chmod(directory.c_str(), 0555), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(1);
    auto refused = Writer::open(options(), calls(), losses, clock);
    if (refused.ok() || refused.error().code() != Errc::kPermission) ::_exit(2);
    if (refused.error().hint().find("--db") == std::string::npos) ::_exit(3);
    auto reader = Reader::open(path);
    if (!reader.ok()) ::_exit(4);
    if (rows(**reader, "SELECT count(*) FROM events") != std::vector<std::string>{"1"}) ::_exit(5);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "exit " << WEXITSTATUS(status);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
}

TEST_F(DurabilityTest, ARecordingInProgressIsReadLiveByMembersOfItsGroupAndByNoOther) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  group_ = 4242;
  ASSERT_EQ(::chmod(directory.c_str(), 0755), 0);
  const RecordingProcess recording(*this);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setegid(65534) != 0 || ::seteuid(65534) != 0) ::_exit(1);
    if (const auto other = Reader::open(path); other.ok() || other.error().code() != Errc::kPermission) ::_exit(5);
    if (::seteuid(0) != 0 || ::setgid(4242) != 0 || ::setuid(65534) != 0) ::_exit(1);
    auto reader = Reader::open(path);
    if (!reader.ok()) ::_exit(2);
    if (!(*reader)->is_live()) ::_exit(3);
    if (rows(**reader, "SELECT count(*) FROM events") != std::vector<std::string>{"1"}) ::_exit(4);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "exit " << WEXITSTATUS(status);
}

TEST_F(DurabilityTest, ATruncatedFileIsSaidToBeOne) {
  open();
  std::vector<Event> events;
  for (uint64_t i = 0; i < 5000; ++i) events.push_back(event_of("cudaMalloc", i, i));
  write(events);
  close();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_EQ(refusal_of_reader().code(), Errc::kCorrupt);
  EXPECT_THAT(refusal_of_reader().message(), HasSubstr("cut short"));
  EXPECT_EQ(refusal_of_writer().code(), Errc::kCorrupt);
  std::filesystem::resize_file(path, 50);
  EXPECT_EQ(refusal_of_reader().code(), Errc::kCorrupt);
}

TEST_F(DurabilityTest, DamagedPagesAreAnErrorOfTheQueryNotACrash) {
  open();
  std::vector<Event> events;
  for (uint64_t i = 0; i < 50000; ++i) events.push_back(event_of("cudaMalloc", i, i));
  write(events);
  close();
  std::vector<int64_t> pages;
  {
    auto database = Database::open(path, SQLITE_OPEN_READONLY, path);
    auto leaves =
        database->prepare("SELECT pageno FROM dbstat WHERE name = 'event_rows' AND pagetype = 'leaf' LIMIT 9");
    while (*leaves->step()) pages.push_back(leaves->integer(0));
  }
  ASSERT_EQ(pages.size(), 9U);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (const int64_t page : pages) file.seekp((page - 1) * 16384).write(std::string(4096, 'Z').data(), 4096);
  file.close();
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader.ok());
  const auto outcome = (*reader)->query("SELECT sum(duration) FROM events", {}, [](auto) { return true; });
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code(), Errc::kCorrupt);
  EXPECT_FALSE(summarise(**reader, {}, false, Percentiles::kExact).ok());
}

TEST_F(DurabilityTest, FilesThatAreNoRecordingAreRefusedAndLeftAlone) {
  std::ofstream(path) << "just some text that is long enough to have a header, if it were one, which it is not.......";
  EXPECT_THAT(refusal_of_writer().message(), HasSubstr("not an SQLite database"));
  EXPECT_THAT(refusal_of_reader().message(), HasSubstr("not an SQLite database"));
  std::filesystem::remove(path);
  execute("CREATE TABLE recipes (name TEXT)");
  EXPECT_THAT(refusal_of_writer().message(), HasSubstr("not a recording"));
  EXPECT_THAT(refusal_of_reader().message(), HasSubstr("not a recording"));
  auto database = Database::open(path, SQLITE_OPEN_READONLY, path);
  EXPECT_EQ(database->integer("SELECT count(*) FROM sqlite_master")->value_or(-1), 1);
}

TEST_F(DurabilityTest, ANewerSchemaIsRefusedBothWays) {
  open();
  close();
  execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion + 1));
  EXPECT_EQ(refusal_of_writer().code(), Errc::kNotSupported);
  EXPECT_THAT(refusal_of_reader().message(), HasSubstr(fmt::format("newer version (schema {}, this one knows up to {})",
                                                                   kSchemaVersion + 1, kSchemaVersion)));
}

TEST_F(DurabilityTest, AFileThatDoesNotExistIsNotFound) { EXPECT_EQ(refusal_of_reader().code(), Errc::kNotFound); }

TEST_F(DurabilityTest, ASecondWriterIsRefusedUntilTheFirstIsDone) {
  {
    const RecordingProcess recording(*this);
    EXPECT_EQ(refusal_of_writer().code(), Errc::kBusy);
    EXPECT_TRUE(read()->is_live());
  }
  EXPECT_FALSE(read()->is_live());
  open();
  EXPECT_EQ(refusal_of_writer().code(), Errc::kBusy);
  EXPECT_TRUE(read()->is_live());
  close();
  EXPECT_FALSE(read()->is_live());
}

TEST_F(DurabilityTest, NewFilesAreTheirOwnersAloneAndBelongToTheSudoUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  WriterOptions given = options();
  given.path = directory + "/a/b/run.db";
  given.owner = Owner{1234, 2345};
  const mode_t mask = ::umask(0022);
  open(given);
  write({event_of("cudaMalloc", 0, 1)});
  flush();
  ::umask(mask);
  for (const char* file : {"/a/b/run.db", "/a/b/run.db-wal", "/a/b/run.db-shm"}) {
    struct stat status {};
    ASSERT_EQ(::stat((directory + file).c_str(), &status), 0) << file;
    EXPECT_EQ(status.st_uid, 1234U) << file;
    EXPECT_EQ(status.st_gid, 2345U) << file;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << file;
  }
  struct stat status {};
  ASSERT_EQ(::stat((directory + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234U);
  ASSERT_EQ(::stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0U);  // was there before: not ours to give
}

TEST_F(DurabilityTest, TheSchemaSaysItsVersion) {
  open();
  close();
  EXPECT_EQ(row("SELECT value FROM schema_info WHERE key = 'version'"), "1.0");
  EXPECT_EQ(row("PRAGMA user_version"), std::to_string(kSchemaVersion));
  EXPECT_EQ(row("SELECT max(version) FROM schema_migrations"), std::to_string(kSchemaVersion));
  EXPECT_THAT(
      rows("SELECT version, what FROM schema_migrations ORDER BY 1"),
      ElementsAre("20|compact rows, dictionaries, histograms", "21|communicators and their collectives",
                  "22|samples of fabric adapters and devices",
                  "23|chains with grade, evidence and symptoms; limits and theft of CPUs",
                  "24|devices of events by uuid and address",
                  "25|steps and workloads of inference, and what its engines say of themselves",
                  "26|sessions of several nodes", "27|single-stepped probes and asynchronous calls",
                  "28|what threads waited for, who woke them, and samples of the CPU",
                  "29|where the time went: steps, seconds and causes", "30|settings of a process that slow it down",
                  "31|what probes cost, and whose calls were lost", "32|which calls a runtime makes",
                  "33|what a library calls a communicator",
                  "34|whose memory calls obtain, on which CPUs threads may run, and which file system files are of",
                  "35|limits of memory and of disks, and who else used the disks"));
  EXPECT_EQ(read()->version(), "1.0");
}

}  // namespace
}  // namespace ingero::store::testing
