// Which calls of a recording a name means that a user typed: in upper or lower case, with or without "_", and with or
// without the version of its exported symbol. One rule for every command and tool.
//
// Pure, but for calls_named(), which reads a table of the recording. Threads: one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/read/reader.h"

namespace ingero::store {

// "cuMemAlloc_v2", "cumemalloc" and "cuMemAllocV2" are the same call to a user: what is the same in all of them.
std::string plain_call_name(std::string_view name);

struct CallNames {
  std::vector<std::string> meant;  // as the recording spells them: names, names in recordings, symbols
  std::vector<std::string> all;    // of the recording's calls, sorted
  // No call has the typed name; where the recording names no calls at all, any name is taken.
  bool is_unknown() const { return meant.empty() && !all.empty(); }
};
Result<CallNames> calls_named(const Reader& reader, std::string_view typed, const QueryLimits& limits);

// The same: kInvalid, with the name that may be meant, where no call has that which `flag` gives. Empty: any call.
Result<CallNames> find_calls(const Reader& reader, std::string_view flag, std::string_view typed,
                             const QueryLimits& limits);
// "no call of X is named "Y", did you mean Z?" `whose`: the recording.
std::string unknown_call(std::string_view whose, std::string_view typed, const CallNames& names);

// Rows of the view `events`, by the name e, that are of these calls: a condition in SQL.
std::string is_of_calls(const CallNames& names);

}  // namespace ingero::store
