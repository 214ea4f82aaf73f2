// The causal chains of a recording, as `ingero explain` shows them: found again by the engine, or as stored.
//
// Wall times are nanoseconds since the epoch. Unknown is absent. Threads: one at a time. Failure: the store's.
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
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::report {

// A chain as a recording has it. The engine's struct (hal/chain.h) is another: it has monotonic times and words of its
// own rules, where a recording has wall times, any program's words, and members that may be missing.
struct StoredChain {
  std::string id, severity, summary, root_cause, explanation, node;
  uint64_t detected_wall_ns = 0;
  std::vector<std::string> recommendations;
  struct Step {
    std::string layer, op, detail;
    uint64_t duration_us = 0;
  };
  std::vector<Step> timeline;
  // Unknown in legacy recordings.
  std::string rule, grade, process, op;
  std::optional<double> confidence;
  std::optional<uint32_t> pid, tid;
  std::optional<int32_t> rank;
  std::optional<uint64_t> stack_hash, onset_wall_ns, ended_wall_ns, resolved_wall_ns, lost_ns, p99_us, p50_us;
  struct Row {  // an event that shows it
    uint32_t pid = 0, tid = 0;
    uint64_t start_wall_ns = 0, duration_ns = 0;
    std::optional<uint64_t> start_mono_ns;
    std::string op, detail;
    std::string query() const;
  };
  std::vector<Row> evidence;
  std::vector<std::string> symptoms;
  std::vector<std::pair<std::string, std::string>> labels;  // that held when it began; only when asked for
  std::vector<std::string> lines;  // the stack where it happened, innermost first: "forward() at train.py:142"
};

inline constexpr uint64_t kWorthReportingNs = 100'000;  // a shorter tail is harmless
// A wall time as "02:26:36.004".
std::string clock_time(uint64_t wall_ns);

// A chain of a legacy recording, evaluated against the events stored with it.
struct EvaluatedChain {
  StoredChain chain;
  uint64_t times = 0;  // chains of the same call and severity
  std::string result;
};

struct DiagnosisOptions {
  uint64_t time_ns = 30'000'000'000;  // of each statement
  bool evaluates_legacy = true;       // fill Diagnosis::evaluated
};

struct Diagnosis {
  std::vector<StoredChain> chains;  // worst first
  bool replayed = false;            // found by the engine in the rows, rather than read as stored
  uint64_t events = 0, calls = 0, windows = 0, late = 0;
  size_t processes = 0;
  std::vector<EvaluatedChain> evaluated;  // legacy recordings only
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
Result<std::vector<StoredChain>> stored_chains(const store::Reader& reader, const store::Selection& selection,
                                               uint64_t time_ns, ChainParts parts = ChainParts::kAll);
StoredChain view_of(const hal::CausalChain& chain, const std::string& node);
// Where the chain's stack stands, if the recording has it.
void add_lines(const store::Reader& reader, std::vector<StoredChain>& chains);

// The labels that held when each began.
Status add_labels(const store::Reader& reader, std::vector<StoredChain>& chains);
// "epoch=2 step=17"; empty without labels.
std::string labels_text(const std::vector<std::pair<std::string, std::string>>& labels);
Json labels_json(const std::vector<std::pair<std::string, std::string>>& labels);

std::string severity_text(std::string_view severity, bool colour);
// One chain for people: the line, its timeline, root cause and fixes.
std::string chain_text(const StoredChain& chain, bool colour);
std::string chains_text(const std::vector<StoredChain>& chains, bool colour);
std::string chains_json(const std::vector<StoredChain>& chains);
Json chain_json(const StoredChain& chain);
// What another node answered, as far as it has the shape of chain_json(): members of another type are unknown.
StoredChain chain_of(const Json& untrusted);

}  // namespace ingero::report
