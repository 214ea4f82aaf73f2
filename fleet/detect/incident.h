// What the detector finds: that a rank, or most ranks of a node, are slow; since when, by how much, and why. Pure data,
// and what follows from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingero::fleet::detect {

// What kept a rank from its work, in seconds: of a window, or of a step more than its role's median.
struct Reasons {
  double host_s = 0;     // preempted, or waiting for a CPU; the sum of its threads
  double storage_s = 0;  // all its threads asleep, one of them until storage answers
  double asleep_s = 0;   // all its threads asleep for other reasons: a pipe, a socket, a lock

  double input_s() const { return storage_s + asleep_s; }
};
inline constexpr double Reasons::*kReasons[] = {&Reasons::host_s, &Reasons::storage_s, &Reasons::asleep_s};

enum class Class : uint8_t { kUnknown, kHost, kInput };
enum class State : uint8_t { kOpen, kOver, kSilent, kMerged };  // merged: it is part of its node's
const char* name_of(Class value);
const char* name_of(State value);

struct Incident {
  uint32_t rank = 0, node = 0;
  // Of a node: those of its ranks that are slow, ascending, the first of which is `rank`; and how many it has. Else it
  // is of one rank.
  std::vector<uint32_t> ranks;
  size_t node_ranks = 0;
  uint64_t communicator = 0;  // of the cohort
  uint64_t from_window = 0, named_window = 0, last_window = 0;
  State state = State::kOpen;
  Class what = Class::kUnknown;
  double effect = 0;      // the mean of its slow windows, as what follows
  double lateness_s = 0;  // of a step
  double usual_s = 0;     // what its cohort's work took
  Reasons reasons;        // of a step, more than its role's median
  double confidence = 0;
  uint32_t observed = 0, nranks = 0;  // of the communicator

  bool is_of_node() const { return !ranks.empty(); }
};

// What explains the lateness, by the reasons.
Class class_of(const Incident& incident);
// Whether it has changed by so much that it is reported again.
bool is_news(const Incident& before, const Incident& now);

}  // namespace ingero::fleet::detect
