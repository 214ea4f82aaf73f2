// Optimal string alignment over three rows: see nearest.h.
#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace ingero {
namespace {

constexpr size_t kMaxLength = 64;
constexpr size_t kMaxDistance = 3;
constexpr size_t kShortestPrefix = 3;

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(std::string_view name, std::string_view word) {
  return name.size() > word.size() &&
         std::equal(word.begin(), word.end(), name.begin(), [](char a, char b) { return small(a) == small(b); });
}

}  // namespace

size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<size_t> before(other.size() + 1), last(other.size() + 1), now(other.size() + 1);
  for (size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= one.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= other.size(); ++j) {
      const bool same = small(one[i - 1]) == small(other[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && small(one[i - 1]) == small(other[j - 2]) && small(one[i - 2]) == small(other[j - 1]);
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[other.size()];
}

std::string_view nearest_of(std::string_view word, std::span<const std::string> known) {
  if (word.empty() || word.size() > kMaxLength) return {};
  const size_t most = std::min(kMaxDistance, std::max<size_t>(1, word.size() / 3));
  std::string_view nearest;
  size_t least = most + 1;
  for (const std::string& one : known) {
    if (one.size() > kMaxLength) continue;
    const size_t distance = edit_distance(word, one);
    if (distance >= least) continue;
    least = distance;
    nearest = one;
  }
  if (!nearest.empty() || word.size() < kShortestPrefix) return nearest;
  const auto longer =
      std::find_if(known.begin(), known.end(), [&](const std::string& one) { return begins_with(one, word); });
  return longer == known.end() ? std::string_view() : std::string_view(*longer);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known, std::string_view prefix) {
  const std::string_view nearest = nearest_of(word, known);
  if (nearest.empty()) return {};
  std::string text = ", did you mean ";
  text.append(prefix).append(nearest).append("?");
  return text;
}

}  // namespace ingero
