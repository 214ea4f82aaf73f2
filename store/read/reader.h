// Read-only access to a recording: ours, or a legacy one (schema 0.8 to 0.10), which the TEMP views of legacy/views.cc
// make look like ours.
//
// Never modifies the file and needs no write access; a recording another process is writing can be read live.
// Threads: one thread at a time; open one Reader per thread. Failure: kNotFound, kPermission, kCorrupt (truncated or
// foreign file), kNotSupported (newer schema), kInvalid (the SQL), kBusy (time limit).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ingero::store {

enum class Layout : uint8_t { kCurrent, kLegacy };

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
};

struct QueryOutcome {
  uint64_t rows = 0;
  bool truncated = false;  // there was at least one row more than `rows` allowed
};

// Wall time of the first start and the last end recorded; absent without events.
struct TimeSpan {
  uint64_t first_wall_ns = 0;
  uint64_t last_wall_ns = 0;
};

// Whose SQL a reader runs. The owner sits at the machine and may use its disk and memory; a stranger comes over a
// network or through a model, and what one statement can take is bounded: values of 128 KiB, 200 columns, short
// patterns and printf widths, sorting in memory (see limit_query_memory), and the clock is looked at often.
enum class Trust : uint8_t { kOwner, kStranger };

class Reader {
 public:
  // Ends with kBusy when the time of `limits` is over, however the file is made. kCorrupt: what it calls a table of a
  // recording is something else.
  static Result<std::unique_ptr<Reader>> open(const std::string& path, Trust trust = Trust::kOwner,
                                              const QueryLimits& limits = {});
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Layout layout() const;
  const std::string& version() const;  // schema_info's: "1.0", "0.9"
  const std::string& path() const;
  bool is_live() const;  // an agent on this host is writing it (as of open)
  Result<std::optional<TimeSpan>> time_span() const;

  // Called once with the column names before the first row, then for each row; return false to stop early.
  using OnColumns = std::function<void(std::span<const std::string_view> names)>;
  using OnRow = std::function<bool(std::span<const Value> values)>;
  // One SQL statement that only reads. Enforced by the engine (authorizer, read-only handle, query_only), not by
  // looking at the text. Streams: nothing is collected here.
  Result<QueryOutcome> query(std::string_view sql, const QueryLimits& limits, const OnRow& on_row,
                             const OnColumns& on_columns = {}, std::span<const Bound> bound = {}) const;

  // For callers that read the whole file: mapped pages count as this process's memory, so from now on few are mapped.
  void map_little() const;

  struct Impl;
  Impl& impl() const { return *impl_; }  // private to store/

 private:
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// While it lives, whatever reads through `reader` (queries, summaries, replays) ends with kBusy when the time is over
// or `limits.cancel` is set; the rows of `limits` mean nothing here. The reader and `limits.cancel` outlive it.
class TimeLimit {
 public:
  TimeLimit(const Reader& reader, const QueryLimits& limits);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The most memory that all readers of this process together may take; beyond it a query ends with kFull. For programs
// that only answer questions: a writer in the same process would be held to it too.
void limit_query_memory(uint64_t bytes);

}  // namespace ingero::store
