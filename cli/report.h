// What `ingero explain` says, gathered from a recording before a word of it is printed.
//
// Everything here is measured or counted; what is unknown is absent. Threads: one at a time. Failure: the store's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "cli/app.h"
#include "cli/incidents.h"
#include "cli/report_collectives.h"
#include "cli/report_inference.h"
#include "hal/prototype.h"
#include "store/reader.h"
#include "store/summary.h"

namespace ingero::cli {

struct ReportOptions {
  bool per_process = false;
  // What is gathered; the rest of the report stays empty.
  bool figures = true;  // events, calls, host, processes, failures
  bool incidents = true;
  bool judges_earlier = true;  // with incidents: what an earlier agent's chains are worth
  bool collectives = true;
  bool inference = true;
  uint32_t slowest = 10;  // how many of the slowest calls are listed
  uint32_t per_call = 3;  // of each call: ten launches of one loop say no more than three
  uint32_t unfinished = 100;
  uint64_t time_ns = 30'000'000'000;
};

// Calls of one name that returned one code meaning failure.
struct FailureCount {
  std::string op;
  int64_t return_code = 0;
  std::string status;  // the vendor's name of the code, or empty
  uint64_t count = 0;
};

struct ProcessTotals {
  uint32_t pid = 0;
  std::string name, node;
  uint64_t calls = 0, errors = 0, unfinished = 0;
  uint64_t max_ns = 0, host_events = 0;
};

struct Report {
  std::string path;
  std::string version;  // of the schema
  bool legacy = false;  // by an earlier agent: no off-CPU shares, no losses
  bool live = false;
  bool whole = false;              // all of the recording was selected
  std::vector<std::string> nodes;  // that the recording is of, where it says so; then what is of one says of which
  std::optional<store::TimeSpan> span;
  uint64_t events = 0, rows_pruned = 0;
  std::vector<store::CallStats> calls;        // the vendors' calls
  std::vector<store::CallStats> host;         // what the host did
  std::vector<store::CallStats> per_process;  // the same per process; only when asked for
  std::vector<ProcessTotals> processes;
  std::vector<store::DeviceTotals> devices;  // of the whole recording; empty when less is selected
  std::vector<store::CallInstance> slowest;
  std::vector<store::CallInstance> unfinished;
  std::vector<FailureCount> failures;  // most frequent first
  bool failures_known = true;          // false when looking for them took too long
  std::vector<store::LossCount> losses;
  uint64_t chains = 0;  // stored causal chains
  Diagnosis diagnosis;  // what the engine finds in it
  std::vector<CommunicatorReport> collectives;
  bool collectives_known = true;  // false when looking for them took too long
  InferenceReport inference;
};

inline bool is_of_several_nodes(const Report& report) { return report.nodes.size() > 1; }

Result<Report> gather_report(const store::Reader& reader, const store::Selection& selection,
                             const ReportOptions& options);

// The labels that held at each cause and each slow or unfinished call.
Status add_labels(const store::Reader& reader, Report& report);

// For people.
std::string report_text(const Report& report, bool per_process, bool colour);
// One JSON document; keys in docs/formats/explain.md.
std::string report_json(const Report& report, bool per_process);
nlohmann::ordered_json report_document(const Report& report);

// A host event (scheduling, memory, disk, network) rather than a vendor's call.
bool is_host(const store::CallStats& call);

// The vendor's name of what `op` returned ("invalidValue"), or empty.
std::string status_of(const std::string& op, int64_t code);
// The event of a device that a call brought, by the number that it was recorded with; an empty name: none.
hal::AsyncEvent event_of(std::string_view op, uint64_t code);
// What a counter of a fabric adapter says, as the backend of such adapters knows it.
hal::CounterMeaning counter_meaning(std::string_view driver, hal::CounterOrigin origin, std::string_view name);

}  // namespace ingero::cli
