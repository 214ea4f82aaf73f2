// What a session holds besides its events, in order of time: fed to a replay just before the events of its time.
// Private to store/.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/wrapping.h"
#include "store/db/sqlite.h"
#include "store/read/replay.h"

namespace ingero::store {

// Wall time to monotonic time, by the offsets the recording measured.
class Offsets {
 public:
  void add(int64_t mono_ns, int64_t wall_ns) { by_wall_[wall_ns] = wrapping_difference(wall_ns, mono_ns); }
  uint64_t mono_of(int64_t wall_ns) const;
  bool empty() const { return by_wall_.empty(); }

 private:
  std::map<int64_t, int64_t> by_wall_;
};

inline constexpr uint64_t kAheadNs = 5'000'000'000;  // sides come this much before the events of their time

class ReplaySides {
 public:
  // Those of the session from `from_mono_ns` to `to_mono_ns`, both included.
  Status load(Database& database, int64_t session, const Offsets& offsets, uint64_t from_mono_ns, uint64_t to_mono_ns);
  // Only snapshots of the machine: those of `from`, SQL with the columns of system_snapshots.
  Status load_snapshots(Database& database, const std::string& from, const Offsets& offsets);
  // Everything up to `mono_ns`.
  void feed(uint64_t mono_ns, ReplaySink& sink);
  uint64_t next_mono_ns() const { return at_ == items_.end() ? ~uint64_t{0} : at_->first; }

 private:
  using Item = std::variant<hal::SystemSnapshot, hal::Throttling, hal::Affinity, hal::DeviceError, hal::DeviceSample,
                            hal::FabricSample>;
  Status load_samples(Database& database, int64_t session, const Offsets& offsets);
  Status load_affinities(Database& database, const std::string& of_session);
  Status load_fabric(Database& database, int64_t session, const Offsets& offsets);

  std::multimap<uint64_t, Item> items_;
  std::multimap<uint64_t, Item>::const_iterator at_ = items_.end();
  std::deque<std::string> texts_;  // what views of items point at
};

}  // namespace ingero::store
