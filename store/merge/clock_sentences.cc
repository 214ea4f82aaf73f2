// Differences of clocks in words: see clock_sentences.h.
#include "store/merge/clock_sentences.h"

#include <optional>

#include "base/text.h"

namespace ingero::store {
namespace {

std::string amount(int64_t ns) { return format_duration(static_cast<uint64_t>(ns < 0 ? -ns : ns)); }

// The warning for two clocks that certainly differ by more than the threshold; none: they may agree.
std::optional<std::string> apart(const ClockDifference& one, uint64_t threshold_ns) {
  const auto threshold = static_cast<int64_t>(threshold_ns);
  const std::string first = printable(one.first, 256), second = printable(one.second, 256);
  const std::string from = fmt::format("as {} collectives show", one.collectives);
  if (one.was_set) {
    return fmt::format("the clock of {} or {} was set while it was recorded, or they drift too fast, {}", first, second,
                       from);
  }
  if (one.least_ns && *one.least_ns > threshold) {
    return fmt::format("the clock of {} is {} or more ahead of {}'s, {}", second, amount(*one.least_ns), first, from);
  }
  if (one.most_ns && *one.most_ns < -threshold) {
    return fmt::format("the clock of {} is {} or more behind {}'s, {}", second, amount(*one.most_ns), first, from);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> clock_sentences(const NodeClocks& clocks, uint64_t threshold_ns) {
  std::vector<std::string> sentences;
  for (const ClockDifference& one : clocks.differences()) {
    if (auto sentence = apart(one, threshold_ns)) sentences.push_back(std::move(*sentence));
  }
  if (auto sentence = order_sentence(clocks); !sentence.empty()) sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace ingero::store
