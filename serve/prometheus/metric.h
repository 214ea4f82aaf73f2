// What a metric is: its name, type, labels and the sentence users read beside it. metric_names.h lists them all.
//
// Plain constant data. Names keep their meaning once released. kUntyped is for names of the earlier agent whose suffix
// says another type than they have ("_count" of a counter): the value is a counter's, the declaration would be refused
// by linters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingero::serve::prometheus {

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram, kUntyped };

struct Metric {
  std::string_view name;
  MetricType type;
  std::string_view labels;  // as documented, comma-separated
  std::string_view help;
};

// Name and value. Values are made printable and cut; names are the program's own.
using Labels = std::vector<std::pair<std::string_view, std::string>>;

// The value that stands for all beyond a cap.
inline constexpr std::string_view kOther = "other";

}  // namespace ingero::serve::prometheus
