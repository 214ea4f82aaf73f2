// Rows of event_rows as the events that they were, by the dictionaries of their recording. Private to store/.
#pragma once

#include <cstdint>

#include "store/db/sqlite.h"
#include "store/read/event_row_reader.h"
#include "store/read/replay_dictionary.h"

namespace ingero::store {

inline constexpr EventColumns kReplayed(
    1, {Column::start,   Column::duration,    Column::site,      Column::thread,     Column::state,
        Column::clock,   Column::return_code, Column::preempted, Column::runqueue,   Column::blocked,
        Column::io,      Column::bytes,       Column::address,   Column::handle,     Column::stack,
        Column::culprit, Column::culprit_ns,  Column::arg0,      Column::arg1,       Column::detail,
        Column::stream,  Column::device,      Column::function,  Column::parent_call});
using ReplayedRow = EventRowReader<kReplayed, Statement>;

class ReplayedEvents {
 public:
  // `dictionary` outlives this.
  explicit ReplayedEvents(const ReplayDictionary& dictionary) : dictionary_(dictionary) {}

  // Who made the call and when. False: the row makes no sense.
  bool place(const ReplayedRow& row, hal::Event& event);
  // The rest of the row that place() has put.
  void fill(const ReplayedRow& row, hal::Event& event) const;
  // The call that it was made in; kNoCall: none, or not known.
  hal::CallId parent_of(const ReplayedRow& row) const;

  // Of the row that place() has put.
  const ReplayedClock* clock() const { return clock_; }
  const ReplayedThread* thread() const { return thread_; }

 private:
  void fill_targets(const ReplayedRow& row, hal::Event& event) const;

  const ReplayDictionary& dictionary_;
  const ReplayedClock* clock_ = nullptr;
  const ReplayedThread* thread_ = nullptr;
};

}  // namespace ingero::store
