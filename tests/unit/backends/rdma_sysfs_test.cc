// Adapters of several drivers from made-up /sys trees: everything found by scanning, one bad file costs that file.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "backends/rdma/counter_meanings.h"
#include "backends/rdma/sysfs_sampler.h"
#include "temp_folder.h"

namespace ingero::backends::rdma {
namespace {

using hal::CounterChange;
namespace fs = std::filesystem;

class HeldClock : public Clock {
 public:
  uint64_t mono_ns() const override { return now_ns; }
  uint64_t wall_ns() const override { return 1'000'000'000'000 + now_ns; }
  uint64_t now_ns = 1'000'000'000;
};

class FabricSysfs : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.sys_root = root_;
    world_.clock = &clock_;
  }

  void file(const std::string& path, const std::string& text) {
    const fs::path full = fs::path(root_) / "class/infiniband" / path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << text << "\n";
  }
  void port(const std::string& device, const std::string& layer) {
    file(device + "/ports/1/link_layer", layer);
    file(device + "/ports/1/state", "4: ACTIVE");
    file(device + "/ports/1/phys_state", "5: LinkUp");
    file(device + "/ports/1/rate", "200 Gb/sec (4X HDR)");
  }
  // The device's place in the PCI tree, as the kernel links it.
  void behind(const std::string& device, const std::string& address, const std::string& driver) {
    const fs::path pci = fs::path(root_) / "devices" / address;
    fs::create_directories(pci);
    fs::create_directories(fs::path(root_) / "drivers" / driver);
    fs::create_directory_symlink(fs::path(root_) / "drivers" / driver, pci / "driver");
    std::ofstream(pci / "numa_node") << "1\n";
    fs::create_directory_symlink(pci, fs::path(root_) / "class/infiniband" / device / "device");
  }
  static const hal::FabricCounter* find(const std::vector<hal::FabricCounter>& counters, const std::string& name) {
    const auto at = std::find_if(counters.begin(), counters.end(), [&](const auto& c) { return c.name == name; });
    return at == counters.end() ? nullptr : &*at;
  }
  static const hal::FabricDevice& device(const hal::FabricSample& sample, const std::string& name) {
    for (const auto& device : sample.devices) {
      if (device.name == name) return device;
    }
    static const hal::FabricDevice kNone;
    ADD_FAILURE() << "no device " << name;
    return kNone;
  }

  const TempFolder temp_;
  const std::string& root_ = temp_.path();
  HeldClock clock_;
  hal::SamplerWorld world_;
};

TEST_F(FabricSysfs, AMachineWithoutAdaptersHasNone) {
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  EXPECT_TRUE(sample.devices.empty());
  EXPECT_EQ(sample.unreadable_count, 0U);
}

TEST_F(FabricSysfs, ReadsIdentityLinkAndScaledData) {
  port("mlx5_0", "InfiniBand");
  file("mlx5_0/fw_ver", "20.31.1014");
  file("mlx5_0/board_id", "MT_0000000223");
  behind("mlx5_0", "0000:3b:00.0", "mlx5_core");
  file("mlx5_0/ports/1/counters/port_xmit_data", "1000");
  file("mlx5_0/ports/1/counters/port_rcv_errors", "3");
  file("mlx5_0/ports/1/hw_counters/out_of_sequence", "5");
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  const auto& found = device(sample, "mlx5_0");
  EXPECT_EQ(found.driver, "mlx5_core");
  EXPECT_EQ(found.pci_address, "0000:3b:00.0");
  EXPECT_EQ(found.numa_node, 1);
  EXPECT_EQ(found.firmware, "20.31.1014");
  ASSERT_EQ(found.ports.size(), 1U);
  const auto& one = found.ports[0];
  EXPECT_EQ(one.link_layer, "InfiniBand");
  EXPECT_EQ(one.state, 4U);
  EXPECT_EQ(one.rate_bits_per_second, 200'000'000'000U);
  const auto* data = find(one.counters, "port_xmit_data");
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(data->value, 4000U);
  EXPECT_EQ(data->unit, hal::CounterUnit::kBytes);
  EXPECT_EQ(data->change, CounterChange::kFirst);
  EXPECT_FALSE(data->delta.has_value());
  EXPECT_EQ(find(one.counters, "port_rcv_errors")->value, 3U);
  EXPECT_EQ(find(one.counters, "out_of_sequence")->origin, hal::CounterOrigin::kPortHardware);
}

TEST_F(FabricSysfs, DeltasAreScaledToo) {
  file("a/ports/1/counters/port_rcv_data", "10");
  SysfsSampler sampler(world_);
  (void)sampler.sample();
  file("a/ports/1/counters/port_rcv_data", "17");
  const auto sample = sampler.sample();
  const auto* data = find(device(sample, "a").ports[0].counters, "port_rcv_data");
  EXPECT_EQ(data->delta, 28U);
  EXPECT_EQ(data->change, CounterChange::kGrew);
}

TEST_F(FabricSysfs, OneBadFileCostsThatFileOnly) {
  file("irdma0/ports/1/hw_counters/good", "1");
  file("irdma0/ports/1/hw_counters/none", "N/A (no PMA)");
  file("irdma0/ports/1/hw_counters/negative", "-4");
  file("irdma0/ports/1/hw_counters/huge", "18446744073709551616");
  file("irdma0/ports/1/hw_counters/empty", "");
  fs::create_directories(root_ + "/class/infiniband/irdma0/ports/1/hw_counters/directory");
  // What EINVAL and EIO look like: a name that opens to nothing.
  fs::create_symlink("/proc/self/mem", root_ + "/class/infiniband/irdma0/ports/1/hw_counters/eio");
  fs::create_symlink("nowhere", root_ + "/class/infiniband/irdma0/ports/1/hw_counters/enoent");
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  const auto& counters = device(sample, "irdma0").ports[0].counters;
  ASSERT_EQ(counters.size(), 1U);
  EXPECT_EQ(counters[0].name, "good");
  EXPECT_EQ(sample.unreadable_count, 7U);
  ASSERT_EQ(sample.unreadable.size(), 7U);
  EXPECT_TRUE(std::any_of(sample.unreadable.begin(), sample.unreadable.end(), [](const hal::Unreadable& bad) {
    return bad.path.ends_with("/none") && bad.reason.find("N/A (no PMA)") != std::string::npos;
  }));
}

TEST_F(FabricSysfs, DriversWithoutPortCountersAreReadAllTheSame) {
  file("bnxt_re0/ports/1/hw_counters/rx_bytes", "1100");
  file("bnxt_re0/ports/1/hw_counters/active_qps", "3");
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  const auto& counters = device(sample, "bnxt_re0").ports[0].counters;
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_EQ(find(counters, "rx_bytes")->unit, hal::CounterUnit::kBytes);
  EXPECT_EQ(find(counters, "rx_bytes")->value, 1100U) << "bytes already";
}

TEST_F(FabricSysfs, DeviceCountersBelongToTheDevice) {
  file("rdmap0s6/hw_counters/lifespan", "12");
  file("rdmap0s6/hw_counters/submitted_cmds", "40");
  file("rdmap0s6/ports/1/hw_counters/rx_drops", "1");
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  const auto& efa = device(sample, "rdmap0s6");
  ASSERT_EQ(efa.counters.size(), 1U) << "and lifespan is none";
  EXPECT_EQ(efa.counters[0].origin, hal::CounterOrigin::kDeviceHardware);
  EXPECT_EQ(efa.ports[0].counters.size(), 1U);
}

TEST_F(FabricSysfs, RespectsTheLifespanOfCachedCounters) {
  file("mlx5_0/ports/1/hw_counters/lifespan", "10000");
  file("mlx5_0/ports/1/hw_counters/np_cnp_sent", "1");
  SysfsSampler sampler(world_);
  (void)sampler.sample();
  file("mlx5_0/ports/1/hw_counters/np_cnp_sent", "9");
  clock_.now_ns += 9'999'000'000;
  const auto early = sampler.sample();
  const auto* counter = find(device(early, "mlx5_0").ports[0].counters, "np_cnp_sent");
  EXPECT_EQ(counter->value, 1U);
  EXPECT_EQ(counter->change, CounterChange::kSame);
  clock_.now_ns += 1'000'000;
  const auto due = sampler.sample();
  counter = find(device(due, "mlx5_0").ports[0].counters, "np_cnp_sent");
  EXPECT_EQ(counter->value, 9U);
  EXPECT_EQ(counter->delta, 8U);
}

TEST_F(FabricSysfs, MapsGidsToInterfaces) {
  file("mlx5_1/ports/1/gids/0", "fe80:0000:0000:0000:ba59:9fff:fe03:ccbc");
  file("mlx5_1/ports/1/gid_attrs/types/0", "IB/RoCE v1");
  file("mlx5_1/ports/1/gid_attrs/ndevs/0", "ens1np0");
  file("mlx5_1/ports/1/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
  file("mlx5_1/ports/1/gids/10", "0000:0000:0000:0000:0000:ffff:0a00:0001");
  file("mlx5_1/ports/1/gid_attrs/types/10", "RoCE v2");
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  const auto& one = device(sample, "mlx5_1").ports[0];
  ASSERT_EQ(one.gids.size(), 2U);
  EXPECT_EQ(one.gids[0].netdev, "ens1np0");
  EXPECT_EQ(one.gids[1].position, 10U);
  EXPECT_EQ(one.gids[1].type, "RoCE v2");
  EXPECT_EQ(one.netdev, "ens1np0");
}

TEST_F(FabricSysfs, AReturningDeviceStartsAnew) {
  file("x/ports/1/counters/link_downed", "5");
  SysfsSampler sampler(world_);
  (void)sampler.sample();
  fs::rename(root_ + "/class/infiniband/x", root_ + "/away");
  EXPECT_TRUE(sampler.sample().devices.empty());
  fs::rename(root_ + "/away", root_ + "/class/infiniband/x");
  const auto sample = sampler.sample();
  EXPECT_EQ(device(sample, "x").ports[0].counters[0].change, CounterChange::kFirst);
}

TEST_F(FabricSysfs, HostileNamesAndTextDoNoHarm) {
  file("ok/ports/1/hw_counters/" + std::string(200, 'n'), "1");
  file("ok/ports/1/hw_counters/new\nline", "1");
  file("ok/ports/1/link_layer", std::string(100000, 'x'));
  file("ok/ports/1/rate", "1e308 Gb/sec");
  file("ok/ports/1/state", "99999999999: X");
  file("ok/ports/300/state", "4: ACTIVE");
  file("ok/ports/../../../escape", "");
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  const auto& found = device(sample, "ok");
  ASSERT_EQ(found.ports.size(), 1U);
  EXPECT_TRUE(found.ports[0].counters.empty());
  EXPECT_LE(found.ports[0].link_layer.size(), 256U);
  EXPECT_FALSE(found.ports[0].rate_bits_per_second.has_value());
  EXPECT_FALSE(found.ports[0].state.has_value());
}

TEST(CounterTrack, ReportsWrapFromResetAndStuck) {
  CounterTrack data(32);
  EXPECT_EQ(data.next(0xfffffff0).change, CounterChange::kFirst);
  const auto wrapped = data.next(0x10);
  EXPECT_EQ(wrapped.change, CounterChange::kWrapped);
  EXPECT_EQ(wrapped.delta, 0x20U);
  EXPECT_EQ(data.next(0x30).delta, 0x20U);
  const auto reset = data.next(0);
  EXPECT_EQ(reset.change, CounterChange::kReset);
  EXPECT_FALSE(reset.delta.has_value());

  CounterTrack narrow(16);
  EXPECT_EQ(narrow.next(65000).change, CounterChange::kFirst);
  const auto stuck = narrow.next(65535);
  EXPECT_EQ(stuck.change, CounterChange::kStuck);
  EXPECT_EQ(stuck.delta, 535U);
  const auto still = narrow.next(65535);
  EXPECT_EQ(still.change, CounterChange::kSame);
  EXPECT_FALSE(still.delta.has_value()) << "nobody knows what came after";
  EXPECT_EQ(narrow.next(70000).change, CounterChange::kGrew) << "it is wider than its table says";
  EXPECT_EQ(narrow.next(65535).change, CounterChange::kReset);

  CounterTrack wide(64);
  EXPECT_EQ(wide.next(uint64_t{1} << 40).change, CounterChange::kFirst);
  EXPECT_EQ(wide.next(5).change, CounterChange::kReset) << "a 64-bit counter does not wrap at 32";
  EXPECT_EQ(wide.next(5).delta, 0U);
}

TEST(CounterTrack, KnowsTheWidthsOfPortCounters) {
  EXPECT_EQ(assumed_bits("local_link_integrity_errors", true), 4U);
  EXPECT_EQ(assumed_bits("link_downed", true), 8U);
  EXPECT_EQ(assumed_bits("symbol_error", true), 16U);
  EXPECT_EQ(assumed_bits("port_xmit_data", false), 32U);
  EXPECT_EQ(assumed_bits("port_xmit_data", true), 64U);
  EXPECT_EQ(assumed_bits("no_such_counter", true), 64U);
}

hal::CounterSense sense_of(std::string_view driver, std::string_view name,
                           hal::CounterOrigin origin = hal::CounterOrigin::kPortHardware) {
  return meaning_of(driver, origin, name).sense;
}

TEST(CounterMeanings, AreTheDriversOwn) {
  using Sense = hal::CounterSense;
  // The name holds no error and the counter none: it grows once for each healthy acknowledgement left to its task.
  EXPECT_EQ(sense_of("rdma_rxe", "ack_deferred"), Sense::kTraffic);
  EXPECT_EQ(sense_of("rdma_rxe", "completer_retry_err"), Sense::kLoss);
  EXPECT_EQ(sense_of("rdma_rxe", "send_rnr_err"), Sense::kNotReady);
  EXPECT_EQ(sense_of("rdma_rxe", "link_downed"), Sense::kLinkDown);
  EXPECT_EQ(sense_of("mlx5_core", "req_transport_retries_exceeded"), Sense::kGaveUp);
  EXPECT_EQ(sense_of("mlx5_core", "resp_cqe_flush_error"), Sense::kTraffic) << "how every queue pair ends";
  EXPECT_EQ(sense_of("mlx5_core", "vport_out_of_sequence"), Sense::kLoss);
  EXPECT_EQ(sense_of("mlx5_core", "np_cnp_sent"), Sense::kCongestion);
  EXPECT_EQ(sense_of("mlx4_core", "sq_num_to"), Sense::kLoss);
  EXPECT_EQ(sense_of("mlx4_core", "rq_num_wrfe"), Sense::kTraffic);
  EXPECT_EQ(sense_of("bnxt_en", "active_qps"), Sense::kLevel);
  EXPECT_EQ(sense_of("bnxt_en", "recoverable_errors"), Sense::kTraffic) << "the driver puts broadcasts there";
  EXPECT_EQ(sense_of("efa", "retrans_pkts"), Sense::kLoss);
  EXPECT_EQ(sense_of("idpf", "Nak Sequence Error"), Sense::kLoss);
  EXPECT_EQ(sense_of("hns3", "rx_cnp_pkt"), Sense::kCongestion);
  EXPECT_EQ(sense_of("efa", "completer_retry_err"), Sense::kUnknown) << "another driver's";
  EXPECT_EQ(sense_of("hfi1", "RcTimeOut_err"), Sense::kUnknown) << "no table: it accuses nobody";
  EXPECT_EQ(sense_of("rdma_rxe", ""), Sense::kUnknown);
}

TEST(CounterMeanings, OfAPortAreTheSameWithEveryDriver) {
  const auto port = hal::CounterOrigin::kPort;
  EXPECT_EQ(sense_of("hfi1", "symbol_error", port), hal::CounterSense::kLinkFault);
  EXPECT_EQ(sense_of("", "link_downed", port), hal::CounterSense::kLinkDown);
  EXPECT_EQ(sense_of("mlx5_core", "port_xmit_wait", port), hal::CounterSense::kUnknown) << "ticks of unknown length";
  EXPECT_FALSE(meaning_of("", port, "VL15_dropped").sentence.empty());
}

TEST(CounterMeanings, OfAnUnknownDriverAreWhatAllAgreeOn) {
  EXPECT_EQ(sense_of("", "ack_deferred"), hal::CounterSense::kTraffic);
  EXPECT_EQ(sense_of("", "duplicate_request"), hal::CounterSense::kLoss) << "of two drivers, and the same";
  EXPECT_EQ(sense_of("", "no_such_counter"), hal::CounterSense::kUnknown);
}

TEST_F(FabricSysfs, SoftRoceIsKnownWhateverItLiesOn) {
  file("rxe0/parent", "eth0");
  behind("rxe0", "0000:3b:00.0", "mlx5_core");
  file("rxe0/ports/1/hw_counters/ack_deferred", "5");
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  const auto& found = device(sample, "rxe0");
  EXPECT_EQ(found.driver, "rdma_rxe");
  ASSERT_EQ(found.ports.size(), 1U);
  EXPECT_EQ(find(found.ports[0].counters, "ack_deferred")->meaning.sense, hal::CounterSense::kTraffic);
}

TEST_F(FabricSysfs, CountersWithSpacesInTheirNamesAreRead) {
  file("irdma0/ports/1/hw_counters/RNR sent", "3");
  SysfsSampler sampler(world_);
  const auto sample = sampler.sample();
  const auto* counter = find(device(sample, "irdma0").ports[0].counters, "RNR sent");
  ASSERT_NE(counter, nullptr);
  EXPECT_EQ(counter->value, 3U);
  EXPECT_EQ(counter->meaning.sense, hal::CounterSense::kNotReady);
}

}  // namespace
}  // namespace ingero::backends::rdma
