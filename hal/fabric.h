// What a fabric adapter says of itself: identity, links, and every counter its driver exports.
//
// Plain data, no vendor: names of counters are the driver's own. Units: bytes, bits per second, or counts as `unit`
// says; values are in base units already. Unknown is absent. A sampler is made and used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/sampler_world.h"

namespace ingero::hal {

enum class CounterOrigin : uint8_t { kPort, kPortHardware, kDeviceHardware };
std::string_view name_of(CounterOrigin origin);  // "port", "port_hw", "device_hw": where the driver exports it
enum class CounterUnit : uint8_t { kCount, kBytes };
std::string_view name_of(CounterUnit unit);  // "count", "bytes"

// What became of a counter since the sample before.
enum class CounterChange : uint8_t {
  kFirst,  // there was none before
  kSame,
  kGrew,
  kWrapped,  // a narrow counter passed its end: delta counts over it
  kReset,    // smaller than before: delta is unknown
  kStuck,    // has come to the end of its width, where it stays: a lower bound
};
std::string_view name_of(CounterChange change);

// What it says of the fabric when a counter grows. Known per driver, by a table with its sources; what is not in it is
// shown and never held against anything.
enum class CounterSense : uint8_t {
  kUnknown,
  kTraffic,     // healthy work: bytes, requests, acknowledgements
  kPackets,     // packets sent or received: what losses are a share of
  kLevel,       // how many things there are now: it falls, too
  kCongestion,  // marks and notices of congestion control: senders were slowed down
  kNotReady,    // a receiver had no buffer waiting
  kLoss,        // packets that were lost, came out of order, or were sent again
  kLinkFault,   // bits or packets spoilt on the way: cable, transceiver, port
  kLinkDown,    // the link went down
  kRefused,     // work that ended with an error: rights, lengths, resources
  kGaveUp,      // a connection that ended after its last retry
};
std::string_view name_of(CounterSense sense);  // "loss"

struct CounterMeaning {
  CounterSense sense = CounterSense::kUnknown;
  std::string_view sentence = {};
};

struct FabricCounter {
  std::string name;  // the file's, checked to be a name
  CounterOrigin origin = CounterOrigin::kPort;
  CounterUnit unit = CounterUnit::kCount;
  CounterChange change = CounterChange::kFirst;
  uint64_t value = 0;
  std::optional<uint64_t> delta;
  CounterMeaning meaning = {};  // with a sentence for people, where the name is known
};

struct FabricGid {
  uint32_t position = 0;
  std::string gid;   // as the kernel prints it
  std::string type;  // "RoCE v2", or empty
  std::string netdev;
};

inline constexpr uint32_t kPortActive = 4;

struct FabricPort {
  uint32_t number = 0;
  std::string link_layer;                  // "InfiniBand", "Ethernet"; empty: unknown
  std::optional<uint32_t> state;           // kPortActive: works (IBA PortState)
  std::optional<uint32_t> physical_state;  // 5 is link up (IBA PortPhysicalState)
  std::optional<uint64_t> rate_bits_per_second;
  std::string netdev;  // the network interface behind it, where there is one
  std::vector<FabricGid> gids;
  std::vector<FabricCounter> counters;
};

struct FabricDevice {
  std::string name;    // "mlx5_0"
  std::string driver;  // "mlx5_core"
  std::string firmware;
  std::string board;
  std::string node_guid;
  std::string pci_address;
  std::optional<int32_t> numa_node;
  std::vector<FabricPort> ports;
  std::vector<FabricCounter> counters;  // of the device as a whole
};

struct Unreadable {
  std::string path;
  std::string reason;
};

struct FabricSample {
  uint64_t wall_ns = 0;
  std::vector<FabricDevice> devices;
  std::vector<Unreadable> unreadable;  // files left out of this sample; the first kMaxUnreadable
  uint64_t unreadable_count = 0;
  static constexpr size_t kMaxUnreadable = 64;
};

class FabricSampler {
 public:
  virtual ~FabricSampler() = default;
  // Every device there is now. Never fails as a whole: what cannot be read is left out and listed. No device: empty.
  virtual FabricSample sample() = 0;
};

}  // namespace ingero::hal
