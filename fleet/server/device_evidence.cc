// Names of devices, and findings in words: see device_evidence.h.
#include "fleet/server/device_evidence.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/text.h"
#include "fleet/server/incident_rows.h"

namespace ingero::fleet::server {
namespace {

constexpr double kDeviceExplains = 0.5;                        // of the lateness
constexpr double kSure = 0.8, kOneSign = 0.6, kSeveral = 0.5;  // confidence
constexpr double kRankUnknown = 0.5;
constexpr uint64_t kForgottenAfter = 120;  // windows
constexpr size_t kMaxRanksOfEvidence = 64;
constexpr std::pair<uint32_t, const char*> kThrottleWords[] = {{wire::kThrottlePower, "power"},
                                                               {wire::kThrottleThermal, "temperature"},
                                                               {wire::kThrottleSoftware, "software"},
                                                               {wire::kThrottleHardware, "hardware"}};

uint64_t device_of(const wire::Window& window) {
  return Fnv1a().add(window.sender.node).end_text().add(window.device->id).end_text().value();
}

std::string megahertz(const Json& hertz) { return fmt::format("{:.0f} MHz", hertz.get<double>() / 1e6); }

}  // namespace

void DeviceEvidence::add(const wire::Window& window, uint64_t number, uint32_t node) {
  if (!window.device) return;
  const wire::DeviceState& state = *window.device;
  const uint64_t device = device_of(window);
  const uint64_t model = Fnv1a().add(state.model).end_text().value();
  devices_.add({number, window.rank, node, device, model, state.sm_clock_hertz, state.power_watts,
                state.utilization_ratio, state.throttle_reasons});
  if (names_.size() < detect::kMaxDevices || names_.contains(device)) names_[device] = {state.id, state.model};
  if (number < cleaned_ + kForgottenAfter) return;
  cleaned_ = number;
  devices_.forget_before(number - std::min(number, kForgottenAfter));
  if (names_.size() > 2 * devices_.known(number) + kMaxRanksOfEvidence) names_.clear();  // they come again
}

bool DeviceEvidence::explain(const detect::Incident& incident, Json& evidence) const {
  if (!incident.is_of_node()) {
    const auto finding = reason(incident, incident.rank);
    if (finding) evidence["device"] = json(*finding);
    return finding.has_value();
  }
  std::optional<detect::DeviceFinding> worst;
  size_t count = 0;
  for (const uint32_t rank : incident.ranks) {
    auto finding = reason(incident, rank);
    if (!finding) continue;
    ++count;
    if (!worst || finding->slower > worst->slower) worst = std::move(finding);
  }
  if (2 * count < incident.ranks.size()) return false;
  evidence["slow_devices"] = count;
  evidence["device"] = json(*worst);
  return true;
}

std::optional<detect::DeviceFinding> DeviceEvidence::reason(const detect::Incident& incident, uint32_t rank) const {
  auto finding = devices_.of_rank(rank, incident.last_window);
  if (!finding) return std::nullopt;
  const bool says_how_much = finding->slower > 0;
  if (says_how_much && finding->slower < kDeviceExplains * incident.effect && finding->throttle_reasons == 0) {
    return std::nullopt;
  }
  return finding;
}

Json DeviceEvidence::json(const detect::DeviceFinding& finding) const {
  const auto names = names_.find(finding.device);
  const auto if_any = [](double value) { return value > 0 ? Json(std::round(value * 1000) / 1000) : Json(nullptr); };
  Json reasons = Json::array();
  for (const auto& [bit, word] : kThrottleWords) {
    if ((finding.throttle_reasons & bit) != 0) reasons.push_back(word);
  }
  const auto ranks = std::span(finding.ranks).first(std::min(finding.ranks.size(), kMaxRanksOfEvidence));
  return {{"hw_id", names == names_.end() ? Json(nullptr) : json_or_null(names->second.id)},
          {"model", names == names_.end() ? Json(nullptr) : json_or_null(names->second.model)},
          {"peers", finding.peers},
          {"ranks", std::vector<uint32_t>(ranks.begin(), ranks.end())},
          {"clock_hertz", if_any(finding.clock_hertz)},
          {"usual_clock_hertz", if_any(finding.usual_clock_hertz)},
          {"throttle_reasons", std::move(reasons)},
          {"power_watts", if_any(finding.power_watts)},
          {"usual_power_watts", if_any(finding.usual_power_watts)}};
}

std::string device_in_words(const Json& device) {
  std::string name = text_member(device, "hw_id");
  if (const std::string model = text_member(device, "model"); !model.empty()) name += ", " + model;
  std::vector<std::string> signs;
  if (device.at("clock_hertz").is_number()) {
    signs.push_back(fmt::format("runs at {}, and its peers' at {}", megahertz(device["clock_hertz"]),
                                megahertz(device["usual_clock_hertz"])));
  }
  std::string reasons;
  for (const Json& reason : device.at("throttle_reasons")) {
    reasons += (reasons.empty() ? "" : ", ") + reason.get<std::string>();
  }
  if (!reasons.empty()) signs.push_back(fmt::format("is throttled ({}), and most of its peers' are not", reasons));
  if (device.at("power_watts").is_number()) {
    signs.push_back(fmt::format("draws {:.0f} W, and its peers' {:.0f} W", device["power_watts"].get<double>(),
                                device["usual_power_watts"].get<double>()));
  }
  std::string words = "its device" + (name.empty() ? "" : " (" + name + ")");
  for (size_t i = 0; i < signs.size(); ++i) words += (i == 0 ? " " : "; it ") + signs[i];
  return words;
}

SlowJob slow_job(const detect::PaceChange& change, const DeviceEvidence& devices) {
  SlowJob slow;
  const auto& findings = devices.slow(change.last_window);
  slow.confidence = kRankUnknown;
  if (!findings.empty()) {
    const detect::DeviceFinding& worst = findings.front();
    slow.device = worst;
    slow.what = "device";
    slow.confidence = worst.slower > 0 && worst.throttle_reasons != 0 ? kSure : kOneSign;
    if (findings.size() > 1) slow.confidence = kSeveral;
  }
  slow.evidence = {{"effect", rounded(change.effect)},
                   {"lateness_s_per_step", rounded(change.pace_s - change.usual_pace_s)},
                   {"usual_s_per_step", rounded(change.usual_pace_s)},
                   {"more_work_s_per_step", rounded(change.more_work_s)},
                   {"more_wait_s_per_step", rounded(change.more_wait_s)},
                   {"compared_devices", devices.known(change.last_window)},
                   {"slow_devices", findings.size()},
                   {"device", slow.device ? devices.json(*slow.device) : Json(nullptr)}};
  return slow;
}

void explain_by_network(const detect::PaceChange& change, const NodeReport& report, SlowJob& slow) {
  if (slow.device || change.more_wait_s <= change.more_work_s) return;
  slow.what = class_of_rule(report.rule);
  slow.confidence = kOneSign;
  slow.evidence["reported"] = report_json(report);
}

std::string sentence_of(const detect::PaceChange& change, const SlowJob& slow, const std::string& node) {
  std::string sentence = fmt::format(
      "the job is {:.0f} % slower than it was: {} from one collective to the next, {} "
      "before, on all ranks alike",
      100 * change.effect, format_duration(static_cast<uint64_t>(1e9 * change.pace_s)),
      format_duration(static_cast<uint64_t>(1e9 * change.usual_pace_s)));
  if (slow.what == "network") return sentence + fmt::format("; the network of {} has a fault", node);
  if (!slow.device) return sentence + "; rank unknown";
  const auto& ranks = slow.device->ranks;
  std::string numbers;
  for (size_t i = 0; i < std::min<size_t>(ranks.size(), 4); ++i) {
    numbers += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  if (ranks.size() > 4) numbers += ", ...";
  return sentence + fmt::format("; the device of {} {} on {} is slower than its peers",
                                ranks.size() == 1 ? "rank" : "ranks", numbers, node);
}

std::string cause_of_slow_job(const Json& evidence) {
  const auto device = evidence.find("device");
  if (device != evidence.end() && device->is_object()) return device_in_words(*device);
  const auto reported = evidence.find("reported");
  if (reported != evidence.end() && reported->is_object()) {
    return "all wait longer in collectives; its node reports: " + text_member(*reported, "summary");
  }
  const auto compared = evidence.find("compared_devices");
  if (compared == evidence.end() || !compared->is_number() || compared->get<double>() < 2) {
    return "whose device or work it waits for is not known: nodes do not say what their devices do";
  }
  return "whose device or work it waits for is not known: no device differs from its peers";
}

}  // namespace ingero::fleet::server
