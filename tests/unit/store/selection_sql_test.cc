// A selection as SQL: conditions with numbered values, and the columns of a query by name.
#include "store/read/selection_sql.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/db/sqlite.h"
#include "store/read/event_row_reader.h"

namespace ingero::store {
namespace {

TEST(SelectionSql, WithoutConditionsThereIsNoWhere) {
  Conditions conditions;
  conditions.add_events({});
  EXPECT_EQ(conditions.where(), "");
  EXPECT_TRUE(conditions.bound().empty());
}

TEST(SelectionSql, NumbersValuesSoThatAConditionMayBeSaidTwice) {
  Selection selection;
  selection.from_wall_ns = 5;
  selection.to_wall_ns = 9;
  selection.pid = 4026531840;
  Conditions conditions;
  conditions.add("e.kind = 'free'");
  conditions.add_events(selection);
  conditions.add("(lower(e.call) = ? OR lower(e.symbol) = ?)", Bound::of(std::string("a?b")));
  EXPECT_EQ(conditions.where(),
            " WHERE e.kind = 'free' AND e.timestamp + coalesce(e.duration, 0) >= ?1 AND e.timestamp <= ?2 AND "
            "e.pid = ?3 AND (lower(e.call) = ?4 OR lower(e.symbol) = ?4)");
  ASSERT_EQ(conditions.bound().size(), 4U);
  EXPECT_EQ(conditions.bound()[0].integer, 5);
  EXPECT_EQ(conditions.bound()[1].integer, 9);
  EXPECT_EQ(conditions.bound()[2].integer, 4026531840);
  EXPECT_EQ(conditions.bound()[3].text, "a?b");
}

TEST(SelectionSql, ATimeThatSqliteCannotHoldIsItsLast) {
  Selection selection;
  selection.to_wall_ns = UINT64_MAX;
  Conditions conditions;
  conditions.add_range(selection, "timestamp", "timestamp");
  EXPECT_EQ(conditions.sql(), "timestamp <= ?1");
  EXPECT_EQ(conditions.bound().front().integer, INT64_MAX);
}

constexpr EventColumns kColumnsRead(2, {Column::site, Column::state, Column::bytes});

TEST(SelectionSql, SizesAddUpToTheLastIntegerAtMostAndOfNoneToNull) {
  Result<Database> database = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "memory");
  ASSERT_TRUE(database.ok());
  const auto sum_of = [&](const char* values) {
    Result<std::optional<int64_t>> sum = database->integer(
        fmt::format("SELECT {} FROM (SELECT column1 AS bytes FROM (VALUES {}))", sum_of_sizes("bytes"), values));
    EXPECT_TRUE(sum.ok()) << sum.error().text();
    return sum.ok() ? *sum : std::nullopt;
  };
  EXPECT_EQ(sum_of("(4096), (NULL), (1)"), 4097);
  EXPECT_EQ(sum_of("(9223372036854775807), (9223372036854775807)"), INT64_MAX);
  EXPECT_EQ(sum_of("(NULL)"), std::nullopt);
}

TEST(EventRowReader, FindsColumnsByName) {
  EXPECT_EQ(kColumnsRead.sql(), "site, state, bytes");
  EXPECT_EQ(kColumnsRead.sql(1, "e."), "e.site, e.state");
  EXPECT_EQ(kColumnsRead.end(), 5U);
  EXPECT_EQ(kColumnsRead.at(Column::stream), -1);
  const auto integer = [](int64_t number) {
    Value value;
    value.type = Value::Type::kInteger;
    value.integer = number;
    return value;
  };
  const int64_t state = state_of(hal::Outcome::kExited, true, true, hal::Direction::kDeviceToHost, 3, false);
  const Value values[] = {integer(7), integer(1000), integer(12), integer(state), Value{}};
  const QueriedRow queried(values);
  const EventRowReader<kColumnsRead, QueriedRow> row(queried);
  EXPECT_EQ(row.seq(), 7);
  EXPECT_EQ(row.integer(Column::site), 12);
  EXPECT_EQ(row.uint64_if(Column::bytes), std::nullopt);
  EXPECT_EQ(row.state().outcome(), hal::Outcome::kExited);
  EXPECT_TRUE(row.state().failed());
  EXPECT_EQ(row.state().depth(), 3);
  EXPECT_EQ(row.state().direction(), hal::Direction::kDeviceToHost);
}

TEST(EventRowReader, ADirectionThatIsNoneIsUnknown) {
  EXPECT_EQ(EventState(0).direction(), std::nullopt);
  EXPECT_EQ(EventState(int64_t{7} << kDirectionBit).direction(), std::nullopt);
}

}  // namespace
}  // namespace ingero::store
