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
  if (one.least_ns && one.most_ns && *one.least_ns > *one.most_ns) {
    return fmt::format("the clocks of {} and {} drifted apart by at least {}, {}", first, second,
                       amount(*one.least_ns - *one.most_ns), from);
  }
  if (one.least_ns && *one.least_ns > threshold) {
    return fmt::format("the clock of {} is {} or more ahead of {}'s, {}", second, amount(*one.least_ns), first, from);
  }
  if (one.most_ns && *one.most_ns < -threshold) {
    return fmt::format("the clock of {} is {} or more behind {}'s, {}", second, amount(*one.most_ns), first, from);
  }
  return std::nullopt;
}

// Whether events of two nodes can be put in order: as closely as collectives of both bound their clocks; of the pair
// that is known least. Empty: there are no two nodes.
std::string order_of(const std::set<std::string>& nodes, const std::vector<ClockDifference>& clocks) {
  if (nodes.size() < 2) return {};
  const size_t pairs = nodes.size() * (nodes.size() - 1) / 2;
  const ClockDifference* widest = nullptr;
  size_t known = 0;
  for (const ClockDifference& one : clocks) {
    if (!one.least_ns || !one.most_ns || *one.least_ns > *one.most_ns) continue;
    ++known;
    if (widest == nullptr || *one.most_ns - *one.least_ns > *widest->most_ns - *widest->least_ns) widest = &one;
  }
  const char* const unknown = "which of two events of different nodes was first is not known";
  if (known == 0) return fmt::format("{}: no collectives bound how far their clocks are apart", unknown);
  std::string sentence = fmt::format(
      "{} where they are closer than {}, once the difference of their clocks is taken off ({} collectives "
      "of {} and {})",
      unknown, amount(*widest->most_ns - *widest->least_ns), widest->collectives, printable(widest->first, 256),
      printable(widest->second, 256));
  if (known < pairs) sentence += fmt::format("; of {} nothing is known", plural(pairs - known, "other pair"));
  return sentence;
}

}  // namespace

std::vector<std::string> clock_sentences(const Merged& merged, const std::set<std::string>& nodes,
                                         uint64_t threshold_ns) {
  std::vector<std::string> sentences;
  for (const ClockDifference& one : merged.clocks) {
    if (auto sentence = apart(one, threshold_ns)) sentences.push_back(std::move(*sentence));
  }
  if (auto sentence = order_of(nodes, merged.clocks); !sentence.empty()) sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace ingero::store
