// What nodes say of their ranks' devices, as evidence: why a rank is late, and whose device a job waits for that has
// become slower as a whole (detect/devices.h compares, this one keeps names and finds words).
//
// One thread at a time. Bounded as detect::Devices. Failure: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "fleet/detect/detector.h"
#include "fleet/detect/devices.h"
#include "fleet/detect/pace.h"
#include "fleet/server/node_reports.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::server {

inline constexpr const char* kSlowJob = "slow_job";  // the kind of a job that has become slower as a whole

class DeviceEvidence {
 public:
  // The device that came with a window, whose number is `number`.
  void add(const wire::Window& window, uint64_t number, uint32_t node);
  const std::vector<detect::DeviceFinding>& slow(uint64_t number) const { return devices_.slow(number); }
  // Into `evidence`: the device of an incident's rank, where it explains half of the lateness, or says why it is slow
  // and not by how much; of a node, where those of half of its slow ranks do. False: it is not why.
  bool explain(const detect::Incident& incident, Json& evidence) const;
  size_t known(uint64_t number) const { return devices_.known(number); }
  // {"hw_id", "model", "peers", "ranks", "clock_hertz", "usual_clock_hertz", "throttle_reasons", "power_watts",
  // "usual_power_watts"}; null: not evidence.
  Json json(const detect::DeviceFinding& finding) const;

 private:
  struct Names {
    std::string id, model;
  };
  std::optional<detect::DeviceFinding> reason(const detect::Incident& incident, uint32_t rank) const;

  detect::Devices devices_;
  std::map<uint64_t, Names> names_;  // by device
  uint64_t cleaned_ = 0;             // number of the window when what is old was forgotten
};

// Of what json() made: "its device (GPU-1, model X) runs at 1100 MHz, and its peers' at 1500 MHz; ...".
std::string device_in_words(const Json& device);

// Of a job that has become slower.
struct SlowJob {
  std::string what = "unknown";  // its class
  double confidence = 0;
  std::optional<detect::DeviceFinding> device;  // absent: whose it is is not known
  Json evidence;
};
SlowJob slow_job(const detect::PaceChange& change, const DeviceEvidence& devices);
// What `node` says of its network: why the job is slower, where all wait longer, and no device is.
void explain_by_network(const detect::PaceChange& change, const NodeReport& report, SlowJob& slow);
// `node`: the name of the device's, or of the network's.
std::string sentence_of(const detect::PaceChange& change, const SlowJob& slow, const std::string& node);
// Why, of the evidence.
std::string cause_of_slow_job(const Json& evidence);

}  // namespace ingero::fleet::server
