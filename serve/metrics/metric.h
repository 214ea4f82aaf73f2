// What a metric is: its name, type, labels and help text. metric_names.h lists those
// with a fixed name.
//
// Plain constant data. Names keep their meaning once released. kUntyped is for names of the legacy agent whose suffix
// contradicts their type ("_count" of a counter): the value is a counter's, but linters would refuse the declaration.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingero::serve::metrics {

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram, kUntyped };

struct Metric {
  std::string_view name;
  MetricType type;
  std::string_view labels;  // as documented, comma-separated
  std::string_view help;
};

// Name and value. Values are made printable and cut; names are the program's own.
using Labels = std::vector<std::pair<std::string_view, std::string>>;

// The label value of everything beyond a cap.
inline constexpr std::string_view kOther = "other";

}  // namespace ingero::serve::metrics
