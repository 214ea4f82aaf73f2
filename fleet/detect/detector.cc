// Gathers windows, chooses roles and cohorts, and sums up how rare each rank's work is: see detector.h.
#include "fleet/detect/detector.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "base/hash.h"

namespace ingero::fleet::detect {
namespace {

constexpr uint64_t kStepsForEvidence = 2;  // windows with fewer are joined
constexpr size_t kSmallCohort = 5;         // under it the median is the better one of the two in the middle
constexpr double kMaxConfidence = 0.95, kMaxConfidenceOfPair = 0.5;
// It is over only when it does not look slow any more, by the median of kWindows: one that is a little slow for ever is
// one incident, and not one for each hour in which noise hid it.
constexpr double kOver = 0.7;           // of the floor
constexpr uint64_t kForgetAfter = 720;  // windows
constexpr uint64_t kShared = 2;         // windows: in one, a process may follow another
constexpr size_t kLightOf = 4;          // a quarter of the ranks do as little as a rank should
constexpr size_t kHeavyOf = 16;         // of the ranks have a load of their own
constexpr double kQuorum = 0.75;        // of a cohort
constexpr size_t kQuorumRanks = 5;
constexpr double kWorkedLately = 1.0 / 12;  // weight of the newest window
constexpr size_t kOwnWindows = 60;          // by which it is known what is usual of a rank

// Loads, what a collective carries, are in half octaves: ranks have the same one where no gap among those of all ranks
// is between them, and it keeps its name as long as its middle is so near.
constexpr double kSameLoad = 0.5, kSameName = 0.8;
constexpr size_t kMaxLoadNames = 64, kMaxCommunicatorSizes = 4096;
constexpr double kOften = 0.4;  // of a rank's windows: a communicator that is in fewer says nothing of what it does

double load_of(double bytes) { return bytes >= 1 ? 2 * std::log2(bytes) : 0; }

// One load: its greatest value, the middle one, and its name.
struct Load {
  double to = 0, middle = 0;
  double name = NAN;
};

// Those of all ranks in communicators of one size. `names`: what loads were called before, and are now.
std::vector<Load> loads_of(std::vector<double>& values, std::vector<double>& names) {
  std::sort(values.begin(), values.end());
  std::vector<Load> loads;
  for (size_t begin = 0, i = 1; i <= values.size(); ++i) {
    if (i < values.size() && values[i] - values[i - 1] <= kSameLoad) continue;
    loads.push_back({values[i - 1], values[(begin + i - 1) / 2]});
    begin = i;
  }
  if (names.size() + loads.size() > kMaxLoadNames) names.clear();
  std::vector<std::tuple<double, size_t, size_t>> pairs;  // the nearest first
  for (size_t load = 0; load < loads.size(); ++load) {
    for (size_t name = 0; name < names.size(); ++name) {
      const double apart = std::abs(loads[load].middle - names[name]);
      if (apart <= kSameName) pairs.emplace_back(apart, load, name);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<bool> is_taken(names.size());
  for (const auto& [apart, load, name] : pairs) {
    if (is_taken[name] || !std::isnan(loads[load].name)) continue;
    loads[load].name = names[name];
    is_taken[name] = true;
  }
  for (Load& load : loads) {
    if (!std::isnan(load.name)) continue;
    load.name = load.middle;
    names.push_back(load.name);
  }
  return loads;
}

// `values`: sorted. Whether one half of them is apart from the other, by more than noise makes of one.
bool has_halves(const std::vector<double>& values) {
  const double low = values[(values.size() - 1) / 2], high = values[values.size() / 2];
  return values.size() >= kSmallCohort && high > (1 + floor_of(values.size())) * low;
}

// Where one half is apart from the other, no rank is between the two: what is usual is the better half's.
double median(std::vector<double>& values, Better better) {
  std::sort(values.begin(), values.end());
  const size_t low = (values.size() - 1) / 2, high = values.size() / 2;
  if (values.size() < kSmallCohort || has_halves(values)) return values[better == Better::kLess ? low : high];
  return (values[low] + values[high]) / 2;
}

}  // namespace

bool Detector::add(const Sample& sample, uint64_t now_ns) {
  if (has_evaluated_ && sample.window <= last_window_) {
    note_late(sample.window, now_ns);
    return false;
  }
  if (samples_ >= kMaxSamples) return drop();  // before its rank is noted, which would be one without a sample
  const auto found = pending_.find(sample.window);
  if (found == pending_.end() && pending_.size() >= kMaxPending) return drop();
  Pending& pending = found == pending_.end() ? pending_[sample.window] : found->second;
  if (pending.ranks.empty()) pending.first_ns = now_ns;
  if (pending.ranks.size() >= kMaxRanks && pending.ranks.count(sample.rank) == 0) return drop();
  const auto [place, is_first] = pending.ranks.try_emplace(sample.rank);
  if (is_first && hear(sample.rank, now_ns)) ++pending.expected;
  auto& samples = place->second;
  const auto same = std::find_if(samples.begin(), samples.end(),
                                 [&](const Sample& one) { return one.communicator == sample.communicator; });
  if (same != samples.end()) {
    if (same->bytes == 0 && sample.bytes > 0) *same = sample;  // the rest of what came in two parts
    return false;
  }
  if (samples.size() >= kMaxCommunicatorsOfRank) return drop();
  pending.has_gap = pending.has_gap || (pending.latest_ns != 0 && now_ns >= pending.latest_ns + kWaitForWindow_ns);
  pending.latest_ns = now_ns;
  samples.push_back(sample);
  ++samples_;
  return true;
}

bool Detector::drop() {
  ++dropped_;
  return false;
}

void Detector::resume(uint64_t now_ns) {
  resumed_until_ns_ = now_ns + kReturn_ns;
  for (auto& [number, rank] : ranks_) rank.heard_ns = std::min(rank.heard_ns, now_ns);
}

// Whether it is one of those that are heard of already.
bool Detector::hear(uint32_t number, uint64_t now_ns) {
  const auto found = ranks_.find(number);
  if (found == ranks_.end()) return false;
  found->second.heard_ns = now_ns;
  return !found->second.is_silent;
}

bool Detector::is_complete(const Pending& pending) const { return expected_ > 0 && pending.expected >= expected_; }

bool Detector::is_due(uint64_t window, const Pending& pending, uint64_t now_ns) const {
  const size_t twice = 2 * pending.ranks.size();
  const uint64_t rest_ns = twice > followed_ ? pending.latest_ns + kWaitForWindow_ns : resumed_until_ns_;
  const uint64_t returned_ns = std::min(resumed_until_ns_, rest_ns);
  if (pending_.size() >= kMaxPending || now_ns >= std::max(pending.first_ns + kMaxWaitForWindow_ns, returned_ns)) {
    return true;
  }
  return twice > expected_ && window > patient_until_ && now_ns >= pending.latest_ns + kWaitForWindow_ns;
}

// Where it would have been in time had its window been waited for, the next ones are: one clock that is ahead, or
// behind, makes no others late for ever.
void Detector::note_late(uint64_t window, uint64_t now_ns) {
  ++late_;
  const auto first = first_ns_.find(window);
  if (first == first_ns_.end() || now_ns >= first->second + kMaxWaitForWindow_ns) return;
  patient_until_ = last_window_ + kPatientFor;
  expected_ = 0;
}

std::vector<Incident> Detector::advance(uint64_t now_ns) {
  std::vector<Incident> changes;
  while (!pending_.empty()) {
    const auto oldest = pending_.begin();
    if (!is_due(oldest->first, oldest->second, now_ns) && !is_complete(oldest->second)) break;
    evaluate(oldest->first, oldest->second, now_ns, changes);
    for (const auto& [number, samples] : oldest->second.ranks) samples_ -= samples.size();
    pending_.erase(oldest);
  }
  return changes;
}

void Detector::evaluate(uint64_t window, const Pending& pending, uint64_t now_ns, std::vector<Incident>& changes) {
  std::vector<Incident> own;  // of ranks
  place(window, pending, own);
  choose_roles(pending);
  choose_cohorts(pending);
  std::vector<Measured> measured = measure(pending);
  compare(window, measured);
  score(window, measured, own);
  last_window_ = window;
  has_evaluated_ = true;
  if (pending.has_gap) patient_until_ = window + kPatientFor;
  first_ns_[window] = pending.first_ns;
  if (first_ns_.size() > kSilentAfter) first_ns_.erase(first_ns_.begin());
  end_silent(window, has_most(pending), now_ns, own);
  fold(window, own, changes);
}

// A rank that is in a communicator in which it was not before starts anew: it may do something else now.
void Detector::place(uint64_t window, const Pending& pending, std::vector<Incident>& changes) {
  heard_.clear();
  for (const auto& [number, samples] : pending.ranks) {
    if (ranks_.size() >= kMaxRanks && ranks_.count(number) == 0) continue;
    Rank& rank = ranks_[number];
    bool starts_anew = false;
    for (const Sample& sample : samples) {
      starts_anew = is_new(rank, sample) || starts_anew;
      ++heard_[sample.communicator];
    }
    note_origin(rank, samples, window);
    if (starts_anew || rank.node != samples.front().node || rank.shared >= kShared) {
      if (rank.is_named) {
        rank.incident.state = State::kOver;
        rank.incident.last_window = window;
        changes.push_back(rank.incident);
      }
      start_anew(rank, samples);
    }
    note_carried(rank, samples);
    if (rank.windows > 0) rank.gap = std::clamp<uint64_t>(window - rank.last_window, 1, kMaxLag);
    rank.last_window = window;
    rank.heard_ns = std::max(rank.heard_ns, pending.latest_ns);
    rank.missed = 0;
    rank.is_silent = false;
  }
}

// A rank is moved to another node, or its process started anew, at most now and then. One that is on two nodes at a
// time, or back where it came from, or goes on in two processes, are two ranks, of jobs that have the same name or
// none.
void Detector::note_origin(Rank& rank, const std::vector<Sample>& samples, uint64_t window) {
  const uint32_t node = samples.front().node;
  const bool is_two = std::ranges::any_of(samples, [&](const Sample& one) { return one.node != node; });
  std::set<uint32_t> processes;
  for (const Sample& one : samples) {
    if (one.process != 0) processes.insert(one.process);
  }
  rank.shared = processes.size() > 1 ? rank.shared + 1 : 0;
  if (is_two || rank.shared >= kShared || (rank.node != node && rank.node_before == node)) {
    rank.contested_window = window;
  }
  if (rank.node != node && rank.last_window != 0) rank.node_before = rank.node;
}

// What its first windows carry may not be what the next ones do: collectives before the trace, warm-up steps.
void Detector::note_carried(Rank& rank, const std::vector<Sample>& samples) {
  if (rank.windows >= kRoleWindows) return;
  for (const Sample& sample : samples) {
    auto found = std::ranges::find(rank.carried, sample.communicator, &Carried::communicator);
    if (found == rank.carried.end()) {
      found = rank.carried.insert(found, Carried{sample.communicator, sample.nranks});
    }
    if (rank.windows + 1 == kWarmUp) found->bytes = found->count = 0;
    ++found->windows;
    found->count += static_cast<double>(sample.count);
    found->bytes += sample.bytes * static_cast<double>(sample.count);
  }
}

double Detector::Carried::load() const { return count > 0 ? load_of(bytes / count) : 0; }

bool Detector::Rank::is_often_in(const Carried& one) const {
  return static_cast<double>(one.windows) >= kOften * static_cast<double>(windows + 1);
}

// Equal for ranks whose communicators have the same sizes and carry about the same bytes, over all their windows so
// far: a window holds few steps, and parts of some, so that what its collectives carry in the mean differs between
// ranks that do the same, and above all of one that comes later than the others.
void Detector::choose_roles(const Pending& pending) {
  std::map<uint32_t, std::vector<double>> values;  // by size of communicator
  const auto for_each = [&](const auto& visit) {
    for (const auto& [number, samples] : pending.ranks) {
      const auto rank = ranks_.find(number);
      if (rank != ranks_.end() && rank->second.windows < kRoleWindows) visit(rank->second);
    }
  };
  for_each([&](const Rank& rank) {
    for (const Carried& one : rank.carried) {
      if (rank.is_often_in(one)) values[one.nranks].push_back(one.load());
    }
  });
  if (load_names_.size() + values.size() > kMaxCommunicatorSizes) load_names_.clear();
  std::map<uint32_t, std::vector<Load>> loads;
  for (auto& [nranks, some] : values) loads[nranks] = loads_of(some, load_names_[nranks]);
  for_each([&](Rank& rank) {
    std::vector<std::pair<uint32_t, double>> shape;
    for (const Carried& one : rank.carried) {
      if (!rank.is_often_in(one)) continue;
      shape.emplace_back(one.nranks, std::ranges::lower_bound(loads[one.nranks], one.load(), {}, &Load::to)->name);
    }
    std::sort(shape.begin(), shape.end());
    Fnv1a hash;
    for (const auto& [nranks, name] : shape) hash.add(uint64_t{nranks}).add(std::bit_cast<uint64_t>(name));
    rank.role = hash.value();
  });
}

// Whether it is in that communicator for the first time, and not only by that name.
bool Detector::is_new(Rank& rank, const Sample& sample) {
  if (rank.communicators.contains(sample.communicator)) return false;
  if (sample.alias == 0 || rank.communicators.erase(sample.alias) == 0) return true;
  rank.communicators.insert(sample.communicator);
  for (Carried& one : rank.carried) {
    if (one.communicator == sample.alias) one.communicator = sample.communicator;
  }
  if (rank.cohort == sample.alias) rank.cohort = sample.communicator;
  if (rank.incident.communicator == sample.alias) rank.incident.communicator = sample.communicator;
  return false;
}

void Detector::start_anew(Rank& rank, const std::vector<Sample>& samples) {
  std::set<uint64_t> all = std::move(rank.communicators);
  if (all.size() >= kMaxCommunicatorsOfRank) all.clear();
  for (const Sample& sample : samples) all.insert(sample.communicator);
  Rank before = std::move(rank);
  rank = Rank();
  rank.course = before.course;
  rank.node_before = before.node_before;
  rank.contested_window = before.contested_window;
  rank.shared = before.shared;
  rank.uncompared = before.uncompared;
  rank.communicators = std::move(all);
  rank.node = samples.front().node;
}

// The communicator in which most others have the same role: of data, tensor and pipeline parallel ones that is the one
// whose members really do the same, and it is the largest sample of them. Where two are as large, all ranks of a role
// have to choose the same one, or some are left with a cohort of their own: the one that carries more, which is rather
// the one across nodes; and who is then in fewer company than in another of its communicators joins that.
// By what is known of all ranks, not by who is in this window: a batch that is lost makes no communicator smaller.
void Detector::choose_cohorts(const Pending& pending) {
  std::vector<Rank*> choosing;
  for (const auto& [number, samples] : pending.ranks) {
    const auto rank = ranks_.find(number);
    if (rank != ranks_.end() && rank->second.windows < kRoleWindows) choosing.push_back(&rank->second);
  }
  if (choosing.empty()) return;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> members, choosers;  // by communicator and role
  const auto choose = [](Rank& rank, auto& counts) {
    const auto worth = [&](const Carried& one) {
      const uint32_t others = counts[{one.communicator, rank.role}];
      return std::tuple(rank.is_often_in(one), others, std::lround(one.load()), ~one.communicator);
    };
    const Carried& best = *std::ranges::max_element(rank.carried, {}, worth);
    if (rank.cohort != best.communicator) {
      rank.joined_work = 0;
      rank.joined_count = 0;
    }
    rank.cohort = best.communicator;
    rank.nranks = best.nranks;
  };
  for (const auto& [number, rank] : ranks_) {
    if (rank.is_silent) continue;
    if (rank.windows >= kRoleWindows) {
      for (const uint64_t communicator : rank.communicators) ++members[{communicator, rank.role}];
    } else {
      for (const Carried& one : rank.carried) members[{one.communicator, rank.role}] += rank.is_often_in(one) ? 1 : 0;
    }
  }
  for (Rank* rank : choosing) choose(*rank, members);
  for (const auto& [number, rank] : ranks_) choosers[{rank.cohort, rank.role}] += rank.is_silent ? 0 : 1;
  for (Rank* rank : choosing) {
    choose(*rank, choosers);
    if (++rank->windows == kRoleWindows) rank->carried = {};
  }
}

std::vector<Detector::Measured> Detector::measure(const Pending& pending) {
  std::vector<Measured> measured;
  measured.reserve(pending.ranks.size());
  for (const auto& [number, samples] : pending.ranks) {
    const auto found = ranks_.find(number);
    if (found == ranks_.end()) continue;
    Rank& rank = found->second;
    for (const Sample& sample : samples) {
      if (sample.communicator != rank.cohort || sample.count == 0) continue;
      const double worked_s = sample.work_s * static_cast<double>(sample.count);
      note_worked(rank, worked_s);
      rank.joined_work += worked_s;
      rank.joined_count += sample.count;
      ++rank.uncompared;
      if (rank.joined_count < kStepsForEvidence) break;
      const auto count = static_cast<double>(rank.joined_count);
      const auto own = static_cast<double>(sample.count);
      Measured& one = measured.emplace_back(Measured{number, rank.joined_work / count, sample.reasons, false});
      for (const auto reason : kReasons) one.reasons.*reason /= own;
      rank.joined_work = 0;
      rank.joined_count = 0;
    }
  }
  return measured;
}

void Detector::note_worked(Rank& rank, double worked_s) {
  rank.worked_s = rank.worked_s == 0 ? worked_s : rank.worked_s + kWorkedLately * (worked_s - rank.worked_s);
}

// Whether they are a few that were missing when most of their cohort was compared, as where a step ends for a slow rank
// windows later than for the others.
bool Detector::come_late(uint64_t window, const std::vector<size_t>& members, const std::vector<Measured>& measured,
                         const Round& round) const {
  if (2 * members.size() >= round.ranks || window - round.window > kMaxLag) return false;
  return std::ranges::all_of(members, [&](size_t i) { return ranks_.at(measured[i].rank).round < round.window; });
}

void Detector::compare(uint64_t window, std::vector<Measured>& measured) {
  std::map<std::pair<uint64_t, uint64_t>, std::vector<size_t>> cohorts;  // by communicator and role
  for (size_t i = 0; i < measured.size(); ++i) {
    const Rank& rank = ranks_[measured[i].rank];
    cohorts[{rank.cohort, rank.role}].push_back(i);
  }
  for (const auto& [key, members] : cohorts) {
    Round& round = rounds_[key];
    bool are_halves = false;
    const bool are_late = come_late(window, members, measured, round);
    if (!are_late) {
      if (members.size() < 2) continue;
      std::vector<double> work;
      work.reserve(members.size());
      for (const size_t i : members) work.push_back(measured[i].work_s);
      round = {window, members.size(), median(work, better_)};
      are_halves = has_halves(work);
    }
    const double usual = round.usual;
    if (!(usual > 0)) continue;
    for (const size_t i : members) {
      Rank& rank = ranks_[measured[i].rank];
      const double ratio = measured[i].work_s / usual;
      rank.effect = better_ == Better::kLess ? ratio - 1 : 1 - ratio;
      rank.course.add(window, rank.effect);
      rank.usual_s = usual;
      rank.peers = static_cast<uint32_t>(round.ranks);
      rank.round = window;
      rank.uncompared = 0;
      measured[i].has_effect = true;
      measured[i].is_late = are_late;
      measured[i].is_of_half = are_halves && rank.effect > floor_of(members.size());
    }
  }
  std::erase_if(rounds_, [&](const auto& one) { return window - one.second.window > kMaxLag; });
}

Reasons Detector::usual_of(const std::vector<const Measured*>& members) {
  Reasons usual;
  for (const auto reason : kReasons) {
    std::vector<double> values;
    values.reserve(members.size());
    for (const Measured* one : members) values.push_back(one->reasons.*reason);
    usual.*reason = median(values, Better::kLess);
  }
  return usual;
}

void Detector::score(uint64_t window, const std::vector<Measured>& measured, std::vector<Incident>& changes) {
  std::map<uint64_t, std::vector<const Measured*>> roles;
  for (const Measured& one : measured) {
    if (one.has_effect) roles[ranks_[one.rank].role].push_back(&one);
  }
  for (const auto& [role, members] : roles) {
    std::vector<double> effects;
    Pool& pool = pools_[role];
    for (const Measured* one : members) {
      const Rank& rank = ranks_[one->rank];
      // Half of a cohort that was as the others, and is slow now, would be what is usual before one of it is suspected.
      const bool is_new_half = one->is_of_half && pool.is_warm() && pool.score_of(rank.effect) > kReference;
      if (rank.score() < kSuspect && !is_new_half) effects.push_back(rank.effect);
    }
    // A few that come late do not say what is usual.
    if (!std::ranges::all_of(members, &Measured::is_late)) pool.add(std::move(effects), members.size());
    const Reasons usual = usual_of(members);
    for (const Measured* one : members) {
      Rank& rank = ranks_[one->rank];
      for (const auto reason : kReasons) rank.reasons.*reason = one->reasons.*reason - usual.*reason;
      score_one(window, *one, pool, changes);
    }
  }
}

void Detector::score_one(uint64_t window, const Measured& one, const Pool& pool, std::vector<Incident>& changes) {
  Rank& rank = ranks_[one.rank];
  if (!pool.is_warm() || rank.windows < pool.warm_up()) return;
  const double usual = usual_effect(window, rank), effect = rank.effect - usual, z = pool.score_of(effect);
  for (size_t i = 0; i < kSums; ++i) add_window(window, pool.rules()[i], effect, z, rank, rank.sums[i]);
  if (!rank.is_named && rank.score() >= kNamed) {
    rank.usual = usual;
    begin(one.rank, rank, window);
    changes.push_back(rank.incident);
  } else if (rank.is_named) {
    rank.usual_until = window + kOwnWindows + kWindows;
    const Incident before = rank.incident;
    update(rank, window);
    if (rank.score() == 0 && rank.course.median_of(kWindows) < 100 * kOver * floor_of(rank.peers)) {
      rank.incident.state = State::kOver;
      rank.is_named = false;
    }
    if (is_news(before, rank.incident)) changes.push_back(rank.incident);
  }
}

// What a rank usually is slower or faster than its peers does not show that it is slow now: one that has always been
// 4 % slower reaches with a little noise what another reaches when it slows by 10 %, and one that has always been 4 %
// faster does not when it does. What was before the last windows, in which it may have become slow; at most half of
// the floor; and nothing of one that is usually above the floor, which is slow. Windows in which it was named do not
// say what is usual: until they are out of those that count, that is what it was before.
double Detector::usual_effect(uint64_t window, const Rank& rank) {
  if (rank.is_named || window < rank.usual_until) return rank.usual;
  const double floor = floor_of(rank.peers);
  if (rank.score() == 0 && rank.effect <= floor / 2) return 0;  // it does not matter
  const double usual = rank.course.usual_of(kOwnWindows, kWindows, kWindows).value_or(0);
  return usual > floor ? 0 : std::clamp(usual, -floor / 2, floor / 2);
}

void Detector::add_window(uint64_t window, const SumRule& rule, double effect, double z, const Rank& rank, Sum& sum) {
  const double before = sum.score, floor = floor_of(rank.peers);
  sum.score = std::clamp(before + increment(rule, effect, z, floor), 0.0, kMaxScore);
  if (before < kOnset && sum.score >= kOnset && !rank.is_named) {
    sum.slow = Slow();
    sum.onset = window;
  }
  if (sum.score < kOnset || rank.effect <= floor) return;
  Slow& slow = sum.slow;
  ++slow.windows;
  slow.effect += rank.effect;
  slow.lateness_s += rank.effect * rank.usual_s;
  slow.usual_s += rank.usual_s;
  for (const auto reason : kReasons) slow.reasons.*reason += rank.reasons.*reason;
}

size_t Detector::Rank::largest() const {
  const auto less = [](const Sum& a, const Sum& b) { return a.score < b.score; };
  return static_cast<size_t>(std::max_element(sums.begin(), sums.end(), less) - sums.begin());
}

void Detector::begin(uint32_t number, Rank& rank, uint64_t window) {
  rank.is_named = true;
  rank.named_by = rank.largest();
  Incident& incident = rank.incident;
  incident = Incident();
  incident.rank = number;
  incident.node = rank.node;
  incident.communicator = rank.cohort;
  incident.from_window = rank.sums[rank.named_by].onset;
  incident.named_window = window;
  incident.nranks = rank.nranks;
  incident.observed = heard_[rank.cohort];
  const double share = rank.nranks == 0 ? 1 : std::min(1.0, static_cast<double>(incident.observed) / rank.nranks);
  incident.confidence = kMaxConfidence * share;
  // Which of two is right is not in the data.
  if (rank.peers <= 2) incident.confidence = std::min(incident.confidence, kMaxConfidenceOfPair);
  update(rank, window);
}

void Detector::update(Rank& rank, uint64_t window) {
  const Slow& slow = rank.sums[rank.named_by].slow;
  if (slow.windows == 0) return;
  const auto windows = static_cast<double>(slow.windows);
  Incident& incident = rank.incident;
  if (rank.effect > floor_of(rank.peers)) incident.last_window = window;
  incident.effect = slow.effect / windows;
  incident.lateness_s = slow.lateness_s / windows;
  incident.usual_s = slow.usual_s / windows;
  for (const auto reason : kReasons) incident.reasons.*reason = slow.reasons.*reason / windows;
  incident.what = class_of(incident);
}

// Silence is not recovery: what is no longer heard of is called that.
void Detector::silence(Rank& rank, std::vector<Incident>& changes) {
  if (rank.is_silent) return;
  rank.is_silent = true;
  for (Sum& sum : rank.sums) sum.score = 0;
  if (!rank.is_named) return;
  rank.is_named = false;
  rank.incident.state = State::kSilent;
  changes.push_back(rank.incident);
}

std::vector<Incident> Detector::end_all_silent() {
  std::vector<Incident> own, changes;
  for (auto& [number, rank] : ranks_) silence(rank, own);
  expected_ = followed_ = 0;
  fold(last_window_, own, changes);
  return changes;
}

void Detector::fold(uint64_t window, const std::vector<Incident>& own, std::vector<Incident>& changes) {
  const bool has_named = std::ranges::any_of(ranks_, [](const auto& one) { return one.second.is_named; });
  if (own.empty() && !has_named && slow_nodes_.is_idle()) return;
  std::vector<NodeMember> members;
  members.reserve(ranks_.size());
  for (const auto& [number, rank] : ranks_) {
    if (rank.is_silent) continue;
    const bool stays_slow = rank.score() >= kSuspect && rank.course.median_of(kAloneFor) >= 100 * floor_of(rank.peers);
    members.push_back({number, rank.node, rank.score(), rank.is_named ? &rank.incident : nullptr, stays_slow});
  }
  slow_nodes_.fold(members, window, own, changes);
}

// Not because one of many sends what it could not send for a while, and is windows ahead of the others; unless nothing
// has come for as long.
bool Detector::is_unheard(const Rank& rank, uint64_t without, uint64_t now_ns) const {
  if (now_ns < resumed_until_ns_) return false;
  if (rank.missed >= kSilentAfter) return true;
  const uint64_t after = kSilentAfter + rank.gap - 1;
  return without >= after && now_ns >= rank.heard_ns + after * period_ns_;
}

void Detector::end_silent(uint64_t window, bool is_full, uint64_t now_ns, std::vector<Incident>& changes) {
  expected_ = 0;
  std::set<uint64_t> roles;
  for (auto one = ranks_.begin(); one != ranks_.end();) {
    Rank& rank = one->second;
    const uint64_t without = window - rank.last_window;
    rank.missed += without > 0 && is_full && now_ns >= resumed_until_ns_ ? 1 : 0;
    if (is_unheard(rank, without, now_ns)) silence(rank, changes);
    if (!rank.is_silent) ++expected_;
    if (without >= kForgetAfter) {
      one = ranks_.erase(one);
    } else {
      roles.insert(rank.role);
      ++one;
    }
  }
  followed_ = expected_;
  for (auto pool = pools_.begin(); pool != pools_.end();) {
    pool = roles.count(pool->first) == 0 ? pools_.erase(pool) : std::next(pool);
  }
}

std::vector<Standing> Detector::standings() const {
  std::vector<Standing> all;
  all.reserve(ranks_.size());
  for (const auto& [number, rank] : ranks_) {
    if (rank.is_silent) continue;
    const Sum& sum = rank.sums[rank.is_named ? rank.named_by : rank.largest()];
    all.push_back({number, rank.node, rank.cohort, sum.onset, rank.effect, rank.score(), rank.usual_s,
                   slow_nodes_.has_own(number), rank.score() >= kSuspect, slow_nodes_.has_node(rank.node),
                   rank.incident});
  }
  std::sort(all.begin(), all.end(), [](const Standing& a, const Standing& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.effect != b.effect ? a.effect > b.effect : a.rank < b.rank;
  });
  return all;
}

std::vector<Incident> Detector::named() const {
  std::vector<Incident> all;
  for (const auto& [number, rank] : ranks_) {
    if (rank.is_named && !rank.is_silent && slow_nodes_.has_own(number)) all.push_back(rank.incident);
  }
  for (const auto& [node, incident] : slow_nodes_.open()) all.push_back(incident);
  return all;
}

bool Detector::has_suspects() const {
  return std::ranges::any_of(ranks_, [](const auto& entry) {
    const Rank& rank = entry.second;
    return !rank.is_silent && (rank.is_named || rank.score() >= kSuspect);
  });
}

std::vector<RankCourse> Detector::courses() const {
  std::vector<RankCourse> all;
  all.reserve(ranks_.size());
  for (const auto& [number, rank] : ranks_) all.push_back({number, rank.node, &rank.course});
  return all;
}

Limits Detector::limits() const {
  Limits limits;
  std::map<uint64_t, std::vector<const Rank*>> roles;
  std::map<uint64_t, uint32_t> cohorts;  // ranks of each
  for (const auto& [number, rank] : ranks_) {
    if (rank.is_silent) continue;
    ++limits.ranks;
    limits.uncompared += rank.uncompared >= kUncompared ? 1 : 0;
    const bool is_contested = rank.contested_window != 0 && rank.contested_window + kRoleWindows > last_window_;
    limits.contested += is_contested ? 1 : 0;
    roles[rank.role].push_back(&rank);
    cohorts[rank.cohort] = rank.nranks;
  }
  for (const auto& [cohort, nranks] : cohorts) {
    const auto heard = heard_.find(cohort);
    if (heard != heard_.end() && heard->second < nranks) limits.unobserved += nranks - heard->second;
  }
  const auto largest = std::max_element(roles.begin(), roles.end(),
                                        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (largest == roles.end()) return limits;
  const auto pool = pools_.find(largest->first);
  if (pool == pools_.end()) return limits;
  // The share of the pool that is below a normal score of kReference.
  constexpr double kShareAtReference = 0.894350226333145;
  std::vector<double> usual;
  size_t heard = 0, peers = kMaxRanks;  // of its smallest cohort
  for (const Rank* rank : largest->second) {
    peers = std::min<size_t>(peers, rank->peers);
    usual.push_back(rank->usual_s);
    heard += rank->last_window + 1 >= last_window_ ? 1 : 0;
  }
  limits.effect = std::max(floor_of(peers), pool->second.effect_at(kShareAtReference));
  limits.detectable_effect = pool->second.detectable_effect(floor_of(peers));
  limits.usual = median(usual, better_);
  const auto members = static_cast<double>(largest->second.size());
  limits.has_quorum =
      pool->second.is_warm() && heard >= kQuorumRanks && static_cast<double>(heard) >= kQuorum * members;
  return limits;
}

// Of cohorts, because roles that carry nearly the same are one; and of none on one node, which may be slow.
std::vector<HeavyRole> Detector::imbalance() const {
  struct Cohort {
    uint64_t role = 0;
    double worked_s = 0;
    std::vector<uint32_t> ranks;
    std::set<uint32_t> nodes;
  };
  std::map<std::pair<uint64_t, uint64_t>, Cohort> by_name;
  size_t all = 0;
  for (const auto& [number, rank] : ranks_) {
    const auto pool = pools_.find(rank.role);
    if (pool == pools_.end() || !pool->second.is_warm() || rank.is_silent || rank.worked_s <= 0) continue;
    Cohort& cohort = by_name[{rank.cohort, rank.role}];
    cohort.role = rank.role;
    cohort.ranks.push_back(number);
    cohort.nodes.insert(rank.node);
    ++all;
  }
  const auto work_of = [&](const std::vector<uint32_t>& ranks) {
    std::vector<double> work;
    for (const uint32_t number : ranks) work.push_back(ranks_.at(number).worked_s);
    return median(work, Better::kLess);
  };
  std::vector<Cohort> cohorts;
  for (auto& [name, cohort] : by_name) {
    cohort.worked_s = work_of(cohort.ranks);
    cohorts.push_back(std::move(cohort));
  }
  std::ranges::sort(cohorts, {}, &Cohort::worked_s);
  double light_s = 0;  // what a quarter of the ranks does not exceed
  for (size_t i = 0, ranks = 0; i < cohorts.size() && kLightOf * ranks < all; ++i) {
    light_s = cohorts[i].worked_s;
    ranks += cohorts[i].ranks.size();
  }
  const auto is_above = [](const Cohort& one, double worked_s) {
    return one.worked_s >= (1 + std::max(kFloor, floor_of(one.ranks.size()))) * worked_s;
  };
  // Of several loads those that carry less than the heaviest wait for it, as the others do: behind the last step
  // between two cohorts that enough ranks are above.
  double heavy_s = 0;
  size_t above = all;
  for (size_t i = 0; i + 1 < cohorts.size(); ++i) {
    above -= cohorts[i].ranks.size();
    const bool is_step = kHeavyOf * above >= all && is_above(cohorts[i + 1], cohorts[i].worked_s);
    if (is_step) heavy_s = cohorts[i + 1].worked_s;
  }
  std::map<uint64_t, std::vector<uint32_t>> heavy_of;  // by role
  std::vector<uint32_t> others;
  for (const Cohort& one : cohorts) {
    const bool is_heavy = one.nodes.size() > 1 && is_above(one, light_s) && one.worked_s >= heavy_s;
    std::vector<uint32_t>& to = is_heavy ? heavy_of[one.role] : others;
    to.insert(to.end(), one.ranks.begin(), one.ranks.end());
  }
  std::vector<HeavyRole> heavy;
  for (auto& [role, ranks] : heavy_of) {
    std::ranges::sort(ranks);
    const double effect = work_of(ranks) / work_of(others) - 1;
    heavy.push_back({std::move(ranks), effect});
  }
  std::ranges::sort(heavy, std::ranges::greater{}, &HeavyRole::effect);
  return heavy;
}

std::set<uint64_t> Detector::cohorts_of(const std::vector<uint32_t>& ranks) const {
  std::set<uint64_t> cohorts;
  for (const uint32_t number : ranks) {
    if (const auto found = ranks_.find(number); found != ranks_.end()) cohorts.insert(found->second.cohort);
  }
  return cohorts;
}

std::vector<uint32_t> Detector::members_of(uint64_t communicator) const {
  std::vector<uint32_t> members;
  for (const auto& [number, rank] : ranks_) {
    if (!rank.is_silent && rank.communicators.count(communicator) != 0) members.push_back(number);
  }
  return members;
}

}  // namespace ingero::fleet::detect
