// The schema as SQL text, its version, and how a file is brought to it. Private to store/. One thread, the database's.
// Owns nothing.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/db/sqlite.h"

namespace ingero::store {

inline constexpr int64_t kSchemaVersion = 35;          // PRAGMA user_version
inline constexpr int64_t kOldestRead = 26;             // what came since are tables and columns only
inline constexpr int64_t kApplicationId = 0x494e4752;  // "INGR"
inline constexpr int64_t kLastLegacyVersion = 10;      // the legacy agent's highest user_version

// Offsets measured for one row of `clocks` differ by less than this; a step of NTP, or slow drift, gives a new row.
inline constexpr int64_t kClockToleranceNs = 50'000;

inline constexpr int64_t kPageBytes = 16384;
// Of a new file, before its first table.
inline constexpr const char* kNewFilePragmas = "PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL;";

enum class FileKind : uint8_t { kEmpty, kCurrent, kOlder, kNewer, kLegacy, kForeign };
// From the header fields and the table names; fails when the file is damaged or not a database.
Result<FileKind> identify(Database& database);
Error newer_error(const std::string& path, int64_t version);
Error foreign_error(Database& database);

// Takes an empty file, or an older one of ours, to a version of the schema, in one transaction; each step is a row of
// schema_migrations.
Status migrate_schema(Database& database, uint64_t wall_ns, int64_t to_version = kSchemaVersion);

// What a column of a later schema is where a file has none, as SQL in a query of its table.
std::string_view before_column(std::string_view table, std::string_view column);

// The view `events`, which gives event_rows and its dictionaries the names users query.
std::string events_view();
// What an event is called, by its row and its clock: its node, and its place among what that node recorded.
inline constexpr const char* kEventId = "k.node || ':' || (e.seq - k.seq_offset)";

// schema_tables.cc: the documented tables and views, and all SQL with their vendor-named columns.
std::string documented_tables();
std::string documented_views();
std::string tcp_view();
std::string samples_tables();              // samples_schema.cc
std::string engine_tables();               // step 23: what the engine says of its chains, and what it needs
std::string documented_collective_view();  // step 21: the view of collectives, with what is known of communicators
extern const char* const kInsertSession;   // ?1..?19: started_at, then the other columns in order, then policy columns
extern const char* const kUpsertChain;     // ?1..?27 in the table's order
// CASE expression: the upper-case collective name ("ALL_REDUCE") of an SQL expression that gives the call's op name.
std::string collective_name_sql(const std::string& column);
// CASE expression: the name of an outcome by its number.
std::string outcome_sql(const std::string& value);

}  // namespace ingero::store
