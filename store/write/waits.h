// What a recording holds of waiting besides the rows of off-CPU intervals: what each waited for and who ended it, the
// kernel side's totals, samples of what threads did on the CPU, and the names of objects. The writer's half; private to
// store/.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hal/wait.h"
#include "store/db/dictionary.h"
#include "store/db/sqlite.h"

namespace ingero::store {

class Waits {
 public:
  Status load(Database& database, int64_t session);

  void add(int64_t seq, const hal::Wait& wait);
  // `seq`: of the last row before it; `thread`, `clock`, `stack`: ids of the dictionaries, stack -1 for none.
  void add(int64_t seq, int64_t thread, const hal::WaitTotals& totals);
  struct Sample {
    int64_t seq, thread, clock, start, weight_ns, stack;
    bool is_system;
  };
  void add(const Sample& sample) { samples_.push_back(sample); }
  void add(const hal::WaitObject& object) { objects_.push_back(object); }

  // Without the waits, which are as many as their events.
  size_t waiting() const { return totals_.size() + samples_.size() + objects_.size(); }
  Status write(Database& database);
  void committed();

 private:
  struct Row {
    int64_t seq, peer, waker;  // -1: none
    hal::Wait wait;
  };
  struct Total {
    int64_t seq, thread, mono_ns, kind, ns;
  };
  Status write_dictionaries(Database& database);
  Status write_waits(Database& database);

  int64_t session_ = 0;
  Dictionary<5> peers_;          // family and ports and acceptance; address, address; inode; whether ports are known
  Dictionary<4> wakers_{32768};  // pid and tid; comm, comm; whether a kernel thread
  std::vector<Row> rows_;
  std::vector<Total> totals_;
  std::vector<Sample> samples_;
  std::vector<hal::WaitObject> objects_;
};

}  // namespace ingero::store
