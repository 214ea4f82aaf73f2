// A causal chain: what slowed a process down, which process, and the evidence. Plain data, made by the engine or read
// from a recording, and used by the store, the exporters and the reports.
//
// Wall times are nanoseconds since the epoch. Unknown is absent. Words are texts, because a recording may have those of
// another version of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::hal {

enum class ChainSeverity : uint8_t { kLow, kMedium, kHigh, kCritical };
// Measured by the calls themselves, or inferred from what else happened in the same window.
enum class Grade : uint8_t { kMeasured, kWindowed };
constexpr std::string_view name_of(Grade grade) { return grade == Grade::kMeasured ? "measured" : "windowed"; }
constexpr std::string_view name_of(ChainSeverity severity) {
  constexpr std::string_view kNames[] = {"LOW", "MEDIUM", "HIGH", "CRITICAL"};
  return kNames[static_cast<size_t>(severity)];
}
// Rank of a severity's name: 0 for the worst; an unknown name comes last.
constexpr int severity_order(std::string_view name) {
  constexpr int kWorst = static_cast<int>(ChainSeverity::kCritical);
  int level = kWorst;
  while (level >= 0 && name_of(static_cast<ChainSeverity>(level)) != name) --level;
  return kWorst - level;
}

// One row of the timeline: a layer and what happened there.
struct ChainStep {
  std::string layer, op, detail;
  uint64_t duration_ns = 0;
};

// An event that shows it: SELECT * FROM events WHERE tid = .. AND start_mono_ns = ..
struct ChainEvidence {
  uint32_t pid = 0, tid = 0;
  uint64_t start_wall_ns = 0, duration_ns = 0;
  std::optional<uint64_t> start_mono_ns;
  std::string op, detail;
  std::optional<uint64_t> stack_hash = {};
};

struct CausalChain {
  std::string id;               // unique on its node, the same live and replayed; in a recording the node is before it
  std::string rule;             // a name of correlate/rules.h
  std::string severity, grade;  // names of ChainSeverity and Grade
  std::optional<double> confidence;  // 0 to 1
  std::optional<uint32_t> pid, tid;
  std::string process;
  std::optional<int32_t> rank;
  std::optional<uint64_t> stack_hash;
  std::string op;                         // the call that was hit most
  uint64_t usual_ns = 0, slowest_ns = 0;  // of that call; usual 0: not known
  std::optional<uint64_t> lost_ns, onset_wall_ns, end_wall_ns;
  bool resolved = false;  // at its end
  std::string summary, root_cause, explanation;
  std::vector<std::string> recommendations;
  std::vector<ChainStep> timeline;
  std::vector<ChainEvidence> evidence;
  std::vector<std::string> symptoms;
};

}  // namespace ingero::hal
