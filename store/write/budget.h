// Steps, seconds and causes of where the time went, until a transaction writes them. Private to store/.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hal/loss.h"
#include "store/db/budget_rows.h"
#include "store/db/sqlite.h"

namespace ingero::store {

class BudgetRows {
 public:
  static constexpr size_t kMaxRows = 100'000;  // that wait; more are dropped and counted as store_failed

  Status load(Database& database, int64_t session);
  // `process`: id of the dictionary.
  void add(const StoredStep& step, int64_t process, hal::LossLedger& losses) { keep(steps_, step, process, losses); }
  void add(const StoredSecond& second, int64_t process, hal::LossLedger& losses) {
    keep(seconds_, second, process, losses);
  }
  void add(const StoredShare& share, int64_t process, hal::LossLedger& losses) {
    keep(shares_, share, process, losses);
  }
  void add(StoredCause cause, hal::LossLedger& losses) { keep(causes_, std::move(cause), 0, losses); }

  Status write(Database& database);
  void committed();

 private:
  template <typename Row>
  using Rows = std::vector<std::pair<Row, int64_t>>;
  template <typename Row>
  static void keep(Rows<Row>& rows, Row row, int64_t process, hal::LossLedger& losses) {
    if (rows.size() < kMaxRows) {
      rows.emplace_back(std::move(row), process);
    } else {
      losses.add(hal::Loss::store_failed);
    }
  }
  Status write_steps(Database& database);
  Status write_seconds(Database& database);
  Status write_causes(Database& database);

  int64_t session_ = 0, causes_before_ = 0;
  Rows<StoredStep> steps_;
  Rows<StoredSecond> seconds_;
  Rows<StoredShare> shares_;
  Rows<StoredCause> causes_;
};

}  // namespace ingero::store
