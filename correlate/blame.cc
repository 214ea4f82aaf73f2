// Walks along wake-ups, and keeps roles and causes bounded: a program may start any number of threads.
#include "correlate/blame.h"

#include <algorithm>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace ingero::correlate {
namespace {

uint64_t folded(const hal::WaitPeer& peer) {
  uint64_t sum = peer.family;
  for (const uint8_t byte : peer.peer) sum = sum * 1099511628211ULL + byte;
  return sum * 1099511628211ULL + peer.peer_port;
}

// Its timer ended it. Of a wait in turns, the last one; who took a lock that was free by then held it until then.
bool is_timed_out(const Piece& piece, const ThreadTime* time) {
  if (piece.off == nullptr) return false;
  if (piece.is == TimeClass::kPoll) return piece.off->is_timed_out;
  if ((piece.is != TimeClass::kFutex && piece.is != TimeClass::kSocket) || time == nullptr) return false;
  const OffSpan& last = *time->last_of_wait(*piece.off);
  return last.is_timed_out && last.waker_tid == 0;
}

// What keeps causes of one class apart: the server that was asked, the file that was read; whether anything came.
WaitedFor object_of(const Piece& piece, bool timed_out) {
  if (piece.off == nullptr) return {};
  const bool has_peer = piece.is == TimeClass::kSocket || piece.is == TimeClass::kPoll;
  if (has_peer && piece.off->peer.family != 0 && !piece.off->is_client) {
    return {folded(piece.off->peer) + (timed_out ? 1 : 0)};
  }
  if (piece.is == TimeClass::kDisk) return {piece.off->object, piece.off->file_system};
  return {timed_out ? uint64_t{1} : 0};
}

// Of one connection: each end's own port is the other's peer port.
bool is_other_end(const OffSpan& wait, const OffSpan& other) {
  const hal::WaitPeer &here = wait.peer, &there = other.peer;
  return here.local_port != 0 && here.peer_port != 0 && here.local_port == there.peer_port &&
         here.peer_port == there.local_port;
}

}  // namespace

std::string peer_text(const hal::WaitPeer& peer) {
  char text[INET6_ADDRSTRLEN] = "";
  // A socket that is not connected has no peer.
  if ((peer.family != AF_INET && peer.family != AF_INET6) || peer.peer_port == 0) return {};
  if (inet_ntop(peer.family, peer.peer.data(), text, sizeof text) == nullptr) return {};
  return peer.family == AF_INET6 ? fmt::format("[{}]:{}", text, peer.peer_port)
                                 : fmt::format("{}:{}", text, peer.peer_port);
}

uint32_t Blame::role(uint32_t parent_pid, const std::string& comm, uint32_t pid, bool is_own) {
  const std::tuple key{parent_pid, is_own, comm};
  const auto known = role_of_.find(key);
  uint32_t index = 0;
  if (known != role_of_.end()) {
    index = known->second;
  } else if (roles_.size() >= kMaxRoles) {
    ledger_.add(hal::Loss::budget_forgotten);
    return 0;
  } else {
    index = static_cast<uint32_t>(roles_.size());
    roles_.push_back({parent_pid, comm, {}});
    role_of_[key] = index;
  }
  if (roles_[index].pids.size() < kMaxPids) roles_[index].pids.insert(pid);
  return index;
}

uint32_t Blame::intern(uint32_t parent, const Piece& piece, const Thread& thread, bool is_on_its_way) {
  const uint32_t role = thread.role;
  uint64_t stack = piece.off != nullptr ? piece.off->stack_id : 0;
  if (piece.is == TimeClass::kHost && thread.time != nullptr) {
    stack = thread.time->sampled_stack(piece.from_ns, piece.to_ns);
  }
  const bool timed_out = is_timed_out(piece, thread.time);
  Key key{parent, static_cast<uint8_t>(piece.is), role, stack,
          is_on_its_way ? WaitedFor{~uint64_t{0}} : object_of(piece, timed_out)};
  auto known = cause_of_.find(key);
  if (known != cause_of_.end()) return known->second;
  if (causes_.size() >= kMaxCauses) {  // (A3)
    ledger_.add(hal::Loss::budget_forgotten);
    if (parent != 0) return parent;
    stack = 0;
    key = {0, static_cast<uint8_t>(piece.is), role, 0, {}};
    known = cause_of_.find(key);
    if (known != cause_of_.end()) return known->second;
  }
  Cause cause;
  cause.parent = parent;
  cause.is = piece.is;
  cause.role = role;
  cause.stack_id = stack;
  if (piece.off != nullptr && is_wait(piece.is)) {
    cause.kind = piece.off->kind;
    cause.is_write = piece.off->is_write;
    cause.is_timed_out = timed_out;
    cause.is_on_its_way = is_on_its_way;
    cause.peer = piece.off->peer;
  } else if (piece.off != nullptr && piece.is == TimeClass::kStopped) {
    cause.kind = piece.off->kind;
  }
  causes_.push_back(cause);
  const auto id = static_cast<uint32_t>(causes_.size());
  cause_of_[key] = id;
  return id;
}

void Blame::note(uint32_t cause, const Piece& piece, const Thread& thread, uint64_t ns) {
  Cause& its = causes_[cause - 1];
  its.pid.add(thread.pid, ns);
  if (piece.off == nullptr || !is_wait(piece.is)) return;
  const bool is_futex = piece.off->kind == static_cast<uint8_t>(hal::WaitKind::kFutex);
  const uint64_t object = is_futex ? line_of(piece.off->object) : piece.off->object;
  its.object.add({object, piece.off->file_system}, ns);
}

void Blame::walk(const Thread& thread, const Piece& piece, uint64_t from_ns, uint64_t to_ns, const Find& find,
                 std::vector<Share>& out) {
  path_.assign(1, thread.tid);
  Piece part = piece;
  part.from_ns = from_ns;
  part.to_ns = to_ns;
  follow(thread, part, 0, nullptr, find, out);
}

void Blame::follow(const Thread& thread, const Piece& piece, uint32_t parent, const OffSpan* asked, const Find& find,
                   std::vector<Share>& out) {
  const uint64_t from_ns = piece.from_ns, to_ns = piece.to_ns;
  const bool waits = piece.off != nullptr && is_wait(piece.is);
  const bool is_on_its_way = waits && asked != nullptr && is_other_end(*piece.off, *asked);
  if (parent != 0 && waits && !is_on_its_way && is_client_(*piece.off, thread.pid)) {
    out.push_back({kClient, to_ns - from_ns});
    return;
  }
  const uint32_t cause = intern(parent, piece, thread, is_on_its_way);
  note(cause, piece, thread, to_ns - from_ns);
  const auto leaf = [&](uint64_t ns) {
    if (ns > 0) out.push_back({cause, ns});
  };
  if (!waits || is_on_its_way || thread.time == nullptr) return leaf(to_ns - from_ns);
  const OffSpan& last = *thread.time->last_of_wait(*piece.off);
  const bool is_cut = path_.size() >= kMaxDepth || last.waker_tid == 0 || last.is_kernel_waker ||
                      std::find(path_.begin(), path_.end(), last.waker_tid) != path_.end();
  if (is_cut) return leaf(to_ns - from_ns);  // (A2)
  const Thread waker = find(last.waker_tid, last.waker_pid);
  if (waker.tid == 0) return leaf(to_ns - from_ns);
  // (A1) Of this piece, what lies within the wait is the waker's; the rest stays here.
  const uint64_t begin = std::max(from_ns, std::min(to_ns, piece.off->out_ns));
  const uint64_t end = std::min(to_ns, std::max(begin, last.woken_ns));
  leaf((begin - from_ns) + (to_ns - end));
  if (begin == end) return;
  path_.push_back(waker.tid);
  const uint64_t known_ns = waker.time == nullptr ? end : std::clamp(waker.time->first_ns(), begin, end);
  if (known_ns > begin) {
    const Piece unknown{begin, known_ns, TimeClass::kUnknown, nullptr};
    out.push_back({intern(cause, unknown, waker, false), known_ns - begin});
  }
  if (known_ns < end) {
    for (const Piece& one : waker.time->pieces(known_ns, end)) {
      follow(waker, one, cause, &last, find, out);
    }
  }
  path_.pop_back();
}

}  // namespace ingero::correlate
