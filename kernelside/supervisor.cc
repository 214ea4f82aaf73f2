// The supervisor process. It runs between fork and _exit in a copy of the agent: plain system calls only.
#include "kernelside/supervisor.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <set>
#include <tuple>

#include <grp.h>

#include "kernelside/audit_arch.h"
#include "kernelside/confinement.h"
#include "kernelside/foreign_memory.h"
#include "kernelside/privilege.h"

namespace ingero::kernelside {
namespace {

// mmap(PROT_EXEC) of a file, execve and execveat are handed over; everything else goes its way.
int install_filter() {
  constexpr uint32_t kNumber = offsetof(seccomp_data, nr);
  constexpr uint32_t kArch = offsetof(seccomp_data, arch);
  constexpr uint32_t kProtection = offsetof(seccomp_data, args) + 2 * 8;  // low half, little-endian
  constexpr uint32_t kDescriptor = offsetof(seccomp_data, args) + 4 * 8;
  const sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kAuditArch, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNarrowAuditArch, 0, 12),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNarrowExecve, 11, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNarrowExecveat, 10, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNarrowMmap2, 4, 8),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_execve, 7, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_execveat, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtection),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kDescriptor),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffffU, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  sock_fprog program{static_cast<unsigned short>(std::size(code)), const_cast<sock_filter*>(code)};
  // With CAP_SYS_ADMIN no_new_privs is not needed, and set-user-id programs keep working inside the command. A signal
  // whose handler does not restart system calls would end one that is held with EINTR, which mmap(2) and execve(2)
  // never return otherwise: since Linux 5.19 it waits until the call goes on.
  constexpr unsigned kFlags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
  long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
  if (fd < 0 && errno == EINVAL) fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program);
  return static_cast<int>(fd);
}

void send_descriptor(int socket, int descriptor, int error) {
  char payload = static_cast<char>(error);
  iovec vector{&payload, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  sendmsg(socket, &message, MSG_NOSIGNAL);
}

// The listener, or -1 with the command's errno.
int receive_descriptor(int socket, int& error) {
  char payload = 0;
  iovec vector{&payload, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) {
    error = EPIPE;
    return -1;
  }
  error = static_cast<unsigned char>(payload);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
  return descriptor;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Groups first: afterwards there is no right to change them. No capability is left, unless it is root's.
bool become(const RunAs& user) {
  return setgroups(user.groups.size(), user.groups.data()) == 0 && setresgid(user.gid, user.gid, user.gid) == 0 &&
         setresuid(user.uid, user.uid, user.uid) == 0;
}

// `go` is a pipe and not the socket: what the command receives from sockets is counted as its own.
[[noreturn]] void run_command(int supervisor, int go, const Started& started) {
  // What the agent did to its signals is not the command's business; what it was started with is (nohup).
  for (int number = 1; number < NSIG; ++number) {
    signal(number, sigismember(&started.signals.ignored, number) == 1 ? SIG_IGN : SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &started.signals.blocked, nullptr);
  const std::vector<char*> arguments = pointers_to(started.command);
  const std::vector<char*> environment =
      started.run_as ? pointers_to(started.run_as->environment) : std::vector<char*>();
  const int listener = install_filter();
  send_descriptor(supervisor, listener, listener < 0 ? errno : 0);
  if (listener >= 0) close(listener);
  char byte = 0;
  if (read(go, &byte, 1) != 1) _exit(127);
  if (started.output_to_errors) dup2(STDERR_FILENO, STDOUT_FILENO);
  if (started.run_as && !become(*started.run_as)) {
    dprintf(STDERR_FILENO, "Error: run %s as user %u: %s; this takes root, or CAP_SETUID and CAP_SETGID\n",
            arguments[0], started.run_as->uid, std::strerror(errno));
    _exit(126);
  }
  execvpe(arguments[0], arguments.data(), started.run_as ? environment.data() : environ);
  const int error = errno;
  dprintf(STDERR_FILENO, "Error: run %s: %s\n", arguments[0], std::strerror(error));
  _exit(error == ENOENT ? 127 : 126);
}

// Of the request that the supervisor has taken and not answered; 0: none. In memory that it shares with its standby.
using TakenRequest = std::atomic<uint64_t>;
static_assert(TakenRequest::is_always_lock_free);

// False: there is none, or the memory of its caller is gone.
bool take_request(const Fd& listener, seccomp_notif& request) {
  std::memset(&request, 0, sizeof(request));
  return ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &request) == 0;
}

void let_go(const Fd& listener, uint64_t request) {
  seccomp_notif_resp response;
  std::memset(&response, 0, sizeof(response));
  response.id = request;
  response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);  // ENOENT: it was killed meanwhile
}

// Where the supervisor is killed the command's calls would fail with ENOSYS for ever, since nothing answers them: this
// process lets them go on. It has a name of its own, which who kills everything called ingero does not find.
[[noreturn]] void stand_by(const Fd& listener, const Fd& supervisor, const TakenRequest& taken) {
  prctl(PR_SET_NAME, "exec-standby");
  char byte = 0;
  while (read(supervisor.get(), &byte, 1) < 0 && errno == EINTR) {
  }
  if (const uint64_t request = taken.load(); request != 0) let_go(listener, request);
  while (true) {
    pollfd wait{listener.get(), POLLIN, 0};
    if (poll(&wait, 1, -1) < 0 && errno != EINTR) _exit(1);
    seccomp_notif request;
    if ((wait.revents & POLLIN) != 0) {
      if (take_request(listener, request)) let_go(listener, request.id);
    } else if (wait.revents != 0) {
      _exit(0);  // no process uses the filter any more
    }
  }
}

// What the two share; null: there is no standby.
TakenRequest* start_standby(const Fd& listener, const Fd& agent, int go) {
  void* memory = mmap(nullptr, sizeof(TakenRequest), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int ends[2];  // what is written to stays open as long as the supervisor lives
  if (memory == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  auto* taken = new (memory) TakenRequest(0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    close(agent.get());
    close(go);
    (void)drop_capabilities(Keep::kNothing).ok();
    (void)confine(Confined::kHelper).ok();
    stand_by(listener, Fd(ends[0]), *taken);
  }
  close(ends[0]);
  return child > 0 ? taken : nullptr;
}

class Supervisor {
 public:
  // `taken`: null, or shared with the standby.
  Supervisor(Fd agent, Fd listener, pid_t command, int answer_timeout_ms, TakenRequest* taken)
      : agent_(std::move(agent)),
        listener_(std::move(listener)),
        command_(command),
        answer_timeout_ms_(answer_timeout_ms),
        taken_(taken) {}

  [[noreturn]] void run(int go) {
    while (true) {
      pollfd waits[2] = {{listener_.get(), POLLIN, 0}, {agent_.get(), POLLIN, 0}};
      const int ready = poll(waits, 2, ended_ ? 1000 : 20);
      if (ready < 0 && errno != EINTR) _exit(1);
      if (ready > 0 && listener_.valid() && (waits[0].revents & POLLIN) != 0) answer_one();
      if (ready > 0 && listener_.valid() && (waits[0].revents & (POLLHUP | POLLERR)) != 0) listener_.reset();
      if (ready > 0 && agent_.valid() && waits[1].revents != 0) {
        char byte = 0;
        if (recv(agent_.get(), &byte, 1, MSG_DONTWAIT) == 1) {
          if (byte == kSeen || byte == kAskAgain) is_late_ = false;  // the answer, after all
          if (byte == kGo) [[maybe_unused]]
            const auto written = write(go, &byte, 1);
        } else {
          agent_.reset();
          close(go);  // a command that was never let go ends
        }
      }
      reap();
      if (ended_ && !listener_.valid()) _exit(0);
    }
  }

 private:
  void reap() {
    int status = 0;
    if (ended_ || waitpid(command_, &status, WNOHANG) != command_) return;
    ended_ = true;
    SupervisorMessage message;
    message.kind = SupervisorMessage::kEnded;
    message.pid = command_;
    message.value = status;
    if (agent_.valid()) send(agent_.get(), &message, sizeof(message), MSG_NOSIGNAL);
  }

  void answer_one() {
    seccomp_notif request;
    if (!take_request(listener_, request)) return;
    if (taken_ != nullptr) taken_->store(request.id);
    if (agent_.valid() && !is_late_) ask(request);
    let_go(listener_, request.id);
    if (taken_ != nullptr) taken_->store(0);
  }

  using SeenFile = std::tuple<dev_t, ino_t, int64_t, uint32_t>;  // with when it was made

  // A file that the thread executes. As far as the kernel has the whole way in memory: a server on that way might never
  // answer. False with EAGAIN: it has not.
  static Fd at_hand(const SupervisorMessage& message) {
    std::array<char, 64> root{};
    std::snprintf(root.data(), root.size(), "/proc/%d/root", message.pid);
    const Fd folder(open(root.data(), O_PATH | O_CLOEXEC | O_DIRECTORY));
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_CACHED | RESOLVE_IN_ROOT;
    return Fd(static_cast<int>(syscall(SYS_openat2, folder.get(), message.path, &how, sizeof(how))));
  }

  // Lets the agent look at the file, unless it has and need not again. A helper of the agent's follows a name that is
  // not at hand.
  void ask(const seccomp_notif& request) {
    SupervisorMessage message;
    message.kind = SupervisorMessage::kFile;
    message.pid = static_cast<int32_t>(request.pid);
    Fd file;
    const bool is_narrow = request.data.arch == kNarrowAuditArch;
    if (request.data.nr == (is_narrow ? kNarrowMmap2 : __NR_mmap)) {
      message.value = static_cast<int32_t>(request.data.args[4]);
      std::array<char, 64> path{};
      std::snprintf(path.data(), path.size(), "/proc/%d/fd/%d", message.pid, message.value);
      file.reset(open(path.data(), O_PATH | O_CLOEXEC));
    } else if (executed_path(request, message)) {
      file = at_hand(message);
    } else {
      return;
    }
    std::optional<SeenFile> which;
    if (file.valid()) {
      which = identity(file);
      if (!which || seen_.contains(*which)) return;
    } else if (errno != EAGAIN) {
      return;
    }
    if (wait_for_answer(message) == kSeen && which) seen_.insert(*which);
  }

  // What is known of it will do: one on a network is not asked for, its server may not answer. Nothing: not a file.
  static std::optional<SeenFile> identity(const Fd& file) {
    struct statx status {};
    constexpr unsigned kWanted = STATX_TYPE | STATX_INO | STATX_CTIME | STATX_BTIME;
    if (statx(file.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, kWanted, &status) != 0 || !S_ISREG(status.stx_mode)) {
      return std::nullopt;
    }
    // The number of a deleted file goes to another one, which was made later.
    const statx_timestamp& born = (status.stx_mask & STATX_BTIME) != 0 ? status.stx_btime : status.stx_ctime;
    return SeenFile(makedev(status.stx_dev_major, status.stx_dev_minor), ino_t{status.stx_ino}, int64_t{born.tv_sec},
                    uint32_t{born.tv_nsec});
  }

  // What the agent says of the file; kAskAgain also where it says nothing.
  char wait_for_answer(SupervisorMessage& message) {
    if (send(agent_.get(), &message, sizeof(message), MSG_NOSIGNAL) != sizeof(message)) return kAskAgain;
    char answer = kWorking;
    while (answer == kWorking) {
      pollfd wait{agent_.get(), POLLIN, 0};
      const int ready = poll(&wait, 1, answer_timeout_ms_);
      if (ready == 0) {
        is_late_ = true;
        message.kind = SupervisorMessage::kLate;
        send(agent_.get(), &message, sizeof(message), MSG_NOSIGNAL);
        return kAskAgain;
      }
      if (ready != 1 || recv(agent_.get(), &answer, 1, 0) != 1) {
        agent_.reset();
        return kAskAgain;
      }
    }
    return answer;
  }

  // The absolute path of an execve, as its caller sees it.
  static bool executed_path(const seccomp_notif& request, SupervisorMessage& message) {
    const bool at = request.data.nr == (request.data.arch == kNarrowAuditArch ? kNarrowExecveat : __NR_execveat);
    const uint64_t address = request.data.args[at ? 1 : 0];
    std::array<char, 4096> name{};
    if (read_foreign_memory("/proc", request.pid, address, name.data(), name.size() - 1) <= 0) return false;
    if (name[0] == '/') {
      std::memcpy(message.path, name.data(), sizeof(message.path));
      return true;
    }
    std::array<char, 64> link{};
    const int directory = at ? static_cast<int32_t>(request.data.args[0]) : AT_FDCWD;
    if (directory == AT_FDCWD) {
      std::snprintf(link.data(), link.size(), "/proc/%u/cwd", request.pid);
    } else {
      std::snprintf(link.data(), link.size(), "/proc/%u/fd/%d", request.pid, directory);
    }
    std::array<char, 4096> base{};
    if (readlink(link.data(), base.data(), base.size() - 1) <= 0) return false;
    if (name[0] == '\0') {
      std::memcpy(message.path, base.data(), sizeof(message.path));
      return true;
    }
    const int length = std::snprintf(message.path, sizeof(message.path), "%.2040s/%.2040s", base.data(), name.data());
    return length > 0 && static_cast<size_t>(length) < sizeof(message.path);
  }

  Fd agent_;
  Fd listener_;
  pid_t command_;
  const int answer_timeout_ms_;
  TakenRequest* const taken_;
  bool ended_ = false;
  bool is_late_ = false;  // the agent has not answered in time, and not since
  std::set<SeenFile> seen_;
};

}  // namespace

void run_supervisor(Fd agent, const Started& started, int answer_timeout_ms) {
  signal(SIGINT, SIG_IGN);  // the terminal's Ctrl-C is for the command and the agent
  signal(SIGQUIT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);  // ignored, the command's status would be lost
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) _exit(1);
  int go[2];
  if (pipe2(go, O_CLOEXEC) != 0) _exit(1);
  const pid_t child = fork();
  if (child < 0) _exit(1);
  if (child == 0) {
    close(ends[0]);
    close(go[1]);
    agent.reset();
    run_command(ends[1], go[0], started);
  }
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null >= 0) dup2(null, standard);
  }
  close(ends[1]);
  close(go[0]);
  int error = 0;
  Fd listener(receive_descriptor(ends[0], error));
  close(ends[0]);
  TakenRequest* const taken = listener.valid() ? start_standby(listener, agent, go[1]) : nullptr;
  // The command is on its way with all that the agent had. From here on this process names files that the command has
  // open, and reads the paths that it executes.
  (void)drop_capabilities(Keep::kForeignFiles).ok();
  (void)confine(Confined::kHelper).ok();
  SupervisorMessage ready;
  ready.kind = SupervisorMessage::kReady;
  ready.pid = child;
  if (!listener.valid()) std::snprintf(ready.path, sizeof(ready.path), "seccomp: %s", std::strerror(error));
  send(agent.get(), &ready, sizeof(ready), MSG_NOSIGNAL);
  Supervisor(std::move(agent), std::move(listener), child, answer_timeout_ms, taken).run(go[1]);
}

}  // namespace ingero::kernelside
