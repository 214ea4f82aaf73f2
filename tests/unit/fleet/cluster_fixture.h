// A server's knowledge of jobs on a clock that is held, for tests: windows of one job at a time, and what it makes of
// them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/server/cluster.h"
#include "fleet/store/sqlite_store.h"
#include "held_clock.h"
#include "temp_folder.h"
#include "unit/fleet/fleet_noise.h"

namespace ingero::fleet::server {

inline constexpr uint64_t kWindow_ns = 5 * kSecond;

// Takes no incidents for a while, as a file that another program holds.
class BusyStore : public store::ClusterStore {
 public:
  BusyStore(std::unique_ptr<store::ClusterStore> store, const bool& is_busy)
      : store_(std::move(store)), is_busy_(is_busy) {}

  Result<store::Written> write(const wire::Batch& batch) override { return store_->write(batch); }
  Status write(const std::vector<store::IncidentRow>& incidents) override {
    if (is_busy_) return Error(Errc::kBusy, "the file is locked");
    return store_->write(incidents);
  }
  Status settle(uint64_t end) override { return store_->settle(end); }
  Status each_window(uint64_t from_ns, const std::function<void(wire::Window, uint32_t)>& take) override {
    return store_->each_window(from_ns, take);
  }
  std::optional<uint32_t> node_number(const std::string& cluster, const std::string& node) const override {
    return store_->node_number(cluster, node);
  }
  Result<store::History> history(const store::HistoryQuery& query) override { return store_->history(query); }
  Result<std::vector<store::IncidentRow>> incidents(const std::string& cluster, uint64_t since_ns,
                                                    size_t limit) override {
    return store_->incidents(cluster, since_ns, limit);
  }
  Result<std::vector<store::IncidentRow>> ended_incidents(const std::string& cluster, uint64_t since_ns,
                                                          size_t limit) override {
    return store_->ended_incidents(cluster, since_ns, limit);
  }
  Result<std::vector<store::IncidentRow>> open_incidents() override { return store_->open_incidents(); }
  Result<store::Coverage> coverage() override { return store_->coverage(); }
  std::optional<store::Backlog> backlog() override { return store_->backlog(); }
  Result<Json> sql(const std::string& statement, uint64_t rows, const store::Clusters& readable) override {
    return store_->sql(statement, rows, readable);
  }
  void interrupt() override { store_->interrupt(); }

 private:
  std::unique_ptr<store::ClusterStore> store_;
  const bool& is_busy_;
};

class ClusterTest : public ::testing::Test {
 protected:
  ClusterTest() { open(); }

  void open() {
    cluster.reset();
    auto store = store::SqliteStore::open({.path = folder.path() + "/c.db"}, clock);
    ASSERT_TRUE(store.ok());
    auto opened = Cluster::open(std::make_unique<BusyStore>(std::move(*store), is_busy), clock);
    ASSERT_TRUE(opened.ok());
    cluster = std::move(*opened);
  }
  // Of a rank in a communicator of 16 ranks, 8 on a node: the window that ended last.
  wire::Window window(const std::string& job, uint32_t rank, double work_s) const {
    wire::Window one;
    one.sender = {"lab", fmt::format("node-{}", rank / 8), job};
    one.end_ns = clock.now_ns - clock.now_ns % kWindow_ns;
    one.start_ns = one.end_ns - kWindow_ns;
    one.rank = one.comm_rank = rank;
    one.communicator = 77;
    one.nranks = 16;
    one.count = 5;
    one.work_s = work_s;
    one.bytes = 5'000'000;
    return one;
  }
  void send(std::vector<wire::Window> windows) {
    wire::Batch batch;
    batch.windows = std::move(windows);
    EXPECT_TRUE(cluster->take(batch).ok());
  }
  void pass(uint64_t seconds) {
    for (; seconds > 0; --seconds) {
      clock.now_ns += kSecond;
      cluster->tick();
    }
  }
  // `slow`: of rank 5, as a share of a step.
  void run(const std::string& job, size_t count, double slow = 0, uint32_t ranks = 16) {
    for (; count > 0; --count) {
      pass(5);
      std::vector<wire::Window> windows;
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        windows.push_back(window(job, rank, workload.window(rank, rank == 5 ? slow : 0)));
      }
      send(std::move(windows));
    }
  }
  // What the node of `rank`'s number says of the last `seconds`.
  void report(const std::string& rule, uint64_t seconds, double lost_s, std::optional<int64_t> rank = 5,
              const std::string& node = "node-0", const std::string& instance = "") {
    wire::Batch batch;
    wire::Point& point = batch.points.emplace_back();
    point.sender = {"lab", node, "j1", instance};
    point.metric = kChainMetric;
    point.time_ns = clock.now_ns;
    point.rank = rank;
    point.value_double = lost_s;
    point.hash = ++reports;
    point.attributes = dump(Json{{"causal_chain_id", fmt::format("chain-{}", reports)},
                                 {"rule", rule},
                                 {"summary", rule + " says why"},
                                 {"onset_ns", std::to_string(clock.now_ns - seconds * kSecond)}});
    EXPECT_TRUE(cluster->take(batch).ok());
  }
  Json outliers() {
    auto found = cluster->outliers({});
    EXPECT_TRUE(found.ok());
    return std::move(*found);
  }
  Json incidents() {
    auto found = cluster->incidents("", 0, 100);
    EXPECT_TRUE(found.ok());
    return found->at("incidents");
  }
  Json health() {
    auto found = cluster->health();
    EXPECT_TRUE(found.ok());
    return std::move(*found);
  }
  std::string metrics() {
    auto found = cluster->metrics();
    EXPECT_TRUE(found.ok());
    return std::move(*found);
  }

  TempFolder folder;
  HeldClock clock;
  bool is_busy = false;
  uint64_t reports = 0;
  Workload workload{16, kUsualNoise, 1};
  std::unique_ptr<Cluster> cluster;
};

// A state that says nothing unusual.
inline wire::DeviceState usual_device(uint32_t rank) {
  return {fmt::format("GPU-{}", rank), "NVIDIA H100", 0.9, 600, 60, 1.5e9, 0};
}

}  // namespace ingero::fleet::server
