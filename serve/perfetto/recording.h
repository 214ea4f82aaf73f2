// What a timeline shows of a recording: nodes, processes and threads, and every event by its start, the longer first.
//
// Names are held in memory, events are not: SQLite sorts many events in a temporary file. Text is printable. Threads:
// one. Failure: the store's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serve/perfetto/recorded.h"
#include "serve/perfetto/row_source.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::serve::perfetto {

class Recording {
 public:
  // `reader` outlives this. What is taken off the times of nodes by `clocks` is taken off those of events.
  static Result<Recording> load(const store::Reader& reader, const store::NodeClocks& clocks);

  // Until `on` returns an error. Events without a time or a call are left out and counted in `unplaced`.
  Status each_event(const store::Selection& selection, const std::function<Status(const RecordedEvent&)>& on);
  struct Counted {
    uint64_t events = 0;
    std::optional<int64_t> first_ns;
  };
  // Of the whole recording only how many.
  Result<Counted> count(const store::Selection& selection) const;

  const store::Reader& reader() const { return *reader_; }
  const char* extent_sql() const { return source_->extent_sql(); }
  const RecordedThread& thread(size_t index) const { return names_.threads[index]; }
  const RecordedProcess& process(size_t index) const { return names_.processes[index]; }
  const std::vector<std::string>& nodes() const { return names_.nodes; }
  const RecordedCall* call(int64_t id) const { return names_.call(id); }
  // Empty or absent: not known.
  std::string_view kernel(int64_t function) const;
  std::string_view geometry(int64_t id) const;
  std::string_view preempted_by(int64_t id) const;
  std::optional<int64_t> device(int64_t id) const;
  std::optional<int64_t> stack_hash(int64_t id) const;
  uint64_t unplaced() const { return unplaced_; }

 private:
  const store::Reader* reader_ = nullptr;
  std::unique_ptr<RowSource> source_;
  RecordedNames names_;
  uint64_t unplaced_ = 0;
};

}  // namespace ingero::serve::perfetto
