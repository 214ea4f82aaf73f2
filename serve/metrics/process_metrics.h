// What the agent itself costs: CPU, memory, files, from /proc/self. What cannot be read is left out. Owns nothing; any
// thread. No error: where /proc is not readable the metrics are absent.
#pragma once

#include <string>

#include "serve/metrics/metric_set.h"

namespace ingero::serve::metrics {

void write_process(MetricSet& metrics, const std::string& proc_root = "/proc");

}  // namespace ingero::serve::metrics
