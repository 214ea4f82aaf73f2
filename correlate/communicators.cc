// Maps handles to communicators and numbers their collectives: see communicators.h for the invariants.
#include "correlate/communicators.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

namespace ingero::correlate {
namespace {

using hal::Kind;
using hal::Outcome;
using hal::Role;

constexpr uint64_t kSeed = 0x9e3779b97f4a7c15;
constexpr size_t kIdBytes = 128;
constexpr int32_t kMaxRanksInProcess = 1024;  // devices of one machine
constexpr size_t kMaxRanksHere = 4096;        // of one communicator, on this host
// Of a library's count (C3).
constexpr unsigned kAgreed = 3;                                           // readings
constexpr unsigned kMaxFailed = 200;                                      // readings
constexpr uint64_t kReadEvery = 20'000'000, kCheckEvery = 1'000'000'000;  // ns, of one communicator
constexpr unsigned kReadingsASecond = 100;                                // of all: each copies ten words

uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t fold(uint64_t hash, uint64_t word) { return mix((hash ^ word) + kSeed); }

bool is_made_of_others(const hal::CallTable& calls, const hal::Event& event) {
  if (!event.has(hal::Has::kParent) || event.parent_call >= calls.size()) return false;
  const Kind around = calls[event.parent_call].kind;
  return around == Kind::kCollective || around == Kind::kP2p;
}

bool succeeded(const hal::Event& event) { return event.outcome == Outcome::kReturned && !event.failed; }

// Ranks come from the traced process.
bool is_sane(std::optional<int32_t> rank, std::optional<int32_t> nranks) {
  return rank && nranks && *nranks > 0 && *rank >= 0 && *rank < *nranks;
}

// By the time it is read, its handle may be another one's.
bool is_same(const hal::Communicator& known, const hal::LiveCommunicator& live) {
  return known.rank.value_or(live.rank) == live.rank && known.nranks.value_or(live.nranks) == live.nranks;
}

// Is it among the calls that its library counts?
bool is_counted(const hal::Call& call) {
  if (call.library == nullptr || call.library->communicators == nullptr) return false;
  const auto& counted = call.library->communicators->counted;
  return std::ranges::find(counted, call.name) != counted.end();
}

}  // namespace

std::optional<uint64_t> fold_id(std::span<const std::byte> id) {
  if (id.size() < kIdBytes) return std::nullopt;
  uint64_t hash = kSeed;
  for (size_t at = 0; at < kIdBytes; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, id.data() + at, sizeof(word));
    hash = fold(hash, word);
  }
  return hash;
}

Communicators::Communicators(const hal::CallTable& calls, hal::LossLedger& ledger, ReadWords read_words,
                             ReadLive read_live)
    : calls_(calls), ledger_(ledger), read_words_(std::move(read_words)), read_live_(std::move(read_live)) {}

Communicators::State* Communicators::alive(uint32_t pid, uint64_t handle, uint64_t start_mono_ns) {
  const auto found = by_handle_.find({pid, handle});
  if (found == by_handle_.end()) return nullptr;
  State& state = states_.at(found->second);
  return state.shown.made_mono_ns <= start_mono_ns ? &state : nullptr;
}

Communicators::State* Communicators::known_or_late(const hal::Event& event, const hal::Exchange& exchange) {
  if (!exchange.communicator || *exchange.communicator == 0) return nullptr;
  if (State* state = alive(event.pid, *exchange.communicator, event.start_mono_ns)) {
    const bool is_whole = state->shown.rank && state->shown.library_hash;
    if (!is_whole && read_live(*state, event)) changes_.push_back(state->shown.id);
    return state;
  }
  // A handle that is in use but was made after this call began: the call was on another one (C1).
  if (!succeeded(event) || by_handle_.contains({event.pid, *exchange.communicator})) return nullptr;
  State* state = make(event, *exchange.communicator, Role::kNone);
  state->shown.made_mono_ns = 0;
  if (!read_live(*state, event) || !state->shown.comm_id_hash) ledger_.add(hal::Loss::communicator_unknown);
  return state;
}

// Its identity is the library's own number only where no other is known: of one that all its ranks are late to, and of
// its children.
bool Communicators::read_live(State& state, const hal::Event& event) {
  if (!read_live_ || state.reads_left == 0) return false;
  --state.reads_left;
  const auto live = read_live_(event, state.shown.handle);
  if (!live || !is_same(state.shown, *live)) return false;
  state.shown.rank = live->rank;
  state.shown.nranks = live->nranks;
  state.shown.library_hash = live->identity;
  if (!state.shown.comm_id_hash) state.shown.comm_id_hash = live->identity;
  state.counted.is_wanted = live->collectives && state.shown.made_by == Role::kNone;
  return true;
}

// Before the collective is counted: a reading holds when no call on the communicator ran from its beginning to its end.
void Communicators::compare_counts(State& state, const hal::Event& event) {
  LibraryCount& counted = state.counted;
  if (!is_counted(calls_[event.call])) {  // the library and we count differently from here on
    state.is_numbered = counted.is_wanted = false;
    return;
  }
  if (!counted.reading || event.end_mono_ns() <= counted.reading->from_mono_ns) return;
  const LibraryCount::Reading reading = *std::exchange(counted.reading, std::nullopt);
  if (event.start_mono_ns <= reading.to_mono_ns) {
    if (++counted.failed == kMaxFailed && !state.is_numbered) counted.is_wanted = false;
    return;
  }
  counted.failed = 0;
  const uint64_t ahead = reading.collectives - state.collectives;
  if (state.is_numbered) {  // it stays as it was, or something is counted that we do not see
    state.is_numbered = counted.is_wanted = ahead == 0;
    return;
  }
  counted.agreed = counted.agreed > 0 && ahead == counted.ahead ? counted.agreed + 1 : 1;
  counted.ahead = ahead;
  if (counted.agreed < kAgreed) return;
  state.collectives += ahead;
  state.is_numbered = true;
  state.shown.numbers_lost = false;
}

void Communicators::read_count(State& state, const hal::Event& event) {
  LibraryCount& counted = state.counted;
  if (!counted.is_wanted || counted.reading || event.end_mono_ns() < counted.next_mono_ns) return;
  if (const uint64_t second = event.end_mono_ns() / 1'000'000'000; second != std::exchange(reading_second_, second)) {
    readings_ = 0;
  }
  if (readings_ >= kReadingsASecond) return;
  ++readings_;
  counted.next_mono_ns = event.end_mono_ns() + (state.is_numbered ? kCheckEvery : kReadEvery);
  const auto live = read_live_(event, state.shown.handle);
  if (!live || !live->collectives) return;
  counted.reading = {*live->collectives, live->read_from_mono_ns, live->read_to_mono_ns};
}

Communicators::State* Communicators::make(const hal::Event& event, uint64_t handle, Role made_by) {
  const auto [at, is_new] = by_handle_.try_emplace({event.pid, handle}, next_id_);
  if (!is_new) {
    end(at->second, event.start_mono_ns);
    by_handle_[{event.pid, handle}] = next_id_;
  }
  State& state = states_[next_id_];
  state.shown.id = next_id_++;
  state.shown.pid = event.pid;
  state.shown.handle = handle;
  state.shown.made_mono_ns = event.end_mono_ns();
  state.shown.made_by = made_by;
  state.is_numbered = state.knows_children = made_by != Role::kNone;
  changes_.push_back(state.shown.id);
  while (states_.size() > kMaxCommunicators) {  // (C5)
    const uint64_t oldest = ended_.empty() ? states_.begin()->first : ended_.front();
    if (ended_.empty()) {
      const hal::Communicator& shown = states_.begin()->second.shown;
      by_handle_.erase({shown.pid, shown.handle});
      ledger_.add(hal::Loss::communicator_lost);
    } else {
      ended_.pop_front();
    }
    states_.erase(oldest);
  }
  return &state;
}

void Communicators::end(uint64_t id, uint64_t mono_ns) {
  const auto found = states_.find(id);
  if (found == states_.end()) return;
  State& state = found->second;
  state.shown.ended_mono_ns = mono_ns;
  by_handle_.erase({state.shown.pid, state.shown.handle});
  ended_.push_back(id);
  changes_.push_back(id);
}

void Communicators::process_ended(uint32_t pid, uint64_t mono_ns) {
  std::vector<uint64_t> over;
  for (auto at = by_handle_.lower_bound({pid, 0}); at != by_handle_.end() && at->first.first == pid; ++at) {
    if (states_.at(at->second).shown.made_mono_ns <= mono_ns) over.push_back(at->second);
  }
  for (const uint64_t id : over) end(id, mono_ns);
  std::erase_if(groups_,
                [&](const auto& group) { return group.second.pid == pid && group.second.start_mono_ns <= mono_ns; });
}

void Communicators::lost_collectives() {
  for (auto& [id, state] : states_) {
    state.counted.reading.reset();
    state.counted.agreed = 0;
    if (!std::exchange(state.is_numbered, false) || state.shown.ended_mono_ns) continue;
    state.shown.numbers_lost = true;
    changes_.push_back(id);
    ledger_.add(hal::Loss::communicator_lost);
  }
}

void Communicators::lost_communicators() {
  ledger_.add(hal::Loss::communicator_lost, by_handle_.size());
  for (const auto& [handle, id] : by_handle_) ended_.push_back(id);
  by_handle_.clear();
  groups_.clear();  // a group's end may be among the lost records
  splits_.clear();
  growths_.clear();
}

std::vector<hal::Communicator> Communicators::take_changes() {
  std::vector<hal::Communicator> reported;
  std::sort(changes_.begin(), changes_.end());
  changes_.erase(std::unique(changes_.begin(), changes_.end()), changes_.end());
  for (const uint64_t id : changes_) {
    if (const hal::Communicator* communicator = find(id)) reported.push_back(*communicator);
  }
  changes_.clear();
  return reported;
}

const hal::Communicator* Communicators::find(uint64_t id) const {
  const auto found = states_.find(id);
  return found == states_.end() ? nullptr : &found->second.shown;
}

void Communicators::take(const hal::Event& event, hal::Exchange& exchange) {
  exchange.exchange_id = next_exchange_++;
  grouping(event, exchange);
  if (event.kind == Kind::kCommunicator) return communicator_call(event, exchange);
  exchange.is_part = is_made_of_others(calls_, event);
  State* state = known_or_late(event, exchange);
  if (state == nullptr) return;
  exchange.communicator_id = state->shown.id;
  if (event.kind != Kind::kCollective || exchange.is_part) return;  // (C4)
  if (event.outcome == Outcome::kInFlight) {
    if (state->is_numbered) exchange.number = state->collectives + 1;
  } else if (event.outcome != Outcome::kReturned) {
    state->is_numbered = state->counted.is_wanted = false;  // (C3) whether the other ranks count it is unknown
  } else if (!event.failed) {
    if (state->counted.is_wanted) compare_counts(*state, event);
    ++state->collectives;
    if (state->is_numbered) exchange.number = state->collectives;
    read_count(*state, event);
  }
}

void Communicators::grouping(const hal::Event& event, hal::Exchange& exchange) {
  if (event.outcome == Outcome::kInFlight) return;
  auto found = groups_.find(event.tid);
  if (found != groups_.end() && found->second.pid != event.pid) {
    groups_.erase(found);  // a thread of another process that had this number
    found = groups_.end();
  }
  if (exchange.role == Role::kGroupStart && succeeded(event)) {
    if (found == groups_.end()) {
      if (groups_.size() >= kMaxGroups) {
        ledger_.add(hal::Loss::communicator_lost, groups_.size());
        groups_.clear();
      }
      found = groups_.emplace(event.tid, Group{event.pid, event.start_mono_ns, 0}).first;
    }
    ++found->second.depth;
  }
  if (found == groups_.end()) return;
  exchange.group = found->second.start_mono_ns;
  if (exchange.role == Role::kGroupEnd && --found->second.depth == 0) groups_.erase(found);
}

void Communicators::communicator_call(const hal::Event& event, hal::Exchange& exchange) {
  if (event.outcome == Outcome::kInFlight) return;
  const uint64_t made = exchange.new_communicator.value_or(0);
  switch (exchange.role) {
    case Role::kInit:
      if (!succeeded(event) || made == 0) break;
      if (State* state = make(event, made, Role::kInit)) {
        state->shown.comm_id_hash = exchange.id_hash;
        if (is_sane(exchange.rank, exchange.nranks)) state->shown.rank = exchange.rank;
        if (exchange.nranks && *exchange.nranks > 0) state->shown.nranks = exchange.nranks;
        exchange.communicator_id = state->shown.id;
      }
      return;
    case Role::kInitAll:
      if (succeeded(event)) init_all(event, exchange);
      return;
    case Role::kSplit:
      split(event, exchange);
      break;
    case Role::kShrink:
      shrink(event, exchange);
      break;
    case Role::kGrow:
      grow(event, exchange);
      break;
    case Role::kDestroy:
    case Role::kAbort:
      if (!exchange.communicator) return;
      if (State* state = alive(event.pid, *exchange.communicator, event.start_mono_ns)) {
        exchange.communicator_id = state->shown.id;
        end(state->shown.id, event.start_mono_ns);
      }
      return;
    case Role::kAsk:
      if (State* state = succeeded(event) ? known_or_late(event, exchange) : nullptr) {
        hal::Communicator& shown = state->shown;
        if (!shown.rank && exchange.rank && *exchange.rank >= 0) shown.rank = exchange.rank;
        if (!shown.nranks && exchange.nranks && *exchange.nranks > 0) shown.nranks = exchange.nranks;
        changes_.push_back(shown.id);
      }
      break;
    default:
      break;
  }
  if (exchange.communicator) {
    if (const State* state = alive(event.pid, *exchange.communicator, event.start_mono_ns)) {
      exchange.communicator_id = state->shown.id;
    }
  }
}

// All ranks at once. The handles are in an array of the caller's, which the program needs to use them; the call's own
// record carries the first.
void Communicators::init_all(const hal::Event& event, const hal::Exchange& exchange) {
  const int32_t nranks = exchange.nranks.value_or(0);
  if (!exchange.new_communicator || nranks <= 0) return;
  std::vector<uint64_t> handles(static_cast<size_t>(std::min(nranks, kMaxRanksInProcess)));
  handles[0] = *exchange.new_communicator;
  bool all_read = handles.size() == 1 && nranks == 1;
  if (!all_read && nranks <= kMaxRanksInProcess && exchange.communicators && read_words_) {
    std::vector<uint64_t> read(handles.size());
    all_read = read_words_(event.pid, *exchange.communicators, read) && read[0] == handles[0] &&
               std::set<uint64_t>(read.begin(), read.end()).size() == read.size() &&
               std::find(read.begin(), read.end(), 0U) == read.end();
    if (all_read) handles = std::move(read);
  }
  if (!all_read) {
    ledger_.add(hal::Loss::communicator_unknown);
    handles.resize(1);
  }
  // No identity is passed. The ranks are all here, so one made of this call will do.
  uint64_t hash = fold(fold(kSeed, event.pid), event.start_mono_ns);
  hash = fold(hash, event.tid);
  for (size_t rank = 0; rank < handles.size(); ++rank) {
    if (handles[rank] == 0) continue;
    State* state = make(event, handles[rank], Role::kInitAll);
    state->shown.comm_id_hash = hash;
    state->shown.rank = static_cast<int32_t>(rank);
    state->shown.nranks = nranks;
  }
}

// The children of a communicator are made by all of its ranks in the same order, so (parent, place in that order) names
// one on every rank.
std::optional<Communicators::ChildKey> Communicators::next_child(State& parent) {
  const uint64_t which = ++parent.children;
  if (!parent.knows_children || !parent.shown.comm_id_hash) return std::nullopt;
  return ChildKey{*parent.shown.comm_id_hash, which};
}

Communicators::State* Communicators::child(State& parent, const hal::Event& event, const hal::Exchange& exchange) {
  const uint64_t parent_id = parent.shown.id;
  State* state = make(event, *exchange.new_communicator, exchange.role);
  state->shown.parent_id = parent_id;
  return state;
}

void Communicators::split(const hal::Event& event, const hal::Exchange& exchange) {
  State* parent = known_or_late(event, exchange);
  if (parent == nullptr) return;
  if (!succeeded(event)) {
    parent->knows_children = false;  // did it count for the others?
    return;
  }
  const auto key = next_child(*parent);
  const hal::Communicator of = parent->shown;
  uint64_t child_id = 0;
  const bool has_child = exchange.color && *exchange.color >= 0;
  if (has_child && exchange.new_communicator.value_or(0) != 0) {
    State* state = child(*parent, event, exchange);
    child_id = state->shown.id;
    if (key) state->shown.comm_id_hash = fold(fold(key->first, key->second), static_cast<uint64_t>(*exchange.color));
    read_live(*state, event);
  }
  if (!key || !exchange.color || !exchange.key || !is_sane(of.rank, of.nranks)) return;
  if (splits_.size() >= kMaxSplits && !splits_.contains(*key)) splits_.erase(splits_.begin());
  std::vector<Part>& parts = splits_[*key];
  parts.push_back({*exchange.color, *exchange.key, *of.rank, child_id});
  if (parts.size() == static_cast<size_t>(*of.nranks)) {
    settle(*key, parts.size());
  } else if (parts.size() >= kMaxRanksHere) {
    splits_.erase(*key);
  }
}

// All ranks of the parent have been here: those of a colour are ordered by key, then by their rank in the parent.
// Unless all were seen, none has a rank (C2).
void Communicators::settle(const ChildKey& key, size_t parent_ranks) {
  std::vector<Part> parts = std::move(splits_[key]);
  splits_.erase(key);
  std::set<int32_t> seen;
  for (const Part& part : parts) seen.insert(part.parent_rank);
  if (seen.size() != parent_ranks) return;
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::tie(a.color, a.key, a.parent_rank) < std::tie(b.color, b.key, b.parent_rank);
  });
  for (size_t first = 0; first < parts.size();) {
    size_t last = first;
    while (last < parts.size() && parts[last].color == parts[first].color) ++last;
    for (size_t at = first; at < last && parts[first].color >= 0; ++at) {
      const auto found = states_.find(parts[at].child);
      if (found == states_.end()) continue;
      found->second.shown.rank = static_cast<int32_t>(at - first);
      found->second.shown.nranks = static_cast<int32_t>(last - first);
      changes_.push_back(parts[at].child);
    }
    first = last;
  }
}

void Communicators::shrink(const hal::Event& event, const hal::Exchange& exchange) {
  State* parent = known_or_late(event, exchange);
  if (parent == nullptr) return;
  const auto key = next_child(*parent);
  parent->knows_children = false;  // those left out do not call this: from here on the ranks count differently
  if (!succeeded(event) || exchange.new_communicator.value_or(0) == 0) return;
  const hal::Communicator of = parent->shown;
  State& state = *child(*parent, event, exchange);
  hal::Communicator& shown = state.shown;
  if (key) shown.comm_id_hash = fold(fold(key->first, key->second), kSeed);
  if (read_live(state, event)) return;
  if (!is_sane(of.rank, of.nranks) || !exchange.count || *exchange.count >= static_cast<uint64_t>(*of.nranks)) return;
  shown.nranks = *of.nranks - static_cast<int32_t>(*exchange.count);
  if (exchange.excluded.size() < *exchange.count) return;
  const std::set<int32_t> out(exchange.excluded.begin(),
                              exchange.excluded.begin() + static_cast<std::ptrdiff_t>(*exchange.count));
  if (out.size() != *exchange.count || out.contains(*of.rank)) return;
  shown.rank = *of.rank - static_cast<int32_t>(std::distance(out.begin(), out.lower_bound(*of.rank)));
}

// Ranks that were there keep theirs and name the communicator; new ones are given one. Of the old ones only the
// coordinator is given the identity, and the others on this host have it from there.
void Communicators::grow(const hal::Event& event, const hal::Exchange& exchange) {
  State* parent = known_or_late(event, exchange);
  std::optional<ChildKey> key;
  std::optional<int32_t> rank = exchange.rank;
  if (parent != nullptr) {
    key = next_child(*parent);
    rank = parent->shown.rank;
    if (!succeeded(event)) parent->knows_children = false;
  }
  if (!succeeded(event) || exchange.new_communicator.value_or(0) == 0) return;
  State* state =
      parent != nullptr ? child(*parent, event, exchange) : make(event, *exchange.new_communicator, Role::kGrow);
  if (exchange.nranks && *exchange.nranks > 0) state->shown.nranks = exchange.nranks;
  if (is_sane(rank, exchange.nranks)) state->shown.rank = rank;
  state->shown.comm_id_hash = exchange.id_hash;
  if (!key) return;
  if (growths_.size() >= kMaxSplits && !growths_.contains(*key)) growths_.erase(growths_.begin());
  Growth& growth = growths_[*key];
  if (exchange.id_hash) growth.hash = exchange.id_hash;
  if (growth.waiting.size() < kMaxRanksHere) growth.waiting.push_back(state->shown.id);
  if (!growth.hash) return;
  for (const uint64_t id : growth.waiting) {
    const auto found = states_.find(id);
    if (found == states_.end() || found->second.shown.comm_id_hash) continue;
    found->second.shown.comm_id_hash = growth.hash;
    changes_.push_back(id);
  }
  growth.waiting.clear();
}

}  // namespace ingero::correlate
