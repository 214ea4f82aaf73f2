// The part of `ingero explain` on collectives: per communicator what was called, what was waited, and who came last.
//
// Host-side: when a rank called, not when its device got there. Threads: one at a time. Failure: the store's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::report {

struct CollectiveOp {
  std::string call;
  uint64_t calls = 0;
  std::optional<uint64_t> bytes;
  uint64_t waited = 0;  // calls whose wait was measured
  std::optional<uint64_t> average_wait_ns, max_wait_ns;
};

// A rank that came last, of collectives that at least two ranks of the recording entered.
struct LastArriver {
  std::optional<int64_t> rank, pid;
  uint64_t times = 0;
  uint64_t max_skew_ns = 0;  // after the first, at most; and there
  uint64_t late_ns = 0;      // after the one before it
  std::string call;
  uint64_t number = 0;
};

struct StoredHang {
  uint64_t number = 0;
  std::string call, present, missing;  // lists of ranks
  uint64_t waited_ns = 0;
  bool is_over = false;
};

struct CommunicatorReport {
  std::optional<uint64_t> comm_id_hash;  // absent: made before the recording began
  std::optional<int64_t> nranks;
  uint64_t ranks_seen = 0;
  uint64_t calls = 0;
  std::vector<CollectiveOp> ops;        // most calls first
  uint64_t rounds = 0;                  // collectives that several ranks of the recording entered
  std::optional<uint64_t> max_skew_ns;  // first to last arrival
  std::vector<LastArriver> last;        // latest first
  std::vector<StoredHang> hangs;
};

// Most calls first, at most sixteen. Empty for recordings that have none, or of a schema before them. kBusy: took
// longer than `time_ns`.
Result<std::vector<CommunicatorReport>> gather_collectives(const store::Reader& reader,
                                                           const store::Selection& selection, uint64_t time_ns);

std::string collectives_text(const std::vector<CommunicatorReport>& communicators, bool colour);

}  // namespace ingero::report
