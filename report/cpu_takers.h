// Who had the CPU while threads of a recording were ready to run.
//
// Of many such waits that is not known: each share is of all of the wait. Threads: one at a time. Failure: of a
// recording without the tables nothing is known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "store/read/reader.h"
#include "store/read/selection_sql.h"

namespace ingero::report {

struct CpuTakers {
  // As one: compilers and workers of one name take turns.
  struct Named {
    std::string comm;
    std::map<int64_t, double> pids;  // with the time of each, in ns
    double share = 0;
    void leave_out_small();    // those with less than a tenth of what each has on average
    std::string name() const;  // "cc1plus (pid 9)", "3 processes named cc1plus"
  };
  double waited_ns = 0;        // for a CPU, by all of the threads
  double own = 0, known = 0;   // shares of that: of the process itself, and of all that are known
  std::optional<Named> other;  // who had it for half of the wait or more, unless that is the recorder

  // Of what is known, and that is a good part of it.
  bool is_mostly_own() const;
  // "cc1plus (pid 9) had the CPU for 62% of `of`, and for 30% it is not known who had it"
  std::string text(const std::string& who, double share, const std::string& of) const;
};

// `threads`: conditions on event_rows e with its clock k, of threads t of the process `pid`.
CpuTakers takers_of_cpu(const store::Reader& reader, const store::Conditions& threads, uint32_t pid);
// Of the same `threads`, how many waited for a CPU at all.
uint64_t count_waiting_for_cpu(const store::Reader& reader, const store::Conditions& threads);

}  // namespace ingero::report
