// Ranks that wait in a collective that others never enter: known as that when they are ended inside it, or when each
// waits for the other, whichever comes first. What ended them is its consequence.
#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "correlate/engine_impl.h"

namespace ingero::correlate {
namespace {

constexpr size_t kShown = 4;  // collectives of one deadlock that are named

std::string name_of_rank(std::optional<int32_t> rank, uint32_t pid) {
  return rank ? fmt::format("rank {} (pid {})", *rank, pid) : fmt::format("pid {}", pid);
}

bool contains(const std::vector<uint32_t>& pids, uint32_t pid) { return std::ranges::find(pids, pid) != pids.end(); }

}  // namespace

// Since when the process has been inside a call that waits, made after it entered a collective; until the end of the
// window, or of itself. None: it is not, or not for long.
std::optional<uint64_t> Engine::Impl::stuck_since(uint32_t pid, uint64_t entered_ns, uint64_t end_ns) const {
  const auto waits = [&](hal::CallId call) {
    return calls[call].synchronising || calls[call].kind == hal::Kind::kCollective;
  };
  std::optional<uint64_t> since;
  const auto consider = [&](uint64_t start_ns, uint64_t until_ns) {
    if (start_ns < entered_ns || start_ns + kStuckNs > until_ns) return;
    since = std::min(since.value_or(start_ns), start_ns);
  };
  for (const auto& [key, flight] : flights) {
    if (flight.pid == pid && waits(flight.call) && flight.end_mono_ns > end_ns) consider(key.second, end_ns);
  }
  const auto process = by_pid.find(pid);
  if (process == by_pid.end() || !process->second->ended_mono_ns) return since;
  for (const Sample& call : process->second->calls_at_end) {
    if (waits(call.call)) consider(call.start_mono_ns, call.start_mono_ns + call.duration_ns);
  }
  return since;
}

// Of each communicator the first collective that not all of its ranks have entered, where those that have are stuck.
std::vector<Engine::Impl::Stuck> Engine::Impl::stuck_rounds(uint64_t end_ns) const {
  std::vector<Stuck> found;
  const std::pair<const std::pair<uint64_t, uint64_t>, Round>* last = nullptr;
  for (const auto& entry : rounds) {
    const auto& [key, round] = entry;
    const bool is_first = last == nullptr || last->first.first != key.first;
    last = &entry;
    const auto peers = comm_pids.find(key.first);
    if (!is_first || peers == comm_pids.end() || round.entries.empty()) continue;
    Stuck stuck{key.first, key.second, round.call, round.first_ns, {}, {}};
    const bool are_stuck = std::ranges::all_of(round.entries, [&](const Round::Entry& one) {
      stuck.present.push_back(one.pid);
      return stuck_since(one.pid, one.at_ns, end_ns).has_value();
    });
    for (const uint32_t pid : peers->second) {
      if (!contains(stuck.present, pid)) stuck.absent.push_back(pid);
    }
    if (are_stuck && !stuck.absent.empty()) found.push_back(std::move(stuck));
  }
  return found;
}

// "xAllReduce, number 12 on communicator beef: rank 0 (pid 7) waiting for rank 1 (pid 8)"
std::string Engine::Impl::text_of(const Stuck& stuck) const {
  const auto list = [&](const std::vector<uint32_t>& pids) {
    std::string names;
    for (const uint32_t pid : pids) {
      const auto known = rank_on.find({stuck.comm, pid});
      const auto rank = known == rank_on.end() ? std::nullopt : known->second;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of_rank(rank, pid));
    }
    return names;
  };
  return fmt::format("{}, number {} on communicator {:016x}: {} waiting for {}", calls[stuck.call].op, stuck.number,
                     stuck.comm, list(stuck.present), list(stuck.absent));
}

Finding Engine::Impl::hang_of(const std::vector<Stuck>& stuck, uint64_t end_ns) {
  Finding finding;
  finding.rule = RuleId::collective_hang;
  finding.number = 1;
  finding.confidence = 1;
  finding.onset_mono_ns = ~uint64_t{0};
  finding.subject = fmt::format("{:016x}/{}", stuck.front().comm, stuck.front().number);
  auto& waiting = hanging[fnv1a(finding.subject)];
  waiting.clear();
  size_t shown = 0;
  for (const Stuck& one : stuck) {
    finding.onset_mono_ns = std::min(finding.onset_mono_ns, one.from_ns);
    if (++shown <= kShown) finding.detail += fmt::format("{}{}", shown == 1 ? "" : "; ", text_of(one));
    waiting.insert(waiting.end(), one.present.begin(), one.present.end());
    for (const uint32_t pid : one.absent) {
      const auto process = by_pid.find(pid);
      const bool has_ended_before =
          process != by_pid.end() && process->second->ended_mono_ns.value_or(end_ns) + kStuckNs <= end_ns;
      (has_ended_before ? finding.absent : waiting).push_back(pid);
    }
  }
  if (shown > kShown) finding.detail += fmt::format("; and {} more", shown - kShown);
  if (hanging.size() > kMaxIncidents) hanging.erase(hanging.begin());
  finding.end_mono_ns = end_ns;
  finding.lost_ns = finding.lost_now_ns = end_ns - std::min(end_ns, finding.onset_mono_ns);
  return finding;
}

// Ranks that were ended inside a collective, and ranks each of which waits for another that waits.
void Engine::Impl::evaluate_stuck(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found) {
  const uint64_t end_ns = finishing ? std::min((window + 1) * kWindowNs, last_event_ns) : (window + 1) * kWindowNs;
  std::vector<Stuck> stuck = stuck_rounds(end_ns);
  if (stuck.empty()) return;
  const auto ended_now = [&](uint32_t pid) -> std::optional<uint64_t> {
    const auto process = by_pid.find(pid);
    if (process == by_pid.end() || !process->second->ended_mono_ns) return std::nullopt;
    const uint64_t ended = *process->second->ended_mono_ns;
    return ended / kWindowNs == window ? std::optional(ended) : std::nullopt;
  };
  const auto first_end = [&](const Stuck& one) {
    uint64_t first = ~uint64_t{0};
    for (const uint32_t pid : one.present) first = std::min(first, ended_now(pid).value_or(~uint64_t{0}));
    return first;
  };
  // What is left when every collective is taken away that waits for a rank that does not wait itself.
  std::vector<Stuck> circle = stuck;
  const auto waits = [&](uint32_t pid) {
    return std::ranges::any_of(circle, [&](const Stuck& one) { return contains(one.present, pid); });
  };
  while (std::erase_if(circle, [&](const Stuck& one) { return !std::ranges::all_of(one.absent, waits); }) > 0) {
  }
  if (!circle.empty()) {
    uint64_t until_ns = end_ns;
    bool goes_on = true;
    for (const Stuck& one : circle) {
      until_ns = std::min(until_ns, first_end(one));
      goes_on &= std::ranges::none_of(one.present, [&](uint32_t pid) {
        const auto process = by_pid.find(pid);
        return process != by_pid.end() && process->second->ended_mono_ns && !ended_now(pid);
      });
    }
    if (goes_on) {
      Finding finding = hang_of(circle, until_ns);
      finding.detail += ". Each waits for the other: a deadlock";
      finding.remedy = "Make the collectives of different communicators in the same order on all ranks.";
      for (const Stuck& one : circle) in_deadlock.insert(fmt::format("{:016x}/{}", one.comm, one.number));
      if (in_deadlock.size() > kMaxIncidents) in_deadlock.clear();
      found.emplace_back(nullptr, std::move(finding));
    }
  }
  for (const Stuck& one : stuck) {
    const std::string subject = fmt::format("{:016x}/{}", one.comm, one.number);
    if (in_deadlock.contains(subject) || open_hangs.contains(subject)) continue;
    const uint64_t ended = first_end(one);
    if (ended == ~uint64_t{0}) continue;
    uint64_t pause = 0;
    for (const uint32_t pid : one.present) {
      if (const auto process = by_pid.find(pid); process != by_pid.end()) {
        pause = std::max<uint64_t>(pause, process->second->longest_pause);
      }
    }
    if (ended - std::min(ended, one.from_ns) < 2 * pause * kWindowNs) continue;  // it has waited like that, and went on
    found.emplace_back(nullptr, hang_of({one}, ended));
  }
}

}  // namespace ingero::correlate
