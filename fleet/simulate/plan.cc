// Draws what is planted, and each rank's noise as its windows are asked for: docs/fleet.md, "The rule".
#include "fleet/simulate/plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/hash.h"
#include "fleet/simulate/details.h"

namespace ingero::fleet::simulate {
namespace {

constexpr uint32_t kSteps = 5;                   // of a window
constexpr double kStep_s = 0.8;                  // own work of a step
constexpr double kLastStage = 0.2;               // longer
constexpr uint32_t kQuiet = 20, kShortest = 25;  // windows: before the first is slow, and of each
constexpr uint32_t kMinWithHang = 20;
constexpr double kExplained = 0.9;    // of the lateness, by what its class is about
constexpr double kTooSmall = 0.01;    // a share of the time that explains nothing
constexpr double kAlwaysSlow = 0.05;  // a rank that is this much slower for ever is slow: to name it is right

uint64_t communicator(std::string_view kind, uint64_t first, uint64_t second) {
  return Fnv1a().add(kind).end_text().add(first).add(second).value();
}

}  // namespace

Result<Plan> Plan::make(const PlanOptions& options) {
  if (options.ranks < 2 * kRanksOfNode || options.ranks > kMaxRanks || options.ranks % kRanksOfNode != 0) {
    return Error(Errc::kInvalid,
                 fmt::format("{} ranks: a job has 16 to {} of them, eight to a node", options.ranks, kMaxRanks));
  }
  if (options.has_hang && options.windows < kMinWithHang) {
    return Error(Errc::kInvalid, fmt::format("{} windows are too few for a hang to be seen", options.windows),
                 fmt::format("give at least {}", kMinWithHang));
  }
  if (options.has_stragglers && options.windows < kQuiet + kShortest) {
    return Error(Errc::kInvalid, fmt::format("{} windows are too few for a slow rank to be seen", options.windows),
                 fmt::format("give at least {}", kQuiet + kShortest));
  }
  return Plan(options);
}

Plan::Plan(const PlanOptions& options)
    : options_(options), ranks_(options.ranks), deliveries_(options.seed, options.windows) {
  if (nodes() % 4 == 0 && nodes() >= 16) stages_ = 4;
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> normal;
  for (Rank& rank : ranks_) {
    rank.random.seed(random());
    rank.bias = options.noise.spread * normal(random);
    rank.state = normal(random);
  }
  if (options.has_hang) plan_hang(random());
  if (options.has_stragglers) plan_stragglers(random);
}

Straggler Plan::draw_straggler(std::mt19937_64& random, uint32_t ranks) const {
  constexpr std::array<const char*, 6> kClasses = {"host", "input", "memory", "device", "network", "unknown"};
  const auto draw = [&](uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random);
  };
  Straggler one;
  one.ranks = ranks;
  one.rank = ranks * draw(0, options_.ranks / ranks - 1);
  one.effect = std::uniform_real_distribution<double>(kMinEffect, kMaxEffect)(random);
  if (options_.effect > 0) one.effect = options_.effect;
  one.from = draw(kQuiet, options_.windows - kShortest);
  one.to = draw(one.from + kShortest, options_.windows);
  one.what = kClasses[draw(0, kClasses.size() - 1)];
  return one;
}

// Each on a node of its own: what a node reports is of all of its ranks.
void Plan::plan_stragglers(std::mt19937_64& random) {
  const auto plant = [&](size_t count, uint32_t ranks) {
    for (const size_t before = stragglers_.size(); stragglers_.size() < before + count;) {
      const Straggler one = draw_straggler(random, ranks);
      const bool is_there = std::ranges::any_of(
          stragglers_, [&](const Straggler& other) { return one.rank / kRanksOfNode == other.rank / kRanksOfNode; });
      if (!is_there) stragglers_.push_back(one);
    }
  };
  if (options_.has_slow_nodes) plant(std::max<uint32_t>(1, nodes() / 32), kRanksOfNode);
  plant(std::max<uint32_t>(1, options_.ranks / 256), 1);
  for (const Straggler& one : stragglers_) {
    for (uint32_t i = 0; i < one.ranks; ++i) ranks_[one.rank + i].slow = &one;
  }
}

void Plan::plan_hang(uint64_t seed) {
  std::vector<std::vector<uint32_t>> communicators(options_.ranks);
  for (uint32_t rank = 0; rank < options_.ranks; ++rank) {
    const uint32_t node = rank / kRanksOfNode, place = rank % kRanksOfNode;
    const uint32_t stage = node % stages_, replica = node / stages_;
    communicators[rank] = {node, nodes() + stage * kRanksOfNode + place};
    if (stages_ > 1) communicators[rank].push_back(nodes() + stages_ * kRanksOfNode + replica * kRanksOfNode + place);
  }
  const uint64_t step = uint64_t{options_.windows} / 2 * kSteps + seed % kSteps;
  hang_.emplace(std::move(communicators), kRanksOfNode, step, seed);
}

void Plan::begin(uint32_t number) {
  if (!hang_) return;
  hang_->advance(uint64_t{kSteps} * (number + 1) - 1);
  hang_before_ = hang_;
  hang_->advance(uint64_t{kSteps} * (number + 1));
}

// In a window in which it hangs, a rank does fewer steps, or none.
void Plan::count_steps(uint64_t before, wire::Window& window) const {
  const uint64_t done = hang_of(window.rank / kRanksOfNode).steps_done(window.rank);
  window.count = window.blocked = done > before ? done - before : 0;
  if (window.count > 0) {
    window.work_total_s = *window.work_s * static_cast<double>(window.count);
  } else {
    window.work_s = window.work_total_s = std::nullopt;
  }
}

void Plan::report_progress(size_t which, wire::Window& window) const {
  const HangPlan& hang = hang_of(window.rank / kRanksOfNode);
  const HangPlan::Place place = hang.place(window.rank, which);
  window.entered = place.entered;
  window.left = place.left;
  window.is_gone = hang.is_gone(window.rank);
  if (place.has_other_operation) window.operation = "Broadcast";
}

double Plan::median_step(Rank& rank, double longer) const {
  const Noise& noise = options_.noise;
  const double fresh = std::sqrt(1 - noise.correlation * noise.correlation);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::array<double, kSteps> steps{};
  for (double& step : steps) {
    rank.state = noise.correlation * rank.state + fresh * normal(rank.random);
    step = kStep_s * (1 + longer) * (1 + rank.bias + noise.middle * std::exp(noise.sigma * rank.state));
    if (uniform(rank.random) < noise.hiccup) step += noise.hiccup_of * kStep_s;
  }
  std::nth_element(steps.begin(), steps.begin() + kSteps / 2, steps.end());
  return steps[kSteps / 2];
}

std::vector<wire::Window> Plan::window(uint32_t node, uint32_t number) {
  std::vector<wire::Window> windows;
  const uint32_t stage = node % stages_, replica = node / stages_;
  if (hang_ && !hang_of(node).is_heard(node * kRanksOfNode)) return windows;
  // A step is a second long, and no clock is off by more than half of one.
  const uint32_t behind = is_ahead(node) ? 1 : 0, before = number == 0 ? 0 : kSteps * number - behind;
  const uint32_t entered = kSteps * (number + 1) - behind;
  for (uint32_t place = 0; place < kRanksOfNode; ++place) {
    Rank& rank = ranks_[node * kRanksOfNode + place];
    const bool is_slow = rank.slow != nullptr && number >= rank.slow->from && number < rank.slow->to;
    const double usual = stages_ > 1 && stage == stages_ - 1 ? 1 + kLastStage : 1;
    const double work_s = median_step(rank, usual * (1 + (is_slow ? rank.slow->effect : 0)) - 1);
    const double late_s = is_slow ? kExplained * rank.slow->effect * usual * kStep_s * kSteps : 0;
    wire::Window window;
    window.sender = sender(node);
    window.start_ns = options_.first_ns + number * kPeriod_ns;
    window.end_ns = window.start_ns + kPeriod_ns;
    window.rank = node * kRanksOfNode + place;
    window.count = window.blocked = entered - before;
    window.work_s = work_s;
    window.work_total_s = work_s * static_cast<double>(window.count);
    window.wait_s = std::max(0.0, 5 - *window.work_total_s);
    window.entered = window.left = entered;
    window.operation = "AllReduce";
    if (hang_) count_steps(before, window);
    if (is_slow && rank.slow->what == "host") window.preempted_s = late_s;
    if (is_slow && rank.slow->what == "input") window.io_s = late_s;
    window.device = device_of(window, is_slow && rank.slow->what == "device" ? rank.slow->effect : 0);
    const auto add = [&](uint64_t id, uint32_t of, uint32_t size, int64_t bytes) {
      window.communicator = id;
      window.comm_rank = of;
      window.nranks = size;
      window.bytes = bytes * static_cast<int64_t>(window.count);
      window.operation = "AllReduce";
      if (hang_) report_progress(windows.size() % (stages_ > 1 ? 3 : 2), window);
      windows.push_back(window);
      window.device.reset();
    };
    add(communicator("tensor", node, 0), place, kRanksOfNode, 8 << 20);
    add(communicator("data", stage, place), replica, nodes() / stages_, int64_t{64 + 16 * stage} << 20);
    if (stages_ > 1) add(communicator("pipeline", replica, place), stage, stages_, 2 << 20);
  }
  const uint64_t begin_of_job_ns = options_.first_ns + static_cast<uint64_t>(clock(node, number).offset_ns);
  if (options_.has_arrivals) add_arrivals(begin_of_job_ns, kPeriod_ns / kSteps, windows);
  return windows;
}

wire::Sender Plan::sender(uint32_t node) const {
  return {options_.cluster, fmt::format("node-{:04}", node), "simulated"};
}

std::vector<wire::Incident> Plan::incidents(uint32_t node, uint32_t number) const {
  std::vector<wire::Incident> chains;
  for (const Straggler& one : stragglers_) {
    if (one.rank / kRanksOfNode != node || number < one.from || number >= one.to || (number - one.from) % 2 == 0)
      continue;
    const uint64_t onset_ns = options_.first_ns + one.from * kPeriod_ns;
    const uint64_t end_ns = options_.first_ns + (number + 1) * kPeriod_ns;
    const std::string id = fmt::format("{}-{}", one.rank, one.from);
    const double lost_share = kExplained * one.effect / (1 + one.effect);
    const bool is_node = one.ranks > 1, is_network = one.what == "network", is_memory = one.what == "memory";
    const auto report = [&](const char* which, const char* rule, double share, std::optional<int64_t> rank) {
      chains.push_back(chain_of(id + which, rule, onset_ns, end_ns, share));
      chains.back().rank = rank;
    };
    if (is_network) report("", "tcp_retransmits", lost_share, std::nullopt);
    if (is_memory) report("", "memory_pressure", lost_share, is_node ? std::nullopt : std::optional<int64_t>(one.rank));
    if (is_network || is_memory) continue;
    if (!is_node) {
      report("-neighbour", "memory_pressure", lost_share, node * kRanksOfNode + (one.rank + 1) % kRanksOfNode);
    }
    report("-small", "tcp_retransmits", kTooSmall * lost_share, std::nullopt);
  }
  return chains;
}

wire::ClockOffset Plan::clock(uint32_t node, uint32_t number) const {
  constexpr double kMax_ns = 500e6, kMaxDrift_ns = 20 * 5000;  // 20 millionths of a window
  const uint64_t seed = Fnv1a().add(std::string_view("clock")).add(options_.seed).value();
  const auto offset_ns = static_cast<int64_t>((2 * drawn(seed, node) - 1) * kMax_ns);
  const auto drift_ns = static_cast<int64_t>((2 * drawn(node, seed) - 1) * kMaxDrift_ns);
  return {offset_ns + drift_ns * number, 1'000'000};
}

Json Plan::truth() const {
  Json list = Json::array(), slow_nodes = Json::array();
  for (const Straggler& one : stragglers_) {
    Json planted{{"node_id", fmt::format("node-{:04}", one.rank / kRanksOfNode)},
                 {"class", one.what},
                 {"effect", one.effect},
                 {"from_ns", options_.first_ns + one.from * kPeriod_ns},
                 {"to_ns", options_.first_ns + one.to * kPeriod_ns}};
    if (one.ranks > 1) {
      planted["ranks"] = Json::array();
      for (uint32_t i = 0; i < one.ranks; ++i) planted["ranks"].push_back(one.rank + i);
      slow_nodes.push_back(std::move(planted));
      continue;
    }
    planted["rank"] = one.rank;
    planted["spread"] = ranks_[one.rank].bias;
    list.push_back(std::move(planted));
  }
  Json heavy = Json::array();  // ranks whose role does more than the others
  for (uint32_t rank = 0; stages_ > 1 && rank < options_.ranks; ++rank) {
    if (rank / kRanksOfNode % stages_ == stages_ - 1) heavy.push_back(rank);
  }
  Json always = Json::array();
  for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].bias >= kAlwaysSlow) always.push_back({{"rank", rank}, {"effect", ranks_[rank].bias}});
  }
  Json hangs = Json::array();
  if (hang_) {
    hangs.push_back(hang_->truth());
    hangs.back()["from_ns"] = options_.first_ns + hangs.back()["step"].get<uint64_t>() * kPeriod_ns / kSteps;
  }
  Json clocks = Json::array();  // of node-0000 on, as its last message that arrives says; null where none does
  for (uint32_t node = 0; node < nodes(); ++node) {
    const auto last = deliveries_.last_arrival(node);
    clocks.push_back(last ? Json(clock(node, *last).offset_ns) : Json());
  }
  return {{"cluster_id", options_.cluster},
          {"seed", options_.seed},
          {"ranks", options_.ranks},
          {"windows", options_.windows},
          {"first_ns", options_.first_ns},
          {"period_ns", kPeriod_ns},
          {"stragglers", std::move(list)},
          {"slow_nodes", std::move(slow_nodes)},
          {"always_slow", std::move(always)},
          {"hangs", std::move(hangs)},
          {"clock_offset_ns", std::move(clocks)},
          {"imbalance", std::move(heavy)},
          {"messages", deliveries_.truth(nodes())}};
}

}  // namespace ingero::fleet::simulate
