// Newest first, until two bounds exclude each other: see clocks.h.
#include "fleet/detect/clocks.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace ingero::fleet::detect {
namespace {

constexpr std::string_view kWaitForAll[] = {"ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER", "ALL_TO_ALL", "BARRIER"};
constexpr uint64_t kLatest_ns = uint64_t{1} << 62;
constexpr uint64_t kMillion = 1'000'000;

int64_t less(uint64_t a_ns, uint64_t b_ns) { return static_cast<int64_t>(a_ns) - static_cast<int64_t>(b_ns); }

}  // namespace

bool waits_for_all(std::string_view operation) {
  return std::ranges::find(kWaitForAll, operation) != std::end(kWaitForAll);
}

void Clocks::add(uint64_t communicator, uint64_t number, uint32_t node, uint64_t entered_ns,
                 std::optional<uint64_t> left_ns) {
  if (entered_ns > kLatest_ns || left_ns.value_or(0) > kLatest_ns) return;
  const std::pair key(communicator, number);
  auto found = place_.find(key);
  if (found == place_.end()) {
    collectives_.push_back({communicator, number, {}});
    found = place_.emplace(key, first_ + collectives_.size() - 1).first;
  }
  auto& nodes = collectives_[found->second - first_].nodes;
  auto of = std::ranges::find(nodes, node, &Of::node);
  if (of == nodes.end()) {
    of = nodes.insert(nodes.end(), Of{node});
    ++entries_;
  }
  of->entered_ns = std::max(of->entered_ns, entered_ns);
  if (left_ns) of->left_ns = std::min(of->left_ns, *left_ns);
  while (entries_ > kMaxEntries && collectives_.size() > 1) {
    const Collective& oldest = collectives_.front();
    entries_ -= oldest.nodes.size();
    place_.erase({oldest.communicator, oldest.number});
    collectives_.pop_front();
    ++first_;
  }
}

// (Q1, Q3)
std::map<uint32_t, ClockBound> Clocks::differences(uint32_t a) const {
  struct Found {
    int64_t least_ns = INT64_MIN, most_ns = INT64_MAX;
    size_t count = 0;
    bool is_set = false;  // a clock was: what is older counts no more
  };
  std::map<uint32_t, Found> all;
  uint64_t newest_ns = 0;
  for (auto one = collectives_.rbegin(); one != collectives_.rend(); ++one) {
    const auto of_a = std::ranges::find(one->nodes, a, &Of::node);
    if (of_a == one->nodes.end()) continue;
    newest_ns = std::max(newest_ns, of_a->entered_ns);
    const auto widen = static_cast<int64_t>((newest_ns - of_a->entered_ns) / kMillion * kClockDrift);
    for (const Of& of_b : one->nodes) {
      if (of_b.node == a) continue;
      Found& found = all[of_b.node];
      Found next = found;
      if (of_a->left_ns != UINT64_MAX) {
        next.most_ns = std::min(next.most_ns, less(of_a->left_ns, of_b.entered_ns) + widen);
      }
      if (of_b.left_ns != UINT64_MAX) {
        next.least_ns = std::max(next.least_ns, less(of_a->entered_ns, of_b.left_ns) - widen);
      }
      ++next.count;
      found.is_set = found.is_set || next.least_ns > next.most_ns;
      if (!found.is_set) found = next;
    }
  }
  std::map<uint32_t, ClockBound> bounds;
  for (const auto& [node, found] : all) {
    if (found.least_ns == INT64_MIN || found.most_ns == INT64_MAX) continue;
    bounds[node] = {found.least_ns, found.most_ns, found.count};
  }
  return bounds;
}

}  // namespace ingero::fleet::detect
