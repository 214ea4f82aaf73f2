// SQLite with owners and Results: a connection and a statement, each closed once. Private to store/.
//
// Errors name the file, the operation, SQLite's words and, where known, the remedy. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

#include "base/result.h"

namespace ingero::store {

// "PATH: WHAT: SQLite's message", with the code that fits and a hint for full disks, locks and damage.
Error sqlite_error(sqlite3* db, int code, std::string_view path, std::string_view what);

class Statement {
 public:
  Statement() = default;
  Statement(sqlite3_stmt* handle, const std::string* path) : handle_(handle), path_(path) {}
  Statement(Statement&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), path_(other.path_) {}
  Statement& operator=(Statement&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(path_, other.path_);
    return *this;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  sqlite3_stmt* get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

  Statement& bind(int index, int64_t value) {
    note(sqlite3_bind_int64(handle_, index, value));
    return *this;
  }
  Statement& bind(int index, double value) {
    note(sqlite3_bind_double(handle_, index, value));
    return *this;
  }
  Statement& bind(int index, std::string_view text) {
    note(sqlite3_bind_text64(handle_, index, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                             SQLITE_UTF8));
    return *this;
  }
  Statement& bind_blob(int index, std::string_view bytes) {
    note(sqlite3_bind_blob64(handle_, index, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(),
                             SQLITE_TRANSIENT));
    return *this;
  }
  Statement& bind_null(int index) {
    note(sqlite3_bind_null(handle_, index));
    return *this;
  }
  template <typename T>
  Statement& bind_if(int index, bool known, T value) {
    return known ? bind(index, value) : bind_null(index);
  }

  // True while there is a row. Resets itself when there is none, or on error.
  Result<bool> step();
  // Runs a statement that gives no rows, and resets it.
  Status run();
  void reset() {
    sqlite3_reset(handle_);
    bind_result_ = SQLITE_OK;
  }

  bool is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
  int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
  uint64_t uint64(int column) const { return static_cast<uint64_t>(sqlite3_column_int64(handle_, column)); }
  double real(int column) const { return sqlite3_column_double(handle_, column); }
  std::string text(int column) const { return std::string(bytes(column)); }
  // Text or blob; valid until the next step.
  std::string_view bytes(int column) const {
    const void* data = sqlite3_column_blob(handle_, column);
    const auto size = static_cast<size_t>(sqlite3_column_bytes(handle_, column));
    return data == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(data), size);
  }
  std::optional<uint64_t> uint64_if(int column) const {
    return is_null(column) ? std::nullopt : std::optional<uint64_t>(uint64(column));
  }

 private:
  void note(int code) {
    if (code != SQLITE_OK) bind_result_ = code;
  }
  sqlite3_stmt* handle_ = nullptr;
  const std::string* path_ = nullptr;
  int bind_result_ = SQLITE_OK;
};

inline constexpr int64_t kClusterApplicationId = 0x49464c54;  // "IFLT": of a cluster's file, not of a recording

class Database {
 public:
  // `flags` are SQLite's open flags; `path` may be a file: URI with SQLITE_OPEN_URI, `shown` is what errors call it.
  static Result<Database> open(const std::string& path, int flags, const std::string& shown);
  Database() = default;
  Database(Database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}
  Database& operator=(Database&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(path_, other.path_);
    return *this;
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close_v2(handle_); }

  sqlite3* get() const { return handle_; }
  const std::string& path() const { return *path_; }

  Status execute(const std::string& sql);  // any number of statements, rows ignored
  Result<Statement> prepare(std::string_view sql, bool kept = false);
  // The first column of the first row; absent without a row, or when it is NULL.
  Result<std::optional<int64_t>> integer(std::string_view sql);
  // The same; 0 where it is absent.
  Status integer_into(std::string_view sql, int64_t& into);
  Error error(int code, std::string_view what) const { return sqlite_error(handle_, code, *path_, what); }
  // Runs `sql` and calls take(statement) on each of its rows.
  template <typename Take>
  Status each_row(std::string_view sql, const Take& take) {
    Result<Statement> statement = prepare(sql);
    if (!statement.ok()) return statement.error();
    for (;;) {
      Result<bool> row = statement->step();
      if (!row.ok()) return row.error();
      if (!*row) return {};
      take(*statement);
    }
  }
  // Runs `sql` once for each item, after bind(statement, item).
  template <typename Items, typename Bind>
  Status run_each(const char* sql, const Items& items, const Bind& bind) {
    if (items.empty()) return {};
    Result<Statement> statement = prepare(sql);
    if (!statement.ok()) return statement.error();
    for (const auto& item : items) {
      bind(*statement, item);
      INGERO_TRY(statement->run());
    }
    return {};
  }

 private:
  sqlite3* handle_ = nullptr;
  std::unique_ptr<const std::string> path_;  // stable address: statements point at it
};

}  // namespace ingero::store
