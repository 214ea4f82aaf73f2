// What the kernel is asked for a probe link, what becomes of the descriptors it gives, and what its refusals say. The
// kernel is played by a thread that answers the system calls of another (seccomp_unotify(2)), so nothing is probed.
#include "kernelside/perf_link.h"

#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "bpf/wire.h"  // the skeleton holds its structs
#include "names.skel.h"

namespace ingero::kernelside {
namespace {

constexpr unsigned long kOffsets[] = {0x1000, 0x2040};
constexpr uint64_t kCookies[] = {7, 8};

MultiSpec spec_of(MultiKind kind) {
  MultiSpec spec;
  spec.program_fd = 42;
  spec.kind = kind;
  spec.path = "/proc/self/fd/9";
  spec.offsets = kOffsets;
  spec.cookies = kCookies;
  spec.pid = 4711;
  return spec;
}

size_t open_descriptors() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}
bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

// bpf(), perf_event_open() and the ioctl() of perf events wait for an answer; all else goes its way.
int hand_over_calls() {
  constexpr uint32_t kNumber = offsetof(seccomp_data, nr), kRequest = offsetof(seccomp_data, args) + 8;
  const sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_bpf, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_perf_event_open, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kRequest),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(PERF_EVENT_IOC_ENABLE), 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(PERF_EVENT_IOC_DISABLE), 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(code)), const_cast<sock_filter*>(code)};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

// A descriptor or 0, or a negative errno. The caller's memory is this process's.
using Answer = std::function<int64_t(const seccomp_data&)>;

// Runs `work` on a thread whose calls `answer` answers. False: this machine cannot do that.
bool with_kernel(const Answer& answer, const std::function<void()>& work) {
  std::atomic<int> listener{-1};
  std::atomic<bool> is_over{false};
  std::thread caller([&] {
    listener = hand_over_calls();
    if (listener >= 0) work();
    is_over = true;
  });
  while (!is_over) {
    if (listener < 0) {
      usleep(1000);
      continue;
    }
    pollfd wait{listener, POLLIN, 0};
    if (poll(&wait, 1, 10) != 1 || (wait.revents & POLLIN) == 0) continue;
    seccomp_notif request{};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) continue;
    const int64_t value = answer(request.data);
    seccomp_notif_resp response{};
    response.id = request.id;
    response.val = value < 0 ? 0 : value;
    response.error = value < 0 ? static_cast<int32_t>(value) : 0;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
  }
  caller.join();
  const int fd = listener;
  if (fd >= 0) close(fd);
  return fd >= 0;
}

TEST(MultiLink, TheKernelIsAskedForAllProbesAtOnceAndItsDescriptorIsOwned) {
  for (const MultiKind kind : {MultiKind::kMulti, MultiKind::kSession}) {
    MultiSpec spec = spec_of(kind);
    spec.at_return = kind == MultiKind::kMulti;
    bpf_attr asked{};
    uint64_t command = 0;
    std::string path;
    int given = -1;
    const bool is_played = with_kernel(
        [&](const seccomp_data& call) -> int64_t {
          command = call.args[0];
          std::memcpy(&asked, reinterpret_cast<const void*>(call.args[1]),
                      std::min<size_t>(call.args[2], sizeof(asked)));
          path = reinterpret_cast<const char*>(*reinterpret_cast<const uint64_t*>(call.args[1] + 16));
          given = eventfd(0, EFD_CLOEXEC);
          return given;
        },
        [&] {
          auto link = link_multi(spec);
          ASSERT_TRUE(link.ok()) << link.error().text();
          EXPECT_EQ(link->get(), given);
          EXPECT_TRUE(is_open(given));
          link->reset();
          EXPECT_FALSE(is_open(given)) << "closing it is what detaches the probes";
        });
    if (!is_played) GTEST_SKIP() << "no seccomp notifications here";
    // union bpf_attr, link_create.uprobe_multi (include/uapi/linux/bpf.h), by offset: this libbpf's header is older.
    const auto* bytes = reinterpret_cast<const unsigned char*>(&asked);
    const auto u32_at = [&](size_t at) {
      uint32_t value = 0;
      std::memcpy(&value, bytes + at, sizeof(value));
      return value;
    };
    const auto u64_at = [&](size_t at) {
      uint64_t value = 0;
      std::memcpy(&value, bytes + at, sizeof(value));
      return value;
    };
    EXPECT_EQ(command, 28U) << "BPF_LINK_CREATE";
    EXPECT_EQ(u32_at(0), 42U) << "the program";
    EXPECT_EQ(u32_at(8), kind == MultiKind::kSession ? 57U : 48U) << "the attach type";
    EXPECT_EQ(path, "/proc/self/fd/9");
    EXPECT_EQ(u64_at(24), reinterpret_cast<uint64_t>(kOffsets));
    EXPECT_EQ(u64_at(32), 0U) << "no reference counters";
    EXPECT_EQ(u64_at(40), reinterpret_cast<uint64_t>(kCookies));
    EXPECT_EQ(u32_at(48), 2U) << "how many";
    EXPECT_EQ(u32_at(52), spec.at_return ? 1U : 0U) << "at the return";
    EXPECT_EQ(u32_at(56), 4711U) << "the process";
  }
}

TEST(MultiLink, ARefusalNamesTheFileTheKindAndTheKernelsReason) {
  for (const auto& [kind, word] : {std::pair(MultiKind::kMulti, "multi"), std::pair(MultiKind::kSession, "session")}) {
    const size_t before = open_descriptors();
    const bool is_played = with_kernel(
        [](const seccomp_data&) { return -ENOENT; },
        [&] {
          const auto link = link_multi(spec_of(kind));
          ASSERT_FALSE(link.ok());
          EXPECT_EQ(link.error().code(), Errc::kNotFound);
          EXPECT_EQ(link.error().message(), fmt::format("attach 2 probes to /proc/self/fd/9 (uprobe {}): No such "
                                                        "file or directory",
                                                        word));
        });
    if (!is_played) GTEST_SKIP() << "no seccomp notifications here";
    EXPECT_EQ(open_descriptors(), before);
  }
}

TEST(MultiLink, OffsetsWithoutAsManyCookiesAreRefusedBeforeTheKernelIsAsked) {
  int asked = 0;
  const bool is_played = with_kernel(
      [&](const seccomp_data&) {
        ++asked;
        return -EIO;
      },
      [] {
        MultiSpec fewer = spec_of(MultiKind::kMulti);
        fewer.cookies = fewer.cookies.first(1);
        const auto link = link_multi(fewer);
        ASSERT_FALSE(link.ok());
        EXPECT_EQ(link.error().code(), Errc::kInvalid);
        EXPECT_EQ(link.error().message(), "attach to /proc/self/fd/9: 2 offsets and 1 cookies");
        MultiSpec none = spec_of(MultiKind::kMulti);
        none.offsets = {};
        none.cookies = {};
        EXPECT_EQ(link_multi(none).error().code(), Errc::kInvalid);
      });
  if (!is_played) GTEST_SKIP() << "no seccomp notifications here";
  EXPECT_EQ(asked, 0);
}

// A perf probe is two descriptors: the event, which libbpf opens, and the link of the program to it.
class PerfLinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/sys/bus/event_source/devices/uprobe/type")) GTEST_SKIP() << "no perf probes here";
    names_ = names::open();
    ASSERT_NE(names_, nullptr);
  }
  void TearDown() override { names::destroy(names_); }
  PerfSpec spec(bool at_return) const {
    PerfSpec spec;
    spec.program = names_->progs.on_name;  // not loaded
    spec.at_return = at_return;
    spec.path = "/usr/lib/libtoy.so";
    spec.offset = 0x1230;
    spec.cookie = 5;
    return spec;
  }

  names* names_ = nullptr;
};

TEST_F(PerfLinkTest, AnEventThatIsRefusedIsAnErrorWithTheReason) {
  const size_t before = open_descriptors();
  for (const bool at_return : {false, true}) {
    const bool is_played = with_kernel([](const seccomp_data&) { return -EACCES; },
                                       [&] {
                                         const auto link = link_perf(spec(at_return));
                                         ASSERT_FALSE(link.ok());
                                         EXPECT_EQ(link.error().code(), Errc::kPermission);
                                         const std::string said = link.error().message();
                                         EXPECT_NE(said.find("/usr/lib/libtoy.so:0x1230"), std::string::npos) << said;
                                         EXPECT_NE(said.find("Permission denied"), std::string::npos) << said;
                                       });
    if (!is_played) GTEST_SKIP() << "no seccomp notifications here";
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(PerfLinkTest, AnEventWithoutAProgramIsClosedAndNeverEnabled) {
  for (const bool at_return : {false, true}) {
    const size_t before = open_descriptors();
    int given = -1, asked_else = 0;
    perf_event_attr asked{};
    std::string path;
    const bool is_played = with_kernel(
        [&](const seccomp_data& call) -> int64_t {
          if (call.nr != __NR_perf_event_open) {
            ++asked_else;
            return -EIO;
          }
          std::memcpy(&asked, reinterpret_cast<const void*>(call.args[0]), sizeof(asked));
          path = reinterpret_cast<const char*>(asked.uprobe_path);
          EXPECT_EQ(static_cast<int>(call.args[1]), -1) << "every process";
          given = eventfd(0, EFD_CLOEXEC);
          return given;
        },
        [&] {
          const auto link = link_perf(spec(at_return));
          ASSERT_FALSE(link.ok()) << "the program is not loaded";
          EXPECT_EQ(link.error().code(), Errc::kInvalid);
          EXPECT_NE(link.error().message().find("on_name"), std::string::npos) << link.error().message();
        });
    if (!is_played) GTEST_SKIP() << "no seccomp notifications here";
    ASSERT_GE(given, 0);
    EXPECT_EQ(path, "/usr/lib/libtoy.so");
    EXPECT_EQ(asked.probe_offset, 0x1230U);
    EXPECT_EQ(asked.config & 1, at_return ? 1U : 0U) << "retprobe is bit 0 of the event's configuration";
    EXPECT_EQ(asked_else, 0) << "neither linked nor enabled";
    EXPECT_FALSE(is_open(given));
    EXPECT_EQ(open_descriptors(), before);
  }
}

// The kernel of a program that is loaded: every descriptor that it gives is an event.
struct Kernel {
  bool grants_links = true;
  int event = -1, link = -1;
  uint64_t cookie = 0;
  std::vector<std::string> did;  // since the program was loaded

  int64_t answer(const seccomp_data& call) {
    if (call.nr == __NR_perf_event_open) {
      did.emplace_back("event");
      return event = eventfd(0, EFD_CLOEXEC);
    }
    if (call.nr == __NR_ioctl) {
      EXPECT_EQ(static_cast<int>(call.args[0]), event);
      did.emplace_back(static_cast<uint32_t>(call.args[1]) == PERF_EVENT_IOC_ENABLE ? "enable" : "disable");
      return 0;
    }
    switch (call.args[0]) {
      case BPF_PROG_LOAD:
      case BPF_MAP_CREATE:
      case BPF_BTF_LOAD:
        return eventfd(0, EFD_CLOEXEC);
      case BPF_LINK_CREATE:
        break;
      case BPF_BTF_GET_NEXT_ID:
        return -ENOENT;
      default:
        return 0;
    }
    bpf_attr attributes{};
    std::memcpy(&attributes, reinterpret_cast<const void*>(call.args[1]),
                std::min<size_t>(call.args[2], sizeof(attributes)));
    if (static_cast<int>(attributes.link_create.target_fd) < 0) return -EBADF;  // libbpf asks whether there are links
    EXPECT_EQ(static_cast<int>(attributes.link_create.target_fd), event);
    cookie = attributes.link_create.perf_event.bpf_cookie;
    did.emplace_back("link");
    return link = grants_links ? eventfd(0, EFD_CLOEXEC) : -EPERM;
  }
};

// In a process of its own: libbpf keeps what it has found out of the kernel.
void with_loaded(const names& object, Kernel& kernel, const std::function<void()>& work) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool is_played = with_kernel([&](const seccomp_data& call) { return kernel.answer(call); },
                                       [&] {
                                         ASSERT_EQ(bpf_object__load(object.obj), 0);
                                         kernel.did.clear();
                                         work();
                                       });
    std::fflush(nullptr);
    _exit(!is_played ? 77 : ::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no seccomp notifications here";
  EXPECT_EQ(status, 0);
}

TEST_F(PerfLinkTest, AnEventIsLinkedWithItsCookieThenEnabledAndBothAreClosedInTheEnd) {
  Kernel kernel;
  with_loaded(*names_, kernel, [&] {
    const size_t before = open_descriptors();
    auto link = link_perf(spec(true));
    ASSERT_TRUE(link.ok()) << link.error().text();
    EXPECT_EQ(kernel.did, (std::vector<std::string>{"event", "link", "enable"}));
    EXPECT_EQ(kernel.cookie, 5U);
    EXPECT_EQ((*link)->fd(), kernel.link);
    EXPECT_TRUE(is_open(kernel.event));
    EXPECT_TRUE(is_open(kernel.link));
    link->reset();
    EXPECT_EQ(kernel.did.back(), "disable");
    EXPECT_FALSE(is_open(kernel.event));
    EXPECT_FALSE(is_open(kernel.link));
    EXPECT_EQ(open_descriptors(), before);
  });
}

TEST_F(PerfLinkTest, ALinkThatIsRefusedLeavesNoEventBehind) {
  Kernel kernel;
  kernel.grants_links = false;
  with_loaded(*names_, kernel, [&] {
    const size_t before = open_descriptors();
    const auto link = link_perf(spec(false));
    ASSERT_FALSE(link.ok());
    EXPECT_EQ(link.error().code(), Errc::kPermission);
    EXPECT_EQ(kernel.did, (std::vector<std::string>{"event", "link"})) << "never enabled";
    EXPECT_FALSE(is_open(kernel.event));
    EXPECT_EQ(open_descriptors(), before);
  });
}

}  // namespace
}  // namespace ingero::kernelside
