// What a recording holds of collectives besides the rows of their calls: communicators, the arguments of each call, how
// long programs waited for it, and where ranks were missing. The writer's half; private to store/.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hal/call_table.h"
#include "hal/event.h"
#include "store/db/sqlite.h"

namespace ingero::store {

// What waits for the writer's next transaction. Ids that correlate/ gives count from 1 in each run; in the file they
// follow those that are there.
class Collectives {
 public:
  explicit Collectives(const hal::CallTable& calls) : calls_(calls) {}
  Status load(Database& database, int64_t session);

  void add(int64_t seq, hal::CallId call, const hal::Exchange& exchange) {
    exchanges_.push_back({seq, call, exchange});
  }
  void add(const hal::Communicator& communicator, int64_t process) {
    communicators_.emplace_back(communicator, process);
  }
  void add(const hal::BarrierWait& wait) { waits_.push_back(wait); }
  void add(const hal::CollectiveHang& hang) { hangs_.push_back(hang); }

  // Without the exchanges, which are as many as their events.
  size_t waiting() const { return communicators_.size() + waits_.size() + hangs_.size(); }
  Status write(Database& database);
  void committed();

 private:
  struct Made {
    int64_t seq;
    hal::CallId call;
    hal::Exchange exchange;
  };
  Status write_communicators(Database& database);
  Status write_exchanges(Database& database);
  Status write_hangs(Database& database);

  const hal::CallTable& calls_;
  int64_t session_ = 0;
  int64_t communicators_before_ = 0, exchanges_before_ = 0;
  std::vector<Made> exchanges_;
  std::vector<std::pair<hal::Communicator, int64_t>> communicators_;
  std::vector<hal::BarrierWait> waits_;
  std::vector<hal::CollectiveHang> hangs_;
};

}  // namespace ingero::store
