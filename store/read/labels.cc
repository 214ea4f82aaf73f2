// Reads annotations and joins them to times, so that a cause or call shows the labels that held at that moment.
#include "store/read/labels.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"

namespace ingero::store {
namespace {

constexpr size_t kMaxLookedBack = 1000;  // spans that began later and are over

QueryLimits no_limits() {
  QueryLimits limits;
  limits.time_ns = 0;
  return limits;
}

uint64_t uint64(const Value& value) { return static_cast<uint64_t>(std::max<int64_t>(0, value.integer)); }

}  // namespace

Result<Labels> Labels::load(const Reader& reader) {
  Labels labels;
  labels.has_nodes_ = reader.holds().runs;
  std::unordered_map<std::string, uint32_t> numbers;
  uint64_t count = 0;
  // Only objects of strings are read: the file may come from anyone.
  const auto outcome = reader.query(
      "SELECT a.timestamp, a.pid, a.span_start, a.span_end, j.key, j.value, a.id, "
      "(SELECT node FROM sessions WHERE id = a.session) FROM annotations a, "
      "json_each(CASE WHEN json_valid(a.labels) AND json_type(a.labels) = 'object' THEN a.labels ELSE '{}' END) j "
      "WHERE j.atom IS NOT NULL ORDER BY coalesce(a.span_start, a.timestamp), a.id",
      no_limits(), [&](std::span<const Value> row) {
        if (++count > kMaxAnnotations) return false;
        One one;
        one.said_wall_ns = uint64(row[0]);
        one.is_span = !row[2].is_null() && !row[3].is_null();
        one.from_wall_ns = one.is_span ? uint64(row[2]) : one.said_wall_ns;
        if (one.is_span) one.to_wall_ns = uint64(row[3]);
        std::string text = row[5].type == Value::Type::kText   ? std::string(row[5].text)
                           : row[5].type == Value::Type::kReal ? fmt::format("{}", row[5].real)
                                                               : fmt::format("{}", row[5].integer);
        const auto [number, is_new] = numbers.try_emplace(std::move(text), static_cast<uint32_t>(numbers.size()));
        if (is_new) labels.values_.push_back(number->first);
        one.value = number->second;
        const Scope scope(labels.has_nodes_ ? row[7].text : std::string_view(), static_cast<uint32_t>(row[1].integer));
        labels.by_scope_[scope][std::string(row[4].text)].push_back(one);
        return true;
      });
  if (!outcome.ok()) return outcome.error();
  if (count > kMaxAnnotations) {
    return Error(Errc::kFull, fmt::format("{}: more than {} labels", reader.path(), kMaxAnnotations),
                 "ask the table annotations in SQL");
  }
  if (labels.empty() || !labels.has_nodes_) return labels;
  const auto processes = reader.query(
      "SELECT p.pid, p.start_mono_ns + (SELECT k.wall_ns - k.mono_ns FROM clocks k WHERE k.session = p.session "
      "ORDER BY k.id LIMIT 1) AS start, (SELECT node FROM sessions WHERE id = p.session) FROM processes p "
      "WHERE p.start_mono_ns IS NOT NULL ORDER BY start",
      no_limits(), [&](std::span<const Value> row) {
        const Scope scope(row[2].text, static_cast<uint32_t>(row[0].integer));
        if (!row[1].is_null() && labels.by_scope_.contains(scope)) labels.starts_[scope].push_back(uint64(row[1]));
        return true;
      });
  if (!processes.ok()) return processes.error();
  return labels;
}

// When the process began that had the pid at that time; 0: not known.
uint64_t Labels::process_start(const Scope& process, uint64_t wall_ns) const {
  const auto found = starts_.find(process);
  if (found == starts_.end()) return 0;
  const auto after = std::upper_bound(found->second.begin(), found->second.end(), wall_ns);
  return after == found->second.begin() ? 0 : *(after - 1);
}

const Labels::One* Labels::newest(const std::vector<One>& all, uint64_t not_before, uint64_t wall_ns) const {
  const auto after = std::upper_bound(all.begin(), all.end(), wall_ns,
                                      [](uint64_t at, const One& one) { return at < one.from_wall_ns; });
  size_t looked = 0;
  for (auto at = after; at != all.begin() && looked < kMaxLookedBack; ++looked) {
    --at;
    if (at->to_wall_ns >= wall_ns && at->said_wall_ns >= not_before) return &*at;
  }
  return nullptr;
}

std::vector<std::pair<std::string_view, std::string_view>> Labels::at(std::string_view node, uint32_t pid,
                                                                      uint64_t wall_ns) const {
  std::map<std::string_view, const One*> found;
  for (const uint32_t number : std::set<uint32_t>{0, pid}) {
    const Scope scope(has_nodes_ ? node : std::string_view(), number);
    const auto keys = by_scope_.find(scope);
    if (keys == by_scope_.end()) continue;
    const uint64_t not_before = number == 0 ? 0 : process_start(scope, wall_ns);
    for (const auto& [key, all] : keys->second) {
      const One* one = newest(all, not_before, wall_ns);
      if (one == nullptr) continue;
      const One*& best = found[key];
      if (best == nullptr || best->from_wall_ns <= one->from_wall_ns) best = one;
    }
  }
  std::vector<std::pair<std::string_view, std::string_view>> out;
  out.reserve(found.size());
  for (const auto& [key, one] : found) out.emplace_back(key, values_[one->value]);
  return out;
}

std::vector<Labels::Range> Labels::ranges(std::string_view key, std::string_view value,
                                          std::optional<uint32_t> pid) const {
  std::vector<Range> all;
  for (const auto& [scope, keys] : by_scope_) {
    if (pid && scope.second != 0 && scope.second != *pid) continue;
    const auto found = keys.find(std::string(key));
    if (found == keys.end()) continue;
    const std::vector<One>& list = found->second;
    for (size_t i = 0; i < list.size(); ++i) {
      if (values_[list[i].value] != value) continue;
      Range range{list[i].from_wall_ns, list[i].to_wall_ns, scope.second};
      // No longer than its process.
      if (scope.second != 0) {
        const auto starts = starts_.find(scope);
        if (starts != starts_.end()) {
          const auto later = std::upper_bound(starts->second.begin(), starts->second.end(), list[i].said_wall_ns);
          if (later != starts->second.end()) range.to_wall_ns = std::min(range.to_wall_ns, *later - 1);
        }
      }
      const uint64_t last = range.to_wall_ns;
      // But where a later annotation of the same process wins: a span until its end, another from its time on.
      bool holds = range.from_wall_ns <= last;
      for (size_t j = i + 1; holds && j < list.size() && list[j].from_wall_ns <= last; ++j) {
        if (list[j].value == list[i].value || list[j].from_wall_ns == list[i].from_wall_ns) continue;
        if (list[j].from_wall_ns > range.from_wall_ns) {
          range.to_wall_ns = list[j].from_wall_ns - 1;
          all.push_back(range);
        }
        holds = list[j].to_wall_ns < last;
        if (holds) range.from_wall_ns = std::max(range.from_wall_ns, list[j].to_wall_ns + 1);
      }
      range.to_wall_ns = last;
      if (holds) all.push_back(range);
    }
  }
  std::sort(all.begin(), all.end(), [](const Range& one, const Range& other) {
    return std::pair(one.from_wall_ns, one.to_wall_ns) < std::pair(other.from_wall_ns, other.to_wall_ns);
  });
  std::vector<Range> merged;
  for (const Range& range : all) {
    if (!merged.empty() &&
        (merged.back().to_wall_ns == UINT64_MAX || range.from_wall_ns <= merged.back().to_wall_ns + 1)) {
      merged.back().to_wall_ns = std::max(merged.back().to_wall_ns, range.to_wall_ns);
      if (merged.back().pid != range.pid) merged.back().pid = 0;
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

std::map<std::string, std::vector<std::string>> Labels::values() const {
  std::map<std::string, std::map<std::string_view, uint64_t>> first;
  for (const auto& [scope, keys] : by_scope_) {
    for (const auto& [key, all] : keys) {
      for (const One& one : all) {
        const auto [found, is_new] = first[key].try_emplace(values_[one.value], one.from_wall_ns);
        if (!is_new) found->second = std::min(found->second, one.from_wall_ns);
      }
    }
  }
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [key, values] : first) {
    std::vector<std::pair<uint64_t, std::string_view>> order;
    for (const auto& [value, from] : values) order.emplace_back(from, value);
    std::sort(order.begin(), order.end());
    for (const auto& [from, value] : order) out[key].emplace_back(value);
  }
  return out;
}

Status narrow_by_label(const Reader& reader, std::string_view label, Selection& selection) {
  const size_t at = label.find('=');
  if (at == std::string_view::npos || at == 0) {
    return Error(Errc::kInvalid, fmt::format("label \"{}\": write it as KEY=VALUE", printable(label, 64)));
  }
  const auto labels = Labels::load(reader);
  if (!labels.ok()) return labels.error();
  const std::string_view key = label.substr(0, at), value = label.substr(at + 1);
  auto ranges = labels->ranges(key, value, selection.pid);
  std::erase_if(ranges, [&](const Labels::Range& range) {
    return (selection.from_wall_ns && range.to_wall_ns < *selection.from_wall_ns) ||
           (selection.to_wall_ns && range.from_wall_ns > *selection.to_wall_ns);
  });
  if (ranges.empty()) {
    const auto known = labels->values();
    std::string hint;
    for (const auto& [name, values] : known) {
      if (hint.size() > 200) break;
      hint += (hint.empty() ? "there are " : ", ") + printable(name, 64);
    }
    return Error(Errc::kNotFound, fmt::format("label {}: not found in the selected part", printable(label, 128)),
                 known.empty() ? "the recording has no annotations" : hint);
  }
  if (ranges.size() > 1) {
    std::string times;
    for (size_t i = 0; i < std::min<size_t>(ranges.size(), 3); ++i) {
      times += (i == 0 ? "" : ", ") + format_wall(ranges[i].from_wall_ns);
    }
    return Error(Errc::kInvalid,
                 fmt::format("label {}: it holds {} times, from {}{} on", printable(label, 128), ranges.size(), times,
                             ranges.size() > 3 ? ", ..." : ""),
                 "choose one with a time range as well");
  }
  const Labels::Range& only = ranges.front();
  selection.from_wall_ns = std::max(selection.from_wall_ns.value_or(0), only.from_wall_ns);
  if (only.to_wall_ns != UINT64_MAX) {
    selection.to_wall_ns = std::min(selection.to_wall_ns.value_or(UINT64_MAX), only.to_wall_ns);
  }
  if (only.pid != 0) selection.pid = only.pid;
  return {};
}

}  // namespace ingero::store
