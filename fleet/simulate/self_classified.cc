// Gives each node's windows to the code that a real node has: see self_classified.h.
#include "fleet/simulate/self_classified.h"

#include <algorithm>

#include <fmt/format.h>

namespace ingero::fleet::simulate {
namespace {

constexpr uint32_t kAfterwards = 12;  // windows in which a rank that was slow may still be called so
constexpr uint32_t kNever = UINT32_MAX;

std::vector<correlate::RankWindow> measured(std::span<const wire::Window> windows) {
  std::vector<correlate::RankWindow> all;
  for (const wire::Window& from : windows) {
    if (!from.work_s) continue;
    correlate::RankWindow& to = all.emplace_back();
    to.start_ns = from.start_ns;
    to.end_ns = from.end_ns;
    to.rank = from.rank;
    to.comm_id_hash = from.communicator;
    to.nranks = from.nranks;
    to.measured = from.count;
    to.median_ns = static_cast<uint64_t>(*from.work_s * 1e9);
    to.off.preempted_ns = static_cast<uint64_t>(from.preempted_s * 1e9);
    to.off.runqueue_ns = static_cast<uint64_t>(from.runqueue_s * 1e9);
  }
  return all;
}

bool is_on(const Straggler& one, uint32_t node) {
  return one.rank < (node + 1) * kRanksOfNode && one.rank + one.ranks > node * kRanksOfNode;
}

}  // namespace

const Straggler* SelfClassified::planted_on(uint32_t node, uint32_t window) const {
  for (const Straggler& one : plan_.stragglers()) {
    const bool is_then = window == kNever || (window >= one.from && window < one.to + kAfterwards);
    if (is_on(one, node) && is_then) return &one;
  }
  return nullptr;
}

void SelfClassified::note(uint32_t node, uint32_t window, bool is_straggler, Way& way) const {
  if (!is_straggler) return;
  const Straggler* planted = planted_on(node, window);
  way.was_wrong = way.was_wrong || planted == nullptr;
  if (planted != nullptr && !way.after) way.after = window - planted->from;
}

void SelfClassified::take(uint32_t node, uint32_t window, std::span<const wire::Window> windows,
                          const std::optional<send::PushedThreshold>& pushed) {
  if (windows.empty()) return;
  const auto all = measured(windows);
  const uint64_t now_ns = windows.front().end_ns;
  Node& one = nodes_[node];
  one.by_peers.state.add(all);
  one.by_past.state.add(all);
  one.by_peers.state.hear(pushed, now_ns);
  if (pushed) one.by_past.state.hear(send::PushedThreshold{pushed->threshold, pushed->has_quorum, {}}, now_ns);
  note(node, window, one.by_peers.state.report(now_ns, now_ns).is_straggler, one.by_peers);
  note(node, window, one.by_past.state.report(now_ns, now_ns).is_straggler, one.by_past);
}

std::string SelfClassified::in_words(Way Node::*way) const {
  size_t planted = 0, wrong = 0;
  std::vector<uint32_t> after;
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    const Way& one = nodes_[node].*way;
    planted += planted_on(node, kNever) != nullptr ? 1 : 0;
    wrong += one.was_wrong ? 1 : 0;
    if (one.after) after.push_back(*one.after);
  }
  std::ranges::sort(after);
  const auto seconds = [&](size_t of_20) {
    return after.empty() ? 0 : (after[(after.size() - 1) * of_20 / 20] + 1) * kPeriod_ns / 1'000'000'000;
  };
  return fmt::format("{} of {} with a slow rank, after {} s (p95 {} s), and {} of {} at other times", after.size(),
                     planted, seconds(10), seconds(19), wrong, nodes_.size());
}

std::string SelfClassified::in_words() const {
  return fmt::format("nodes that called themselves stragglers: {}; by their own past alone: {}\n",
                     in_words(&Node::by_peers), in_words(&Node::by_past));
}

}  // namespace ingero::fleet::simulate
