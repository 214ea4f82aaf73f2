// Communicators: who a handle is, and which collective on it this is.
//
// A communicator is known on each rank by a handle of that process. This follows handles from the call that gives them
// out to the one that takes them back, and says for every call on one: which communicator (the same on all its ranks),
// which of its ranks, how many there are, and the collective's sequence number on this rank.
//
// Invariants:
// C1  A handle means what the last successful making of it in that process says, from that call's return to the start
//     of its destruction. Outside of that it means nothing: a call on it stays without a communicator, and is counted.
// C2  Nothing is guessed. A communicator whose making was not seen is what its library says of it, as long as that
//     can be read. So is a child's rank; else it is reported only when everything that decides it was captured: all
//     ranks of its parent are on this host (split), or the list of excluded ranks was read (shrink). It may become
//     known after the first calls.
// C3  A number is given only while every collective on the handle was seen: losing records ends the numbering. Of a
//     communicator whose making was not seen, the library's own count is the beginning, where it has one: read three
//     times while none of its calls ran, it must differ from ours by the same.
// C4  A collective made inside another one (a call that wraps another, a call made of others) is not one of its own.
// C5  Memory is bounded: beyond kMaxCommunicators the oldest ended ones are forgotten, then the oldest, which is
// counted.
//
// Pure and deterministic: no clock, no I/O, no vendor; one thread. Feed events in the order in which the calls ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hal/call_table.h"
#include "hal/event.h"
#include "hal/live_communicator.h"
#include "hal/loss.h"

namespace ingero::correlate {

// The 128 bytes that all ranks of a communicator share, as one number: 16 words, each mixed in with splitmix64's
// finaliser, from 0x9e3779b97f4a7c15. All of them, because their first eight are the same on every communicator where
// the address of the rendezvous is given from outside. Empty for fewer than 128 bytes.
std::optional<uint64_t> fold_id(std::span<const std::byte> id);

class Communicators {
 public:
  // Copies words of the process's memory; false when they cannot be read.
  using ReadWords = std::function<bool(uint32_t pid, uint64_t address, std::span<uint64_t> words)>;

  // What a handle is in the process of `call` now, as its library has it; none: not to be had.
  using ReadLive = std::function<std::optional<hal::LiveCommunicator>(const hal::Event& call, uint64_t handle)>;

  // The references must outlive this.
  Communicators(const hal::CallTable& calls, hal::LossLedger& ledger, ReadWords read_words,
                ReadLive read_live = nullptr);

  // One event in ring order; `exchange` of its call, which gets communicator_id, number, group and exchange_id. Events
  // of calls in flight are numbered as if they were to succeed, and change nothing.
  void take(const hal::Event& event, hal::Exchange& exchange);
  // A process's calls mean nothing any more: it ended, or runs another program.
  void process_ended(uint32_t pid, uint64_t mono_ns);
  // Records of collectives were lost (C3), or of calls that make and end communicators (C1).
  void lost_collectives();
  void lost_communicators();

  // What became known since the last call: new communicators, and changes to known ones.
  std::vector<hal::Communicator> take_changes();
  // The communicator of an id, while it is remembered.
  const hal::Communicator* find(uint64_t id) const;

  static constexpr size_t kMaxCommunicators = 65536;
  static constexpr size_t kMaxGroups = 65536;  // threads inside a group
  static constexpr size_t kMaxSplits = 4096;   // splits that not all ranks have made yet

 private:
  // How the library's count and ours are being compared.
  struct LibraryCount {
    bool is_wanted = false;
    struct Reading {
      uint64_t collectives, from_mono_ns, to_mono_ns;
    };
    std::optional<Reading> reading;  // until the next call says whether one ran meanwhile
    uint64_t next_mono_ns = 0;       // no reading before
    uint64_t ahead = 0;              // of ours, by the last reading
    unsigned agreed = 0;             // readings in a row
    unsigned failed = 0;             // readings without an outcome, in a row
  };
  struct State {
    hal::Communicator shown;
    uint64_t collectives = 0;  // so far
    bool is_numbered = false;
    uint64_t children = 0;  // splits and shrinks so far: the same on all ranks
    bool knows_children = false;
    unsigned reads_left = 3;  // of what its library says: a child may be made to the end later
    LibraryCount counted;
  };
  using Handle = std::pair<uint32_t, uint64_t>;  // pid, handle
  struct Part {                                  // one rank's side of a split
    int32_t color, key, parent_rank;
    uint64_t child;  // 0: none, the rank belongs to no child
  };
  using ChildKey = std::pair<uint64_t, uint64_t>;  // the parent's comm_id_hash, which of its children
  std::optional<ChildKey> next_child(State& parent);

  struct Growth {  // ranks that grow a communicator: those that coordinate it were given the new one's identity
    std::optional<uint64_t> hash;
    std::vector<uint64_t> waiting;
  };

  State* alive(uint32_t pid, uint64_t handle, uint64_t start_mono_ns);
  State* known_or_late(const hal::Event& event, const hal::Exchange& exchange);
  State* make(const hal::Event& event, uint64_t handle, hal::Role made_by);
  bool read_live(State& state, const hal::Event& event);
  void compare_counts(State& state, const hal::Event& event);
  void read_count(State& state, const hal::Event& event);
  void end(uint64_t id, uint64_t mono_ns);
  void communicator_call(const hal::Event& event, hal::Exchange& exchange);
  void init_all(const hal::Event& event, const hal::Exchange& exchange);
  State* child(State& parent, const hal::Event& event, const hal::Exchange& exchange);
  void split(const hal::Event& event, const hal::Exchange& exchange);
  void shrink(const hal::Event& event, const hal::Exchange& exchange);
  void grow(const hal::Event& event, const hal::Exchange& exchange);
  void settle(const ChildKey& key, size_t parent_ranks);
  void grouping(const hal::Event& event, hal::Exchange& exchange);

  const hal::CallTable& calls_;
  hal::LossLedger& ledger_;
  ReadWords read_words_;
  ReadLive read_live_;
  uint64_t next_id_ = 1, next_exchange_ = 1;
  uint64_t reading_second_ = 0;       // of CLOCK_MONOTONIC
  unsigned readings_ = 0;             // of library's counts in it
  std::map<uint64_t, State> states_;  // by id, hence oldest first
  std::map<Handle, uint64_t> by_handle_;
  std::deque<uint64_t> ended_;
  std::map<ChildKey, std::vector<Part>> splits_;
  std::map<ChildKey, Growth> growths_;
  struct Group {
    uint32_t pid;
    uint64_t start_mono_ns;
    uint32_t depth;
  };
  std::unordered_map<uint32_t, Group> groups_;  // by tid
  std::vector<uint64_t> changes_;
};

}  // namespace ingero::correlate
