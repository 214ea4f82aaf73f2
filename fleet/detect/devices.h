// Which devices work more slowly than their peers, by what their nodes read of them: evidence for why a rank is late,
// and for whom a job waits in which no rank is.
//
// A device is compared with those of the same model in the job, over its last kEvidenceWindows windows:
//
// V1  Its clock is below the median of its peers' by kClockFloor and more (of fewer than five: below the faster one in
//     the middle), while it is not at rest where they work.
// V2  It is throttled in at least half of its windows, for a reason for which at most a quarter of its peers are.
// V3  It draws less than kPowerShare of what they draw, and works no smaller share of the time.
// V4  One that is like a quarter of its peers, or more, is not named: then it is how the machines are set.
//
// A window is evaluated up to kMaxLate windows after the newest came: those are kept, too.
//
// Pure and deterministic; one thread at a time. Bounded: kMaxDevices, kMaxRanksOfDevice. A model or a device is known
// by a hash that the caller chooses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ingero::fleet::detect {

inline constexpr size_t kEvidenceWindows = 6, kMinEvidence = 3, kMaxLate = 16, kMaxDevices = 65536,
                        kMaxRanksOfDevice = 64;
inline constexpr double kClockFloor = 0.05, kPowerShare = 0.75;

// A rank's device in a window. What is absent was not read.
struct DeviceReading {
  uint64_t window = 0;  // its number
  uint32_t rank = 0, node = 0;
  uint64_t device = 0, model = 0;
  std::optional<double> clock_hertz, power_watts, utilization_ratio;
  std::optional<uint32_t> throttle_reasons;  // bits
};

// Why a device is thought to be slow. What is 0 or absent is not evidence.
struct DeviceFinding {
  uint64_t device = 0;
  uint32_t node = 0;
  std::vector<uint32_t> ranks;  // that work on it, ascending
  size_t peers = 0;             // devices that it was compared with
  double slower = 0;            // V1: by how much longer it works than its peers, by its clock
  double clock_hertz = 0, usual_clock_hertz = 0;
  uint32_t throttle_reasons = 0;  // V2
  double power_watts = 0, usual_power_watts = 0;
  bool draws_less = false;  // V3

  bool is_evidence() const { return slower > 0 || throttle_reasons != 0 || draws_less; }
};

class Devices {
 public:
  // Windows come nearly in order.
  void add(const DeviceReading& reading);
  // As of `window`: all that are evidence, the slowest first. Until the next add().
  const std::vector<DeviceFinding>& slow(uint64_t window) const;
  // Of the device of a rank; absent: nothing says that it is slow.
  std::optional<DeviceFinding> of_rank(uint32_t rank, uint64_t window) const;
  // Devices that have said enough of late.
  size_t known(uint64_t window) const;
  // Those that have said nothing since then are forgotten.
  void forget_before(uint64_t window);

 private:
  struct Slot {
    uint64_t window = 0;
    float clock_hertz = -1, power_watts = -1, utilization_ratio = -1;  // below 0: not read
    int32_t throttle_reasons = -1;
  };
  struct Device {
    uint32_t node = 0;
    uint64_t model = 0, last_window = 0;
    std::vector<uint32_t> ranks;  // ascending
    std::array<Slot, kEvidenceWindows + kMaxLate> slots;
  };
  // Of a device's last windows: means, and the reasons of at least half of them.
  struct Summary {
    uint64_t device = 0;
    const Device* of = nullptr;
    size_t windows = 0;
    double clock_hertz = -1, power_watts = -1, utilization_ratio = -1;
    uint32_t throttle_reasons = 0;
  };
  static Summary summary_of(uint64_t id, const Device& device, uint64_t window);
  // What is usual among the devices of one model, and of how many what is unusual is true.
  struct Peers {
    size_t count = 0, low_clocks = 0, low_powers = 0;
    double clock_hertz = -1, power_watts = -1, utilization_ratio = -1;
    std::array<size_t, 4> throttled{};
    bool is_low_clock(const Summary& one) const;
    bool draws_less(const Summary& one) const;
  };
  static Peers peers_of(const std::vector<Summary>& model);
  static DeviceFinding compare(const Summary& one, const Peers& peers);
  std::map<uint64_t, std::vector<Summary>> models(uint64_t window) const;

  std::map<uint64_t, Device> devices_;
  struct Answer {
    uint64_t window = 0;
    std::vector<DeviceFinding> slow;
  };
  mutable std::optional<Answer> answer_;  // the last one, while it holds
};

}  // namespace ingero::fleet::detect
