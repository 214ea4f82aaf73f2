// Segments from spans, edge by edge.
#include "correlate/device_timeline.h"

#include <algorithm>
#include <tuple>

namespace ingero::correlate {

bool DeviceTimeline::submit(uint64_t start_ns, uint32_t tid, bool is_input) {
  const bool is_untaken = !first_submission_ || done_ns_ == *first_submission_;
  first_submission_ = std::min(first_submission_.value_or(start_ns), start_ns);
  if (is_untaken) done_ns_ = *first_submission_;  // (D2) one that began earlier may end later
  last_submission_ = std::max(last_submission_, start_ns);
  if (submissions_.size() >= kMaxPending) return false;
  submissions_.push_back({start_ns, tid, is_input});
  return true;
}

void DeviceTimeline::end_unknown(uint64_t mono_ns) {
  if (!unknown_since_) return;
  add_alive({*unknown_since_, std::max(*unknown_since_, mono_ns)});
  unknown_since_.reset();
}

std::vector<DeviceTimeline::Edge> DeviceTimeline::edges_until(uint64_t until_ns, const std::vector<Span>& open) {
  std::vector<Edge> edges;
  const auto clip = [&](const std::vector<Span>& spans, int alive, int busy, int copies) {
    for (const Span& span : spans) {
      const uint64_t from = std::max(span.from_ns, done_ns_), to = std::min(span.to_ns, until_ns);
      if (from >= to) continue;
      edges.push_back({from, alive, busy, copies});
      edges.push_back({to, -alive, -busy, -copies});
    }
  };
  clip(alive_, 1, 0, 0);
  clip(busy_, 0, 1, 0);
  clip(copies_, 0, 0, 1);
  clip(open, 1, 0, 0);
  if (unknown_since_) clip({{*unknown_since_, until_ns}}, 1, 0, 0);
  for (const Submission& one : submissions_) {
    if (one.start_ns > done_ns_ && one.start_ns < until_ns) edges.push_back({one.start_ns, 0, 0, 0});
  }
  edges.push_back({until_ns, 0, 0, 0});
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.ns < b.ns; });
  return edges;
}

// (D2, D4) From edge to edge, whatever the order in which the spans between them were found.
std::vector<DeviceSegment> DeviceTimeline::take(uint64_t until_ns, const std::vector<Span>& open) {
  std::vector<DeviceSegment> out;
  if (!first_submission_ || until_ns <= done_ns_) return out;
  std::sort(submissions_.begin(), submissions_.end(), [](const Submission& a, const Submission& b) {
    return std::tie(a.start_ns, a.tid, a.is_input) < std::tie(b.start_ns, b.tid, b.is_input);
  });
  int alive = 0, busy = 0, copies = 0;
  auto next = submissions_.begin();
  uint64_t at = done_ns_;
  for (const Edge& edge : edges_until(until_ns, open)) {
    if (edge.ns > at) {
      DeviceSegment segment{at, edge.ns, DeviceState::kIdle};
      if (busy > 0) {
        segment.state = DeviceState::kBusy;
      } else if (alive > 0) {
        segment.state = DeviceState::kUnknown;
      } else if (copies > 0) {
        segment.state = DeviceState::kCopying;
      }
      while (next != submissions_.end() && next->start_ns < segment.to_ns) ++next;
      if (next != submissions_.end()) {
        segment.tid = next->tid;
        segment.until_ns = next->start_ns;
        segment.is_input = next->is_input;
      }
      segment.is_behind_sync = segment.state == DeviceState::kIdle && segment.to_ns - segment.from_ns < kShortGapNs;
      out.push_back(segment);
      at = edge.ns;
    }
    alive += edge.alive;
    busy += edge.busy;
    copies += edge.copies;
  }
  done_ns_ = until_ns;
  const auto is_past = [&](const Span& span) { return span.to_ns <= until_ns; };
  std::erase_if(alive_, is_past);
  std::erase_if(copies_, is_past);
  std::erase_if(busy_, is_past);
  std::erase_if(submissions_, [&](const Submission& one) { return one.start_ns < until_ns; });
  return out;
}

}  // namespace ingero::correlate
