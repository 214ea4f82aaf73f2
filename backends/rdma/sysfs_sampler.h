// Fabric adapters as /sys/class/infiniband shows them: any driver, found by scanning, never by a list of names.
//
// Layout: Linux Documentation/ABI/stable/sysfs-class-infiniband. One bad file affects that file only. Counters with a
// `hw_counters/lifespan` (milliseconds) are read at most once per lifespan; in between, their last values are repeated.
// Bounded: kMaxEntries of anything a directory lists, names checked before they are used.
#pragma once

#include <map>
#include <string>

#include "backends/rdma/counter_track.h"
#include "hal/fabric.h"

namespace ingero::backends::rdma {

class SysfsSampler : public hal::FabricSampler {
 public:
  static constexpr size_t kMaxEntries = 4096;
  static constexpr size_t kMaxDevices = 256;
  static constexpr uint64_t kGidIntervalNs = 60'000'000'000;  // a table of hundreds of files that hardly changes

  explicit SysfsSampler(const hal::SamplerWorld& world)
      : root_(world.sys_root + "/class/infiniband"), clock_(*world.clock) {}
  hal::FabricSample sample() override;

 private:
  struct Directory {
    uint64_t next_read_mono_ns = 0;
    std::map<std::string, CounterTrack, std::less<>> tracks;
    std::vector<hal::FabricCounter> last;
  };
  struct Gids {
    uint64_t next_read_mono_ns = 0;
    std::vector<hal::FabricGid> last;
  };

  hal::FabricDevice device(const std::string& name, hal::FabricSample& sample);
  hal::FabricPort port(const std::string& path, std::string_view driver, uint32_t number, hal::FabricSample& sample);
  void counters(const std::string& path, std::string_view driver, hal::CounterOrigin origin, hal::FabricSample& sample,
                std::vector<hal::FabricCounter>& out);
  std::vector<hal::FabricGid> gids(const std::string& path);

  const std::string root_;
  const Clock& clock_;
  uint64_t now_mono_ns_ = 0;
  std::map<std::string, Directory> directories_;
  std::map<std::string, Gids> gids_;
};

}  // namespace ingero::backends::rdma
