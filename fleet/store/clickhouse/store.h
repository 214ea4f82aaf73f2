// The store in ClickHouse, 18.16 or newer, for clusters whose windows do not fit one file.
//
// write() puts a batch as rows into the spool, and settle() has them on the disk: then it counts, whether ClickHouse is
// there or not. A thread hands the rows on in order, and again until ClickHouse has taken them; rows that come twice
// are one row by their identity (schema.h). Then it counts the minutes and the hours of these rows anew from all their
// windows, so that they are right whatever came twice; which of them are due is kept with the spool's place. What is
// old is dropped by partitions.
//
// What is new is known of the last half million points, and windows: what is counted as repeated may be less than it
// is. Questions are answered by ClickHouse, about a second behind; kBusy while it is away. open() waits for it, because
// nodes, bounds and the schema are there. Threads: one of its own, which the destructor joins.
#pragma once

#include "base/clock.h"
#include "fleet/store/clickhouse/client.h"
#include "fleet/store/cluster_store.h"

namespace ingero::fleet::store::clickhouse {

struct StoreOptions {
  Server server;
  std::optional<User> reader;  // of SQL from outside; else the server's
  std::string spool_directory;
  uint64_t spool_bytes = uint64_t{2} << 30;
  uint64_t max_bytes = uint64_t{8} << 30;     // of all tables
  uint64_t keep_ns = kWindowsKept_ns;         // windows stay in the spool for each_window()
  uint64_t between_sums_ns = 10'000'000'000;  // minutes and hours that still get windows
};

class Store : public ClusterStore {
 public:
  // kBusy: it does not answer; another server has the spool. kCorrupt, kNotSupported: the database is another
  // program's, or a newer version's.
  static Result<std::unique_ptr<ClusterStore>> open(StoreOptions options, const Clock& clock);
  ~Store() override;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Result<Written> write(const wire::Batch& batch) override;
  Status write(const std::vector<IncidentRow>& incidents) override;
  Status settle(uint64_t end) override;
  Status each_window(uint64_t from_ns, const std::function<void(wire::Window, uint32_t node)>& take) override;
  std::optional<uint32_t> node_number(const std::string& cluster, const std::string& node) const override;
  Result<History> history(const HistoryQuery& query) override;
  Result<std::vector<IncidentRow>> incidents(const std::string& cluster, uint64_t since_ns, size_t limit) override;
  Result<std::vector<IncidentRow>> ended_incidents(const std::string& cluster, uint64_t since_ns,
                                                   size_t limit) override;
  Result<std::vector<IncidentRow>> open_incidents() override;
  Result<Coverage> coverage() override;
  std::optional<Backlog> backlog() override;
  Result<Json> sql(const std::string& statement, uint64_t rows, const Clusters& readable = {}) override;
  void interrupt() override;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::fleet::store::clickhouse
