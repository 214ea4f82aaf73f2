// The agent's side: picks an idle helper or starts one, sends the request, and waits with a limit.
#include "kernelside/helpers.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "kernelside/helper_protocol.h"

namespace ingero::kernelside {
namespace {

constexpr uint64_t kForkNs = 2 * kSecond;
constexpr std::chrono::milliseconds kForkLock{100};
constexpr uint64_t kSilenceNs = 2 * kSecond;  // without a sign of life
constexpr uint64_t kMemoryNs = kSecond / 2;   // far more than present pages take on a busy machine
constexpr uint64_t kWholeNs = 60 * kSecond;   // however alive: a copy
constexpr size_t kReplyHead = offsetof(HelperReply, memory);

void set_path(HelperRequest& request, const std::string& path) {
  std::strncpy(request.path, path.c_str(), sizeof(request.path) - 1);
}

}  // namespace

struct Helpers::Impl {
  struct Helper {
    Fd socket;
    pid_t pid = -1;
  };

  // One of these keeps the pages of all files. It is never killed for its silence, for with it would go what it keeps:
  // the next file is another's then, and what came of the silence is no longer wanted once it is over.
  struct Pinning {
    Helper helper;
    bool is_in_use = false;
    bool is_silent = false;
    std::set<uint64_t> pins;
    std::vector<uint64_t> unwanted;  // to be unpinned behind the silence
  };

  Fd parent;  // of all helpers
  std::atomic<bool> parent_ended = false;
  std::timed_mutex fork_mutex;
  uint64_t asked = 0, answered = 0;  // numbers of requests to fork; guarded by fork_mutex
  pid_t parent_pid = -1;
  Fd cancelled;
  std::mutex mutex;
  // Guarded by mutex:
  std::vector<Helper> idle;
  std::list<Pinning> pinning;
  std::atomic<uint64_t> last_pin = 0;

  // True: there is something to receive.
  bool wait(const Fd& socket, uint64_t until_ns, bool ends_early) const {
    while (true) {
      const uint64_t now = system_clock().mono_ns();
      if (now >= until_ns) return false;
      pollfd waits[2] = {{socket.get(), POLLIN, 0}, {cancelled.get(), POLLIN, 0}};
      const int ready = poll(waits, ends_early ? 2 : 1, static_cast<int>((until_ns - now) / 1'000'000 + 1));
      if (ready < 0 && errno != EINTR) return false;
      if (ready > 0 && waits[1].revents != 0) return false;
      if (ready > 0 && waits[0].revents != 0) return true;
    }
  }

  Result<Helper> acquire() {
    {
      const std::scoped_lock lock(mutex);
      if (!idle.empty()) {
        Helper helper = std::move(idle.back());
        idle.pop_back();
        return helper;
      }
    }
    return forked();
  }

  // Waits for the answer to the last request to fork, passing over those to earlier ones.
  bool receive_fork(uint64_t until_ns, HelperReply& reply) {
    Fd first, second;
    while (wait(parent, until_ns, true)) {
      if (receive_message(parent.get(), &reply, sizeof(reply), first, second) != static_cast<ssize_t>(kReplyHead)) {
        if (!parent_ended.exchange(true)) log_warning("the parent of the helper processes ended: no more are started");
        return false;
      }
      answered = reply.number;
      if (answered == asked) return true;
    }
    return false;
  }

  // fork() may take seconds on a machine where something holds it up (docs/limits.md). One that was given up on is over
  // when its answer comes: its helper finds its socket closed, and ends.
  Result<Helper> forked() {
    const std::unique_lock lock(fork_mutex, kForkLock);
    if (!lock.owns_lock()) return Error(Errc::kFull, "start a helper process: another one is being started");
    const auto silent = [this] {
      if (is_cancelled()) return Error(Errc::kIo, "the trace ends");  // that was no silence
      return Error(Errc::kFull, "start a helper process: the parent process of the helpers does not respond");
    };
    HelperReply reply;
    if (parent_ended || (answered != asked && !receive_fork(system_clock().mono_ns() + kSecond / 1000, reply)))
      return silent();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return errno_error("connect a helper process");
    Helper helper;
    helper.socket.reset(ends[0]);
    const Fd other(ends[1]);
    const auto request = std::make_unique<HelperRequest>();
    request->kind = HelperRequest::kFork;
    request->address = asked + 1;
    if (!send_message(parent.get(), request.get(), kRequestHead, other.get())) return silent();
    ++asked;
    if (!receive_fork(system_clock().mono_ns() + kForkNs, reply)) return silent();
    if (reply.pid < 0) return errno_error("fork a helper process", reply.error);
    helper.pid = reply.pid;
    return helper;
  }

  void release(Helper helper) {
    const std::scoped_lock lock(mutex);
    idle.push_back(std::move(helper));
  }

  // It may be past killing for now; then it goes when the kernel lets it.
  void leave(Helper helper) {
    const std::scoped_lock lock(mutex);
    const auto request = std::make_unique<HelperRequest>();
    request->kind = HelperRequest::kKill;
    request->pid = static_cast<uint32_t>(helper.pid);
    send_message(parent.get(), request.get(), kRequestHead);
  }

  bool is_cancelled() const {
    pollfd look{cancelled.get(), POLLIN, 0};
    return ::poll(&look, 1, 0) > 0;
  }

  // Asks, and waits for the answer. Fails with kBusy when none came in time.
  Status ask(Helper& helper, const HelperRequest& request, int first, int second, uint64_t limit_ns, HelperReply& reply,
             Fd& found) const {
    const size_t bytes = kRequestHead + request.count * sizeof(uint64_t);
    if (!send_message(helper.socket.get(), &request, bytes, first, second)) {
      return errno_error("ask a helper process");
    }
    const uint64_t start = system_clock().mono_ns();
    while (true) {
      const uint64_t until = std::min(system_clock().mono_ns() + limit_ns, start + kWholeNs);
      if (!wait(helper.socket, until, limit_ns > kMemoryNs)) {
        if (is_cancelled()) return Error(Errc::kIo, "the trace ends");  // that was no silence
        return Error(Errc::kBusy, fmt::format("no answer within {}", format_duration(until - start)));
      }
      Fd unused;
      const ssize_t got = receive_message(helper.socket.get(), &reply, sizeof(reply), found, unused);
      if (got < static_cast<ssize_t>(kReplyHead)) return Error(Errc::kIo, "a helper process ended");
      if (reply.is_over != 0) return {};
    }
  }

  // The whole of it, with whichever helper is free.
  Status run(const HelperRequest& request, int first, int second, uint64_t limit_ns, HelperReply& reply, Fd& found) {
    auto helper = acquire();
    INGERO_TRY(helper);
    if (Status asked = ask(*helper, request, first, second, limit_ns, reply, found); !asked.ok()) {
      leave(std::move(*helper));
      return asked;
    }
    release(std::move(*helper));
    return {};
  }

  static void send_unpin(const Pinning& one, uint64_t pin) {
    const auto request = std::make_unique<HelperRequest>();
    request->kind = HelperRequest::kUnpin;
    request->address = pin;
    send_message(one.helper.socket.get(), request.get(), kRequestHead);
  }

  // With mutex held: it has answered after all.
  bool is_back(Pinning& one) const {
    HelperReply reply;
    Fd unused;
    if (!wait(one.helper.socket, system_clock().mono_ns() + 1, false)) return false;
    if (receive_message(one.helper.socket.get(), &reply, sizeof(reply), unused, unused) <= 0) {
      one.helper.socket.reset();  // it has ended
      return false;
    }
    for (const uint64_t pin : one.unwanted) send_unpin(one, pin);
    one.unwanted.clear();
    one.is_silent = false;
    return true;
  }

  Result<Pinning*> acquire_pinning() {
    std::unique_lock lock(mutex);
    pinning.remove_if([](const Pinning& one) { return !one.helper.socket.valid(); });
    for (Pinning& one : pinning) {
      if (one.is_in_use || (one.is_silent && !is_back(one))) continue;
      one.is_in_use = true;
      return &one;
    }
    if (pinning.size() >= kMaxPinning) return Error(Errc::kFull, "all helper processes for it wait for other files");
    lock.unlock();
    auto helper = forked();
    INGERO_TRY(helper);
    lock.lock();
    Pinning& made = pinning.emplace_back();
    made.helper = std::move(*helper);
    made.is_in_use = true;
    return &made;
  }

  Status ask_to_pin(Pinning& one, const Fd& file, std::span<const uint64_t> offsets, uint64_t number,
                    bool& is_silent) const {
    for (size_t from = 0; from < offsets.size(); from += kMaxPinned) {
      const auto some = offsets.subspan(from, std::min(kMaxPinned, offsets.size() - from));
      const auto request = std::make_unique<HelperRequest>();
      request->kind = HelperRequest::kPin;
      request->address = number;
      request->count = static_cast<uint32_t>(some.size());
      std::copy(some.begin(), some.end(), request->offsets);
      HelperReply reply;
      Fd unused;
      if (Status asked = ask(one.helper, *request, file.get(), -1, kSilenceNs, reply, unused); !asked.ok()) {
        is_silent = true;
        return asked;
      }
      if (reply.error != 0) return errno_error("keep its code in memory", reply.error);
    }
    return {};
  }

  // With mutex held.
  static void unpin(Pinning& one, uint64_t number) {
    one.pins.erase(number);
    if (one.is_silent) {
      one.unwanted.push_back(number);
    } else {
      send_unpin(one, number);
    }
  }

  Result<uint64_t> pin(const Fd& file, std::span<const uint64_t> offsets) {
    auto one = acquire_pinning();
    INGERO_TRY(one);
    const uint64_t number = ++last_pin;
    bool is_silent = false;
    const Status asked = ask_to_pin(**one, file, offsets, number, is_silent);
    const std::scoped_lock lock(mutex);
    (*one)->is_in_use = false;
    (*one)->is_silent = is_silent;
    (*one)->pins.insert(number);
    if (asked.ok()) return number;
    unpin(**one, number);
    return asked.error();
  }
};

Helpers::Helpers(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Helpers::~Helpers() {
  impl_->idle.clear();
  impl_->pinning.clear();
  impl_->parent.reset();
  // It ends at once, unless its fork() blocks: then it is left running as well.
  for (int i = 0; i < 100 && impl_->parent_pid > 0 && waitpid(impl_->parent_pid, nullptr, WNOHANG) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Result<std::unique_ptr<Helpers>> Helpers::start(bool drop_privileges) {
  auto impl = std::make_unique<Impl>();
  impl->cancelled.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  int ends[2];
  if (!impl->cancelled.valid() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("connect the helper processes");
  }
  impl->parent.reset(ends[0]);
  const Fd other(ends[1]);
  impl->parent_pid = fork();
  if (impl->parent_pid < 0) return errno_error("fork the helper processes");
  if (impl->parent_pid == 0) run_helpers(other.get(), drop_privileges);  // does not return
  return std::unique_ptr<Helpers>(new Helpers(std::move(impl)));
}

Result<Helpers::Opened> Helpers::find(const std::string& path) {
  const auto request = std::make_unique<HelperRequest>();
  request->kind = HelperRequest::kFind;
  if (path.size() >= sizeof(request->path)) return errno_error(fmt::format("open {}", printable(path)), ENAMETOOLONG);
  set_path(*request, path);
  HelperReply reply;
  Opened opened;
  if (const Status ran = impl_->run(*request, -1, -1, kSilenceNs, reply, opened.path); !ran.ok()) {
    return ran.error().in(fmt::format("open {}", printable(path, 4096)));
  }
  if (reply.error != 0) return errno_error(fmt::format("open {}", printable(path, 4096)), reply.error);
  opened.facts = {reply.device, reply.inode, reply.bytes, reply.is_regular != 0};
  return opened;
}

Result<Fd> Helpers::copy(const Fd& file, FileParts parts, const std::string& display_path) {
  Fd memory(memfd_create("ingero-copy", MFD_CLOEXEC));
  if (!memory.valid()) return errno_error("allocate memory for a copy");
  const auto request = std::make_unique<HelperRequest>();
  request->kind = HelperRequest::kCopy;
  request->code = parts.code ? 1 : 0;
  request->debug = parts.debug ? 1 : 0;
  HelperReply reply;
  Fd unused;
  if (const Status ran = impl_->run(*request, file.get(), memory.get(), kSilenceNs, reply, unused); !ran.ok()) {
    return ran.error().in(fmt::format("read {}", display_path));
  }
  if (reply.error != 0) return errno_error(fmt::format("read {}", display_path), reply.error);
  return memory;
}

Result<uint64_t> Helpers::pin(const Fd& file, std::span<const uint64_t> offsets, const std::string& display_path) {
  auto pinned = impl_->pin(file, offsets);
  if (!pinned.ok()) return pinned.error().in(fmt::format("read {}", display_path));
  return pinned;
}

void Helpers::unpin(uint64_t pin) {
  const std::scoped_lock lock(impl_->mutex);
  for (Impl::Pinning& one : impl_->pinning) {
    if (one.pins.contains(pin)) return Impl::unpin(one, pin);
  }
}

Status Helpers::memory(const std::string& proc_root, uint32_t pid, uint64_t address, void* out, size_t size) {
  for (size_t done = 0; done < size;) {
    const auto request = std::make_unique<HelperRequest>();
    request->kind = HelperRequest::kMemory;
    request->pid = pid;
    request->address = address + done;
    request->size = std::min(size - done, kMaxMemory);
    set_path(*request, proc_root);
    const auto reply = std::make_unique<HelperReply>();
    Fd unused;
    if (const Status ran = impl_->run(*request, -1, -1, kMemoryNs, *reply, unused); !ran.ok()) {
      return ran.error().in(fmt::format("read the memory of process {}", pid));
    }
    if (reply->error == EAGAIN) {
      return Error(
          Errc::kNotSupported,
          fmt::format("read the memory of process {}: the page is in a file whose file system may not answer", pid));
    }
    if (reply->bytes < request->size) {
      return errno_error(fmt::format("read the memory of process {}", pid), reply->error != 0 ? reply->error : EFAULT);
    }
    std::memcpy(static_cast<char*>(out) + done, reply->memory, request->size);
    done += request->size;
  }
  return {};
}

Result<std::string> Helpers::text(const std::string& path, size_t max_bytes) {
  const auto request = std::make_unique<HelperRequest>();
  request->kind = HelperRequest::kText;
  request->size = max_bytes;
  set_path(*request, path);
  const auto reply = std::make_unique<HelperReply>();
  Fd found;
  if (const Status ran = impl_->run(*request, -1, -1, kMemoryNs, *reply, found); !ran.ok()) {
    return ran.error().in(fmt::format("read {}", path));
  }
  if (reply->error != 0) return errno_error(fmt::format("read {}", path), reply->error);
  if (!found.valid()) return std::string(reply->memory, std::min<size_t>(reply->bytes, kMaxMemory));
  std::string content(reply->bytes, '\0');
  if (pread(found.get(), content.data(), content.size(), 0) != static_cast<ssize_t>(content.size())) {
    return errno_error(fmt::format("read {}", path));
  }
  return content;
}

bool Helpers::is_cancelled() const { return impl_->is_cancelled(); }

void Helpers::cancel() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(impl_->cancelled.get(), &one, sizeof(one));
}

}  // namespace ingero::kernelside
