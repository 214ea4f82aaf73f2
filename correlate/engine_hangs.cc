// Ranks that wait in a collective that others never enter: known as that when they are ended inside it, or when each
// waits for the other, whichever comes first. What ended them is its consequence.
#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "correlate/engine_impl.h"

namespace ingero::correlate {
namespace {

constexpr size_t kShown = 4;  // collectives of one deadlock that are named
constexpr const char* kOneOrder =
    "Enter the collectives of different communicators in the same order on all ranks: order them by events, or put "
    "them on one stream.";

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
    Stuck stuck{key.first, key.second, round.call, round.first_ns, {}, {}, &round};
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

// The stack of the call that the process waits in, or ended in.
std::optional<uint64_t> Engine::Impl::waits_at(uint32_t pid) const {
  for (const auto& [key, flight] : flights) {
    if (flight.pid == pid && flight.has_stack && calls[flight.call].synchronising) return flight.stack_id;
  }
  const auto process = by_pid.find(pid);
  if (process == by_pid.end()) return std::nullopt;
  for (const Sample& call : process->second->calls_at_end) {
    if (call.has_stack) return call.stack_id;
  }
  return std::nullopt;
}

// As evidence: that a process entered a collective. Where no stack was taken of that, it is where the process waits.
template <typename Entry>
hal::ChainEvidence Engine::Impl::entry_of(uint32_t pid, const Entry& entry, std::string detail) const {
  hal::ChainEvidence evidence;
  evidence.pid = pid;
  evidence.tid = entry.tid;
  evidence.start_wall_ns = entry.at_ns + static_cast<uint64_t>(entry.wall_offset_ns);
  if (entry.wall_offset_ns != 0) evidence.start_mono_ns = entry.at_ns;
  evidence.op = calls[entry.call].op;
  evidence.detail = std::move(detail);
  evidence.stack_hash = entry.stack_id ? entry.stack_id : waits_at(pid);
  return evidence;
}

// Who is in which communicator's collective already, and in which others' not yet.
void Engine::Impl::add_order(const std::vector<Stuck>& circle, Finding& finding) const {
  std::string order;
  size_t shown = 0;
  for (const Stuck& one : circle) {
    std::vector<std::string> ranks, not_yet;
    for (const Round::Entry& entry : one.round->entries) {
      const std::string who = name_of_rank(entry.rank, entry.pid);
      if (ranks.size() < kShown) ranks.push_back(who);
      if (finding.evidence.size() >= kShown * kShown) continue;
      finding.evidence.push_back(entry_of(
          entry.pid, entry, fmt::format("{} entered number {} on communicator {:016x}", who, one.number, one.comm)));
    }
    for (const Stuck& other : circle) {
      const bool is_missing =
          std::ranges::any_of(one.present, [&](uint32_t pid) { return contains(other.absent, pid); });
      if (is_missing && not_yet.size() < kShown) not_yet.push_back(fmt::format("{:016x}", other.comm));
    }
    if (++shown > kShown || ranks.empty()) continue;
    order += fmt::format("{}{}{} entered {:016x} ({}, number {}) before {}", order.empty() ? "" : ", ",
                         fmt::join(ranks, ", "), one.round->entries.size() > ranks.size() ? " and more" : "", one.comm,
                         calls[one.call].op, one.number, fmt::join(not_yet, ", "));
  }
  finding.detail += fmt::format(
      ". Each waits for the other: a deadlock of communicators that ranks enter in opposite orders: {}", order);
  finding.remedy = kOneOrder;
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
  std::vector<hal::CollectiveHang::Rank> missing;
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
      if (!has_ended_before) continue;
      const auto known = rank_on.find({one.comm, pid});
      missing.push_back({known == rank_on.end() ? std::nullopt : known->second, pid});
    }
  }
  if (shown > kShown) finding.detail += fmt::format("; and {} more", shown - kShown);
  add_ends(missing, finding);
  if (hanging.size() > kMaxIncidents) hanging.erase(hanging.begin());
  finding.end_mono_ns = end_ns;
  finding.lost_ns = finding.lost_now_ns = end_ns - std::min(end_ns, finding.onset_mono_ns);
  return finding;
}

std::optional<Engine::Impl::End> Engine::Impl::end_of(uint32_t pid) const {
  if (const auto process = by_pid.find(pid); process != by_pid.end()) {
    if (!process->second->ended_mono_ns) return std::nullopt;
    return End{*process->second->ended_mono_ns, process->second->exit_status};
  }
  const auto known = ended_peers.find(pid);
  return known == ended_peers.end() ? std::nullopt : std::optional(known->second);
}

// Before the process is forgotten.
void Engine::Impl::keep_end(const ProcessState& process) {
  if (!process.has_peers || !process.ended_mono_ns) return;
  if (ended_peers.size() >= kMaxPeers) {
    ended_peers.erase(std::ranges::min_element(ended_peers, {}, [](const auto& one) { return one.second.mono_ns; }));
  }
  ended_peers[process.facts.pid] = {*process.ended_mono_ns, process.exit_status};
}

// A rank that has ended comes no more: how it ended, and what to look at then.
void Engine::Impl::add_ends(const std::vector<hal::CollectiveHang::Rank>& missing, Finding& finding) const {
  constexpr size_t kShownEnds = 8;
  size_t ended = 0;
  finding.cause.clear();
  for (const auto& [rank, pid] : missing) {
    const auto end = end_of(pid);
    if (!end || ++ended > kShownEnds) continue;
    finding.cause += fmt::format("{}{} has ended", ended == 1 ? "" : ", ", name_of_rank(rank, pid));
    if (end->status) {
      const int64_t signal = *end->status & 0x7f, status = *end->status >> 8 & 0xff;
      finding.cause += signal != 0 ? fmt::format(" by signal {}", signal) : fmt::format(" with status {}", status);
    }
    const bool is_before = end->mono_ns < finding.onset_mono_ns;
    const uint64_t apart = is_before ? finding.onset_mono_ns - end->mono_ns : end->mono_ns - finding.onset_mono_ns;
    finding.cause += fmt::format(", {} {} the first of the others entered it", format_duration(apart),
                                 is_before ? "before" : "after");
  }
  if (ended > kShownEnds) finding.cause += fmt::format(", and {} more have ended", ended - kShownEnds);
  if (ended == 0 || ended < missing.size()) return;
  finding.remedy =
      "See why the missing ranks ended before the others: fewer steps or batches than the others have, a collective "
      "that they left out, or a way out that the others do not take.";
}

// Processes in a call that waits, which took far less so far; with when it began.
std::map<uint32_t, uint64_t> Engine::Impl::long_waits(uint64_t end_ns) const {
  const uint64_t floor_ns = rule(RuleId::collective_hang).floor_ns;
  std::map<uint32_t, uint64_t> found;
  for (const auto& [key, flight] : flights) {
    const auto process = by_pid.find(flight.pid);
    if (flight.end_mono_ns <= end_ns || key.second + floor_ns > end_ns || !calls[flight.call].synchronising) continue;
    if (process == by_pid.end() || process->second->ended_mono_ns) continue;
    if (usual_of(*process->second, flight.call, nullptr) >= floor_ns / 2) continue;
    const auto [at, is_new] = found.try_emplace(flight.pid, key.second);
    if (!is_new) at->second = std::min(at->second, key.second);
  }
  return found;
}

// Two processes that entered the same two collectives, each in another order, and wait for them since: none is missing
// in either, but a device does one after the other.
std::optional<Engine::Impl::Crossed> Engine::Impl::crossed(uint64_t end_ns) const {
  const std::map<uint32_t, uint64_t> waiting = long_waits(end_ns);
  // What a process entered after it last knew that its work was done, and before it began to wait; of each communicator
  // the last.
  std::map<uint32_t, std::map<uint64_t, Submitted>> undone;
  for (const auto& [pid, since_ns] : waiting) {
    const auto its = submitted.find(pid);
    if (its == submitted.end()) continue;
    for (const Submitted& one : its->second) {
      if (one.at_ns >= by_pid.at(pid)->last_wait_ns && one.at_ns <= since_ns) undone[pid][one.comm] = one;
    }
  }
  for (auto one = undone.begin(); one != undone.end(); ++one) {
    for (auto other = std::next(one); other != undone.end(); ++other) {
      std::vector<std::pair<Submitted, Submitted>> both;
      for (const auto& [comm, its] : one->second) {
        const auto theirs = other->second.find(comm);
        if (theirs != other->second.end() && theirs->second.number == its.number)
          both.emplace_back(its, theirs->second);
      }
      std::ranges::sort(both, {}, [](const auto& pair) { return pair.first.at_ns; });
      for (size_t i = 1; i < both.size(); ++i) {
        if (both[i - 1].first.at_ns == both[i].first.at_ns || both[i].second.at_ns >= both[i - 1].second.at_ns)
          continue;
        return Crossed{one->first, other->first, both[i - 1].first, both[i].first, both[i - 1].second, both[i].second};
      }
    }
  }
  return std::nullopt;
}

void Engine::Impl::evaluate_crossed(uint64_t end_ns, std::vector<std::pair<ProcessState*, Finding>>& found) {
  const auto its = crossed(end_ns);
  if (!its) return;
  const auto name = [&](uint32_t pid) {
    const auto known = rank_on.find({its->first.comm, pid});
    return name_of_rank(known == rank_on.end() ? std::nullopt : known->second, pid);
  };
  const auto text = [&](const Submitted& one) {
    return fmt::format("{:016x} ({}, number {})", one.comm, calls[one.call].op, one.number);
  };
  Finding finding;
  finding.rule = RuleId::collective_hang;
  finding.number = 1;
  finding.confidence = 0.8;
  finding.subject = fmt::format("{:016x}/{}", its->first.comm, its->first.number);
  finding.detail = fmt::format(
      "{} entered {} before {}, {} the other way round, and both wait for them since: most likely a deadlock of "
      "communicators that ranks enter in opposite orders, where a device does one collective after the other",
      name(its->pid), text(its->first), text(its->second), name(its->other));
  finding.remedy = kOneOrder;
  const auto add = [&](uint32_t pid, const Submitted& one, std::string_view which) {
    finding.evidence.push_back(entry_of(pid, one, fmt::format("{} entered {:016x} {}", name(pid), one.comm, which)));
  };
  add(its->pid, its->first, "first");
  add(its->pid, its->second, "then");
  add(its->other, its->others_second, "first");
  add(its->other, its->others_first, "then");
  finding.onset_mono_ns = std::min(its->first.at_ns, its->others_second.at_ns);
  finding.end_mono_ns = end_ns;
  finding.lost_ns = finding.lost_now_ns = end_ns - std::min(end_ns, finding.onset_mono_ns);
  auto& waiting = hanging[fnv1a(finding.subject)];
  waiting.clear();
  for (const auto& [pid, since_ns] : long_waits(end_ns)) waiting.push_back(pid);
  if (hanging.size() > kMaxIncidents) hanging.erase(hanging.begin());
  found.emplace_back(nullptr, std::move(finding));
}

// Ranks that were ended inside a collective, and ranks each of which waits for another that waits.
void Engine::Impl::evaluate_stuck(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found) {
  const uint64_t end_ns = finishing ? std::min((window + 1) * kWindowNs, last_event_ns) : (window + 1) * kWindowNs;
  std::vector<Stuck> stuck = stuck_rounds(end_ns);
  if (stuck.empty()) return evaluate_crossed(end_ns, found);
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
      add_order(circle, finding);
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
