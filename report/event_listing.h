// The events of a recording as `ingero query` lists them: the documented columns, and what each style shows of them.
//
// A row's spans and views point into the listing and are valid until the next row. Threads: one at a time.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/row_printer.h"
#include "report/vendor_names.h"
#include "store/read/labels.h"
#include "store/read/reader.h"

namespace ingero::report {

// Selects what row() takes, from the view `events` as e; conditions and order follow. `args` is JSON by the engine.
extern const char* const kEventListing;

class EventListing {
 public:
  // `labels`: null where they were not asked for. `with_details`: a table has the column, too; mostly it would be
  // empty. Both, and `names`, outlive it.
  EventListing(const VendorNames& names, const store::Labels* labels, bool with_details)
      : names_(names), labels_(labels), with_details_(with_details) {}

  std::vector<std::string_view> names(RowStyle style) const;
  // Wall time as text, the duration in nanoseconds and for people.
  std::span<const store::Value> row(std::span<const store::Value> in, RowStyle style);

 private:
  const VendorNames& names_;
  const store::Labels* labels_;
  bool with_details_;
  std::string time_, duration_, shown_labels_, detail_;
  std::vector<store::Value> values_;
};

}  // namespace ingero::report
