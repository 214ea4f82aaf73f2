// Where the events of a timeline come from: the SQL that finds them and what its rows mean, for one layout of
// recordings.
//
// Threads: one. Failure: the store's.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/perfetto/recorded.h"
#include "store/read/node_clocks.h"
#include "store/read/reader.h"
#include "store/read/selection_sql.h"

namespace ingero::serve::perfetto {

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Status load(const store::Reader& reader, RecordedNames& names) = 0;
  // All rows, from a table by the name e with columns `seq` and `duration`, which begin with seq and `at`: the start as
  // wall time, by the clock of the node that the others are compared with where its own is known.
  virtual std::string select() const = 0;
  virtual store::Conditions conditions(const store::Selection& selection) const = 0;
  // The first start and the last end of all rows, as wall time.
  virtual const char* extent_sql() const = 0;
  // How many rows there are, where that takes no scan of them; empty: it does.
  virtual std::string_view count_all() const { return {}; }
  // Fills the event but for its row and times. False: the row has no call or no thread.
  virtual bool decode(std::span<const store::Value> row, RecordedNames& names, RecordedEvent& event) = 0;
};

std::unique_ptr<RowSource> make_row_source(const store::NodeClocks& clocks);

std::string name_text(const store::Value& value);
std::optional<int64_t> number_of(const store::Value& value);
// As Recording gives them: without limits of time.
store::QueryLimits no_limits();

template <typename Take>
Status each_row(const store::Reader& reader, std::string_view sql, const Take& take) {
  const auto outcome = reader.query(sql, no_limits(), [&](std::span<const store::Value> row) {
    take(row);
    return true;
  });
  return outcome.ok() ? Status{} : Status{outcome.error()};
}

}  // namespace ingero::serve::perfetto
