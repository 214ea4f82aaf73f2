// What both stores make of a batch before they write it: which of it can be kept, and what a window adds to its minute
// and its hour; and of what a statement found. Private to fleet/store/. No state.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fleet/store/cluster_store.h"
#include "store/db/json_rows.h"

namespace ingero::fleet::store {

struct Span {
  uint64_t first_ns = UINT64_MAX, last_ns = 0;

  void add(const Span& other) {
    first_ns = std::min(first_ns, other.first_ns);
    last_ns = std::max(last_ns, other.last_ns);
  }
};

// When the data of each node of the batch is from.
inline std::map<NodeKey, Span> nodes_of(const wire::Batch& batch) {
  std::map<NodeKey, Span> nodes;
  for (const auto& one : batch.points) nodes[{one.sender.cluster, one.sender.node}].add({one.time_ns, one.time_ns});
  for (const auto& one : batch.windows) nodes[{one.sender.cluster, one.sender.node}].add({one.start_ns, one.end_ns});
  return nodes;
}

// One that a store knows by number, and from when to when its data is.
struct KnownNode {
  uint32_t number = 0;
  Span span;
};

// Makes room for the new ones of a batch, where there is too little: see cluster_store.h.
inline std::vector<NodeKey> forget_silent(const std::map<NodeKey, Span>& seen, std::map<NodeKey, KnownNode>& nodes) {
  std::vector<NodeKey> forgotten;
  const auto fresh = std::ranges::count_if(seen, [&](const auto& one) { return !nodes.contains(one.first); });
  if (fresh == 0 || nodes.size() + static_cast<size_t>(fresh) <= kMaxNodes) return forgotten;
  uint64_t newest_ns = 0;
  for (const auto& [key, span] : seen) newest_ns = std::max(newest_ns, span.last_ns);
  for (const auto& [key, node] : nodes) newest_ns = std::max(newest_ns, node.span.last_ns);
  std::erase_if(nodes, [&](const auto& one) {
    const bool is_silent = one.second.span.last_ns + kNodeForgotten_ns < newest_ns && !seen.contains(one.first);
    if (is_silent) forgotten.push_back(one.first);
    return is_silent;
  });
  return forgotten;
}

// Of a statement that was begun then, with what was left out of it.
inline Json answer_of(ingero::store::JsonRows found, std::chrono::steady_clock::time_point begin) {
  const auto took = std::chrono::steady_clock::now() - begin;
  Json cut = found.cuts;
  Json answer = std::move(found).answer(static_cast<uint64_t>(std::chrono::nanoseconds(took).count()));
  answer["cut"] = std::move(cut);
  return answer;
}

inline int64_t as_signed(uint64_t value) { return static_cast<int64_t>(value); }
inline int64_t clipped(uint64_t value) { return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)); }

// From when on windows are taken, by what the store says. Where that is ahead of the clock, the one before was: what it
// had deleted may come again, and is counted twice then; else no window would be taken until its time has come.
inline uint64_t windows_taken_from(uint64_t stored_ns, uint64_t now_ns) {
  return stored_ns <= now_ns ? stored_ns : now_ns - std::min(now_ns, kWindowsLate_ns);
}

// Bits of windows.state.
inline constexpr int64_t kLost = 1, kMatched = 2, kFailed = 4, kGone = 8;

inline int64_t state_of(const wire::Window& window) {
  return (window.is_lost ? kLost : 0) | (window.is_matched ? kMatched : 0) | (window.has_failed ? kFailed : 0) |
         (window.is_gone ? kGone : 0);
}

inline void set_state(wire::Window& window, int64_t state) {
  window.is_lost = (state & kLost) != 0;
  window.is_matched = (state & kMatched) != 0;
  window.has_failed = (state & kFailed) != 0;
  window.is_gone = (state & kGone) != 0;
}

// Of a window, at most a day: sums over 400 days of them stay within 64 bits.
inline int64_t microseconds(double seconds) { return std::llround(std::clamp(seconds, 0.0, 86'400.0) * 1e6); }

// What a window adds: collectives, blocked, work_us, wait_us, bytes, off_cpu_us. Bounded, or a sum of many would
// overflow.
inline std::array<int64_t, 6> addends_of(const wire::Window& window) {
  constexpr uint64_t kMaxCount = uint64_t{1} << 32;
  constexpr int64_t kMaxBytes = int64_t{1} << 50;
  return {clipped(std::min(window.count, kMaxCount)),
          clipped(std::min(window.blocked, kMaxCount)),
          microseconds(window.work_total_s.value_or(0)),
          microseconds(window.wait_s),
          std::min(window.bytes, kMaxBytes),
          microseconds(window.preempted_s + window.runqueue_s + window.blocked_s + window.io_s)};
}

// Adds to a window that is known what another part of it has, where senders between cut a batch in two; what is known
// stays. False: that is all there already.
inline bool fill(wire::Window& known, const wire::Window& more) {
  bool is_more = false;
  const auto fill_one = [&](auto member) {
    const std::remove_cvref_t<decltype(known.*member)> none{};
    if (known.*member != none || more.*member == none) return;
    known.*member = more.*member;
    is_more = true;
  };
  // Without the median the mean is used: a part that has only that counts more.
  const bool is_mean = known.work_total_s && known.count > 0 && known.work_s &&
                       *known.work_s == *known.work_total_s / static_cast<double>(known.count);
  if (is_mean && more.work_s && !more.work_total_s && more.work_s != known.work_s) known.work_s.reset();
  using Window = wire::Window;
  for (const auto member : {&Window::count, &Window::blocked}) fill_one(member);
  for (const auto member : {&Window::work_s, &Window::work_total_s}) fill_one(member);
  for (const auto member :
       {&Window::wait_s, &Window::preempted_s, &Window::runqueue_s, &Window::blocked_s, &Window::io_s}) {
    fill_one(member);
  }
  for (const auto member : {&Window::bytes, &Window::entered_bytes}) fill_one(member);
  for (const auto member : {&Window::entered, &Window::left}) fill_one(member);
  for (const auto member : {&Window::is_lost, &Window::is_matched, &Window::has_failed, &Window::is_gone}) {
    fill_one(member);
  }
  fill_one(&Window::operation);
  return is_more;
}

// Gives what can be kept to `put_point(point)` and `put_window(window, node)`, which answer whether it is new, and
// notes the rest. `number_of(sender)`: 0 where there is no room for its node. Windows before `windows_from_ns` were
// deleted.
template <typename NumberOf, typename PutPoint, typename PutWindow>
Status put_each(const wire::Batch& batch, uint64_t windows_from_ns, const NumberOf& number_of,
                const PutPoint& put_point, const PutWindow& put_window, Written& written) {
  const auto refuse_node = [&](const wire::Sender& sender) {
    if (written.refused_node.empty()) written.refused_node = sender.node;
    ++written.refused[kTooManyNodes];
  };
  for (const auto& point : batch.points) {
    if (number_of(point.sender) == 0) {
      refuse_node(point.sender);
      continue;
    }
    const Result<bool> is_new = put_point(point);
    INGERO_TRY(is_new);
    written.points += *is_new ? 1 : 0;
  }
  for (size_t i = 0; i < batch.windows.size(); ++i) {
    const wire::Window& window = batch.windows[i];
    const uint32_t node = number_of(window.sender);
    written.nodes.push_back(node);
    if (node == 0) {
      refuse_node(window.sender);
      continue;
    }
    if (window.start_ns < windows_from_ns) {
      ++written.refused["a window is older than those that are kept"];
      continue;
    }
    const Result<bool> is_new = put_window(window, node);
    INGERO_TRY(is_new);
    if (*is_new) written.windows.push_back(i);
  }
  return {};
}

// The rows of an answer to a HistoryQuery, until it is as long as it may be.
class HistoryRows {
 public:
  explicit HistoryRows(size_t limit) : limit_(limit) {}

  // `texts`: how many bytes of text are in it. False: it was not taken, and nothing more will be.
  bool add(size_t texts, const std::function<Json()>& make) {
    found_.is_at_limit = found_.events.size() == limit_;
    bytes_ += texts + kBytesOfEvent;
    found_.is_too_long = bytes_ > kMaxHistoryBytes;
    if (found_.is_at_limit || found_.is_too_long) return false;
    found_.events.push_back(make());
    return true;
  }
  History take() { return std::move(found_); }

 private:
  static constexpr size_t kBytesOfEvent = 256;  // names of members, and numbers
  size_t limit_, bytes_ = 0;
  History found_;
};

}  // namespace ingero::fleet::store
