// Bounds of each pair of nodes, part by part of the recording, and from them each clock against one: see node_clocks.h.
#include "store/read/node_clocks.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/text.h"
#include "store/db/schema.h"

namespace ingero::store {
namespace {

constexpr int64_t kFar = INT64_MAX / 8;  // farther apart than any two clocks; sums of a few fit
constexpr int64_t kMaxParts = 512;       // of a recording, each with bounds of its own
constexpr int64_t kLeastPartNs = 100'000'000;
constexpr size_t kMaxNodes = 1024;            // of a file; there are half a million pairs of them
constexpr uint64_t kMaxCompared = 2'000'000;  // pairs of nodes in a collective: two seconds of a core

// Where a difference of clocks lies; its ends may be far.
struct Interval {
  int64_t least = -kFar, most = kFar;

  bool is_empty() const { return least > most; }
  Interval widened(int64_t by) const { return plus({-by, by}); }
  Interval both(const Interval& other) const { return {std::max(least, other.least), std::min(most, other.most)}; }
  Interval plus(const Interval& other) const {
    const bool is_below = least <= -kFar || other.least <= -kFar, is_above = most >= kFar || other.most >= kFar;
    return {is_below ? -kFar : std::max(least + other.least, -kFar),
            is_above ? kFar : std::min(most + other.most, kFar)};
  }
  Interval negative() const { return {-most, -least}; }
  bool operator==(const Interval&) const = default;
};

int64_t drift_ns(int64_t distance_ns) {
  return distance_ns / 1'000'000 * static_cast<int64_t>(kClockDrift) + static_cast<int64_t>(kClockDrift);
}

// What a hostile file says may be no time at all.
std::optional<int64_t> bound_of(const Value& value) {
  if (value.type != Value::Type::kInteger || value.integer <= -kFar || value.integer >= kFar) return std::nullopt;
  return value.integer;
}

using Pair = std::pair<std::string, std::string>;
struct Parts {
  std::map<int64_t, Interval> of_part;
  uint64_t collectives = 0;
};

// The bounds at all times from part `first` to `last`: each part's own, and its neighbours' as far as clocks do not
// drift meanwhile (U2).
ClockDifference difference_of(const Pair& pair, const Parts& parts, int64_t first, int64_t last, int64_t part_ns) {
  ClockDifference difference{pair.first, pair.second, {}, {}, parts.collectives, false};
  std::vector<Interval> all(static_cast<size_t>(last - first + 1));
  for (const auto& [part, interval] : parts.of_part) {
    all[static_cast<size_t>(part - first)] = interval.widened(2 * kClockToleranceNs + drift_ns(part_ns));  // (U3)
  }
  const int64_t step = drift_ns(part_ns);
  for (size_t i = 1; i < all.size(); ++i) all[i] = all[i].both(all[i - 1].widened(step));
  for (size_t i = all.size() - 1; i > 0; --i) all[i - 1] = all[i - 1].both(all[i].widened(step));
  Interval whole{kFar, -kFar};
  for (const Interval& one : all) {
    if (one.is_empty()) {  // (U4)
      difference.was_set = true;
      return difference;
    }
    whole = {std::min(whole.least, one.least), std::max(whole.most, one.most)};
  }
  if (whole.least > -kFar) difference.least_ns = whole.least;
  if (whole.most < kFar) difference.most_ns = whole.most;
  return difference;
}

// (U1) One row for each pair of nodes and each part of the recording in which both left a collective, of part ?2 long
// from ?1 on; of the collectives one in ?3. The wait of a call in a group begins at the group's end, which is not
// recorded.
constexpr const char* kShared =
    "WITH shared AS MATERIALIZED (SELECT comm_id_hash AS comm, seq AS number, node, max(timestamp) AS began, "
    "min(iif(group_mono_ns IS NULL, timestamp + duration + barrier_wait_ns, NULL)) AS ended FROM collectives WHERE "
    "kind = 'collective' AND root IS NULL AND comm_id_hash IS NOT NULL AND seq % ?3 = 0 GROUP BY 1, 2, 3) "
    "SELECT a.node, b.node, (a.began - ?1) / ?2, max(b.began - a.ended), min(b.ended - a.began), count(*) FROM shared "
    "a JOIN shared b ON b.comm = a.comm AND b.number = a.number AND a.node < b.node GROUP BY 1, 2, 3";

// Of each node its difference from the reference's; all absent but that one: bounds exclude each other.
std::vector<Interval> against(size_t reference, size_t nodes, const std::vector<std::pair<size_t, size_t>>& pairs,
                              const std::vector<Interval>& differences) {
  std::vector<Interval> of_node(nodes);
  of_node[reference] = {0, 0};
  const std::vector<Interval> nothing = of_node;
  bool has_changed = true;
  for (size_t round = 0; has_changed && round <= nodes; ++round) {
    has_changed = false;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const auto [a, b] = pairs[i];
      const Interval of_b = of_node[b].both(of_node[a].plus(differences[i]));
      const Interval of_a = of_node[a].both(of_b.plus(differences[i].negative()));
      if (of_a.is_empty() || of_b.is_empty()) return nothing;
      has_changed |= of_a != of_node[a] || of_b != of_node[b];
      of_node[a] = of_a;
      of_node[b] = of_b;
    }
  }
  return has_changed ? nothing : of_node;
}

}  // namespace

NodeClocks::NodeClocks(const std::vector<std::string>& nodes, std::vector<ClockDifference> differences,
                       uint64_t first_wall_ns, uint64_t last_wall_ns)
    : differences_(std::move(differences)), first_wall_ns_(first_wall_ns), last_wall_ns_(last_wall_ns) {
  if (nodes.empty()) return;
  std::vector<std::pair<size_t, size_t>> pairs;
  std::vector<Interval> intervals;
  std::vector<size_t> known(nodes.size(), 0);
  for (const ClockDifference& one : differences_) {
    const auto a = static_cast<size_t>(std::ranges::find(nodes, one.first) - nodes.begin());
    const auto b = static_cast<size_t>(std::ranges::find(nodes, one.second) - nodes.begin());
    if (a >= nodes.size() || b >= nodes.size() || !one.is_known()) continue;
    pairs.emplace_back(a, b);
    intervals.push_back({*one.least_ns, *one.most_ns});
    ++known[a], ++known[b];
  }
  // The one that is compared with most others; of equals the first.
  const auto reference = static_cast<size_t>(std::ranges::max_element(known) - known.begin());
  const std::vector<Interval> found = against(reference, nodes.size(), pairs, intervals);
  for (size_t i = 0; i < nodes.size(); ++i) {
    NodeClock one{nodes[i], {}};
    if (found[i].least > -kFar && found[i].most < kFar) {
      const auto width = static_cast<uint64_t>(found[i].most - found[i].least);
      one.clock = ClockOffset{found[i].least + static_cast<int64_t>(width / 2), width - width / 2};
    }
    nodes_.insert(i == reference ? nodes_.begin() : nodes_.end(), std::move(one));
  }
  // Compared with nothing, its clock says nothing either.
  if (!is_any_known()) nodes_.front().clock.reset();
}

Result<NodeClocks> NodeClocks::load(const Reader& reader, const QueryLimits& limits) {
  std::vector<std::string> nodes;
  const auto named = reader.query("SELECT DISTINCT node FROM sessions WHERE node <> '' ORDER BY 1", limits,
                                  [&](std::span<const Value> row) {
                                    nodes.emplace_back(row[0].text);
                                    return true;
                                  });
  if (!named.ok()) return named.error();
  if (nodes.size() < 2 || !reader.holds().collectives) return NodeClocks(nodes, {});
  NodeClocks unexamined(nodes, {});
  unexamined.is_examined_ = false;
  if (nodes.size() > kMaxNodes) return unexamined;
  const auto span = reader.time_span();
  if (!span.ok()) return span.error();
  if (!*span) return NodeClocks(nodes, {});
  uint64_t entered = 0;
  const auto counted = reader.query("SELECT count(*) FROM exchanges", limits, [&](std::span<const Value> row) {
    entered = row[0].as_uint64().value_or(0);
    return true;
  });
  if (!counted.ok()) return counted.error();
  const auto one_in = static_cast<int64_t>(entered * nodes.size() / 2 / kMaxCompared + 1);
  const auto from_ns = static_cast<int64_t>((*span)->first_wall_ns);
  const int64_t part_ns = std::max<int64_t>(
      static_cast<int64_t>((*span)->last_wall_ns - (*span)->first_wall_ns) / kMaxParts + 1, kLeastPartNs);
  std::map<Pair, Parts> pairs;
  int64_t first = kMaxParts, last = 0;
  const Bound bound[] = {Bound::of(from_ns), Bound::of(part_ns), Bound::of(one_in)};
  const auto shared = reader.query(
      kShared, limits,
      [&](std::span<const Value> row) {
        const int64_t part = std::clamp<int64_t>(bound_of(row[2]).value_or(0), 0, kMaxParts);
        Parts& parts = pairs[{row[0].as_text(), row[1].as_text()}];
        Interval& one = parts.of_part[part];
        one = one.both({bound_of(row[3]).value_or(-kFar), bound_of(row[4]).value_or(kFar)});
        parts.collectives += row[5].as_uint64().value_or(0);
        first = std::min(first, part);
        last = std::max(last, part);
        return true;
      },
      {}, bound);
  if (!shared.ok() && shared.error().code() == Errc::kBusy && (limits.cancel == nullptr || !limits.cancel->load())) {
    return unexamined;
  }
  if (!shared.ok()) return shared.error();
  std::vector<ClockDifference> differences;
  for (const auto& [pair, parts] : pairs) differences.push_back(difference_of(pair, parts, first, last, part_ns));
  const auto begin_of = [&](int64_t part) {
    return (*span)->first_wall_ns + static_cast<uint64_t>(part) * static_cast<uint64_t>(part_ns);
  };
  return NodeClocks(nodes, std::move(differences), begin_of(first), begin_of(last + 1));
}

bool NodeClocks::is_any_known() const {
  return std::ranges::count_if(nodes_, [](const NodeClock& one) { return one.clock.has_value(); }) > 1;
}

const NodeClock* NodeClocks::find(std::string_view node) const {
  const auto found = std::ranges::find(nodes_, node, &NodeClock::node);
  return found == nodes_.end() ? nullptr : &*found;
}

int64_t NodeClocks::offset_ns(std::string_view node) const {
  const NodeClock* found = find(node);
  return found == nullptr || !found->clock ? 0 : found->clock->offset_ns;
}

int64_t NodeClocks::most_ahead_ns() const {
  int64_t most = 0;
  for (const NodeClock& one : nodes_) most = std::max(most, one.clock ? one.clock->offset_ns : 0);
  return most;
}

int64_t NodeClocks::most_behind_ns() const {
  int64_t least = 0;
  for (const NodeClock& one : nodes_) least = std::min(least, one.clock ? one.clock->offset_ns : 0);
  return least;
}

std::optional<ClockOffset> NodeClocks::at(std::string_view node, uint64_t wall_ns) const {
  const NodeClock* found = find(node);
  if (found == nullptr || !found->clock) return std::nullopt;
  if (found == &nodes_.front()) return found->clock;
  ClockOffset offset = *found->clock;
  const auto ours = static_cast<int64_t>(std::min(wall_ns, uint64_t{1} << 62)) - offset.offset_ns;
  const uint64_t ours_ns = static_cast<uint64_t>(std::max<int64_t>(ours, 0));
  const uint64_t distance_ns = ours_ns < first_wall_ns_  ? first_wall_ns_ - ours_ns
                               : ours_ns > last_wall_ns_ ? ours_ns - last_wall_ns_
                                                         : 0;
  offset.within_ns += distance_ns / 1'000'000 * kClockDrift;
  return offset;
}

std::string clock_sentence(const NodeClocks& clocks, const NodeClock& node) {
  const std::string name = printable(node.node, 256), reference = printable(clocks.reference(), 256);
  if (!node.clock) {
    return fmt::format(
        "how far the clock of {} is from those of other nodes is not known: the order of its events and "
        "theirs is unknown",
        name);
  }
  const int64_t offset = node.clock->offset_ns;
  return fmt::format("the clock of {} is {} {} {}'s, known within {}", name,
                     format_duration(static_cast<uint64_t>(offset < 0 ? -offset : offset)),
                     offset < 0 ? "behind" : "ahead of", reference, format_duration(node.clock->within_ns));
}

std::string order_sentence(const NodeClocks& clocks) {
  if (!clocks.are_several()) return {};
  const char* const unknown = "which of two events of different nodes was first is not known";
  if (!clocks.is_examined()) return fmt::format("{}: comparing their clocks took too long", unknown);
  if (!clocks.is_any_known()) {
    const bool was_set = std::ranges::any_of(clocks.differences(), &ClockDifference::was_set);
    return fmt::format("{}: {}", unknown,
                       was_set ? "a clock was set while it was recorded, or they drift too fast"
                               : "no collectives bound how far their clocks are apart");
  }
  // Of two nodes of which neither is the reference both are known with its bound (see at()).
  std::vector<std::pair<uint64_t, std::string>> bounds;
  for (const NodeClock& one : clocks.nodes()) {
    if (one.clock) bounds.emplace_back(one.clock->within_ns, printable(one.node, 256));
  }
  std::ranges::sort(bounds, std::greater());
  const auto [one, other] = std::minmax(bounds[0].second, bounds[1].second);
  std::string sentence =
      fmt::format("{} where they are closer than {}, once the difference of their clocks is taken off ({} and {})",
                  unknown, format_duration(bounds[0].first + bounds[1].first), one, other);
  if (bounds.size() < clocks.nodes().size()) {
    sentence += fmt::format("; of {} nothing is known", plural(clocks.nodes().size() - bounds.size(), "other node"));
  }
  return sentence;
}

Json clocks_json(const NodeClocks& clocks) {
  Json list = Json::array();
  for (const NodeClock& one : clocks.nodes()) {
    list.push_back({{"node", one.node},
                    {"offset_ns", one.clock ? Json(one.clock->offset_ns) : Json(nullptr)},
                    {"within_ns", one.clock ? Json(one.clock->within_ns) : Json(nullptr)}});
  }
  return list;
}

}  // namespace ingero::store
