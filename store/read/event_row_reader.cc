// The names of a query's columns.
#include "store/read/event_row_reader.h"

namespace ingero::store {

std::string EventColumns::sql(size_t without, const char* prefix) const {
  std::string sql;
  for (size_t i = 0; i + without < count_; ++i) {
    sql += (i == 0 ? "" : ", ") + std::string(prefix) + kColumnNames[static_cast<size_t>(list_[i])];
  }
  return sql;
}

}  // namespace ingero::store
