// Keeps what a node's ranks did lately, and what the server said: see node_state.h.
#include "fleet/send/node_state.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/json.h"
#include "fleet/wire/threshold.h"

namespace ingero::fleet::send {
namespace {

constexpr size_t kMaxNumberBytes = 32;
constexpr uint64_t kIdleWindows = 3, kForgottenWindows = 12;

std::optional<double> number_of(std::string_view untrusted_text) {
  if (untrusted_text.empty() || untrusted_text.size() > kMaxNumberBytes) return std::nullopt;
  double number = 0;
  const char* const last = untrusted_text.data() + untrusted_text.size();
  const auto [end, error] = std::from_chars(untrusted_text.data(), last, number);
  return error == std::errc{} && end == last && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<PushedThreshold> checked(std::optional<double> threshold, std::optional<bool> quorum,
                                       std::optional<double> score) {
  if (!threshold || !quorum || !(*threshold >= wire::kMinThreshold && *threshold <= wire::kMaxThreshold))
    return std::nullopt;
  PushedThreshold pushed{*threshold, *quorum, {}};
  if (score && *score >= 0 && *score <= 1) pushed.score = score;
  return pushed;
}

uint64_t median_of(const std::deque<uint64_t>& of) {
  std::vector<uint64_t> values(of.begin(), of.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void push(std::deque<uint64_t>& to, uint64_t value, size_t most) {
  to.push_back(value);
  if (to.size() > most) to.pop_front();
}

}  // namespace

std::optional<PushedThreshold> read_threshold(std::string_view untrusted_threshold, std::string_view untrusted_quorum,
                                              std::string_view untrusted_score) {
  std::optional<bool> quorum;
  if (untrusted_quorum == "true" || untrusted_quorum == "false") quorum = untrusted_quorum == "true";
  return checked(number_of(untrusted_threshold), quorum, number_of(untrusted_score));
}

std::optional<PushedThreshold> read_threshold_json(std::string_view untrusted_body) {
  const Json body = parse_json(untrusted_body);
  if (!body.is_object()) return std::nullopt;
  const auto number = [&](const char* name) {
    const auto found = body.find(name);
    const bool is_number = found != body.end() && found->is_number();
    return is_number ? std::optional<double>(found->get<double>()) : std::nullopt;
  };
  const auto quorum = body.find("quorum_met");
  const bool has_quorum = quorum != body.end() && quorum->is_boolean();
  return checked(number("threshold"), has_quorum ? std::optional<bool>(quorum->get<bool>()) : std::nullopt,
                 number("score"));
}

const char* name_of(DetectionMode mode) {
  constexpr const char* kNames[] = {"fleet", "fleet-cached", "local-cached", "local-baseline", "none"};
  return kNames[static_cast<size_t>(mode)];
}

// In the largest of its communicators, as its peers are chosen.
void NodeState::add(std::span<const correlate::RankWindow> windows) {
  std::map<std::pair<uint64_t, std::pair<std::string, uint32_t>>, const correlate::RankWindow*> largest;
  for (const correlate::RankWindow& window : windows) {
    if (!window.median_ns || *window.median_ns == 0) continue;
    auto& its = largest[{window.end_ns, {window.job, window.rank}}];
    if (its == nullptr || its->nranks < window.nranks) its = &window;
  }
  for (const auto& [key, window] : largest) {
    Rank& rank = ranks_[key.second];
    if (rank.communicator != window->comm_id_hash) rank = Rank();
    rank.communicator = window->comm_id_hash;
    rank.last_ns = window->end_ns;
    rank.measured = window->measured;
    rank.cpu_wait_ns = window->off.preempted_ns + window->off.runqueue_ns;
    push(rank.recent, *window->median_ns, kRecent);
    // What is slow would become what is usual.
    if (!is_straggler_) push(rank.usual, *window->median_ns, kUsual);
    last_ns_ = std::max(last_ns_, window->end_ns);
  }
  std::erase_if(ranks_, [&](const auto& one) {
    return one.second.last_ns + kForgottenWindows * correlate::RankWindows::kPeriodNs < last_ns_;
  });
}

void NodeState::hear(const std::optional<PushedThreshold>& pushed, uint64_t mono_ns) {
  if (!pushed) return;
  pushed_ = pushed;
  pushed_ns_ = mono_ns;
  if (!pushed->has_quorum) return;
  cached_ = pushed->threshold;
  cached_ns_ = mono_ns;
}

std::optional<double> NodeState::Rank::effect() const {
  if (recent.size() < kRecent || usual.size() < kWarm) return std::nullopt;
  return static_cast<double>(median_of(recent)) / static_cast<double>(median_of(usual)) - 1;
}

std::optional<double> NodeState::own_score(const char*& signal) const {
  std::optional<double> worst;
  for (const auto& [key, rank] : ranks_) {
    const auto effect = rank.effect();
    if (!effect || (worst && *worst >= *effect)) continue;
    worst = effect;
    const double late_ns = *effect * static_cast<double>(median_of(rank.usual) * rank.measured);
    signal = 2 * static_cast<double>(rank.cpu_wait_ns) >= late_ns && rank.cpu_wait_ns > 0 ? "cpu" : "throughput";
  }
  return worst ? std::optional<double>(1 / (1 + std::max(0.0, *worst))) : std::nullopt;
}

std::pair<DetectionMode, std::optional<double>> NodeState::mode_of(bool has_own_score, uint64_t mono_ns) const {
  const bool is_fresh = has_fresh(mono_ns), is_cached = cached_ns_ && mono_ns < *cached_ns_ + kCached_ns;
  if (is_fresh && pushed_->has_quorum) return {DetectionMode::kFleet, pushed_->threshold};
  if (is_cached) return {is_fresh ? DetectionMode::kFleetCached : DetectionMode::kLocalCached, cached_};
  if (has_own_score) return {DetectionMode::kLocalBaseline, kBaseline};
  return {DetectionMode::kNone, std::nullopt};
}

NodeReport NodeState::report(uint64_t wall_ns, uint64_t mono_ns) {
  NodeReport report;
  report.time_ns = last_ns_;
  report.signal = "throughput";
  const auto own = own_score(report.signal);
  std::tie(report.mode, report.threshold) = mode_of(own.has_value(), mono_ns);
  const bool is_by_fleet = report.mode == DetectionMode::kFleet || report.mode == DetectionMode::kFleetCached;
  const bool is_by_peers = is_by_fleet && pushed_->score;
  report.score = is_by_peers ? pushed_->score : own;
  if (!is_by_peers && report.threshold) report.threshold = std::min(*report.threshold, kBaseline);
  const bool is_idle = last_ns_ == 0 || wall_ns > last_ns_ + kIdleWindows * correlate::RankWindows::kPeriodNs;
  if (is_idle) {
    report.score.reset();
  } else {
    report.state = report.score && report.threshold ? "active" : "calibrating";
  }
  if (report.score && report.threshold) {
    const bool was_straggler = is_straggler_;
    const double limit = *report.threshold + (was_straggler ? wire::kHysteresis : 0);
    is_straggler_ = *report.score < limit;
    if (is_straggler_ && !was_straggler) since_ns_ = last_ns_;
  } else if (is_idle) {
    is_straggler_ = false;
  }
  report.is_straggler = is_straggler_;
  report.since_ns = since_ns_;
  return report;
}

}  // namespace ingero::fleet::send
