// Incidents as the store has them: what makes two of them the same one, how they behave over time, and as JSON. Pure;
// one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "fleet/store/cluster_store.h"

namespace ingero::fleet::server {

inline constexpr const char* kHang = "hang";  // the class of all kinds of hangs
// Kinds: one rank is slow, most ranks of a node are; a node's own health score is low.
inline constexpr const char *kStraggler = "straggler", *kSlowNode = "slow_node", *kLowScore = "low_health_score";

// One incident at a time has this name: of a rank or a node in a job, or of a job's hang of a kind.
std::string incident_name(const store::IncidentRow& row);

// When incidents of a day began, by their names.
class Onsets {
 public:
  Onsets() = default;  // of none
  explicit Onsets(std::span<const store::IncidentRow> known);

  // `transient`: over within a minute; `periodic`: the third time or later, at times whose gaps differ by less than a
  // fifth; else `persistent`. Unknown where it has lasted for less than a minute and is not over. It need not be among
  // the known ones.
  std::optional<std::string_view> persistence_of(const store::IncidentRow& row) const;

 private:
  std::vector<uint64_t> until(const store::IncidentRow& row) const;

  std::map<std::string, std::vector<uint64_t>> by_name_;
};

// Else it is of a node, or of a job.
bool has_rank(const store::IncidentRow& row);

Json incident_json(const store::IncidentRow& row, const Onsets& onsets);

// Why a rank is late, of an incident's kind, class and evidence; null where nothing is to be said.
Json cause_in_words(std::string_view kind, std::string_view what, const Json& evidence);

// 64 bits as the answers write them.
std::string hex(uint64_t value);
// A number of a step's time: no reader needs more.
double rounded(double value);

}  // namespace ingero::fleet::server
