// Rows of event_rows as a query gives them, column by column: the one place that knows where a column stands in a row
// and what is packed into it. Columns are decoded only when they are asked for: scans of millions of rows ask for few.
//
// A query's columns are a constant, EventColumns; asking for one that is not among them does not compile. What a column
// means is in store/db/event_row.h. Views of the caller's row; no state. Failure: none, unknown is absent. Threads: as
// the statement's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "hal/event.h"
#include "hal/vocabulary.h"
#include "store/db/event_row.h"
#include "store/read/reader.h"

namespace ingero::store {

// The columns that a query reads, in this order, after `before` others, of which the first is seq.
class EventColumns {
 public:
  constexpr EventColumns(int before, std::initializer_list<Column> columns) : before_(before), count_(columns.size()) {
    for (int8_t& one : at_) one = -1;
    size_t next = 0;
    for (const Column column : columns) {
      at_[static_cast<size_t>(column)] = static_cast<int8_t>(static_cast<size_t>(before) + next);
      list_[next++] = column;
    }
  }
  // Where it stands in a row; -1: it is not read.
  constexpr int at(Column column) const { return at_[static_cast<size_t>(column)]; }
  // Where the first column after these stands.
  constexpr size_t end() const { return static_cast<size_t>(before_) + count_; }
  // "start, duration": all but the last `without`, each after `prefix`.
  std::string sql(size_t without = 0, const char* prefix = "") const;

 private:
  int before_;
  size_t count_;
  std::array<int8_t, kColumns> at_{};
  std::array<Column, kColumns> list_{};
};

// The packed column `state`.
class EventState {
 public:
  explicit constexpr EventState(int64_t packed) : packed_(packed) {}
  hal::Outcome outcome() const { return outcome_of(packed_); }
  bool finished() const { return is_finished(packed_); }
  bool failed() const { return ((packed_ >> kFailedBit) & 1) != 0; }
  uint8_t depth() const { return static_cast<uint8_t>((packed_ >> kDepthBit) & 15); }
  std::optional<hal::Direction> direction() const {
    const int64_t code = (packed_ >> kDirectionBit) & 7;
    if (code == 0 || code > static_cast<int64_t>(hal::Direction::kDefault) + 1) return std::nullopt;
    return static_cast<hal::Direction>(code - 1);
  }

 private:
  int64_t packed_;
};

// A row that Reader::query gave. What is not an integer is unknown.
class QueriedRow {
 public:
  explicit QueriedRow(std::span<const Value> values) : values_(values) {}
  bool is_null(int column) const { return values_[static_cast<size_t>(column)].type != Value::Type::kInteger; }
  int64_t integer(int column) const { return values_[static_cast<size_t>(column)].integer; }

 private:
  std::span<const Value> values_;
};

// `Row`: Statement or QueriedRow; it outlives this and stands on the row.
template <const EventColumns& kRead, typename Row>
class EventRowReader {
 public:
  explicit EventRowReader(const Row& row) : row_(row) {}

  // A column that is read, by its name.
  struct At {
    int index;
    consteval At(Column column) : index(kRead.at(column)) {
      if (index < 0) throw "the query does not read this column";
    }
  };

  int64_t seq() const { return row_.integer(0); }
  bool has(At column) const { return !row_.is_null(column.index); }
  int64_t integer(At column) const { return row_.integer(column.index); }
  uint64_t uint64(At column) const { return static_cast<uint64_t>(row_.integer(column.index)); }
  std::optional<int64_t> integer_if(At column) const {
    return has(column) ? std::optional<int64_t>(integer(column)) : std::nullopt;
  }
  std::optional<uint64_t> uint64_if(At column) const {
    return has(column) ? std::optional<uint64_t>(uint64(column)) : std::nullopt;
  }

  EventState state() const { return EventState(integer(Column::state)); }
  // All 0 where it was not measured.
  hal::OffCpu off_cpu() const {
    return {uint64(Column::preempted), uint64(Column::runqueue), uint64(Column::blocked), uint64(Column::io)};
  }

 private:
  const Row& row_;
};

}  // namespace ingero::store
