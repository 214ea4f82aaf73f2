// Names calls in labels of metrics. Pure; thread-safe. Failure: none.
#pragma once

#include <string>

#include "hal/call_table.h"
#include "serve/metrics/metric.h"

namespace ingero::serve::metrics {

// vendor, library, kind, operation.
inline Labels operation_labels(const hal::Call& call) {
  return {{"vendor", std::string(call.vendor)},
          {"library", std::string(call.library != nullptr ? call.library->name : call.backend)},
          {"kind", std::string(name_of(call.kind))},
          {"operation", std::string(call.name)}};
}

// "xxxxAllReduce" -> "ALL_REDUCE": the words after the library's lower-case prefix, upper case, joined by '_'.
inline std::string collective_name(std::string_view name) {
  size_t at = 0;
  while (at < name.size() && !(name[at] >= 'A' && name[at] <= 'Z')) ++at;
  std::string out;
  for (size_t i = at; i < name.size(); ++i) {
    const char c = name[i];
    if (i > at && c >= 'A' && c <= 'Z') out += '_';
    out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out == "BCAST" ? "BROADCAST" : out == "ALLTO_ALL" ? "ALL_TO_ALL" : out;
}

}  // namespace ingero::serve::metrics
