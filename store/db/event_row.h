// One row of the event table as it is written: a few integers, small where it matters. The list of columns below is the
// only one: the table, the batch's virtual table and the insert statement are made from it.
//
// The format is normative in docs/formats/store.md. In short: unknown is NULL and costs one byte, as do 0 and 1; ids of
// the dictionaries are small; rows are in the order in which the records were read, a hanging call's where it was first
// seen.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hal/event.h"

namespace ingero::store {

// The ones every scan needs come first: SQLite decodes a row from its start.
#define INGERO_ROW_COLUMNS(X)                                   \
  X(start)    /* mono ns since clocks.mono_ns */                \
  X(duration) /* ns */                                          \
  X(site)     /* sites.id: a probe */                           \
  X(thread)   /* threads.id */                                  \
  X(state)    /* packed: see state_of() */                      \
  X(clock)    /* clocks.id */                                   \
  X(return_code)                                                \
  X(preempted) /* ns off-CPU, by cause; NULL together */        \
  X(runqueue)                                                   \
  X(blocked)                                                    \
  X(io)                                                         \
  X(stream)                                                     \
  X(bytes)                                                      \
  X(address)                                                    \
  X(source_address)                                             \
  X(function) /* functions.id */                                \
  X(geometry) /* geometries.id */                               \
  X(handle)                                                     \
  X(device)  /* event_devices.id */                             \
  X(detail)  /* details.id */                                   \
  X(culprit) /* culprits.id */                                  \
  X(culprit_ns)                                                 \
  X(parent_call) /* calls.id */                                 \
  X(parent_gap)  /* ns from the parent's start to this start */ \
  X(stack)       /* stacks.id       */                          \
  X(arg0)        /* host events only */                         \
  X(arg1)

enum class Column : uint8_t {
#define X(name) name,
  INGERO_ROW_COLUMNS(X)
#undef X
      kCount,
};
inline constexpr size_t kColumns = static_cast<size_t>(Column::kCount);
inline constexpr std::array<const char*, kColumns> kColumnNames = {
#define X(name) #name,
    INGERO_ROW_COLUMNS(X)
#undef X
};
// "start,duration,..."
std::string column_list();
// Of `event_rows` and of the table of a staged batch: only tables declared alike are copied record by record.
std::string event_rows_sql();

struct EventRow {
  std::array<int64_t, kColumns> values;  // meaningful where `present` says so
  uint32_t present = 0;

  void set(Column column, int64_t value) {
    values[static_cast<size_t>(column)] = value;
    present |= 1U << static_cast<unsigned>(column);
  }
  void set(Column column, uint64_t value) { set(column, static_cast<int64_t>(value)); }
  bool has(Column column) const { return (present >> static_cast<unsigned>(column)) & 1U; }
  int64_t get(Column column) const { return values[static_cast<size_t>(column)]; }
};
static_assert(kColumns <= 32);

// The packed `state` column, low bits first: outcome (3), failed (1), direction plus one or 0 for none (3), depth (4),
// kept as one of N (1), calls without a stack that this one's stands for (32). An ordinary returned call is 0.
inline constexpr unsigned kFailedBit = 3, kDirectionBit = 4, kDepthBit = 7, kSampledBit = 11, kStackBit = 12;
inline constexpr int64_t kOutcomeMask = 7;

constexpr int64_t state_of(hal::Outcome outcome, bool failed, bool has_direction, hal::Direction direction,
                           unsigned depth, bool sampled, uint32_t stands_for = 0) {
  const int64_t direction_code = has_direction ? static_cast<int64_t>(direction) + 1 : 0;
  return static_cast<int64_t>(outcome) | static_cast<int64_t>(failed) << kFailedBit | direction_code << kDirectionBit |
         static_cast<int64_t>(depth > 15 ? 15 : depth) << kDepthBit | static_cast<int64_t>(sampled) << kSampledBit |
         static_cast<int64_t>(stands_for) << kStackBit;
}
constexpr hal::Outcome outcome_of(int64_t state) { return static_cast<hal::Outcome>(state & kOutcomeMask); }
constexpr bool is_finished(int64_t state) { return outcome_of(state) < hal::Outcome::kInFlight; }

}  // namespace ingero::store
