// The events of a recording as lines for other programs: comma-separated values, or one JSON object a line.
//
// The columns are those of the view `events` (docs/formats/store.md) but `stack_ips`, in the order in which the rows
// were stored. What is not known is empty, or has no key. Streams. Threads: one. Failure: the store's and the sink's.
// Owns nothing; the reader outlives the call.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::report {

enum class RowFormat : uint8_t { kCsv, kJsonl };

// Whether a spreadsheet would run this text of a CSV cell as a formula. A traced program chooses its name, so such text
// is written with ' in front.
bool is_formula(std::string_view text);

// How many rows there were. `progress` is called now and then with how many there are so far.
Result<uint64_t> export_rows(const store::Reader& reader, const store::Selection& selection, RowFormat format,
                             const std::function<Status(std::string_view)>& sink,
                             const std::function<void(uint64_t)>& progress);

}  // namespace ingero::report
