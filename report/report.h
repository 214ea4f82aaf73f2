// What `ingero explain` says, gathered from a recording before a word of it is printed.
//
// Everything here is measured or counted; what is unknown is absent. Threads: one at a time. Failure: the store's. Owns
// all of it by value; the reader is the caller's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "report/chains.h"
#include "report/collectives.h"
#include "report/inference.h"
#include "report/kernels.h"
#include "report/time_spent.h"
#include "report/vendor_names.h"
#include "store/read/node_clocks.h"
#include "store/read/reader.h"
#include "store/read/runs.h"
#include "store/read/summary.h"
#include "store/read/time_order.h"

namespace ingero::report {

struct ReportOptions {
  bool per_process = false;
  // What is gathered; the rest of the report stays empty.
  bool figures = true;  // events, calls, host, processes, failures
  bool incidents = true;
  bool evaluates_stored = true;  // with incidents: evaluate the chains that another agent stored
  bool collectives = true;
  bool inference = true;
  bool kernels = true;
  bool clocks = true;     // of several nodes, and so the order of incidents
  bool time = true;       // where it went
  uint32_t slowest = 10;  // how many of the slowest calls are listed
  uint32_t per_call = 3;  // of each call: ten launches of one loop say no more than three
  uint32_t unfinished = 100;
  uint64_t time_ns = 30'000'000'000;
  std::optional<int64_t> run = {};  // whose losses are meant; its events are selected by time

  // Nothing but losses: for who names the parts one by one.
  static ReportOptions nothing() { return {false, false, false, false, false, false, false, false, false, 0, 3, 0}; }
};

// Calls of one name that returned one code meaning failure.
struct FailureCount {
  std::string op;
  std::optional<int64_t> return_code;  // absent: the call returns a pointer, and returned none
  std::string status;                  // the vendor's name of the code, or empty
  uint64_t count = 0;
};

struct ProcessTotals {
  uint32_t pid = 0;
  std::string name, node;
  uint64_t calls = 0, errors = 0, unfinished = 0;
  uint64_t max_ns = 0, host_events = 0;
};

// What text says of a recording by its format.
struct FormatNotes {
  std::string_view made_by;  // empty: ingero
  std::string_view off_cpu;  // before the slowest calls
  std::string_view no_unfinished = "  None.\n";
  std::string_view losses;  // in place of them, where they are not known
};

struct Report {
  std::string path;
  std::string version;  // of the schema
  store::Holds holds;
  FormatNotes notes;
  bool live = false;
  bool whole = false;              // all of the recording was selected
  std::vector<std::string> nodes;  // that the recording is of, where it says so; then what is of one says of which
  store::NodeClocks clocks;        // of several nodes
  std::optional<store::TimeSpan> span;
  uint64_t events = 0, rows_pruned = 0;
  std::vector<store::CallStats> calls;        // the vendors' calls
  std::vector<store::CallStats> host;         // what the host did
  std::vector<store::CallStats> per_process;  // the same per process; only when asked for
  std::vector<ProcessTotals> processes;
  std::vector<store::DeviceTotals> devices;  // of the whole recording; empty when less is selected
  std::vector<store::CallInstance> slowest;
  std::vector<store::CallInstance> unfinished;
  std::map<std::pair<std::string, int64_t>, std::string> statuses;  // of the slowest calls: what their codes are called
  std::vector<FailureCount> failures;                               // most frequent first
  bool failures_known = true;                                       // false when looking for them took too long
  std::vector<store::LossCount> losses;
  std::vector<store::LostOfProcess> lost_calls;    // whose calls a full ring had no room for
  std::vector<ProcessTime> time;                   // where it went, of each process that makes GPU calls
  bool time_known = true;                          // false: only a part of the calls became rows
  store::Ending ending = store::Ending::kUnknown;  // whether `losses` is all that was lost
  size_t run_count = 0;
  uint64_t chains = 0;           // stored causal chains
  Diagnosis diagnosis;           // what the engine finds in it
  uint64_t harmless_chains = 0;  // left out of the diagnosis: the budget knows that they cost nothing
  uint64_t warm_up_chains = 0;   // likewise: they were over before the first step
  std::vector<CommunicatorReport> collectives;
  bool collectives_known = true;  // false when looking for them took too long
  InferenceReport inference;
  std::vector<KernelFigures> kernels;  // empty: none has a name
  bool kernels_known = true;           // false when looking for them took too long
};

inline bool is_of_several_nodes(const Report& report) { return report.nodes.size() > 1; }

Result<Report> gather_report(const store::Reader& reader, const store::Selection& selection,
                             const ReportOptions& options, const VendorNames& names);

// The labels that held at each cause and each slow or unfinished call.
Status add_labels(const store::Reader& reader, Report& report);

// For people.
std::string report_text(const Report& report, bool per_process, bool colour);
// One JSON document; keys in docs/formats/explain.md.
std::string report_json(const Report& report, bool per_process);
Json report_document(const Report& report);

// Time that a process lost, and that was over, before its first step; steps are believed after a few of them.
bool is_of_warm_up(const ReportedChain& chain, const ProcessTime& time);
// A CPU that it waited for, of a process whose steps lost more to another cause: not what to look at first.
bool is_lesser(const ReportedChain& chain, const ProcessTime& time);
// What the chains say of each process's time: that it failed or hung, that its threads share a stream, and, where its
// time alone does not say what limits it, what cost much of it.
void add_chains(const std::vector<ReportedChain>& chains, std::vector<ProcessTime>& times);
// A host event (scheduling, memory, disk, network) rather than a vendor's call.
bool is_host(const store::CallStats& call);

}  // namespace ingero::report
