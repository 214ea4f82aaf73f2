// Ranks that run through collectives until something stops them, for tests of the detector of hangs: who waits for whom
// follows from the collectives themselves, and nodes only report numbers. Knows nothing of the detector.
//
// One step a second: each rank enters the collective of its node, then the one of its place on all nodes, then the one
// of all. A collective ends when all of its members are in it. Nodes report every five seconds by clocks that are off
// by up to half a second, late by up to half a second, in any order; some reports are lost.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace ingero::fleet {

enum class Stop : uint8_t { kBeforeEntering, kInside, kOtherOperation, kProcessEnds, kNodeEnds };

struct HangPlan {
  Stop stop = Stop::kBeforeEntering;
  std::set<uint32_t> ranks;  // that stop, in this collective of this step
  uint32_t step = UINT32_MAX, phase = 0;
  uint32_t for_steps = UINT32_MAX;  // seconds, then they go on
};

class HangWorld {
 public:
  static constexpr uint32_t kPlaces = 8, kPhases = 3;
  struct Report {
    uint64_t communicator = 0;
    uint32_t rank = 0, comm_rank = 0, nranks = 0, node = 0;
    double end_s = 0;  // by the node's clock
    int64_t entered = 0, left = 0;
    const char* operation = "AllReduce";
    bool is_gone = false;
  };

  HangWorld(uint32_t nodes, HangPlan plan, uint64_t seed) : plan_(std::move(plan)), random_(seed), nodes_(nodes) {
    ranks_.resize(size_t{nodes} * kPlaces);
    // Of a node, of a place, of all.
    for (uint32_t i = 0; i < nodes; ++i) rooms_.push_back({kPlaces});
    for (uint32_t i = 0; i < kPlaces; ++i) rooms_.push_back({nodes});
    rooms_.push_back({nodes * kPlaces});
    for (uint32_t i = 0; i < nodes; ++i) offsets_.push_back(std::uniform_real_distribution<>(-0.5, 0.5)(random_));
  }

  // What is received of the window that ends at `number` * 5 s, in the order in which it comes.
  std::vector<Report> window(uint32_t number) {
    std::vector<std::pair<double, uint32_t>> cuts, arrivals;
    for (uint32_t node = 0; node < nodes_; ++node) cuts.emplace_back(5.0 * number + offsets_[node], node);
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::vector<Report>> reports(nodes_);
    for (const auto& [time_s, node] : cuts) {
      run_to(static_cast<uint32_t>(std::max(0.0, std::floor(time_s))));
      arrivals.emplace_back(time_s + std::uniform_real_distribution<>(0.02, 0.5)(random_), node);
      if (plan_.stop == Stop::kNodeEnds && plan_.step < step_ && is_stopped_node(node)) continue;
      if (std::uniform_real_distribution<>()(random_) < lost) continue;
      for (uint32_t place = 0; place < kPlaces; ++place) report(node, place, 5.0 * number, reports[node]);
    }
    std::sort(arrivals.begin(), arrivals.end());
    std::vector<Report> all;
    for (const auto& [time_s, node] : arrivals) all.insert(all.end(), reports[node].begin(), reports[node].end());
    return all;
  }

  uint32_t room_of(uint32_t rank, uint32_t phase) const {
    if (phase == 0) return rank / kPlaces;
    return phase == 1 ? nodes_ + rank % kPlaces : nodes_ + kPlaces;
  }
  double lost = 0;                // share of reports
  std::set<uint32_t> not_traced;  // ranks

 private:
  struct Room {
    uint32_t size = 0, inside = 0;
    int64_t number = 1;  // of the collective that goes on
    std::vector<uint32_t> members = {};
    bool is_broken = false;
  };
  struct Rank {
    int64_t entered[kPhases] = {}, left[kPhases] = {};
    uint32_t step = 0, phase = 0;
    bool is_inside = false, has_other = false;
  };

  bool is_stopped_node(uint32_t node) const {
    return std::any_of(plan_.ranks.begin(), plan_.ranks.end(), [&](uint32_t rank) { return rank / kPlaces == node; });
  }
  bool stops(uint32_t rank) const {
    if (step_ >= plan_.step + uint64_t{plan_.for_steps}) return false;
    const bool is_one = plan_.stop == Stop::kNodeEnds ? is_stopped_node(rank / kPlaces) : plan_.ranks.count(rank) != 0;
    return is_one && ranks_[rank].step == plan_.step && ranks_[rank].phase == plan_.phase;
  }

  void run_to(uint32_t step) {
    for (; step_ < step; ++step_) {
      std::vector<uint32_t> ready;
      for (uint32_t rank = 0; rank < ranks_.size(); ++rank) ready.push_back(rank);
      while (!ready.empty()) {
        const uint32_t rank = ready.back();
        ready.pop_back();
        go_on(rank, ready);
      }
    }
  }

  void go_on(uint32_t number, std::vector<uint32_t>& ready) {
    Rank& rank = ranks_[number];
    if (rank.step > step_) return;
    Room& room = rooms_[room_of(number, rank.phase)];
    if (rank.is_inside) {  // all left without it
      if (rank.entered[rank.phase] < room.number && !stops(number)) leave(rank, ready, number);
      return;
    }
    const bool is_stopped = stops(number);
    if (is_stopped && plan_.stop != Stop::kInside && plan_.stop != Stop::kOtherOperation) return;
    rank.is_inside = true;
    rank.entered[rank.phase] = room.number;
    if (is_stopped && plan_.stop == Stop::kOtherOperation) rank.has_other = room.is_broken = true;
    room.members.push_back(number);
    if (++room.inside < room.size || room.is_broken) return;
    const std::vector<uint32_t> members = std::move(room.members);
    room = {room.size, 0, room.number + 1, {}, false};
    for (const uint32_t member : members) {
      if (!stops(member)) leave(ranks_[member], ready, member);
    }
  }

  static void leave(Rank& rank, std::vector<uint32_t>& ready, uint32_t number) {
    rank.left[rank.phase] = rank.entered[rank.phase];
    rank.is_inside = false;
    if (++rank.phase == kPhases) {
      rank.phase = 0;
      ++rank.step;
    }
    ready.push_back(number);
  }

  void report(uint32_t node, uint32_t place, double end_s, std::vector<Report>& to) const {
    const uint32_t number = node * kPlaces + place;
    if (not_traced.count(number) != 0) return;
    const Rank& rank = ranks_[number];
    for (uint32_t phase = 0; phase < kPhases; ++phase) {
      Report one;
      one.communicator = 0xc000 + room_of(number, phase);
      one.rank = number;
      one.comm_rank = phase == 0 ? place : phase == 1 ? node : number;
      one.nranks = rooms_[room_of(number, phase)].size;
      one.node = node + 1;
      one.end_s = end_s;
      one.entered = rank.entered[phase];
      one.left = rank.left[phase];
      if (rank.has_other && phase == plan_.phase) one.operation = "Broadcast";
      one.is_gone = plan_.stop == Stop::kProcessEnds && plan_.ranks.count(number) != 0 && rank.step == plan_.step &&
                    step_ > plan_.step;
      to.push_back(one);
    }
  }

  HangPlan plan_;
  std::mt19937_64 random_;
  uint32_t nodes_, step_ = 0;
  std::vector<Rank> ranks_;
  std::vector<Room> rooms_;
  std::vector<double> offsets_;
};

}  // namespace ingero::fleet
