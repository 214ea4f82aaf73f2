// Sampled rows: what changed is a row, what did not is none; facts once until they change; unknown is NULL.
#include <gmock/gmock.h>

#include "recording.h"
#include "store/read/replay.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;

class SamplesTest : public RecordingTest {
 protected:
  static hal::FabricSample fabric(uint64_t at_ns, uint64_t value, hal::CounterChange change) {
    hal::FabricSample sample;
    sample.wall_ns = at_ns;
    hal::FabricCounter counter;
    counter.name = "port_rcv_errors";
    counter.value = value;
    counter.change = change;
    if (change == hal::CounterChange::kGrew) counter.delta = 2;
    hal::FabricPort port;
    port.number = 1;
    port.link_layer = "InfiniBand";
    port.state = 4;
    port.gids.push_back({0, "fe80::1", "", "ib0"});
    port.counters.push_back(counter);
    hal::FabricDevice device;
    device.name = "fab0";
    device.ports.push_back(port);
    sample.devices.push_back(device);
    return sample;
  }
  void add(const hal::FabricSample& sample) {
    writer->add_sample(sample);
    flush();
  }
};

TEST_F(SamplesTest, ACounterThatDoesNotChangeIsOneRow) {
  open();
  add(fabric(10, 5, hal::CounterChange::kFirst));
  add(fabric(20, 5, hal::CounterChange::kSame));
  add(fabric(30, 7, hal::CounterChange::kGrew));
  add(fabric(40, 1, hal::CounterChange::kReset));
  close();
  EXPECT_THAT(
      rows("SELECT timestamp, device, port, name, value, delta, unit, origin, change FROM fabric_samples "
           "ORDER BY timestamp"),
      ElementsAre("10|fab0|1|port_rcv_errors|5|NULL|count|port|first", "30|fab0|1|port_rcv_errors|7|2|count|port|grew",
                  "40|fab0|1|port_rcv_errors|1|NULL|count|port|reset"));
  EXPECT_EQ(losses.count(hal::Loss::store_failed), 0U);
}

TEST_F(SamplesTest, ALinkIsARowWhenAnythingOfItChanges) {
  open();
  auto sample = fabric(10, 5, hal::CounterChange::kFirst);
  add(sample);
  sample.wall_ns = 20;
  add(sample);
  sample.wall_ns = 30;
  sample.devices[0].ports[0].state = 1;
  add(sample);
  close();
  EXPECT_THAT(rows("SELECT timestamp, device, port, link_layer, state, physical_state, pci_address FROM fabric_links"),
              ElementsAre("10|fab0|1|InfiniBand|4|NULL|NULL", "30|fab0|1|InfiniBand|1|NULL|NULL"));
  EXPECT_THAT(rows("SELECT DISTINCT gid, netdev, type FROM fabric_gids"), ElementsAre("fe80::1|ib0|NULL"));
}

TEST_F(SamplesTest, DevicesHaveTheirReadingsProcessesAndErrors) {
  open();
  hal::DeviceSample sample;
  sample.wall_ns = 50;
  hal::Device device;
  device.vendor = "acme";
  device.uuid = "GPU-1";
  device.add(hal::ReadingId::power_watts, 250.5);
  device.add(hal::ReadingId::clock_hertz, 1e9, "sm");
  device.processes = {{41, 1 << 20}, {42, std::nullopt}};
  sample.devices.push_back(device);
  writer->add_sample(sample);
  hal::DeviceError error;
  error.wall_ns = 60;
  error.vendor = "acme";
  error.kind = "Xid";
  error.code = 79;
  error.message = "it fell off";
  writer->add_device_error(error);
  flush();
  sample.wall_ns = 70;
  writer->add_sample(sample);
  close();
  EXPECT_THAT(rows("SELECT timestamp, uuid, pci_address, name, part, value FROM device_samples ORDER BY 1, 4"),
              ElementsAre("50|GPU-1|NULL|clock_hertz|sm|1000000000", "50|GPU-1|NULL|power_watts||250.5",
                          "70|GPU-1|NULL|clock_hertz|sm|1000000000", "70|GPU-1|NULL|power_watts||250.5"));
  EXPECT_THAT(rows("SELECT pid, memory_bytes FROM device_processes WHERE timestamp = 50"),
              ElementsAre("41|1048576", "42|NULL"));
  EXPECT_THAT(rows("SELECT timestamp, kind, code, meaning, pid, message FROM device_errors"),
              ElementsAre("60|Xid|79|NULL|NULL|it fell off"));
  EXPECT_EQ(row("SELECT count(*) FROM devices"), "1");
}

TEST_F(SamplesTest, ASecondSessionNumbersItsOwnCounters) {
  for (int session = 0; session < 2; ++session) {
    open();
    add(fabric(static_cast<uint64_t>(10 + session), 5, hal::CounterChange::kFirst));
    close();
  }
  EXPECT_THAT(rows("SELECT session, timestamp, value FROM fabric_samples ORDER BY 1"), ElementsAre("1|10|5", "2|11|5"));
}

TEST_F(SamplesTest, AStoreThatCannotWriteKeepsABoundedNumber) {
  open();
  hal::DeviceSample sample;
  hal::Device device;
  device.vendor = "acme";
  device.uuid = "GPU-1";
  for (int i = 0; i < 1000; ++i) device.add(hal::ReadingId::link_active, 1, std::to_string(i));
  sample.devices.push_back(device);
  for (uint64_t i = 1; i <= 250; ++i) {
    sample.wall_ns = i;
    writer->add_sample(sample);  // nothing is committed
  }
  EXPECT_GT(losses.count(hal::Loss::store_failed), 40U);
  close();
  EXPECT_EQ(row("SELECT count(*) FROM device_values"), "200000");
}

// What a replay says of adapters: when a session begins, each state of a port, each counter that grew, the end.
struct Replayed : ReplaySink {
  void begin(const std::string& node, uint64_t, bool) override { said.push_back("begin " + node); }
  void event(const hal::Event&) override { said.push_back("event"); }
  void fabric_sample(const hal::FabricSample& sample, uint64_t mono_ns) override {
    const hal::FabricDevice& device = sample.devices.at(0);
    const hal::FabricPort& port = device.ports.at(0);
    std::string line = device.name + "(" + device.driver + ") port " + std::to_string(port.number) + " at " +
                       std::to_string(static_cast<int64_t>(mono_ns - kMono)) + ":";
    if (port.state) line += " state " + std::to_string(*port.state);
    for (const auto& counter : port.counters) {
      line += " " + counter.name + " " + std::string(name_of(counter.origin)) + " +" + std::to_string(*counter.delta);
    }
    said.push_back(line);
  }
  void end(std::optional<uint64_t> complete) override { said.push_back(complete ? "end" : "end, not complete"); }
  std::vector<std::string> said;
};

TEST_F(SamplesTest, ASessionWithoutAnyEventIsReplayedForItsSamples) {
  open();
  auto sample = fabric(kWall + 10, 5, hal::CounterChange::kFirst);
  sample.devices[0].driver = "acme_core";
  sample.devices[0].ports[0].counters[0].origin = hal::CounterOrigin::kPortHardware;
  add(sample);
  sample.wall_ns = kWall + 30;
  sample.devices[0].ports[0].state = 1;
  sample.devices[0].ports[0].counters[0].change = hal::CounterChange::kGrew;
  sample.devices[0].ports[0].counters[0].delta = 2;
  add(sample);
  close();
  EXPECT_EQ(row("SELECT count(*) FROM clocks"), "1") << "its samples have monotonic times, too";
  Replayed replayed;
  ASSERT_TRUE(replay(*read(), {}, replayed).ok());
  EXPECT_THAT(replayed.said, ElementsAre(::testing::StartsWith("begin"), "fab0(acme_core) port 1 at 10: state 4",
                                         "fab0(acme_core) port 1 at 30: state 1",
                                         "fab0(acme_core) port 1 at 30: port_rcv_errors port_hw +2", "end"));
}

TEST_F(SamplesTest, OfATimeRangeOnlyItsOwnSamplesAndHangsAreReplayed) {
  open();
  auto sample = fabric(kWall + 10, 5, hal::CounterChange::kFirst);
  add(sample);
  hal::CollectiveHang hang;
  hang.number = 3;
  hang.entered_mono_ns = kMono + 5;
  hang.waited_ns = 10;
  writer->add_hang(hang);
  write({event_of("cudaMalloc", 10, 5), event_of("cudaMalloc", 50, 5), event_of("cudaMalloc", 90, 5)});
  sample.wall_ns = kWall + 90;
  sample.devices[0].ports[0].state = 1;
  add(sample);
  close();
  class Sides : public ReplaySink {
   public:
    std::vector<uint64_t> samples, hangs;
    void fabric_sample(const hal::FabricSample&, uint64_t mono_ns) override { samples.push_back(mono_ns - kMono); }
    void hang(const hal::CollectiveHang& one, std::string_view) override { hangs.push_back(one.number); }
  };
  const auto sides_of = [&](std::optional<uint64_t> from, std::optional<uint64_t> to) {
    Selection selection;
    if (from) selection.from_wall_ns = kWall + *from;
    if (to) selection.to_wall_ns = kWall + *to;
    Sides sides;
    EXPECT_TRUE(replay(*read(), selection, sides).ok());
    return std::pair(sides.samples, sides.hangs);
  };
  using Numbers = std::vector<uint64_t>;
  EXPECT_EQ(sides_of({}, {}), (std::pair<Numbers, Numbers>({10, 90}, {3})));
  EXPECT_EQ(sides_of(20, {}), (std::pair<Numbers, Numbers>({20, 90}, {}))) << "the port's state until then";
  EXPECT_EQ(sides_of({}, 60), (std::pair<Numbers, Numbers>({10}, {3})));
  EXPECT_EQ(sides_of(12, 60), (std::pair<Numbers, Numbers>({12}, {3}))) << "the hang goes on until 15";
}

}  // namespace
}  // namespace ingero::store::testing
