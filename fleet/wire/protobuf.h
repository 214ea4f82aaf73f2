// Reads ExportMetricsServiceRequest of OTLP from protobuf (opentelemetry-proto, metrics/v1 and collector/metrics/v1),
// and writes its answer. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/wire/collector.h"

namespace ingero::fleet::wire {

// kCorrupt where it is not such a message.
Status read_protobuf(std::string_view body, Collector& collector);

// ExportMetricsServiceResponse; empty where nothing was refused.
std::string protobuf_answer(uint64_t refused, const std::string& why);
// google.rpc.Status; with `retry_s` also a google.rpc.RetryInfo.
std::string protobuf_error(int code, const std::string& message, int retry_s = 0);

}  // namespace ingero::fleet::wire
