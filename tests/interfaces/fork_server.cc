// The program, started once for thousands of command lines: each runs in a fork of it, from the program's own main()
// on.
//
//   fork_server [ARGUMENT...] <SOCKET   standard input is a listening socket (SOCK_SEQPACKET), to which fork_client.c
//   connects
//
// A program with sanitizers takes longer to start than most commands take to run. The command line in ARGUMENT runs
// before the first fork: what it fills for the life of the process, as a server would, the others find filled. One
// client at a time: a second one waits. A client that goes away takes its command with it, and so does the end of this
// program.
//
// A client may say that other command lines follow (clients.py): these run in the same process, one after the other,
// for a fork and the pages that it has to copy take longer than many a command. Where one of them ends the process, the
// client knows which, and connects again for the next.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/fd.h"

int program_main(int argc, char** argv);  // main() of cli/main.cc, which is compiled under this name

namespace {

using ingero::Fd;

constexpr size_t kMaxRequest = 128 << 10;
constexpr uint32_t kOthersFollow = uint32_t{1} << 31;

// As fork_client.c sends it: how many arguments, then these and the environment, each ended by a zero.
struct Request {
  bool last = true;
  std::array<Fd, 3> streams;  // standard input, output, error
  std::vector<char> strings;
  std::vector<char*> arguments, variables;  // point into strings; each ends with a null
};

size_t threads() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::_Exit(1);
}

// None where the client is gone.
std::optional<Request> receive(int connection) {
  Request request;
  request.strings.resize(kMaxRequest);
  uint32_t arguments = 0;
  std::array<iovec, 2> parts{{{&arguments, sizeof arguments}, {request.strings.data(), request.strings.size()}}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = ::recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  if (size == 0) return std::nullopt;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (size < static_cast<ssize_t>(sizeof arguments) || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ||
      header == nullptr || header->cmsg_len != CMSG_LEN(3 * sizeof(int))) {
    give_up("fork_server: not a request");
  }
  request.last = (arguments & kOthersFollow) == 0;
  arguments &= ~kOthersFollow;
  std::array<int, 3> streams{};
  std::memcpy(streams.data(), CMSG_DATA(header), sizeof streams);
  std::transform(streams.begin(), streams.end(), request.streams.begin(), [](int fd) { return Fd(fd); });
  char* const end = request.strings.data() + size - sizeof arguments;
  for (char* at = request.strings.data(); at < end; at += std::strlen(at) + 1) {
    (request.arguments.size() < arguments ? request.arguments : request.variables).push_back(at);
  }
  request.arguments.push_back(nullptr);
  request.variables.push_back(nullptr);
  return request;
}

int run(Request& request) {
  for (int stream = 0; stream < 3; ++stream) {
    if (::dup2(request.streams.at(stream).get(), stream) < 0) give_up("fork_server: dup2");
    request.streams.at(stream).reset();
  }
  environ = request.variables.data();
  return program_main(static_cast<int>(request.arguments.size()) - 1, request.arguments.data());
}

void flush_streams() {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  std::cout.clear();
  std::cerr.clear();
}

// The commands of one client.
[[noreturn]] void run_all(const Fd& connection) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (std::optional<Request> request = receive(connection.get())) {
    const int status = run(*request);
    if (request->last) std::exit(status);
    flush_streams();
    if (threads() != 1) give_up("fork_server: a command left a thread");
    const std::array<int, 2> ended{status << 8, 1};  // as waitpid() has it; and the process lives
    ::send(connection.get(), ended.data(), sizeof ended, MSG_NOSIGNAL);
  }
  std::_Exit(0);
}

// The last of what exit() calls: the program's own static objects are destroyed by then. What would follow takes the
// sanitizer's marks off each global, in pages that a fork has to copy first: a third of the time of a short command.
[[gnu::constructor(101)]] void end_without_marks() {
  ::on_exit(
      [](int status, void*) {
        std::cout.flush();
        std::fflush(nullptr);
        std::_Exit(status);
      },
      nullptr);
}

// Its wait status; killed where the client at `connection` is gone first.
int end_of(pid_t child, int connection) {
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  std::array<pollfd, 2> either{{{process.get(), POLLIN, 0}, {connection, 0, 0}}};
  if (!process.valid() || ::poll(either.data(), either.size(), -1) < 0) give_up("fork_server: waiting");
  if (either[1].revents != 0) ::kill(child, SIGKILL);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) give_up("fork_server: waitpid");
  return status;
}

void serve(Fd& listening, Fd connection) {
  const pid_t child = ::fork();
  if (child < 0) give_up("fork_server: fork");
  if (child == 0) {
    listening.reset();
    run_all(connection);
  }
  ::send(connection.get(), &child, sizeof child, MSG_NOSIGNAL);
  const int status = end_of(child, connection.get());
  ::send(connection.get(), &status, sizeof status, MSG_NOSIGNAL);
}

}  // namespace

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Fd listening(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!listening.valid()) give_up("fork_server: standard input");
  if (argc > 1 && program_main(argc, argv) != 0) return 1;
  if (threads() != 1) {
    std::fputs("fork_server: a thread of the first command is left, and no fork would have it\n", stderr);
    return 1;
  }
  for (;;) {
    Fd connection(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.valid()) give_up("fork_server: accept");
    serve(listening, std::move(connection));
  }
}
