// What a thread waited for and who ended it, as the kernel side reports it (bpf/wait.bpf.h, bpf/waking.bpf.c): a child
// waits for real pipes, locks, sockets, signals and timers, and takes the time around each wait itself.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <pthread.h>

#include "hal/call_table.h"
#include "kernelside/drain.h"
#include "kernelside/objects.h"

namespace ingero::kernelside {
namespace {

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void sleep_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

uint32_t own_tid() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

// What the child reports of its wait, in memory it shares with the test.
struct Deed {
  uint64_t from_ns, to_ns;  // around the wait
  uint32_t tid, other_pid, other_tid;
  uint64_t object;
  int descriptor;
  uint16_t own_port, other_port;
};

constexpr long kWaitMs = 100;  // a busy machine may take a part of it

// Does `work` in a process of its own, which is not traced; its pid.
pid_t beside(const std::function<void()>& work) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  work();
  _exit(0);
}

uint64_t inode_of(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

class WaitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "BPF programs need root";
    deed_ = static_cast<Deed*>(mmap(nullptr, sizeof(Deed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(deed_, MAP_FAILED);
    ObjectOptions options;
    options.stacks = WIRE_STACKS_AUTO;
    auto loaded = Objects::load(options);
    if (!loaded.ok() && loaded.error().code() == Errc::kPermission) GTEST_SKIP() << loaded.error().text();
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    objects_ = std::move(*loaded);
    for (const auto& status : objects_->attach_thread_programs()) {
      ASSERT_TRUE(status.attached) << status.name << ": " << status.reason;
    }
    const Status watched = objects_->watch_wakers(true);
    ASSERT_TRUE(watched.ok()) << watched.error().text();
    auto drain = Drain::open(*objects_, calls_, normaliser_, ledger_);
    ASSERT_TRUE(drain.ok()) << drain.error().text();
    drain_ = std::move(*drain);
  }
  void TearDown() override {
    if (deed_ != nullptr && deed_ != MAP_FAILED) munmap(deed_, sizeof(Deed));
  }

  // A traced child does `work`, which fills the deed.
  void traced(const std::function<void(Deed&)>& work) {
    std::array<int, 2> go{};
    ASSERT_EQ(pipe(go.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(go[1]);
      char byte = 0;
      if (read(go[0], &byte, 1) != 1) _exit(1);
      deed_->tid = own_tid();
      work(*deed_);
      _exit(0);
    }
    close(go[0]);
    ASSERT_GT(child, 0);
    child_ = child;
    const Status marked = objects_->mark_traced(static_cast<uint32_t>(child));
    ASSERT_TRUE(marked.ok()) << marked.error().text();
    ASSERT_EQ(write(go[1], "x", 1), 1);
    close(go[1]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    ASSERT_TRUE(drain_->poll(0, 100'000, records_).ok());
  }

  // The longest interval of the deed's thread inside the times it took, which must be most of them.
  std::optional<hal::Wait> wait() {
    const hal::Event* longest = nullptr;
    std::optional<hal::Wait> found;
    for (const auto& [index, wait] : records_.waits) {
      const hal::Event& event = records_.events[index];
      if (event.tid != deed_->tid || event.start_mono_ns < deed_->from_ns || event.end_mono_ns() > deed_->to_ns)
        continue;
      if (longest != nullptr && event.duration_ns <= longest->duration_ns) continue;
      longest = &event;
      found = wait;
    }
    EXPECT_NE(longest, nullptr) << "no interval of thread " << deed_->tid;
    if (longest != nullptr) {
      const uint64_t asleep = longest->off.blocked_ns + longest->off.io_ns;
      EXPECT_GE(2 * longest->duration_ns, deed_->to_ns - deed_->from_ns);
      EXPECT_LE(asleep, deed_->to_ns - deed_->from_ns);
      EXPECT_GT(asleep, 0U);
    }
    return found;
  }
  const hal::Wait* interval_of(uint32_t tid, hal::WaitKind kind) const {
    for (const auto& [index, wait] : records_.waits) {
      if (records_.events[index].tid == tid && wait.kind == kind) return &wait;
    }
    return nullptr;
  }
  void expect_waker(const hal::Wait& wait, uint32_t tid, long number) {
    ASSERT_TRUE(wait.waker.has_value());
    EXPECT_EQ(wait.waker->tid, tid);
    EXPECT_EQ(wait.waker->syscall, static_cast<uint32_t>(number));
    EXPECT_FALSE(wait.is_timed_out);
  }

  const hal::CallTable calls_{std::span<const hal::Backend* const>()};
  ProbeTable probes_;
  hal::LossLedger ledger_;
  Normaliser normaliser_{calls_, probes_, ledger_};
  std::unique_ptr<Objects> objects_;
  std::unique_ptr<Drain> drain_;
  RingRecords records_;
  Deed* deed_ = nullptr;
  pid_t child_ = -1;
};

TEST_F(WaitsTest, APipeIsKnownWithItsInodeAndItsWriter) {
  traced([](Deed& deed) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) _exit(1);
    deed.object = inode_of(ends[0]);
    deed.descriptor = ends[0];
    const pid_t writer = beside([&] {
      for (int i = 0; i < 2; ++i) {
        sleep_ms(kWaitMs);
        if (write(ends[1], "x", 1) != 1) _exit(1);
      }
    });
    deed.other_tid = static_cast<uint32_t>(writer);
    char byte = 0;
    deed.from_ns = now_ns();
    if (read(ends[0], &byte, 1) != 1) _exit(1);
    deed.to_ns = now_ns();
    if (read(ends[0], &byte, 1) != 1) _exit(1);  // by now the writer is followed
    waitpid(writer, nullptr, 0);
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kPipe);
  EXPECT_EQ(found->object, deed_->object);
  EXPECT_EQ(found->descriptor, deed_->descriptor);
  EXPECT_EQ(found->syscall, static_cast<uint32_t>(SYS_read));
  EXPECT_FALSE(found->is_write);
  expect_waker(*found, deed_->other_tid, SYS_write);
  EXPECT_NE(interval_of(deed_->other_tid, hal::WaitKind::kSleep), nullptr) << "the writer's own wait";
}

TEST_F(WaitsTest, AFullPipeWaitsForItsReader) {
  traced([](Deed& deed) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) _exit(1);
    std::vector<char> much(1 << 20);
    const pid_t reader = beside([&] {
      sleep_ms(kWaitMs);
      std::vector<char> taken(1 << 20);
      for (size_t got = 0; got < taken.size();) {
        const ssize_t size = read(ends[0], taken.data(), taken.size());
        if (size <= 0) _exit(1);
        got += static_cast<size_t>(size);
      }
    });
    deed.other_tid = static_cast<uint32_t>(reader);
    deed.object = inode_of(ends[1]);
    deed.from_ns = now_ns();
    if (write(ends[1], much.data(), much.size()) != static_cast<ssize_t>(much.size())) _exit(1);
    deed.to_ns = now_ns();
    waitpid(reader, nullptr, 0);
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kPipe);
  EXPECT_EQ(found->object, deed_->object);
  EXPECT_TRUE(found->is_write);
  expect_waker(*found, deed_->other_tid, SYS_read);
}

TEST_F(WaitsTest, AFilesLockIsGivenUpByItsHolder) {
  traced([](Deed& deed) {
    const std::string path = "/tmp/ingero_waits_test." + std::to_string(getpid());
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) _exit(1);
    deed.object = inode_of(file);
    deed.descriptor = file;
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) _exit(1);
    const pid_t holder = beside([&] {
      const int own = open(path.c_str(), O_RDWR | O_CLOEXEC);
      if (own < 0 || flock(own, LOCK_EX) != 0 || write(ends[1], "x", 1) != 1) _exit(1);
      sleep_ms(kWaitMs);
      flock(own, LOCK_UN);
      sleep_ms(kWaitMs / 2);
    });
    deed.other_tid = static_cast<uint32_t>(holder);
    char byte = 0;
    if (read(ends[0], &byte, 1) != 1) _exit(1);
    deed.from_ns = now_ns();
    if (flock(file, LOCK_EX) != 0) _exit(1);
    deed.to_ns = now_ns();
    waitpid(holder, nullptr, 0);
    unlink(path.c_str());
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kFile);
  EXPECT_TRUE(found->is_lock);
  ASSERT_TRUE(found->file_system.has_value());
  EXPECT_TRUE(objects_->file_name(*found->file_system, deed_->object).starts_with("ingero_waits_test."))
      << "closed, and removed, by now";
  EXPECT_EQ(found->object, deed_->object);
  EXPECT_EQ(found->descriptor, deed_->descriptor);
  expect_waker(*found, deed_->other_tid, SYS_flock);
}

// posix_spawn(3) is clone with CLONE_VFORK: the parent sleeps until the child runs its program, or ends.
TEST_F(WaitsTest, WhoMadeAChildByVforkWaitsForIt) {
  for (const bool runs_program : {false, true}) {
    traced([&](Deed& deed) {
      std::array<int, 2> ends{};
      if (pipe(ends.data()) != 0) _exit(1);
      deed.from_ns = now_ns();
      const auto child = static_cast<pid_t>(syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0));
      if (child == 0) {
        sleep_ms(kWaitMs);
        if (runs_program) execl("/bin/true", "true", nullptr);
        _exit(0);
      }
      deed.to_ns = now_ns();
      deed.other_tid = static_cast<uint32_t>(child);
      waitpid(child, nullptr, 0);
    });
    const auto found = wait();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->kind, hal::WaitKind::kChild);
    EXPECT_FALSE(found->object.has_value());
    expect_waker(*found, deed_->other_tid, runs_program ? SYS_execve : SYS_exit_group);
  }
}

// A lock that is waited for is marked so; what a condition is at says nothing.
TEST_F(WaitsTest, ALockIsKeptApartFromACondition) {
  for (const bool is_lock : {true, false}) {
    traced([&](Deed& deed) {
      struct Both {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
      } both;
      const auto hold = [](void* argument) -> void* {
        auto& its = *static_cast<Both*>(argument);
        pthread_mutex_lock(&its.mutex);
        sleep_ms(kWaitMs);
        pthread_mutex_unlock(&its.mutex);
        return nullptr;
      };
      const auto notify = [](void* argument) -> void* {
        sleep_ms(kWaitMs);
        pthread_cond_signal(&static_cast<Both*>(argument)->condition);
        return nullptr;
      };
      pthread_t other{};
      if (!is_lock) pthread_mutex_lock(&both.mutex);
      if (pthread_create(&other, nullptr, is_lock ? +hold : +notify, &both) != 0) _exit(1);
      if (is_lock) sleep_ms(kWaitMs / 10);
      deed.from_ns = now_ns();
      if (is_lock) {
        pthread_mutex_lock(&both.mutex);
      } else {
        pthread_cond_wait(&both.condition, &both.mutex);
      }
      deed.to_ns = now_ns();
      pthread_join(other, nullptr);
    });
    const auto found = wait();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->kind, hal::WaitKind::kFutex);
    EXPECT_EQ(found->is_lock, is_lock);
  }
}

// Each file system counts its inodes from the same number.
class TwoFileSystems {
 public:
  TwoFileSystems() {
    for (std::string& folder : folders_) {
      folder = "/tmp/ingero_waits_test.XXXXXX";
      is_made_ &= mkdtemp(folder.data()) != nullptr && mount("none", folder.c_str(), "tmpfs", 0, "size=1m") == 0;
    }
  }
  ~TwoFileSystems() {
    for (const std::string& folder : folders_) {
      umount2(folder.c_str(), MNT_DETACH);
      rmdir(folder.c_str());
    }
  }
  bool is_made() const { return is_made_; }
  std::string path(size_t of, const char* name) const { return folders_[of] + "/" + name; }

 private:
  std::array<std::string, 2> folders_;
  bool is_made_ = true;
};

// What a thread of the traced child waits for: first the lock on its file, then its pipe, which lies in a folder.
struct WaiterOfOne {
  std::string file, fifo;
  int held = -1, written = -1;  // the other ends
  uint32_t tid = 0;
  pthread_t thread{};
};

void* wait_for_both(void* argument) {
  auto& own = *static_cast<WaiterOfOne*>(argument);
  own.tid = own_tid();
  const int file = open(own.file.c_str(), O_RDWR | O_CLOEXEC);
  char byte = 0;
  if (file < 0 || flock(file, LOCK_EX) != 0 || read(own.written, &byte, 1) != 1) _exit(1);
  close(file);
  return nullptr;
}

TEST_F(WaitsTest, FilesOfTwoFileSystemsWithOneInodeNumberAreTwo) {
  const TwoFileSystems disks;
  if (!disks.is_made()) GTEST_SKIP() << "no file systems can be mounted here";
  traced([&](Deed& deed) {
    std::array<WaiterOfOne, 2> both{
        {{disks.path(0, "first"), disks.path(0, "fifo")}, {disks.path(1, "second"), disks.path(1, "fifo")}}};
    for (WaiterOfOne& one : both) {
      one.held = open(one.file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (one.held < 0 || flock(one.held, LOCK_EX) != 0 || mkfifo(one.fifo.c_str(), 0600) != 0) _exit(1);
      one.written = open(one.fifo.c_str(), O_RDWR | O_CLOEXEC);
      if (one.written < 0) _exit(1);
    }
    if (inode_of(both[0].held) != inode_of(both[1].held)) _exit(2);
    if (inode_of(both[0].written) != inode_of(both[1].written)) _exit(3);
    deed.object = inode_of(both[0].held);
    for (WaiterOfOne& one : both) {
      if (pthread_create(&one.thread, nullptr, wait_for_both, &one) != 0) _exit(1);
    }
    sleep_ms(kWaitMs);
    for (const WaiterOfOne& one : both) flock(one.held, LOCK_UN);
    sleep_ms(kWaitMs);
    for (const WaiterOfOne& one : both) {
      if (write(one.written, "x", 1) != 1) _exit(1);
    }
    for (const WaiterOfOne& one : both) pthread_join(one.thread, nullptr);
    deed.other_pid = both[0].tid;
    deed.other_tid = both[1].tid;
  });
  for (const auto kind : {hal::WaitKind::kFile, hal::WaitKind::kPipe}) {
    const hal::Wait* first = interval_of(deed_->other_pid, kind);
    const hal::Wait* second = interval_of(deed_->other_tid, kind);
    ASSERT_TRUE(first != nullptr && second != nullptr) << hal::name_of(kind);
    EXPECT_TRUE(first->object.has_value()) << hal::name_of(kind);
    EXPECT_EQ(first->object, second->object) << hal::name_of(kind);
    EXPECT_NE(first->file_system, second->file_system) << hal::name_of(kind);
    for (const hal::Wait* wait : {first, second}) {
      EXPECT_TRUE(wait->waker && wait->waker->tid == deed_->tid) << hal::name_of(kind);
    }
    if (kind != hal::WaitKind::kFile) continue;
    EXPECT_EQ(objects_->file_name(first->file_system.value_or(0), deed_->object), "first");
    EXPECT_EQ(objects_->file_name(second->file_system.value_or(0), deed_->object), "second");
  }
}

TEST_F(WaitsTest, WhereItSleptForLongBeforeItsStackIsTakenAsItFallsAsleep) {
  constexpr int kSleeps = 4;
  traced([](Deed& deed) {
    deed.from_ns = now_ns();
    for (int i = 0; i < kSleeps; ++i) sleep_ms(kWaitMs / 2);
    deed.to_ns = now_ns();
  });
  int sleeps = 0;
  for (const auto& [index, wait] : records_.waits) {
    const hal::Event& event = records_.events[index];
    if (event.tid != deed_->tid || wait.kind != hal::WaitKind::kSleep || event.start_mono_ns < deed_->from_ns) continue;
    const auto stack = std::find_if(records_.stacks.begin(), records_.stacks.end(), [&](const StackRecord& one) {
      return one.head.tid == event.tid && one.head.start_ns == event.start_mono_ns;
    });
    EXPECT_EQ(event.has(hal::Has::kStack), sleeps > 0) << "sleep " << sleeps;
    EXPECT_EQ(stack != records_.stacks.end(), sleeps > 0) << "sleep " << sleeps;
    if (stack != records_.stacks.end()) {
      EXPECT_EQ(stack->head.reason, WIRE_STACK_ASLEEP);
      EXPECT_FALSE(stack->bytes.empty());
    }
    ++sleeps;
  }
  EXPECT_EQ(sleeps, kSleeps);
}

// A thread that holds a lock for long, and then rests: each has stacks, whichever comes behind the other, also where
// there are more than all can have.
TEST_F(WaitsTest, LongSleepsBehindShortOnesHaveStacksToo) {
  constexpr int kRounds = 60, kShortMs = 2, kFast = 30;
  traced([](Deed& deed) {
    deed.from_ns = now_ns();
    for (int i = 0; i < kRounds; ++i) {
      const int long_ms = i < kFast ? 12 : 50;
      for (const int ms : {long_ms, kShortMs}) sleep_ms(ms);
    }
    deed.to_ns = now_ns();
  });
  int sleeps = 0, fast = 0, slow = 0, shorts = 0;
  for (const auto& [index, wait] : records_.waits) {
    const hal::Event& event = records_.events[index];
    if (event.tid != deed_->tid || wait.kind != hal::WaitKind::kSleep || event.start_mono_ns < deed_->from_ns) continue;
    const bool is_long = sleeps % 2 == 0, is_fast = sleeps / 2 < kFast;
    ++sleeps;
    if (event.has(hal::Has::kStack)) ++(!is_long ? shorts : is_fast ? fast : slow);
  }
  ASSERT_EQ(sleeps, 2 * kRounds);
  EXPECT_GE(fast, 5) << "of " << kFast << ", where there are 140 a second";
  EXPECT_GE(slow, (kRounds - kFast) / 2);
  EXPECT_GE(shorts, kRounds / 4);
}

struct Condition {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  bool is_set = false;
  uint32_t tid = 0;
};

TEST_F(WaitsTest, AConditionIsWokenByTheThreadThatSignalsIt) {
  traced([](Deed& deed) {
    Condition condition;
    pthread_t other{};
    const auto work = [](void* argument) -> void* {
      auto& shared = *static_cast<Condition*>(argument);
      shared.tid = own_tid();
      sleep_ms(kWaitMs);
      pthread_mutex_lock(&shared.mutex);
      shared.is_set = true;
      pthread_cond_signal(&shared.changed);
      pthread_mutex_unlock(&shared.mutex);
      return nullptr;
    };
    if (pthread_create(&other, nullptr, work, &condition) != 0) _exit(1);
    pthread_mutex_lock(&condition.mutex);
    deed.from_ns = now_ns();
    while (!condition.is_set) pthread_cond_wait(&condition.changed, &condition.mutex);
    deed.to_ns = now_ns();
    pthread_mutex_unlock(&condition.mutex);
    pthread_join(other, nullptr);
    deed.other_tid = condition.tid;
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kFutex);
  EXPECT_TRUE(found->object.has_value());
  expect_waker(*found, deed_->other_tid, SYS_futex);
}

TEST_F(WaitsTest, ALockNobodyGaveBackTimesOut) {
  traced([](Deed& deed) {
    Condition condition;
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += kWaitMs * 1'000'000;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    pthread_mutex_lock(&condition.mutex);
    deed.from_ns = now_ns();
    if (pthread_cond_timedwait(&condition.changed, &condition.mutex, &until) != ETIMEDOUT) _exit(1);
    deed.to_ns = now_ns();
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kFutex);
  EXPECT_TRUE(found->is_timed_out);
  EXPECT_FALSE(found->waker.has_value());
}

TEST_F(WaitsTest, ASleepIsItsOwn) {
  traced([](Deed& deed) {
    deed.from_ns = now_ns();
    sleep_ms(kWaitMs);
    deed.to_ns = now_ns();
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kSleep);
  EXPECT_FALSE(found->waker.has_value());
  EXPECT_FALSE(found->object.has_value());
}

TEST_F(WaitsTest, ThePartnerOfASocketPairIsKnown) {
  traced([](Deed& deed) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) _exit(1);
    deed.object = inode_of(ends[1]);
    const pid_t other = beside([&] {
      sleep_ms(kWaitMs);
      if (send(ends[1], "x", 1, 0) != 1) _exit(1);
    });
    deed.other_tid = static_cast<uint32_t>(other);
    char byte = 0;
    deed.from_ns = now_ns();
    if (recv(ends[0], &byte, 1, 0) != 1) _exit(1);
    deed.to_ns = now_ns();
    waitpid(other, nullptr, 0);
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kSocket);
  ASSERT_TRUE(found->peer.has_value());
  EXPECT_EQ(found->peer->family, AF_UNIX);
  EXPECT_EQ(found->peer->inode, deed_->object);
  expect_waker(*found, deed_->other_tid, SYS_sendto);
}

TEST_F(WaitsTest, AServerOnThisMachineIsFoundThroughItsPort) {
  traced([](Deed& deed) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 1) != 0) _exit(1);
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    const pid_t server = beside([&] {
      const int client = accept(listener, nullptr, nullptr);
      char byte = 0;
      if (recv(client, &byte, 1, 0) != 1) _exit(1);
      sleep_ms(kWaitMs);
      if (send(client, "y", 1, 0) != 1) _exit(1);
      if (recv(client, &byte, 1, 0) != 0) _exit(1);
    });
    deed.other_tid = static_cast<uint32_t>(server);
    deed.other_port = ntohs(address.sin_port);
    const int own = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(own, reinterpret_cast<sockaddr*>(&address), size) != 0) _exit(1);
    getsockname(own, reinterpret_cast<sockaddr*>(&address), &size);
    deed.own_port = ntohs(address.sin_port);
    char byte = 0;
    if (send(own, "x", 1, 0) != 1) _exit(1);
    deed.from_ns = now_ns();
    if (recv(own, &byte, 1, 0) != 1) _exit(1);
    deed.to_ns = now_ns();
    close(own);
    waitpid(server, nullptr, 0);
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kSocket);
  ASSERT_TRUE(found->peer.has_value());
  EXPECT_EQ(found->peer->family, AF_INET);
  EXPECT_EQ(found->peer->local_port, deed_->own_port);
  EXPECT_EQ(found->peer->peer_port, deed_->other_port);
  EXPECT_EQ(found->peer->peer[0], 127);
  EXPECT_FALSE(found->peer->is_accepted);
  expect_waker(*found, deed_->other_tid, SYS_sendto);
}

// As a resolver does: neither end is connected, and the datagram says where it goes.
void answer_over_datagrams(Deed& deed, int family, bool with_header) {
  sockaddr_storage address{};
  socklen_t size = sizeof(sockaddr_in);
  address.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET6) {
    size = sizeof(sockaddr_in6);
    reinterpret_cast<sockaddr_in6&>(address).sin6_addr = in6addr_loopback;
  } else {
    reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  const int service = socket(family, SOCK_DGRAM, 0), own = socket(family, SOCK_DGRAM, 0);
  if (bind(service, at, size) != 0) _exit(1);
  getsockname(service, at, &size);
  deed.other_port = ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
  const pid_t server = beside([&] {
    char byte = 0;
    sockaddr_storage from{};
    socklen_t from_size = sizeof(from);
    if (recvfrom(service, &byte, 1, 0, reinterpret_cast<sockaddr*>(&from), &from_size) != 1) _exit(1);
    sleep_ms(kWaitMs);
    iovec part{&byte, 1};
    msghdr header{};
    header.msg_name = &from;
    header.msg_namelen = from_size;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    const ssize_t sent = with_header ? sendmsg(service, &header, 0)
                                     : sendto(service, &byte, 1, 0, reinterpret_cast<sockaddr*>(&from), from_size);
    if (sent != 1) _exit(1);
  });
  deed.other_tid = static_cast<uint32_t>(server);
  char byte = 0;
  if (sendto(own, "x", 1, 0, at, size) != 1) _exit(1);
  deed.from_ns = now_ns();
  if (recv(own, &byte, 1, 0) != 1) _exit(1);
  deed.to_ns = now_ns();
  waitpid(server, nullptr, 0);
}

TEST_F(WaitsTest, WhoSendsADatagramToASocketThatIsNotConnectedIsFound) {
  for (const int family : {AF_INET, AF_INET6}) {
    for (const bool with_header : {false, true}) {
      SCOPED_TRACE(fmt::format("family {}, sendmsg {}", family, with_header));
      traced([&](Deed& deed) { answer_over_datagrams(deed, family, with_header); });
      const auto found = wait();
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->kind, hal::WaitKind::kSocket);
      expect_waker(*found, deed_->other_tid, with_header ? SYS_sendmsg : SYS_sendto);
      ASSERT_TRUE(found->peer.has_value());
      EXPECT_EQ(found->peer->family, family);
      EXPECT_EQ(found->peer->peer_port, deed_->other_port);
      EXPECT_EQ(found->peer->peer[family == AF_INET ? 0 : 15], family == AF_INET ? 127 : 1);
    }
  }
}

TEST_F(WaitsTest, WhoSendsAMessageToAQueueIsFound) {
  traced([](Deed& deed) {
    const std::string name = "/ingero_test_" + std::to_string(getpid());
    mq_attr attributes{};
    attributes.mq_maxmsg = 4;
    attributes.mq_msgsize = 8;
    const mqd_t queue = mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    if (queue == mqd_t{-1}) _exit(1);
    mq_unlink(name.c_str());
    const pid_t other = beside([queue] {
      sleep_ms(kWaitMs);
      if (mq_send(queue, "x", 1, 0) != 0) _exit(1);
    });
    deed.other_tid = static_cast<uint32_t>(other);
    std::array<char, 8> message{};
    deed.from_ns = now_ns();
    if (mq_receive(queue, message.data(), message.size(), nullptr) != 1) _exit(1);
    deed.to_ns = now_ns();
    waitpid(other, nullptr, 0);
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kPipe);
  expect_waker(*found, deed_->other_tid, SYS_mq_timedsend);
}

TEST_F(WaitsTest, WhoChangesAFileThatIsWatchedIsFound) {
  for (const bool polls : {false, true}) {
    SCOPED_TRACE(polls);
    traced([polls](Deed& deed) {
      const int watch = inotify_init1(0);
      if (inotify_add_watch(watch, "/tmp", IN_MOVED_TO) < 0) _exit(1);
      const pid_t other = beside([] {
        const std::string name = "/tmp/ingero_test_" + std::to_string(getpid()), moved = name + ".moved";
        close(open(name.c_str(), O_WRONLY | O_CREAT, 0600));
        sleep_ms(kWaitMs);
        if (rename(name.c_str(), moved.c_str()) != 0) _exit(1);
        unlink(moved.c_str());
      });
      deed.other_tid = static_cast<uint32_t>(other);
      std::array<char, 4096> event{};
      pollfd one{watch, POLLIN, 0};
      deed.from_ns = now_ns();
      if (polls && poll(&one, 1, -1) != 1) _exit(1);
      if (read(watch, event.data(), event.size()) <= 0) _exit(1);
      deed.to_ns = now_ns();
      waitpid(other, nullptr, 0);
    });
    const auto found = wait();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->kind, polls ? hal::WaitKind::kPoll : hal::WaitKind::kOther);
    expect_waker(*found, deed_->other_tid, SYS_rename);
  }
}

// One thread changes the layout of the memory all the time, which another one wants to do once.
TEST_F(WaitsTest, WhoHoldsTheLayoutOfTheMemoryIsFound) {
  traced([](Deed& deed) {
    constexpr size_t kBytes = size_t{768} << 20;
    static std::atomic<bool> is_ready;
    std::thread holder([&deed] {
      deed.other_tid = own_tid();
      void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      is_ready = true;
      // Holds it for reading while all pages are made.
      if (madvise(memory, kBytes, 23 /* MADV_POPULATE_WRITE */) != 0) _exit(1);
    });
    while (!is_ready) sched_yield();
    sleep_ms(20);
    deed.from_ns = now_ns();
    void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    deed.to_ns = now_ns();
    if (page == MAP_FAILED) _exit(1);
    holder.join();
  });
  const auto found = wait();
  if (!found) GTEST_SKIP() << "it did not wait";
  EXPECT_EQ(found->kind, hal::WaitKind::kOther);
  expect_waker(*found, deed_->other_tid, SYS_madvise);
}

TEST_F(WaitsTest, AStoppedThreadIsContinuedByWhoeverSendsTheSignal) {
  traced([](Deed& deed) {
    const pid_t self = getpid();
    const pid_t other = beside([self] {
      sleep_ms(kWaitMs);
      kill(self, SIGCONT);
    });
    deed.other_tid = static_cast<uint32_t>(other);
    deed.from_ns = now_ns();
    kill(self, SIGSTOP);
    deed.to_ns = now_ns();
    waitpid(other, nullptr, 0);
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kStopped);
  expect_waker(*found, deed_->other_tid, SYS_kill);
}

// It waits for a lock already when its cgroup is frozen, is given the lock meanwhile, and goes on when that is thawed.
TEST_F(WaitsTest, AThreadThatSleptBeforeItsCgroupWasFrozenIsFrozen) {
  const std::string group = "/sys/fs/cgroup/freezer/ingero_test_" + std::to_string(getpid());
  if (mkdir(group.c_str(), 0755) != 0) GTEST_SKIP() << "no freezer of cgroup version 1 here";
  const auto put = [&](const char* file, const std::string& text) {
    const int descriptor = open((group + "/" + file).c_str(), O_WRONLY);
    if (descriptor < 0 || write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(2);
    close(descriptor);
  };
  traced([&](Deed& deed) {
    auto* const word =
        static_cast<uint32_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const pid_t self = getpid();
    const pid_t other = beside([&] {
      sleep_ms(20);
      put("tasks", std::to_string(self));
      put("freezer.state", "FROZEN");
      sleep_ms(20);
      *word = 1;
      syscall(SYS_futex, word, 1, 1, nullptr, nullptr, 0);
      sleep_ms(kWaitMs);
      put("freezer.state", "THAWED");
    });
    deed.from_ns = now_ns();
    while (*static_cast<volatile uint32_t*>(word) == 0) syscall(SYS_futex, word, 0, 0, nullptr, nullptr, 0);
    deed.to_ns = now_ns();
    waitpid(other, nullptr, 0);
  });
  const auto found = wait();
  rmdir(group.c_str());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kFrozen);
  EXPECT_FALSE(found->waker.has_value());
}

TEST_F(WaitsTest, AParentWaitsForItsChild) {
  traced([](Deed& deed) {
    const pid_t other = beside([] { sleep_ms(kWaitMs); });
    deed.other_tid = static_cast<uint32_t>(other);
    deed.from_ns = now_ns();
    waitpid(other, nullptr, 0);
    deed.to_ns = now_ns();
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kChild);
  EXPECT_EQ(found->object, deed_->other_tid);
  expect_waker(*found, deed_->other_tid, SYS_exit_group);
}

TEST_F(WaitsTest, APollOfOnePipeThatTimesOutIsAWaitForThatPipe) {
  traced([](Deed& deed) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) _exit(1);
    deed.object = inode_of(ends[0]);
    pollfd one{ends[0], POLLIN, 0};
    deed.from_ns = now_ns();
    if (poll(&one, 1, kWaitMs) != 0) _exit(1);
    deed.to_ns = now_ns();
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kPipe);
  EXPECT_EQ(found->object, deed_->object);
  EXPECT_TRUE(found->is_timed_out);
  EXPECT_FALSE(found->waker.has_value());
}

TEST_F(WaitsTest, APollOfSeveralIsWokenByAWriter) {
  traced([](Deed& deed) {
    std::array<int, 2> one{}, two{};
    if (pipe(one.data()) != 0 || pipe(two.data()) != 0) _exit(1);
    std::array<pollfd, 2> both{pollfd{one[0], POLLIN, 0}, pollfd{two[0], POLLIN, 0}};
    const pid_t other = beside([&] {
      sleep_ms(kWaitMs);
      if (write(two[1], "x", 1) != 1) _exit(1);
    });
    deed.other_tid = static_cast<uint32_t>(other);
    deed.from_ns = now_ns();
    if (poll(both.data(), both.size(), 10'000) != 1) _exit(1);
    deed.to_ns = now_ns();
    waitpid(other, nullptr, 0);
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kPoll);
  expect_waker(*found, deed_->other_tid, SYS_write);
}

TEST_F(WaitsTest, AnEventFileIsKnownByItsKind) {
  traced([](Deed& deed) {
    const int event = eventfd(0, 0);
    const pid_t other = beside([event] {
      sleep_ms(kWaitMs);
      const uint64_t one = 1;
      if (write(event, &one, sizeof(one)) != sizeof(one)) _exit(1);
    });
    deed.other_tid = static_cast<uint32_t>(other);
    uint64_t value = 0;
    deed.from_ns = now_ns();
    if (read(event, &value, sizeof(value)) != sizeof(value)) _exit(1);
    deed.to_ns = now_ns();
    waitpid(other, nullptr, 0);
  });
  const auto found = wait();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, hal::WaitKind::kEventFd);
  expect_waker(*found, deed_->other_tid, SYS_write);
}

// A timer's interrupt wakes the sleeper while the spinner runs on the same CPU: the spinner is innocent.
TEST_F(WaitsTest, WhoeverRanWhenATimerFiredIsNoWaker) {
  const pid_t spinner = beside([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof(one), &one);
    for (;;) syscall(SYS_getppid);
  });
  traced([](Deed& deed) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof(one), &one);
    for (int i = 0; i < 50; ++i) sleep_ms(1);
    deed.to_ns = now_ns();
  });
  kill(spinner, SIGKILL);
  waitpid(spinner, nullptr, 0);
  int sleeps = 0;
  for (const auto& [index, wait] : records_.waits) {
    if (records_.events[index].tid != deed_->tid) continue;
    if (wait.kind == hal::WaitKind::kSleep) ++sleeps;
    EXPECT_FALSE(wait.waker && wait.waker->pid == static_cast<uint32_t>(spinner));
  }
  EXPECT_GE(sleeps, 45);
}

TEST_F(WaitsTest, TotalsAreTheSumOfTheIntervals) {
  std::vector<wire_totals> after;
  const auto mine = [this](std::vector<wire_totals>& into) {
    auto read = objects_->totals();
    ASSERT_TRUE(read.ok()) << read.error().text();
    for (const wire_totals& one : *read) {
      if (one.tid == deed_->tid) into.push_back(one);
    }
  };
  std::array<int, 2> done{}, leave{};
  ASSERT_EQ(pipe(done.data()), 0);
  ASSERT_EQ(pipe(leave.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    if (read(leave[0], &byte, 1) != 1) _exit(1);
    deed_->tid = own_tid();
    for (int i = 0; i < 20; ++i) sleep_ms(2);
    if (write(done[1], "x", 1) != 1 || read(leave[0], &byte, 1) != 1) _exit(1);
    _exit(0);
  }
  ASSERT_TRUE(objects_->mark_traced(static_cast<uint32_t>(child)).ok());
  ASSERT_EQ(write(leave[1], "x", 1), 1);
  char byte = 0;
  ASSERT_EQ(read(done[0], &byte, 1), 1);
  sleep_ms(5);
  mine(after);
  ASSERT_EQ(write(leave[1], "x", 1), 1);
  waitpid(child, nullptr, 0);
  ASSERT_EQ(after.size(), 1U);
  RingRecords records;
  ASSERT_TRUE(drain_->poll(0, 100'000, records).ok());
  uint64_t asleep = 0;
  for (const auto& [index, wait] : records.waits) {
    const hal::Event& event = records.events[index];
    if (event.tid == deed_->tid && wait.kind == hal::WaitKind::kSleep && event.end_mono_ns() <= after[0].ns) {
      asleep += event.off.blocked_ns;
    }
  }
  EXPECT_GE(asleep, 40'000'000U);
  EXPECT_EQ(after[0].waited[WIRE_WAIT_SLEEP], asleep);
}

}  // namespace
}  // namespace ingero::kernelside
