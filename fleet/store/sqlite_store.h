// The cluster's file: the store in SQLite.
//
// A batch is in the file when write() returns. A window that is new is added to its minute and its hour in the same
// transaction. One process at a time has the file (flock). Events, incidents, statements and how far back it reaches
// are each asked on a connection of their own, so that none waits for another kind. Threads: as the interface says.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "fleet/store/cluster_store.h"

namespace ingero::fleet::store {

struct StoreOptions {
  std::string path;
  uint64_t max_bytes = uint64_t{8} << 30;
  std::chrono::nanoseconds question_ns = std::chrono::seconds(5);  // the most that one may take
};

class SqliteStore : public ClusterStore {
 public:
  // Makes the file where there is none. kBusy: another server has it. kCorrupt: it is something else. kNotSupported: a
  // newer version made it.
  static Result<std::unique_ptr<ClusterStore>> open(StoreOptions options, const Clock& clock);
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  Result<Written> write(const wire::Batch& batch) override;
  Status write(const std::vector<IncidentRow>& incidents) override;
  Status settle(uint64_t) override { return {}; }
  Status each_window(uint64_t from_ns, const std::function<void(wire::Window, uint32_t node)>& take) override;
  std::optional<uint32_t> node_number(const std::string& cluster, const std::string& node) const override;
  Result<History> history(const HistoryQuery& query) override;
  Result<std::vector<IncidentRow>> incidents(const std::string& cluster, uint64_t since_ns, size_t limit) override;
  Result<std::vector<IncidentRow>> ended_incidents(const std::string& cluster, uint64_t since_ns,
                                                   size_t limit) override;
  Result<std::vector<IncidentRow>> open_incidents() override;
  Result<Coverage> coverage() override;
  std::optional<Backlog> backlog() override { return std::nullopt; }
  Result<Json> sql(const std::string& statement, uint64_t rows, const Clusters& readable = {}) override;
  void interrupt() override;

 private:
  struct Impl;
  explicit SqliteStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::fleet::store
