// Sampled rows on their way into a recording: fabric links and counters, devices and readings. Private to store/.
//
// add() numbers and keeps; write() inserts what is kept, inside the writer's transaction; committed() forgets it. A
// counter that did not change has no row: its value is that of its last row. At most kMaxRows wait; more are dropped
// and counted as store_failed.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "hal/device.h"
#include "hal/fabric.h"
#include "hal/loss.h"
#include "store/db/sqlite.h"

namespace ingero::store {

class Samples {
 public:
  static constexpr size_t kMaxRows = 200'000;

  Status load(Database& database, int64_t session);
  void add(const hal::FabricSample& sample, hal::LossLedger& losses);
  void add(const hal::DeviceSample& sample, hal::LossLedger& losses);
  void add(const hal::DeviceError& error, hal::LossLedger& losses);
  bool empty() const { return rows() == 0; }
  Status write(Database& database) const;
  void committed();

 private:
  struct Link {
    int64_t wall_ns;
    std::string device;
    uint32_t port;
    hal::FabricPort facts;    // without counters
    hal::FabricDevice owner;  // without ports and counters
  };
  struct Counter {
    int64_t id;
    std::string device;
    int64_t port;  // negative: of the device
    std::string name;
    hal::CounterOrigin origin;
    hal::CounterUnit unit;
  };
  struct Value {
    int64_t counter, wall_ns;
    uint64_t value;
    std::optional<uint64_t> delta;
    hal::CounterChange change;
  };
  struct DeviceRow {
    int64_t id;
    hal::Device facts;  // without readings and processes
  };
  struct ReadingValue {
    int64_t device, wall_ns;
    hal::Reading reading;
  };
  struct ProcessValue {
    int64_t device, wall_ns;
    hal::DeviceProcess process;
  };

  size_t rows() const;
  bool has_room(hal::LossLedger& losses) const;
  void add_counter(const std::string& device, int64_t port, const hal::FabricCounter& counter, int64_t wall_ns);

  int64_t session_ = 0;
  int64_t next_counter_ = 1, next_device_ = 1;
  std::map<std::tuple<std::string, int64_t, hal::CounterOrigin, std::string>, int64_t> counter_ids_;
  std::map<std::pair<std::string, uint32_t>, std::string> links_;      // device and port: its facts in one string
  std::map<std::pair<std::string, std::string>, int64_t> device_ids_;  // vendor, uuid
  std::vector<Link> new_links_;
  std::vector<Counter> new_counters_;
  std::vector<Value> values_;
  std::vector<DeviceRow> new_devices_;
  std::vector<ReadingValue> readings_;
  std::vector<ProcessValue> processes_;
  std::vector<hal::DeviceError> errors_;
};

}  // namespace ingero::store
