// A batch as a small database of its own, in memory: its rows already encoded as SQLite stores them.
//
// Between two tables declared alike, INSERT .. SELECT * moves records as they are (SQLite's transfer optimisation,
// insert.c) instead of taking every row apart into registers and building it again. So a large batch is encoded here
// into the pages of a database (sqlite.org/fileformat2.html: a header, a root, leaves), handed to SQLite with
// sqlite3_deserialize() as the attached schema `staged`, and copied. SQLite checks the pages as it would a file's.
// What was rejected: binding each row, and a virtual table for all sizes; bench/store_bench.cc measures all three.
//
// Threads: the writer's. The image stays until the next one is staged.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/db/sqlite.h"
#include "store/write/row_batch.h"

namespace ingero::store {

class RowImage {
 public:
  // Fewer rows are not worth an image, more do not fit under one root page.
  static constexpr size_t kMinRows = 256;
  static constexpr size_t kMaxRows = 32768;
  static bool fits(const RowBatch& batch) { return batch.size() >= kMinRows && batch.size() <= kMaxRows; }

  // Adds the schema `staged` to the connection. Outside a transaction, as is stage().
  Status attach(Database& database);
  // Makes staged.event_rows hold `batch`, numbered from `first_seq` on. The batch must fit.
  Status stage(Database& database, const RowBatch& batch, int64_t first_seq);
  static constexpr const char* kInsertSql = "INSERT INTO main.event_rows SELECT * FROM staged.event_rows";

 private:
  uint8_t* page(size_t number);  // counted from 1, as SQLite does
  void add_page();
  void start_leaf();
  void end_leaf(int64_t last_seq);
  void put_root();  // over two leaves or more

  std::vector<uint8_t> image_;
  size_t leaf_ = 0;  // the page being filled
  size_t leaf_rows_ = 0;
  size_t content_start_ = 0;                        // where its rows begin: they grow down, their pointers up
  std::vector<std::pair<size_t, int64_t>> leaves_;  // page and greatest seq
};

}  // namespace ingero::store
