// The text exposition format read back: what another program's page says. Source: Prometheus, "Exposition formats",
// text format 0.0.4; of OpenMetrics what it shares with that.
//
// The text is untrusted: a line that is not understood is skipped and counted, names and values of labels are views
// into it or unescaped copies, and no more is kept than the limits say. Pure. Failure: none but those counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingero::serve::prometheus {

struct Sample {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> labels;  // in their order; values unescaped, still untrusted
  double value = 0;
  // The value of a label, or empty.
  std::string_view label(std::string_view key) const;
};

struct ExpositionCounts {
  uint64_t samples = 0, refused = 0;
};

inline constexpr size_t kMaxLabels = 64;
inline constexpr size_t kMaxLineBytes = 64 << 10;
inline constexpr uint64_t kMaxSamples = 500'000;

// Calls take(sample) for each; views last as long as the call.
ExpositionCounts read_exposition(std::string_view untrusted_text, const std::function<void(const Sample&)>& take);

}  // namespace ingero::serve::prometheus
