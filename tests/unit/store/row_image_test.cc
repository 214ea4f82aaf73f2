// Rows handed over as ready-made pages are the rows that binding them one by one would have stored.
#include "store/write/row_image.h"

#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "store/write/row_batch.h"

namespace ingero::store {
namespace {

class RowImageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Database::open(":memory:", SQLITE_OPEN_READWRITE, ":memory:");
    ASSERT_TRUE(opened.ok());
    database = std::move(*opened);
    must(database.execute(event_rows_sql()));
    must(image.attach(database));
  }
  static void must(const Status& status) { ASSERT_TRUE(status.ok()) << status.error().text(); }
  void copy(const RowBatch& batch, int64_t first) {
    must(image.stage(database, batch, first));
    must(database.execute(RowImage::kInsertSql));
  }
  static RowBatch made(size_t rows, unsigned seed) {
    std::mt19937_64 random(seed);
    RowBatch batch(rows);
    for (EventRow& row : batch) {
      row.present = 0;
      for (size_t i = 0; i < kColumns; ++i) {
        if (random() % 3 == 0) continue;
        row.set(static_cast<Column>(i), static_cast<int64_t>(random()) >> (random() % 64));
      }
    }
    return batch;
  }
  void expect_rows(const RowBatch& batch, int64_t first) {
    auto rows = database.prepare("SELECT seq, " + column_list() + " FROM event_rows ORDER BY seq");
    ASSERT_TRUE(rows.ok());
    for (const EventRow& row : batch) {
      ASSERT_TRUE(*rows->step());
      ASSERT_EQ(rows->integer(0), first++);
      for (size_t i = 0; i < kColumns; ++i) {
        const int column = static_cast<int>(i) + 1;
        ASSERT_EQ(rows->is_null(column), !row.has(static_cast<Column>(i)));
        if (!rows->is_null(column)) {
          ASSERT_EQ(rows->integer(column), row.values[i]);
        }
      }
    }
    EXPECT_FALSE(*rows->step());
    auto check = database.prepare("PRAGMA integrity_check");
    ASSERT_TRUE(*check->step());
    EXPECT_EQ(check->text(0), "ok");
  }

  RowImage image;
  Database database;
};

TEST_F(RowImageTest, EveryWidthOfIntegerSurvives) {
  RowBatch batch;
  std::set<int64_t> values = {0, 1, -1, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (int bit = 1; bit < 63; ++bit) {
    for (const int64_t near : {-1, 0, 1}) {
      values.insert((int64_t{1} << bit) + near);
      values.insert(-(int64_t{1} << bit) + near);
    }
  }
  for (const int64_t value : values) {
    batch.emplace_back().present = 0;
    for (size_t i = 0; i < kColumns; ++i) batch.back().set(static_cast<Column>(i), value);
  }
  copy(batch, 1);
  expect_rows(batch, 1);
}

TEST_F(RowImageTest, ManyPagesKeepOrderAndNumbers) {
  const RowBatch batch = made(RowImage::kMaxRows, 1);
  copy(batch, 1000);
  expect_rows(batch, 1000);
}

// Lean rows: from one page to several, each number of rows around the borders. A single leaf is a root of its own.
TEST_F(RowImageTest, BatchesOfOnePageAndOfSlightlyMoreSurvive) {
  for (size_t rows = RowImage::kMinRows; rows < 1400; rows += rows % 100 == 0 ? 37 : 1) {
    must(database.execute("DELETE FROM event_rows"));
    RowBatch batch(rows);
    for (size_t i = 0; i < rows; ++i) {
      batch[i].present = 0;
      batch[i].set(static_cast<Column>(i % kColumns), static_cast<int64_t>(i % 2));
    }
    copy(batch, 1);
    ASSERT_FALSE(HasFatalFailure()) << rows;
    auto count = database.prepare("SELECT count(*), max(seq) FROM event_rows");
    ASSERT_TRUE(*count->step());
    ASSERT_EQ(count->integer(0), static_cast<int64_t>(rows));
    ASSERT_EQ(count->integer(1), static_cast<int64_t>(rows));
  }
  for (const size_t rows : {RowImage::kMinRows, RowImage::kMinRows + 20}) {
    must(database.execute("DELETE FROM event_rows"));
    RowBatch batch = made(rows, 6);
    for (EventRow& row : batch) row.present &= 3;
    copy(batch, 7);
    expect_rows(batch, 7);
  }
}

TEST_F(RowImageTest, SequencesOfAnyLengthSurvive) {
  for (const int64_t first : {int64_t{1}, int64_t{100}, int64_t{16380}, int64_t{1} << 21, (int64_t{1} << 56) - 100,
                              std::numeric_limits<int64_t>::max() - 1000}) {
    SCOPED_TRACE(first);
    must(database.execute("DELETE FROM event_rows"));
    const RowBatch batch = made(300, 2);
    copy(batch, first);
    expect_rows(batch, first);
  }
}

TEST_F(RowImageTest, OneAfterTheOtherAppends) {
  const RowBatch first = made(700, 3), second = made(900, 4);
  copy(first, 1);
  copy(second, 701);
  RowBatch both = first;
  both.insert(both.end(), second.begin(), second.end());
  expect_rows(both, 1);
}

TEST_F(RowImageTest, RowsAreCopiedWithoutBeingTakenApart) {
  must(image.stage(database, made(300, 5), 1));
  auto plan = database.prepare(std::string("EXPLAIN ") + RowImage::kInsertSql);
  ASSERT_TRUE(plan.ok());
  std::set<std::string> operations;
  while (*plan->step()) operations.insert(plan->text(1));
  EXPECT_FALSE(operations.contains("Column"));
  EXPECT_FALSE(operations.contains("MakeRecord"));
}

}  // namespace
}  // namespace ingero::store
