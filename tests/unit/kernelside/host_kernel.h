// What the host programs' kernel tests share: the programs attached alone, traced children, and what was recorded.
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "kernelside/host_programs.h"

namespace ingero::kernelside {

// A child that does its work on request, and waits for leave before each step: step() returns when it is done.
class Child {
 public:
  using Wait = std::function<void()>;
  // `work` runs in the child; every wait() in it ends at the parent's next step(). Its return is the exit status.
  explicit Child(const std::function<int(const Wait&)>& work) {
    if (pipe(go_.data()) != 0 || pipe(done_.data()) != 0) std::abort();
    pid_ = fork();
    if (pid_ != 0) return;
    close(go_[1]);
    close(done_[0]);
    char byte = 0;
    bool first = true;
    const Wait wait = [&] {
      if (!first && write(done_[1], &byte, 1) != 1) _exit(120);
      first = false;
      if (read(go_[0], &byte, 1) != 1) _exit(121);
    };
    wait();
    _exit(work(wait));
  }
  ~Child() {
    if (!reaped_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    for (const int fd : {go_[0], go_[1], done_[0], done_[1]}) {
      if (fd >= 0) close(fd);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  uint32_t pid() const { return static_cast<uint32_t>(pid_); }
  // Lets the child run to its next wait().
  void step() {
    go();
    char byte = 0;
    if (done_[1] >= 0) close(std::exchange(done_[1], -1));
    ASSERT_EQ(read(done_[0], &byte, 1), 1) << "the child ended early";
  }
  void go() {
    const char byte = 0;
    ASSERT_EQ(write(go_[1], &byte, 1), 1);
  }
  // Lets it run to its end; the status as wait(2) gives it.
  int finish() {
    go();
    int status = -1;
    waitpid(pid_, &status, 0);
    reaped_ = true;
    return status;
  }

 private:
  std::array<int, 2> go_{-1, -1};
  std::array<int, 2> done_{-1, -1};
  pid_t pid_ = -1;
  bool reaped_ = false;
};

// How far a ring has been written and read: its first two pages (kernel/bpf/ringbuf.c).
class RingEnds {
 public:
  explicit RingEnds(int map_fd)
      : pages_(static_cast<std::byte*>(mmap(nullptr, 2 * kPage, PROT_READ, MAP_SHARED, map_fd, 0))) {}
  ~RingEnds() {
    if (pages_ != MAP_FAILED) munmap(pages_, 2 * kPage);
  }
  RingEnds(const RingEnds&) = delete;
  RingEnds& operator=(const RingEnds&) = delete;
  bool mapped() const { return pages_ != MAP_FAILED; }
  // All that was begun to be written has been read.
  bool known() const { return position(pages_) == position(pages_ + kPage); }

 private:
  static uint64_t position(const std::byte* at) {
    return __atomic_load_n(reinterpret_cast<const uint64_t*>(at), __ATOMIC_ACQUIRE);
  }
  const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::byte* pages_;
};

class HostKernel : public ::testing::Test {
 protected:
  void start(const HostOptions& options) {
    if (geteuid() != 0) GTEST_SKIP() << "BPF programs need root";
    auto attached = HostPrograms::attach(options, {});
    if (!attached && attached.error().code() != Errc::kInvalid) {
      GTEST_SKIP() << "this machine refuses BPF: " << attached.error().text();
    }
    ASSERT_TRUE(attached.ok()) << attached.error().text();
    programs_ = std::move(*attached);
    rings_ = ring_buffer__new(programs_->map_fd("events"), on_record, this, nullptr);
    ASSERT_NE(rings_, nullptr);
    ASSERT_EQ(ring_buffer__add(rings_, programs_->map_fd("critical_events"), on_record, this), 0);
    for (const char* ring : {"events", "critical_events"}) {
      ends_of_rings_.push_back(std::make_unique<RingEnds>(programs_->map_fd(ring)));
      ASSERT_TRUE(ends_of_rings_.back()->mapped());
    }
  }
  void TearDown() override { ring_buffer__free(rings_); }

  // The test cannot say anything without these: false, and skipped, where one is not attached.
  bool need(std::initializer_list<std::string_view> programs) {
    for (const auto& status : programs_->status()) {
      const bool needed = std::find(programs.begin(), programs.end(), status.program) != programs.end();
      if (!needed || status.attached) continue;
      skip(fmt::format("{}: {}", status.program, status.reason));
      return false;
    }
    return true;
  }
  static void skip(const std::string& why) { GTEST_SKIP() << why; }

  static int pidfd_of(uint32_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

  void trace(uint32_t pid) {
    const int pidfd = pidfd_of(pid);
    wire_process process{};
    process.pid = pid;
    process.traced = WIRE_TRACED_YES;
    ASSERT_EQ(bpf_map_update_elem(programs_->map_fd("processes"), &pidfd, &process, BPF_ANY), 0) << strerror(errno);
    close(pidfd);
  }
  wire_process counters(uint32_t pid) {
    const int pidfd = pidfd_of(pid);
    wire_process process{};
    EXPECT_EQ(bpf_map_lookup_elem(programs_->map_fd("processes"), &pidfd, &process), 0) << strerror(errno);
    close(pidfd);
    return process;
  }
  uint64_t loss(wire_loss kind) {
    std::vector<wire_losses> per_cpu(static_cast<size_t>(libbpf_num_possible_cpus()));
    const uint32_t only = 0;
    EXPECT_EQ(bpf_map_lookup_elem(programs_->map_fd("losses"), &only, per_cpu.data()), 0);
    uint64_t sum = 0;
    for (const wire_losses& of_cpu : per_cpu) sum += of_cpu.count[kind];
    return sum;
  }
  // Until nothing is left: a record that is still being written on the other CPU (a stranger's retransmission, say)
  // holds back all behind it.
  void drain() {
    for (int tries = 0; tries < 1000; ++tries) {
      ring_buffer__consume(rings_);
      if (std::all_of(ends_of_rings_.begin(), ends_of_rings_.end(), [](const auto& one) { return one->known(); }))
        return;
      usleep(1000);
    }
    ADD_FAILURE() << "a record of a ring is not finished";
  }
  // By device (kernel dev_t: major << 20 | minor), I/O that no traced process asked for.
  std::map<uint32_t, wire_device_io> other_io() {
    const auto disks = programs_->disk_io();
    return {disks.begin(), disks.end()};
  }
  // What the kernel side says it did not record, for the message of an assertion.
  std::string account() {
    std::string text = fmt::format("skipped runs {}", programs_->skipped_runs());
    for (int kind = 0; kind < WIRE_LOSS_KINDS; ++kind) {
      if (const uint64_t count = loss(static_cast<wire_loss>(kind))) text += fmt::format(", loss {}: {}", kind, count);
    }
    for (const auto& [dev, totals] : other_io()) {
      text += fmt::format(", others on {:x}: {} requests, {} failed", dev, totals.requests, totals.failed);
    }
    return text;
  }

  std::unique_ptr<HostPrograms> programs_;
  std::vector<wire_task> tasks_;  // of traced processes
  std::vector<wire_task> kills_;  // by OOM, of any process of the machine: other tests' too
  std::vector<wire_block> blocks_;
  std::vector<wire_tcp> retransmissions_;
  std::vector<wire_process_end> ends_;

 private:
  template <typename Record>
  static void keep(const void* data, size_t size, std::vector<Record>& records) {
    ASSERT_GE(size, sizeof(Record));
    std::memcpy(&records.emplace_back(), data, sizeof(Record));
  }
  static int on_record(void* context, void* data, size_t size) {
    auto* test = static_cast<HostKernel*>(context);
    uint16_t type = 0;
    std::memcpy(&type, data, sizeof(type));
    switch (type) {
      case WIRE_BLOCK:
        keep(data, size, test->blocks_);
        break;
      case WIRE_TCP:
        keep(data, size, test->retransmissions_);
        break;
      case WIRE_OOM:
        keep(data, size, test->kills_);
        break;
      case WIRE_PROCESS:
        keep(data, size, test->ends_);
        break;
      default:
        keep(data, size, test->tasks_);
    }
    return 0;
  }
  ring_buffer* rings_ = nullptr;
  std::vector<std::unique_ptr<RingEnds>> ends_of_rings_;
};

}  // namespace ingero::kernelside
