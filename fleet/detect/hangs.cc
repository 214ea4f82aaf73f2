// Who waits, who is behind, and who of those waits in turn: see hangs.h.
#include "fleet/detect/hangs.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"

namespace ingero::fleet::detect {
namespace {

constexpr double kObserved = 0.95;  // the confidence where all ranks are observed
constexpr double kHalf = 0.5;       // of it, for each reason to doubt
constexpr uint64_t kWindowsKept = 720, kWindowsBetweenSweeps = 60;
// So long after hang_after at the latest, what is not decided is decided as it looks.
constexpr uint64_t kUndecidedFor = 1;  // windows
// Where all came and none left, the device may still be busy with what was submitted before; and who goes on in other
// communicators may have submitted one that it needs much later.
constexpr uint64_t kUnknownAfter = 6;  // times hang_after

bool share_a_rank(const Hang& a, const Hang& b) {
  return std::any_of(a.ranks.begin(), a.ranks.end(), [&](const HangingRank& one) {
    return std::any_of(b.ranks.begin(), b.ranks.end(),
                       [&](const HangingRank& other) { return one.rank == other.rank; });
  });
}

bool is_same(const Hang& a, const Hang& b) {
  if (a.kind != b.kind) return false;
  return a.ranks.empty() && b.ranks.empty() ? a.communicator == b.communicator : share_a_rank(a, b);
}

bool has_same_ranks(const Hang& a, const Hang& b) {
  return std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(),
                    [](const HangingRank& one, const HangingRank& other) { return one.rank == other.rank; });
}

}  // namespace

const char* name_of(HangKind kind) {
  constexpr const char* kNames[] = {"missing_enter", "missing_exit", "mismatch", "failed",
                                    "process_gone",  "node_silent",  "deadlock", "unknown"};
  return kNames[static_cast<size_t>(kind)];
}

bool Hangs::add(const Progress& progress) {
  if (progress.end_ns >= clock_ns_ + period_ns_ / 2) before_ns_ = clock_ns_;
  clock_ns_ = std::max(clock_ns_, progress.end_ns);
  nodes_[progress.node] = clock_ns_;
  awaited_.erase(progress.node);
  auto found = communicators_.find(progress.communicator);
  if (found == communicators_.end()) {
    if (communicators_.size() >= kMaxCommunicators) return false;
    found = communicators_.emplace(progress.communicator, Communicator()).first;
  }
  Communicator& communicator = found->second;
  communicator.nranks = progress.nranks;
  if (progress.alias != 0) rename(progress, communicator);
  auto known = communicator.members.find(progress.rank);
  if (known == communicator.members.end()) {
    if (members_ >= kMaxMembers) return false;
    ++members_;
    known = communicator.members.emplace(progress.rank, Member()).first;
  }
  Member& member = known->second;
  if (!progress.is_lost && progress.left > communicator.left) {
    communicator.left = progress.left;
    communicator.left_clock = clock_ns_;
  }
  if (progress.end_ns < member.end_ns && member.node == progress.node) return true;  // it came late
  const bool is_same = member.since_ns != 0 && member.entered == progress.entered && member.left == progress.left &&
                       member.node == progress.node;
  if (!is_same) {
    member.since_ns = progress.end_ns;
    member.since_clock = clock_ns_;
    moved_[progress.rank] = clock_ns_;
    member.unchanged = 0;
  } else if (progress.end_ns >= member.end_ns + period_ns_ / 2) {
    ++member.unchanged;
  }
  member.comm_rank = progress.comm_rank;
  member.node = progress.node;
  member.entered = progress.entered;
  member.left = progress.left;
  member.end_ns = progress.end_ns;
  member.heard_clock = clock_ns_;
  member.is_lost = progress.is_lost;
  member.is_matched = progress.is_matched;
  member.has_failed = progress.has_failed;
  member.is_gone = progress.is_gone;
  member.operation = 0;
  if (progress.operation.empty()) return true;
  std::string name(progress.operation);
  if (progress.bytes > 0) name += fmt::format(" of {} bytes", progress.bytes);
  const uint64_t hash = fnv1a(name);
  member.operation = hash;
  if (operations_.size() >= kMaxOperations && !operations_.contains(hash)) forget_operations();
  if (operations_.size() < kMaxOperations) operations_.emplace(hash, std::move(name));
  return true;
}

void Hangs::hear_node(uint32_t node) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) return;
  known->second = idle_[node] = clock_ns_;
  awaited_.erase(node);
}

// A member that is known by the other name.
void Hangs::rename(const Progress& progress, Communicator& to) {
  const auto from = communicators_.find(progress.alias);
  if (from == communicators_.end()) return;
  auto member = from->second.members.extract(progress.rank);
  if (member.empty()) return;
  if (from->second.left > to.left) {
    to.left = from->second.left;
    to.left_clock = from->second.left_clock;
  }
  if (!to.members.insert(std::move(member)).inserted) --members_;
  for (Hang& hang : open_) {
    if (hang.communicator == progress.alias) hang.communicator = progress.communicator;
  }
  if (from->second.members.empty()) communicators_.erase(from);
}

bool Hangs::knows(uint64_t communicator, uint32_t rank) const {
  const auto found = communicators_.find(communicator);
  return found != communicators_.end() && found->second.members.contains(rank);
}

// Those that no rank is in, and that none of which something comes did last. All members are looked at once a window.
void Hangs::forget_operations() {
  if (clock_ns_ < operations_swept_ns_ + period_ns_) return;
  operations_swept_ns_ = clock_ns_;
  std::set<uint64_t> held;
  for (const auto& [id, communicator] : communicators_) {
    for (const auto& [rank, member] : communicator.members) {
      const bool is_heard = clock_ns_ < member.heard_clock + kSilentAfter * period_ns_;
      if (is_heard || (member.is_inside() && !member.is_lost)) held.insert(member.operation);
    }
  }
  std::erase_if(operations_, [&](const auto& one) { return !held.contains(one.first); });
}

bool Hangs::is_silent(uint32_t node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() || settled_ns_ >= found->second + kSilentAfter * period_ns_;
}

// By the clock that is_silent() goes by: between the two a rank would be neither silent nor known to wait.
bool Hangs::is_fresh(const Member& member) const {
  return settled_ns_ < member.heard_clock + kSilentAfter * period_ns_;
}

// Where others have left its collective meanwhile, it may have too: a later window says so.
bool Hangs::waits_long(const Communicator& communicator, const Member& member) const {
  if (member.entered <= communicator.left && member.heard_clock < communicator.left_clock + period_ns_) return false;
  const uint64_t windows = (hang_after_ns_ + period_ns_ - 1) / period_ns_;
  return member.is_inside() && !member.is_lost && is_fresh(member) &&
         member.unchanged >= std::max<uint64_t>(1, windows);
}

// It has not entered nor left anything, wherever.
bool Hangs::stands_still(uint32_t rank) const {
  const auto found = moved_.find(rank);
  return found == moved_.end() || clock_ns_ >= found->second + hang_after_ns_;
}

// Whether there is still time for more to come before it has to be decided.
bool Hangs::is_in_time(const Stuck& stuck) const {
  return settled_ns_ < stuck.first_clock + hang_after_ns_ + kUndecidedFor * period_ns_;
}

bool Hangs::find_stuck(uint64_t id, const Communicator& communicator, Stuck& stuck) const {
  stuck.id = id;
  stuck.number = INT64_MIN;
  for (const auto& [rank, member] : communicator.members) {
    if (member.is_lost) continue;
    ++stuck.observed;
    stuck.is_matched = stuck.is_matched || member.is_matched;
    stuck.number = std::max(stuck.number, member.entered);
    if (!waits_long(communicator, member)) continue;
    stuck.waited = std::max(stuck.waited, member.entered);
    stuck.has_waiter = stuck.has_waiter || !member.has_failed;
    stuck.is_passed_by = stuck.is_passed_by && !stands_still(rank);
    if (member.since_clock >= stuck.first_clock) continue;
    stuck.first_clock = member.since_clock;
    stuck.first_ns = member.since_ns;
  }
  if (stuck.first_clock == UINT64_MAX) return false;
  find_suspects(communicator, stuck);
  // Also where others have gone on to the next collective, and some of those wait elsewhere.
  find_late_exits(communicator, stuck);
  if (stuck.suspects.empty() && !stuck.is_undecided) find_mismatch(communicator, stuck);
  stuck.is_undecided = stuck.is_undecided && is_in_time(stuck);
  return true;
}

void Hangs::find_suspects(const Communicator& communicator, Stuck& stuck) const {
  std::set<uint32_t> followed;  // nodes of which other ranks are heard of here, and those that have nothing to send
  for (const auto& [rank, member] : communicator.members) {
    if (!member.is_lost && is_fresh(member)) followed.insert(member.node);
  }
  for (const auto& [node, heard_clock] : idle_) {
    if (settled_ns_ < heard_clock + kSilentAfter * period_ns_) followed.insert(node);
  }
  for (const auto& [rank, member] : communicator.members) {
    if (member.is_lost) continue;
    const bool is_through = member.entered >= stuck.number && member.left >= stuck.number;
    if (member.has_failed) {
      stuck.suspects[rank] = HangKind::kFailed;
    } else if (is_through) {
      continue;
    } else if (member.is_gone || (!is_fresh(member) && followed.count(member.node) != 0)) {
      stuck.suspects[rank] = HangKind::kProcessGone;
    } else if (is_silent(member.node)) {
      stuck.suspects[rank] = HangKind::kNodeSilent;
    } else if (nodes_.at(member.node) < stuck.first_clock + period_ns_) {
      stuck.is_undecided = true;  // it may have come since its node sent last
    } else if (member.entered < stuck.number && !member.is_inside()) {
      stuck.suspects[rank] = HangKind::kMissingEnter;
    }
  }
  drop_those_that_gave_up(communicator, stuck);
}

// Ranks that came and then failed may be those that had waited long enough: not where others have not come.
void Hangs::drop_those_that_gave_up(const Communicator& communicator, Stuck& stuck) {
  const auto has_come = [&](const auto& suspect) {
    return suspect.second == HangKind::kFailed && communicator.members.at(suspect.first).entered >= stuck.number;
  };
  if (!std::ranges::all_of(stuck.suspects, has_come)) std::erase_if(stuck.suspects, has_come);
}

void Hangs::find_late_exits(const Communicator& communicator, Stuck& stuck) const {
  int64_t all_entered = INT64_MAX, some_left = INT64_MIN;
  for (const auto& [rank, member] : communicator.members) {
    if (member.is_lost) continue;
    all_entered = std::min(all_entered, member.entered);
    some_left = std::max(some_left, member.left);
  }
  for (const auto& [rank, member] : communicator.members) {
    const bool is_left_behind = member.entered <= all_entered && member.entered <= some_left;
    if (is_left_behind && waits_long(communicator, member)) stuck.suspects.emplace(rank, HangKind::kMissingExit);
  }
}

// A rank is known to have left a collective only when it waits for its device. Where others have left one, and no rank
// waits for this one to come to another, it may just not have looked: as in a pause after which all go on.
void Hangs::drop_exits_without_waiters(std::vector<Stuck>& stuck) const {
  std::set<uint32_t> waited_for;
  for (const Stuck& one : stuck) {
    for (const auto& [rank, member] : communicators_.at(one.id).members) {
      if (member.entered < one.waited) waited_for.insert(rank);
    }
  }
  std::erase_if(stuck, [&](Stuck& one) {
    const size_t dropped = std::erase_if(one.suspects, [&](const auto& suspect) {
      return suspect.second == HangKind::kMissingExit && waited_for.count(suspect.first) == 0;
    });
    return dropped > 0 && one.suspects.empty() && !one.is_undecided;
  });
}

// The majority is right; of two that differ, none is.
void Hangs::find_mismatch(const Communicator& communicator, Stuck& stuck) const {
  std::map<uint64_t, std::vector<uint32_t>> operations;
  for (const auto& [rank, member] : communicator.members) {
    if (member.is_lost) continue;
    if (member.entered != stuck.number || !member.is_inside()) return;
    if (member.operation != 0) operations[member.operation].push_back(rank);
  }
  if (operations.size() < 2) return;
  const auto by_size = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
  const auto largest = std::max_element(operations.begin(), operations.end(), by_size);
  const auto is_as_large = [&](const auto& one) { return one.second.size() == largest->second.size(); };
  stuck.is_split = std::count_if(operations.begin(), operations.end(), is_as_large) > 1;
  for (const auto& [operation, ranks] : operations) {
    if (operation == largest->first && !stuck.is_split) continue;
    for (const uint32_t rank : ranks) stuck.suspects[rank] = HangKind::kMismatch;
  }
}

Hangs::Waits Hangs::waits() const {
  Waits waits;
  for (const auto& [id, communicator] : communicators_) {
    if (!can_hang(communicator)) continue;
    for (const auto& [rank, member] : communicator.members) {
      if (member.is_inside() && !member.is_lost && is_fresh(member)) waits[rank].push_back(id);
    }
  }
  return waits;
}

// A call that returns before its collective is done holds no rank up: all members entered that of `stuck`, and all but
// `rank` went on from there, and wait in `here` for `rank`.
bool Hangs::have_gone_on(const Stuck& stuck, const Stuck& here, uint32_t rank) const {
  const Communicator &communicator = communicators_.at(stuck.id), &next = communicators_.at(here.id);
  if (!stuck.suspects.empty() || stuck.is_undecided || stuck.observed < communicator.nranks) return false;
  return std::ranges::all_of(communicator.members, [&](const auto& entry) {
    const auto& [other, member] = entry;
    if (other == rank || member.is_lost) return other == rank;
    const auto there = next.members.find(other);
    return there != next.members.end() && there->second.is_inside() && there->second.entered >= here.waited &&
           there->second.since_clock >= member.since_clock;
  });
}

Hangs::Held Hangs::waits_elsewhere(uint32_t rank, const Stuck& here, const std::map<uint64_t, const Stuck*>& stuck,
                                   const Waits& waits, bool& is_undecided) const {
  const auto waiting = waits.find(rank);
  if (waiting == waits.end()) return Held::kNo;
  Held held = Held::kNo;
  for (const uint64_t other : waiting->second) {
    if (const auto found = stuck.find(other); found != stuck.end()) {
      held = std::max(held, have_gone_on(*found->second, here, rank) ? Held::kDoubtful : Held::kYes);
    } else if (is_in_time(here) || communicators_.at(other).members.at(rank).unchanged > 0) {
      is_undecided = true;  // it waits there, not long enough yet, or has just been seen there
    }
  }
  return held;
}

Hangs::Findings Hangs::find_causes(const std::vector<Stuck>& stuck, const Waits& waits) const {
  Findings findings;
  std::map<uint64_t, const Stuck*> all;
  for (const Stuck& one : stuck) all.emplace(one.id, &one);
  for (size_t i = 0; i < stuck.size(); ++i) {
    findings.is_undecided = findings.is_undecided || stuck[i].is_undecided;
    for (const auto& [rank, kind] : stuck[i].suspects) {
      Held held = Held::kNo;
      if (kind == HangKind::kMissingEnter) held = waits_elsewhere(rank, stuck[i], all, waits, findings.is_undecided);
      if (held == Held::kYes) {
        findings.held_up.insert(rank);
        continue;
      }
      findings.causes[kind].emplace(rank, i);
      if (held == Held::kDoubtful) findings.doubtful.insert(rank);
    }
  }
  // A rank that is not out of one collective is behind in the next because of it.
  for (const auto& [kind, ranks] : findings.causes) {
    for (const auto& [rank, where] : ranks) findings.held_up.erase(rank);
  }
  return findings;
}

std::string Hangs::operation_name(uint64_t hash) const {
  const auto found = operations_.find(hash);
  return found == operations_.end() ? "" : found->second;
}

Hang Hangs::describe(HangKind kind, const Stuck& where) const {
  const Communicator& communicator = communicators_.at(where.id);
  Hang hang;
  hang.kind = kind;
  hang.communicator = where.id;
  hang.number = where.number;
  hang.observed = where.observed;
  hang.nranks = std::max<uint32_t>(communicator.nranks, where.observed);
  hang.from_ns = where.first_ns - std::min(where.first_ns, period_ns_);
  for (const auto& [rank, member] : communicator.members) {
    hang.to_ns = std::max(hang.to_ns, member.end_ns);
    const bool is_right = member.entered == where.number && where.suspects.count(rank) == 0;
    if (hang.operation.empty() && is_right) hang.operation = operation_name(member.operation);
  }
  hang.confidence = kObserved * where.observed / hang.nranks;
  hang.is_matched = where.is_matched;
  if (where.is_matched) hang.confidence *= kHalf;
  if (where.is_passed_by) hang.confidence *= kHalf;
  if (kind == HangKind::kUnknown || (kind == HangKind::kMismatch && where.is_split)) hang.confidence *= kHalf;
  return hang;
}

std::vector<Hang> Hangs::hangs_of(Findings findings, const std::vector<Stuck>& stuck, const Waits& waits) const {
  auto& causes = findings.causes;
  if (causes.empty()) {
    // Where all came and none left, no rank is to blame for what can be seen; else they wait in a circle.
    const auto end = std::find_if(stuck.begin(), stuck.end(), [](const Stuck& one) { return one.suspects.empty(); });
    if (end != stuck.end()) {
      if (clock_ns_ < stuck.front().first_clock + kUnknownAfter * hang_after_ns_) return {};
      Hang hang = describe(HangKind::kUnknown, *end);
      hang.waiting = waits.size();
      hang.held_up = findings.held_up.size();
      hang.communicators = stuck.size();
      return {std::move(hang)};
    }
    for (size_t i = 0; i < stuck.size(); ++i) {
      for (const auto& [rank, kind] : stuck[i].suspects) causes[HangKind::kDeadlock].emplace(rank, i);
    }
    findings.held_up.clear();
  }
  std::vector<Hang> hangs;
  for (const auto& [kind, ranks] : causes) {
    // `stuck` begins with the first wait.
    size_t first = stuck.size() - 1;
    for (const auto& [rank, where] : ranks) first = std::min(first, where);
    Hang hang = describe(kind, stuck[first]);
    hang.held_up = findings.held_up.size();
    hang.communicators = stuck.size();
    for (const auto& [rank, where] : waits) hang.waiting += ranks.count(rank) == 0 ? 1 : 0;
    const auto is_doubtful = [&](const auto& one) { return findings.doubtful.contains(one.first); };
    if (std::ranges::any_of(ranks, is_doubtful)) hang.confidence *= kHalf;
    for (const auto& [rank, where] : ranks) {
      const Member& member = communicators_.at(stuck[where].id).members.at(rank);
      hang.ranks.push_back({rank, member.comm_rank, member.node, member.entered, member.left,
                            operation_name(member.operation), member.end_ns, member.is_gone});
    }
    std::stable_sort(hang.ranks.begin(), hang.ranks.end(),
                     [](const HangingRank& a, const HangingRank& b) { return a.entered < b.entered; });
    hangs.push_back(std::move(hang));
  }
  return hangs;
}

// Its waiting ranks were still there when they were heard of last.
bool Hangs::is_still_inside(const Hang& hang) const {
  const auto found = communicators_.find(hang.communicator);
  if (found == communicators_.end()) return true;
  return std::any_of(found->second.members.begin(), found->second.members.end(), [&](const auto& one) {
    const Member& member = one.second;
    return member.is_inside() && member.entered == hang.number && !is_fresh(member);
  });
}

std::vector<Hang> Hangs::find() const {
  std::vector<Stuck> stuck;
  for (const auto& [id, communicator] : communicators_) {
    if (!can_hang(communicator)) continue;
    Stuck one;
    if (!find_stuck(id, communicator, one)) continue;
    if (one.is_passed_by && clock_ns_ < one.first_clock + kUnknownAfter * hang_after_ns_) continue;
    stuck.push_back(std::move(one));
  }
  drop_exits_without_waiters(stuck);
  if (std::ranges::none_of(stuck, &Stuck::has_waiter)) return {};  // all that waited have given up
  std::stable_sort(stuck.begin(), stuck.end(),
                   [](const Stuck& a, const Stuck& b) { return a.first_clock < b.first_clock; });
  const Waits waiting = waits();
  Findings findings = find_causes(stuck, waiting);
  if (findings.is_undecided) {
    return open_;  // as it is
  }
  return hangs_of(std::move(findings), stuck, waiting);
}

void Hangs::resume(uint64_t now_ns) {
  awaited_.clear();
  for (const auto& [node, heard_clock] : nodes_) {
    if (clock_ns_ < heard_clock + kSilentAfter * period_ns_) awaited_.insert(node);
  }
  awaited_until_ns_ = now_ns + kReturn_ns;
  most_missing_ns_ = 0;
}

// Nodes that come back send what they could not send: then the job's clock runs ahead, and what is known of those that
// have yet to come is old.
bool Hangs::are_returning(uint64_t now_ns) {
  const uint64_t silent_ns = kSilentAfter * period_ns_;
  size_t heard = 0, before = 0;  // before: when the job was evaluated last
  for (const auto& [node, heard_clock] : nodes_) {
    before += followed_ns_ < heard_clock + silent_ns ? 1 : 0;
    heard += clock_ns_ < heard_clock + silent_ns ? 1 : 0;
  }
  if (2 * heard >= before) {
    most_missing_ns_ = 0;
  } else if (most_missing_ns_ == 0) {
    most_missing_ns_ = now_ns;
  }
  if (most_missing_ns_ != 0 && now_ns - most_missing_ns_ < kReturn_ns && now_ns != UINT64_MAX) return true;
  return !awaited_.empty() && now_ns < awaited_until_ns_;
}

std::vector<Hang> Hangs::advance(bool is_settled, uint64_t now_ns) {
  evaluated_ns_ = clock_ns_;
  if (are_returning(now_ns)) return {};
  followed_ns_ = clock_ns_;
  settled_ns_ = is_settled ? clock_ns_ : before_ns_;
  forget_old();
  std::vector<Hang> changes, news, found = find();
  for (Hang& hang : found) {
    const auto known =
        std::find_if(open_.begin(), open_.end(), [&](const Hang& other) { return is_same(hang, other); });
    if (known == open_.end()) {
      news.push_back(hang);
      continue;
    }
    hang.from_ns = std::min(hang.from_ns, known->from_ns);
    if (!has_same_ranks(hang, *known)) news.push_back(hang);
    open_.erase(known);
  }
  for (Hang& hang : open_) {
    hang.state = is_still_inside(hang) ? State::kSilent : State::kOver;
    changes.push_back(std::move(hang));
  }
  changes.insert(changes.end(), news.begin(), news.end());
  open_ = std::move(found);
  return changes;
}

std::vector<Hang> Hangs::end_silent() {
  std::vector<Hang> changes = std::move(open_);
  open_.clear();
  for (Hang& hang : changes) hang.state = State::kSilent;
  return changes;
}

Hangs::Known Hangs::known() const {
  Known known;
  std::vector<uint32_t> unnumbered;
  for (const auto& [id, communicator] : communicators_) {
    bool is_numbered = false;
    for (const auto& [rank, member] : communicator.members) {
      is_numbered = is_numbered || !member.is_lost;
      if (member.is_lost && is_fresh(member)) unnumbered.push_back(rank);
    }
    known.communicators += is_numbered ? 1 : 0;
  }
  std::sort(unnumbered.begin(), unnumbered.end());
  const auto end = std::unique(unnumbered.begin(), unnumbered.end());
  known.unnumbered_ranks = static_cast<size_t>(end - unnumbered.begin());
  return known;
}

void Hangs::forget_old() {
  if (clock_ns_ < swept_ns_ + kWindowsBetweenSweeps * period_ns_) return;
  swept_ns_ = clock_ns_;
  const auto is_old = [&](const auto& one) { return clock_ns_ >= one.second.heard_clock + kWindowsKept * period_ns_; };
  for (auto one = communicators_.begin(); one != communicators_.end();) {
    members_ -= std::erase_if(one->second.members, is_old);
    one = one->second.members.empty() ? communicators_.erase(one) : std::next(one);
  }
  for (auto* times : {&nodes_, &idle_, &moved_}) {
    std::erase_if(*times, [&](const auto& one) { return clock_ns_ >= one.second + kWindowsKept * period_ns_; });
  }
}

}  // namespace ingero::fleet::detect
