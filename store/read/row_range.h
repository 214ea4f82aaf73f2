// Which rows of `event_rows` a time range can be about, and which of them are read while the recording grows.
//
// A recording that is being written may gain rows faster than a question about all of them can be answered, and a
// reader that takes long keeps the writer's log from being emptied. So a question about a live recording reads a
// bounded number of rows, the newest of its time range. Threads: as Reader. Failure: the store's. Owns nothing; the
// reader is the caller's.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::store {

// Sets the rows of `selection` to those that its time range can be about; nothing where rows have no
// such blocks. `most`: how many rows are read of a recording that is being written; of any other, all.
// Where that leaves some out: the time before which rows are not read.
Result<std::optional<uint64_t>> select_rows(const Reader& reader, Selection& selection, uint64_t most);

}  // namespace ingero::store
