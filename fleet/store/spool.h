// What was acknowledged and is not in the store yet, on disk: records in the order in which they came, until what
// reads them says that they are done.
//
// A folder of segments, append only, that their owner alone can read. append() hands a record to the system, and
// settle() returns when all records of before are on the disk, one fsync for all that wait. What a kill or a power cut
// leaves of a record is seen by its checksum: at the end of the last segment it is cut off (no sender had an answer).
// What is damaged elsewhere is skipped up to the next whole record, counted and logged. Segments that were read stay
// for a while (`keep_ns`), for each(); but they make room when it is needed. One program at a time (flock). Threads:
// one appends, one reads (next, done), any may settle and look at each().
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "store/db/writer_lock.h"

namespace ingero::fleet::store {

struct SpoolOptions {
  std::string directory = {};  // made where there is none
  uint64_t max_bytes = uint64_t{2} << 30;
  uint64_t keep_ns = 0;               // after the last record of a segment
  uint64_t segment_bytes = 16 << 20;  // a segment is closed when it is longer
  // The first record of each new segment, so that what is kept says it, too; called by append().
  std::function<std::string()> first_record = {};
  std::function<int(int fd)> sync = {};  // as fdatasync(2), which it is by default
};

class Spool {
 public:
  static constexpr size_t kMaxRecordBytes = 64 << 20;

  // kBusy: another program has it. kCorrupt: the folder holds something else.
  static Result<std::unique_ptr<Spool>> open(SpoolOptions options);

  // Where it ends, in bytes since open(). kFull: no room; kIo: the disk. Then nothing of it is there.
  Result<uint64_t> append(std::string_view record);
  Status settle();              // all of before
  Status settle(uint64_t end);  // what append() said ends there

  // Records that are not done, until they are longer than `max_bytes`; at least one if there is one.
  Result<std::vector<std::string>> next(size_t max_bytes);
  // All that next() gave last is done, also after a restart. `note` is kept with that.
  Status done(const std::string& note);
  const std::string& note() const { return note_; }
  // Every record that is still there, oldest first, and whether it is done.
  Status each(const std::function<void(std::string_view record, bool is_done)>& take);

  uint64_t waiting_bytes() const;  // not done
  uint64_t damaged_bytes() const;  // that could not be read

 private:
  struct Segment {
    uint64_t number = 0, bytes = 0;
  };
  struct Place {
    uint64_t segment = 0, offset = 0;
    auto operator<=>(const Place&) const = default;
  };
  explicit Spool(SpoolOptions options) : options_(std::move(options)) {}
  Status scan();
  Status read_place();
  Status cut_tail(Segment& last);
  void warn_of_gaps() const;
  Status begin_segment(std::unique_lock<std::mutex>& lock);
  void sync(std::unique_lock<std::mutex>& lock);
  void lose();
  Status write(std::string_view record);
  Status make_room(uint64_t bytes);
  void drop_old();
  void pass(const Place& place);
  std::string path_of(uint64_t segment) const;
  Result<Fd> open_segment(uint64_t segment) const;
  // The record at `place`, which is moved behind it; false: there is none. What is damaged is skipped.
  Result<bool> read(Place& place, Fd& file, uint64_t& file_number, std::string& record, uint64_t& damaged) const;

  SpoolOptions options_;
  ingero::store::WriterLock lock_;
  mutable std::mutex mutex_;
  std::deque<Segment> segments_;  // ascending; the last is appended to
  Fd appending_;
  bool is_broken_ = false;  // the last segment must not be appended to
  uint64_t bytes_ = 0;      // of all segments
  Place read_, done_;       // read_: behind what next() gave
  std::string note_;
  uint64_t damaged_bytes_ = 0, damaged_ahead_ = 0;  // ahead: before read_, and not done

  std::condition_variable settled_;
  uint64_t appended_ = 0, synced_ = 0;  // bytes since open()
  uint64_t lost_from_ = 0, lost_ = 0;   // between them what was not synced before is lost: a sync failed
  bool is_syncing_ = false;
};

}  // namespace ingero::fleet::store
