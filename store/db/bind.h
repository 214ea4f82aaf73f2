// Binding what may be absent: NULL in the file. Private to store/. The statement owns a copy of
// the text. One thread, the statement's. Failure: the statement's, at its next step.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "store/db/sqlite.h"

namespace ingero::store {

// SQLite's integers are signed; uint64_t reads the same bits back (Statement::uint64).
inline int64_t signed_of(uint64_t value) { return static_cast<int64_t>(value); }

template <typename T>
Statement& bind_known(Statement& statement, int index, const std::optional<T>& value) {
  using Stored = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
  return statement.bind_if(index, value.has_value(), static_cast<Stored>(value.value_or(T{})));
}

// Empty: not known.
inline Statement& bind_text(Statement& statement, int index, std::string_view text) {
  return statement.bind_if(index, !text.empty(), text);
}

}  // namespace ingero::store
