// The eponymous virtual table over a vector of rows: forward scan, integer columns, nothing else.
#include "store/write/row_batch.h"

#include <new>

namespace ingero::store {
namespace {

struct BatchTable : sqlite3_vtab {
  const RowBatch* batch;
};
struct Cursor : sqlite3_vtab_cursor {
  const EventRow* row;
  const EventRow* end;
};

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
  const std::string declaration = "CREATE TABLE batch(" + column_list() + ")";
  if (const int code = sqlite3_declare_vtab(db, declaration.c_str()); code != SQLITE_OK) return code;
  auto* table = new (std::nothrow) BatchTable{};
  if (table == nullptr) return SQLITE_NOMEM;
  table->batch = static_cast<const RowBatch*>(aux);
  *out = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<BatchTable*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  info->estimatedCost = 10000;
  info->estimatedRows = 10000;
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new (std::nothrow) Cursor{};
  return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value**) {
  auto* cursor = static_cast<Cursor*>(base);
  const RowBatch& batch = *static_cast<BatchTable*>(base->pVtab)->batch;
  cursor->row = batch.data();
  cursor->end = batch.data() + batch.size();
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* base) {
  ++static_cast<Cursor*>(base)->row;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* base) {
  const auto* cursor = static_cast<Cursor*>(base);
  return cursor->row == cursor->end ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const EventRow& row = *static_cast<Cursor*>(base)->row;
  // No result set is NULL.
  if ((row.present >> static_cast<unsigned>(index)) & 1U) {
    sqlite3_result_int64(context, row.values[static_cast<size_t>(index)]);
  }
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  const auto* cursor = static_cast<Cursor*>(base);
  *out = cursor->end - cursor->row;
  return SQLITE_OK;
}

// No xCreate: the table exists in every connection it is registered with, and needs no CREATE VIRTUAL TABLE.
constexpr sqlite3_module kModule = {
    .iVersion = 0,
    .xCreate = nullptr,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open,
    .xClose = close,
    .xFilter = filter,
    .xNext = next,
    .xEof = eof,
    .xColumn = column,
    .xRowid = rowid,
    .xUpdate = nullptr,
    .xBegin = nullptr,
    .xSync = nullptr,
    .xCommit = nullptr,
    .xRollback = nullptr,
    .xFindFunction = nullptr,
    .xRename = nullptr,
    .xSavepoint = nullptr,
    .xRelease = nullptr,
    .xRollbackTo = nullptr,
    .xShadowName = nullptr,
};

}  // namespace

Status register_batch(Database& database, const RowBatch& batch) {
  const int code = sqlite3_create_module_v2(database.get(), "batch", &kModule, const_cast<RowBatch*>(&batch), nullptr);
  if (code != SQLITE_OK) return database.error(code, "register the batch table");
  return {};
}

}  // namespace ingero::store
