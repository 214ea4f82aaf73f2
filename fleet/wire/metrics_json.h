// Reads ExportMetricsServiceRequest of OTLP from JSON, as its specification maps it: names in lower camel case, 64-bit
// integers as text or numbers. Pure; thread-safe.
#pragma once

#include <string_view>

#include "base/result.h"
#include "fleet/wire/collector.h"

namespace ingero::fleet::wire {

// kCorrupt where it is not such a message.
Status read_json(std::string_view body, Collector& collector);

}  // namespace ingero::fleet::wire
