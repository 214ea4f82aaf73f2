// The tables of inference, and what a transaction writes to them. The writer's half; private to store/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hal/loss.h"
#include "store/db/inference_rows.h"
#include "store/db/sqlite.h"

namespace ingero::store {

class Inference {
 public:
  static constexpr size_t kMaxRows = 100'000;  // that wait; more are dropped and counted as store_failed

  Status load(Database& database, int64_t session);
  void add(const InferenceStep& step, hal::LossLedger& losses);
  void add(InferenceWorkload workload, int64_t process) { workloads_.emplace_back(std::move(workload), process); }
  void add(InferenceModelServer server, int64_t process) { servers_.emplace_back(std::move(server), process); }
  void add(ModelServerMetric metric, hal::LossLedger& losses);

  Status write(Database& database);
  void committed();

 private:
  Status write_steps(Database& database);
  Status write_workloads(Database& database);
  Status write_model_servers(Database& database);

  int64_t session_ = 0;
  int64_t workloads_before_ = 0, servers_before_ = 0;
  std::vector<InferenceStep> steps_;
  std::vector<std::pair<InferenceWorkload, int64_t>> workloads_;
  std::vector<std::pair<InferenceModelServer, int64_t>> servers_;
  std::vector<ModelServerMetric> metrics_;
};

}  // namespace ingero::store
