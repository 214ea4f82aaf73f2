// The causal chains of a recording, as `ingero explain` shows them: found again by the engine, or as stored.
//
// Wall times are nanoseconds since the epoch. Unknown is absent. The chains are the caller's own; a reader is only
// borrowed. Threads: one at a time. Failure: the store's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "hal/chain.h"
#include "report/vendor_names.h"
#include "store/read/node_clocks.h"
#include "store/read/reader.h"
#include "store/read/summary.h"
#include "store/read/time_order.h"

namespace ingero::report {

// A causal chain, with what a report knows besides.
struct ReportedChain : hal::CausalChain {
  std::string node;
  uint64_t detected_wall_ns = 0;                            // its onset, where that is known
  std::vector<std::pair<std::string, std::string>> labels;  // that held when it began; only when asked for
  std::vector<std::string> lines;  // the stack where it happened, innermost first: "forward() at train.py:142"
};

inline constexpr uint64_t kWorthReportingNs = 100'000;  // a shorter tail is harmless
// A wall time as "02:26:36.004".
std::string clock_time(uint64_t wall_ns);

// A chain that another agent stored, evaluated against the events stored with it.
struct EvaluatedChain {
  ReportedChain chain;
  uint64_t times = 0;  // chains of the same call and severity
  std::string result;
};

struct DiagnosisOptions {
  uint64_t time_ns = 30'000'000'000;  // of each statement
  bool evaluates_stored = true;       // fill Diagnosis::evaluated
};

struct Diagnosis {
  std::vector<ReportedChain> chains;  // worst first
  bool replayed = false;              // found by the engine in the rows, rather than read as stored
  uint64_t events = 0, calls = 0, windows = 0, late = 0;
  uint64_t forgotten = 0;  // did not fit the engine's tables
  size_t processes = 0;
  std::vector<EvaluatedChain> evaluated;  // of another agent's recording only
};

// Whether only a part of the recording's events became rows: a replay would find other chains.
Result<bool> is_sampled_out(const store::Reader& reader);
class TimeSink;
// Runs the engine over the recording; reads the stored chains where it is still being written, or where only a part of
// its events became rows. `time`: takes part in the replay, if there is one; may be null.
Result<Diagnosis> diagnose(const store::Reader& reader, const store::Selection& selection,
                           const DiagnosisOptions& options, const VendorNames& names, TimeSink* time = nullptr);

// The stored causal chains that were found in the selection, latest last; kHeads: without their lists (timeline,
// recommendations, evidence, symptoms), which take most of the time to read.
enum class ChainParts : uint8_t { kAll, kHeads };
Result<std::vector<ReportedChain>> stored_chains(const store::Reader& reader, const store::Selection& selection,
                                                 uint64_t time_ns, ChainParts parts = ChainParts::kAll);
// Where the chain's stack stands, if the recording has it.
void add_lines(const store::Reader& reader, std::vector<ReportedChain>& chains);

// The labels that held when each began.
Status add_labels(const store::Reader& reader, std::vector<ReportedChain>& chains);
// "epoch=2 step=17"; empty without labels.
std::string labels_text(const std::vector<std::pair<std::string, std::string>>& labels);
Json labels_json(const std::vector<std::pair<std::string, std::string>>& labels);

std::string severity_text(std::string_view severity, bool colour);
// One chain for people: the line, its timeline, root cause and fixes.
std::string chain_text(const ReportedChain& chain, bool colour);
std::string chains_text(const std::vector<ReportedChain>& chains, const store::NodeClocks& clocks, bool colour);
// Which of them began first, by the reference's clock; empty where all are of one node.
std::vector<store::Ordered> order_of(const std::vector<ReportedChain>& chains, const store::NodeClocks& clocks);
std::string order_text(const std::vector<ReportedChain>& chains, const store::NodeClocks& clocks);
// Those of several nodes, of which some may not have answered: what query_fleet answers.
std::string fleet_chains_text(const Json& answer, bool colour);
std::string chains_json(const std::vector<ReportedChain>& chains);
Json chain_json(const ReportedChain& chain);
// What another node answered, as far as it has the shape of chain_json(): members of another type are unknown.
ReportedChain chain_of(const Json& untrusted);

}  // namespace ingero::report
