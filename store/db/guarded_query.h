// SQL from outside, held to reading by the engine (authorizer, read-only statements, limits), never by looking at its
// text. Of recordings (store/read/reader.h) and of a cluster's file (fleet/store).
//
// Threads: as the connection, one at a time. When a statement has to end is the connection's progress handler, which
// the caller sets.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/db/sqlite.h"

namespace ingero::store {

inline constexpr int kMaxValueBytes = 64 << 20;  // of a text or blob: in another program's file, or made from it
inline constexpr int kStrangersSteps = 50;       // between looks at the clock: one may search 128 KiB for 64 KiB

struct Value {
  enum class Type : uint8_t { kNull, kInteger, kReal, kText, kBlob };
  Type type = Type::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;  // kText and kBlob; valid until the callback returns
  bool is_null() const { return type == Type::kNull; }
  // nullopt: NULL. Empty text: not text.
  std::optional<int64_t> as_int64() const { return is_null() ? std::nullopt : std::optional<int64_t>(integer); }
  std::optional<uint64_t> as_uint64() const {
    return is_null() ? std::nullopt : std::optional<uint64_t>(static_cast<uint64_t>(integer));
  }
  std::optional<double> as_real() const {
    if (is_null()) return std::nullopt;
    return type == Type::kReal ? real : static_cast<double>(integer);
  }
  std::string as_text() const { return type == Type::kText ? std::string(text) : std::string(); }
};

// A value bound to ?1, ?2, ... of a query.
struct Bound {
  Value::Type type = Value::Type::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  static Bound of(int64_t value) { return {Value::Type::kInteger, value, 0, {}}; }
  static Bound of(std::string value) { return {Value::Type::kText, 0, 0, std::move(value)}; }
};

struct QueryLimits {
  uint64_t rows = 0;                          // 0: no limit
  uint64_t time_ns = 30'000'000'000;          // 0: no limit
  const std::atomic<bool>* cancel = nullptr;  // set by another thread: the query ends with kBusy
  // While all connections of the process together take more, the query ends with kFull, and others go on. 0: no limit.
  uint64_t memory_bytes = 0;
};

struct QueryOutcome {
  uint64_t rows = 0;
  bool truncated = false;  // there was at least one row more than `rows` allowed
};

// Whose SQL it is. The owner sits at the machine and may use its disk and memory; a stranger comes over a
// network or through a model, and what one statement can take is bounded: values of 128 KiB, 200 columns, short
// patterns and printf widths, sorting in memory (see limit_query_memory), and the clock is looked at often.
enum class Trust : uint8_t { kOwner, kStranger };

// Called once with the column names before the first row, then for each row; return false to stop early.
using OnColumns = std::function<void(std::span<const std::string_view> names)>;
using OnRow = std::function<bool(std::span<const Value> values)>;

// Views and triggers of a file from elsewhere may hold anything: from now on they are not trusted.
void distrust_schema(Database& database);
// From now on the connection only reads, and a stranger's statement is bounded. What needs more comes before.
Status guard_statements(Database& database, Trust trust);

// Its authorizer, for another one that allows less.
int authorize_reading(void*, int action, const char* first, const char* second, const char*, const char*);

// One statement of a guarded connection; of `limits` the rows count. Streams: nothing is collected here. kInvalid: the
// SQL is wrong, several statements, or not one that only reads.
Result<QueryOutcome> run_guarded(Database& database, std::string_view sql, const QueryLimits& limits,
                                 const OnRow& on_row, const OnColumns& on_columns = {},
                                 std::span<const Bound> bound = {});

}  // namespace ingero::store
