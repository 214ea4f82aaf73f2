// Names, persistence and JSON: see incident_rows.h.
#include "fleet/server/incident_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.h"
#include "fleet/server/device_evidence.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kShort_ns = 60'000'000'000;
constexpr size_t kMinOnsets = 3, kMaxOnsets = 8;  // of the newest
constexpr double kMaxSpread = 0.2;                // of the gaps, of their mean
constexpr double kMaxNs = 4e18;

bool is_periodic(const std::vector<uint64_t>& onsets) {
  if (onsets.size() < kMinOnsets) return false;
  uint64_t least = UINT64_MAX, most = 0;
  for (size_t i = 1; i < onsets.size(); ++i) {
    least = std::min(least, onsets[i] - onsets[i - 1]);
    most = std::max(most, onsets[i] - onsets[i - 1]);
  }
  const double mean = static_cast<double>(onsets.back() - onsets.front()) / static_cast<double>(onsets.size() - 1);
  return static_cast<double>(most - least) < kMaxSpread * mean;
}

// What the node measured of a class, where it explains enough; else empty.
std::string measured_cause(std::string_view what, const Json& evidence) {
  const auto more_ns = [&](const char* name) {
    if (!evidence.contains(name) || !evidence[name].is_number()) return uint64_t{0};
    return static_cast<uint64_t>(std::clamp(1e9 * evidence[name].get<double>(), 0.0, kMaxNs));
  };
  const auto part_of_step = [](uint64_t ns) { return ns == 0 ? "" : format_duration(ns) + " of each step "; };
  const uint64_t host_ns = more_ns("cpu_wait_s_per_step"), storage_ns = more_ns("storage_wait_s_per_step");
  const uint64_t asleep_ns = more_ns("asleep_s_per_step");
  const uint64_t late_ns = more_ns("lateness_s_per_step");
  if (2 * std::max(host_ns, storage_ns + asleep_ns) < late_ns && 4 * (host_ns + storage_ns + asleep_ns) < 3 * late_ns) {
    return {};
  }
  const std::string host = fmt::format("its threads wait for a CPU {}longer than its peers'", part_of_step(host_ns));
  const std::string input =
      storage_ns >= asleep_ns
          ? fmt::format("it waits for storage {}longer than its peers", part_of_step(storage_ns))
          : fmt::format(
                "between its collectives all its threads sleep {}longer than its peers' (a data loader, a socket "
                "or a lock: 'ingero explain' on its node names it)",
                part_of_step(asleep_ns));
  // The lesser one too, where without it a good part would not be explained.
  const bool is_host = what == "host";
  const bool are_both = 4 * (is_host ? storage_ns + asleep_ns : host_ns) >= late_ns;
  if (!is_host && what != "input") return {};
  const std::string& first = is_host ? host : input;
  return are_both ? first + ", and " + (is_host ? input : host) : first;
}

}  // namespace

Json cause_in_words(std::string_view kind, std::string_view what, const Json& evidence) {
  if (kind == kSlowJob) return cause_of_slow_job(evidence);
  if (kind != kStraggler && kind != kSlowNode) return nullptr;
  std::string cause = measured_cause(what, evidence);
  if (evidence.contains("device") && evidence["device"].is_object()) {
    cause += cause.empty() ? "" : "; ";
    if (const Json& slow = evidence.value("slow_devices", Json()); slow.is_number_unsigned()) {
      cause += fmt::format("{} of its devices differ from their peers': ", slow.dump());
    }
    cause += device_in_words(evidence["device"]);
  }
  if (evidence.contains("reported") && evidence["reported"].is_object()) {
    return cause + (cause.empty() ? "" : "; ") + "its node reports: " + text_member(evidence["reported"], "summary");
  }
  if (!cause.empty()) return cause;
  return "why is not known: neither waits for a CPU, nor for storage, nor sleep explain half of it, nor does its "
         "device, and its node reports nothing that does";
}

std::string hex(uint64_t value) { return fmt::format("{:016x}", value); }
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

std::string incident_name(const store::IncidentRow& row) {
  if (row.what == kHang || row.kind == kSlowJob) return fmt::format("{}\n{}\n{}", row.cluster, row.job, row.kind);
  const std::string whose = row.kind == kSlowNode ? row.node : std::to_string(row.rank);
  return fmt::format("{}\n{}\n{}\n{}", row.cluster, row.job, row.kind, whose);
}

Onsets::Onsets(std::span<const store::IncidentRow> known) {
  for (const auto& row : known) by_name_[incident_name(row)].push_back(row.from_ns);
}

// When it began, this time and before, ascending.
std::vector<uint64_t> Onsets::until(const store::IncidentRow& row) const {
  std::vector<uint64_t> onsets{row.from_ns};
  if (const auto same = by_name_.find(incident_name(row)); same != by_name_.end()) {
    std::copy_if(same->second.begin(), same->second.end(), std::back_inserter(onsets),
                 [&](uint64_t from_ns) { return from_ns < row.from_ns; });
  }
  std::sort(onsets.begin(), onsets.end());
  onsets.erase(std::unique(onsets.begin(), onsets.end()), onsets.end());
  if (onsets.size() > kMaxOnsets) onsets.erase(onsets.begin(), onsets.end() - kMaxOnsets);
  return onsets;
}

std::optional<std::string_view> Onsets::persistence_of(const store::IncidentRow& row) const {
  if (is_periodic(until(row))) return "periodic";
  const bool is_short = row.to_ns < row.from_ns + kShort_ns;
  if (!is_short) return "persistent";
  if (row.state == "over") return "transient";
  return std::nullopt;
}

bool has_rank(const store::IncidentRow& row) {
  const bool is_of_network = row.kind == kSlowJob && row.what == "network";
  return row.kind != kLowScore && row.kind != kSlowNode && !row.node.empty() && !is_of_network;
}

Json incident_json(const store::IncidentRow& row, const Onsets& onsets) {
  const auto persistence = onsets.persistence_of(row);
  return {{"id", row.id},
          {"cluster_id", row.cluster},
          {"job_id", json_or_null(row.job)},
          {"kind", row.kind},
          {"class", row.what},
          {"state", row.state},
          {"persistence", persistence ? Json(*persistence) : Json(nullptr)},
          {"node_id", json_or_null(row.node)},
          {"rank", has_rank(row) ? Json(row.rank) : Json(nullptr)},
          {"communicator", hex(row.communicator)},
          {"from_ns", row.from_ns},
          {"to_ns", row.to_ns},
          {"confidence", rounded(row.confidence)},
          {"cause", cause_in_words(row.kind, row.what, row.evidence)},
          {"evidence", row.evidence}};
}

}  // namespace ingero::fleet::server
