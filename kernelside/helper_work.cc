// The helpers' side: their common parent, and the work of each. Forked from the agent, perhaps while it has other
// threads, so nothing here logs or takes a lock of the agent.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "kernelside/confinement.h"
#include "kernelside/foreign_memory.h"
#include "kernelside/helper_copy.h"
#include "kernelside/helper_protocol.h"
#include "kernelside/privilege.h"

namespace ingero::kernelside {
namespace {

constexpr auto kHead = static_cast<ssize_t>(kRequestHead);

bool write_all(int to, const char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t wrote = write(to, data, bytes);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    data += wrote;
    bytes -= static_cast<size_t>(wrote);
  }
  return true;
}

void find(const HelperRequest& request, HelperReply& reply, Fd& found) {
  found.reset(open(request.path, O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!found.valid() || fstat(found.get(), &status) != 0) {
    reply.error = errno;
    return;
  }
  reply.device = status.st_dev;
  reply.inode = status.st_ino;
  reply.bytes = static_cast<uint64_t>(status.st_size);
  reply.is_regular = S_ISREG(status.st_mode) ? 1 : 0;
}

// A descriptor to read by, of one that only names the file.
Fd reopened(const Fd& path, int& error) {
  Fd file(open(fmt::format("/proc/self/fd/{}", path.get()).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file.valid() || fstat(file.get(), &status) != 0) {
    error = errno;
    return {};
  }
  if (!S_ISREG(status.st_mode)) {
    error = EINVAL;
    return {};
  }
  return file;
}

// Locked pages stay in memory while this process lives: the kernel reads these pages where a probe is placed, holding
// locks that every fork() needs, and finds them. Shared, for in a private mapping the kernel would place the probe too,
// and this process would keep its own copy of the page instead.
using Pins = std::map<uint64_t, std::vector<std::span<char>>>;

void unpin(Pins& pins, uint64_t number) {
  const auto found = pins.find(number);
  if (found == pins.end()) return;
  for (const auto& mapped : found->second) munmap(mapped.data(), mapped.size());
  pins.erase(found);
}

void pin(const HelperRequest& request, const Fd& path, Pins& pins, HelperReply& reply) {
  const Fd file = reopened(path, reply.error);
  struct stat status {};
  if (!file.valid() || fstat(file.get(), &status) != 0) return;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const auto size = static_cast<uint64_t>(status.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) {
    reply.error = errno;
    return;
  }
  pins[request.address].emplace_back(static_cast<char*>(mapped), size);
  for (uint32_t i = 0; i < std::min<uint32_t>(request.count, kMaxPinned); ++i) {
    if (request.offsets[i] >= size) continue;
    const uint64_t start = request.offsets[i] / page * page;
    const uint64_t end = std::min(size, request.offsets[i] + 16);  // an instruction may reach into the next page
    if (mlock(static_cast<char*>(mapped) + start, end - start) != 0) {
      reply.error = errno;
      return;
    }
  }
}

// In the reply, or, when it is long, in a file in memory.
void text(const HelperRequest& request, HelperReply& reply, Fd& found) {
  const Fd file(open(request.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    reply.error = errno;
    return;
  }
  std::string content;
  while (content.size() < request.size) {
    const size_t before = content.size();
    content.resize(before + std::min<size_t>(kMaxMemory, request.size - before));
    const ssize_t got = read(file.get(), content.data() + before, content.size() - before);
    content.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) reply.error = errno;
    if (got <= 0) break;
  }
  reply.bytes = content.size();
  if (content.size() <= kMaxMemory) {
    std::memcpy(reply.memory, content.data(), content.size());
    return;
  }
  found.reset(memfd_create("ingero-text", MFD_CLOEXEC));
  if (!found.valid() || !write_all(found.get(), content.data(), content.size())) reply.error = errno;
}

[[noreturn]] void run_helper(int socket) {
  const auto request = std::make_unique<HelperRequest>();
  const auto reply = std::make_unique<HelperReply>();
  Pins pins;
  while (true) {
    Fd first, second, found;
    if (receive_message(socket, request.get(), sizeof(*request), first, second) < kHead) _exit(0);
    request->path[sizeof(request->path) - 1] = '\0';
    *reply = {};
    errno = 0;
    switch (request->kind) {
      case HelperRequest::kFind:
        find(*request, *reply, found);
        break;
      case HelperRequest::kCopy: {
        const Fd file = reopened(first, reply->error);
        if (!file.valid()) break;
        reply->error = copy_parts(file.get(), second.get(), request->code != 0, request->debug != 0, [&] {
          HelperReply alive;
          alive.is_over = 0;
          send_message(socket, &alive, offsetof(HelperReply, memory));
        });
        break;
      }
      case HelperRequest::kPin:
        pin(*request, first, pins, *reply);
        break;
      case HelperRequest::kUnpin:
        unpin(pins, request->address);
        continue;
      case HelperRequest::kMemory: {
        const size_t size = std::min<size_t>(request->size, kMaxMemory);
        const ssize_t got = read_foreign_memory(request->path, request->pid, request->address, reply->memory, size);
        if (got < 0) reply->error = errno;
        reply->bytes = got < 0 ? 0 : static_cast<uint64_t>(got);
        break;
      }
      case HelperRequest::kText:
        text(*request, *reply, found);
        break;
      default:
        reply->error = EINVAL;
    }
    const bool has_bytes = request->kind == HelperRequest::kMemory || request->kind == HelperRequest::kText;
    const size_t tail = has_bytes && !found.valid() ? reply->bytes : 0;
    if (!send_message(socket, reply.get(), offsetof(HelperReply, memory) + tail, found.get())) _exit(0);
  }
}

void keep_only(int kept) {
  if (kept > 0) close_range(0, static_cast<unsigned>(kept) - 1, 0);
  close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
}

}  // namespace

bool send_message(int socket, const void* message, size_t bytes, int first, int second) {
  iovec vector{const_cast<void*>(message), bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  const int descriptors[2] = {first, second};
  const size_t count = first < 0 ? 0 : second < 0 ? 1 : 2;
  if (count > 0) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(rights), descriptors, count * sizeof(int));
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes);
}

ssize_t receive_message(int socket, void* message, size_t bytes, Fd& first, Fd& second) {
  iovec vector{message, bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  ssize_t got = 0;
  do {
    got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return got;
  for (cmsghdr* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    int descriptors[2] = {-1, -1};
    std::memcpy(descriptors, CMSG_DATA(one), std::min<size_t>(count, 2) * sizeof(int));
    if (count > 0) first.reset(descriptors[0]);
    if (count > 1) second.reset(descriptors[1]);
  }
  return got;
}

void run_helpers(int socket, bool drop_privileges) {
  for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE}) signal(number, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  setsid();
  keep_only(socket);
  if (chdir("/") != 0) _exit(1);
  prctl(PR_SET_NAME, "ingero-helper", 0, 0, 0);
  // Capabilities in effect all the time: each of its few calls needs them. What it reads of others it does not look
  // into, but hands on; and it is asked by the agent alone.
  if (drop_privileges) {
    (void)drop_capabilities(Keep::kForeignFiles).ok();
    (void)confine(Confined::kHelper).ok();
  }
  const auto request = std::make_unique<HelperRequest>();
  uint32_t children = 0;
  while (true) {
    Fd end, unused;
    if (receive_message(socket, request.get(), sizeof(*request), end, unused) < kHead) break;
    // Not waited for before, so that a number is never another process's by the time it is killed.
    while (children > 0 && waitpid(-1, nullptr, WNOHANG) > 0) --children;
    if (request->kind == HelperRequest::kKill && request->pid > 0) {
      const auto pid = static_cast<pid_t>(request->pid);
      if (waitpid(pid, nullptr, WNOHANG) == 0) kill(pid, SIGKILL);  // a child still: the number is its own
      continue;
    }
    HelperReply reply;
    reply.number = request->address;
    errno = EAGAIN;
    reply.pid = children < kMaxHelpers ? fork() : -1;
    if (reply.pid == 0) {
      close(socket);
      run_helper(end.get());
    }
    if (reply.pid < 0) {
      reply.error = errno;
    } else {
      ++children;
    }
    if (!send_message(socket, &reply, offsetof(HelperReply, memory))) break;
  }
  _exit(0);
}

}  // namespace ingero::kernelside
