// Turns wake-ups and samples on and off, and looks up in /proc what the kernel side gives as numbers.
#include "agent/wait_watch.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "hal/mounts.h"
#include "kernelside/normalise.h"
#include "kernelside/privilege.h"

namespace ingero::agent {
namespace {

constexpr uint64_t kIdleAfterNs = 30 * kSecond;   // without calls: wake-ups say nothing about any
constexpr uint64_t kSampledForNs = 10 * kSecond;  // after the last second in which a thread computed
constexpr uint64_t kComputesNs = kSecond / 20;    // of a second
constexpr unsigned kMaxLooks = 64;                // at /proc, in one second
constexpr size_t kMaxPath = 4096;
constexpr size_t kMaxMountinfo = 16 << 20;
constexpr size_t kMaxNamed = 16384;
constexpr size_t kMaxThreads = 16384;

std::string address_of(const hal::WaitPeer& peer) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = peer.family;
  if ((family != AF_INET && family != AF_INET6) || peer.peer_port == 0) return {};
  if (inet_ntop(family, peer.peer.data(), text.data(), text.size()) == nullptr) return {};
  return family == AF_INET ? fmt::format("{}:{}", text.data(), peer.peer_port)
                           : fmt::format("[{}]:{}", text.data(), peer.peer_port);
}

uint64_t waited_for_cpu(const hal::WaitTotals& totals) {
  return totals.queued_ns + totals.ns[static_cast<size_t>(hal::WaitKind::kPreempted)];
}

// A number in /proc/PID/fdinfo/N.
std::optional<uint64_t> number_in(std::string_view text, std::string_view field) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(field)) continue;
    const size_t digits = std::min(line.find_first_not_of(" \t", field.size()), line.size());
    uint64_t number = 0;
    if (std::from_chars(line.data() + digits, line.data() + line.size(), number).ec == std::errc()) return number;
  }
  return std::nullopt;
}

// Is a descriptor that of the file that was waited for? By its inode ("ino:", kernel 5.14) and, as the kernel's number
// of the file system is not always stat(2)'s, by that of its mount.
bool is_file(std::string_view descriptor_info, const std::string& mountinfo, const hal::Wait& wait) {
  if (!wait.object || number_in(descriptor_info, "ino:") != wait.object || !wait.file_system) return false;
  const auto id = number_in(descriptor_info, "mnt_id:");
  const hal::Mounts mounts(id ? text_of_file(mountinfo, kMaxMountinfo) : std::string());
  const hal::Mount* mount = id ? mounts.by_id(*id) : nullptr;
  return mount != nullptr && mount->device == makedev(*wait.file_system >> 20, *wait.file_system & 0xfffff);
}

}  // namespace

void WaitWatch::complete_peer(uint32_t pid, hal::Wait& wait, uint64_t now_mono_ns) {
  if (wait.peer && !wait.peer->is_accepted && wait.peer->local_port != 0) {
    const bool is_inet = wait.peer->family == AF_INET || wait.peer->family == AF_INET6;
    const bool is_connected = wait.peer->peer_port != 0;
    wait.peer->is_accepted = is_connected ? sockets_.listens(pid, wait.peer->local_port, now_mono_ns)
                                          : is_inet && sockets_.is_server_port(wait.peer->local_port);
  } else if (!wait.peer && wait.kind == hal::WaitKind::kPoll && wait.descriptor &&
             sockets_.waits_for_clients(pid, *wait.descriptor, now_mono_ns)) {
    wait.peer.emplace().is_accepted = true;
  }
}

// The descriptor may mean something else by now: its path counts only while it is still the file that was waited for;
// of one that is closed the kernel side has the name alone.
std::string WaitWatch::file_name(uint32_t pid, const hal::Wait& wait) {
  const auto as_kept = [&] {
    if (!kernel_.file_name || !wait.file_system) return std::string();
    return printable(kernel_.file_name(*wait.file_system, *wait.object), kMaxPath);
  };
  looks_ += wait.descriptor ? 3 : 1;
  if (!wait.descriptor) return as_kept();  // a page of it was read
  std::array<char, kMaxPath> target{};
  const std::string process = fmt::format("{}/{}", proc_.root, pid);
  const kernelside::Raised raised;
  const ssize_t size =
      readlink(fmt::format("{}/fd/{}", process, *wait.descriptor).c_str(), target.data(), target.size());
  const auto info = proc_.text(pid, fmt::format("fdinfo/{}", *wait.descriptor), target.size());
  if (size > 0 && info.ok() && is_file(*info, process + "/mountinfo", wait)) {
    return printable({target.data(), static_cast<size_t>(size)}, target.size());
  }
  return as_kept();
}

// A pipe has no name; a socket is called by its other end, a file by its path, and of locks one is known.
void WaitWatch::name(const hal::Event& event, const hal::Wait& wait, bool is_gil, EventBatch& batch) {
  using enum hal::WaitKind;
  const bool has_path =
      wait.kind == kDisk || (wait.descriptor && (wait.kind == kFile || wait.kind == kDriver || wait.kind == kTerminal));
  if (!wait.object || (!has_path && !is_gil && !(wait.kind == kSocket && wait.peer))) return;
  const std::tuple key(wait.kind, *wait.object, wait.file_system);
  if (named_.contains(key)) return;
  if (!is_gil && looks_ >= kMaxLooks) return;
  if (named_.size() >= kMaxNamed) named_.clear();
  named_.insert(key);
  std::string name;
  if (has_path) {
    name = file_name(event.pid, wait);
    if (name.empty()) named_.erase(key);  // the next wait for it may come in time
  } else {
    name = is_gil ? "Python's global interpreter lock (GIL)" : address_of(*wait.peer);
  }
  if (!name.empty()) batch.objects.push_back({wait.kind, *wait.object, std::move(name), wait.file_system});
}

void WaitWatch::set(bool on, bool& is_on, const std::function<Status(bool)>& ask, std::string_view what) {
  if (on == is_on || !ask || refused_.contains(what)) return;
  if (const Status done = ask(on); done.ok()) {
    is_on = on;
  } else {
    refused_.insert(what);
    log_warning("{}: {}", what, done.error().text());
  }
}

void WaitWatch::take(EventBatch& batch, uint64_t now_mono_ns) {
  const auto& events = batch.records.events;
  for (const hal::Event& event : events) {
    if (event.kind == hal::Kind::kHost) continue;
    last_call_mono_ns_ = now_mono_ns;
    if (event.depth != 0 || !event.has(hal::Has::kDuration)) continue;
    const auto thread = threads_.find(event.tid);
    if (thread == threads_.end()) continue;
    thread->second.in_calls_ns += event.duration_ns - std::min(event.duration_ns, event.off.total_ns());
  }
  if (last_call_mono_ns_ == now_mono_ns) set(true, wakers_on_, kernel_.watch_wakers, "who wakes threads is not known");
  for (auto& [index, wait] : batch.records.waits) {
    const hal::Event& event = events[index];
    complete_peer(event.pid, wait, now_mono_ns);
    const bool is_gil = wait.kind == hal::WaitKind::kFutex && wait.object && proc_.is_interpreter_lock &&
                        proc_.is_interpreter_lock(event.pid, *wait.object);
    wait.is_lock |= is_gil;
    name(event, wait, is_gil, batch);
  }
}

void WaitWatch::every_second(EventBatch& batch, uint64_t now_mono_ns) {
  looks_ = 0;
  sockets_.every_second();
  ++round_;
  cpu_waits_.clear();
  if (last_call_mono_ns_ != 0 && now_mono_ns - last_call_mono_ns_ > kIdleAfterNs) {
    set(false, wakers_on_, kernel_.watch_wakers, "who wakes threads is not known");
  }
  const auto totals = kernel_.totals();
  if (!totals.ok()) return;
  for (const wire_totals& wire : *totals) {
    if (threads_.size() >= kMaxThreads && !threads_.contains(wire.tid)) threads_.clear();
    Thread& thread = threads_[wire.tid];
    hal::WaitTotals now = kernelside::totals_of(wire);
    const bool is_same = thread.totals.pid == now.pid;
    const uint64_t ran_ns = is_same && wire.ran_ns >= thread.ran_ns ? wire.ran_ns - thread.ran_ns : 0;
    if (ran_ns >= thread.in_calls_ns + kComputesNs) last_computed_mono_ns_ = now_mono_ns;
    const uint64_t before_ns = is_same ? waited_for_cpu(thread.totals) : 0, waited_ns = waited_for_cpu(now);
    if (waited_ns > before_ns) cpu_waits_.push_back({now.pid, now.tid, waited_ns - before_ns});
    if (!is_same || now.ns != thread.totals.ns || now.queued_ns != thread.totals.queued_ns) {
      batch.wait_totals.push_back(now);
    }
    thread = {now, wire.ran_ns, 0, round_};
  }
  std::erase_if(threads_, [this](const auto& one) { return one.second.round != round_; });
  const bool wanted = wakers_on_ && last_computed_mono_ns_ != 0 && now_mono_ns - last_computed_mono_ns_ < kSampledForNs;
  set(wanted, samples_on_, kernel_.sample_cpus, "what threads compute is not known");
  if (samples_on_) (void)kernel_.sample_cpus(true).ok();  // on CPUs that have come online since as well
}

}  // namespace ingero::agent
