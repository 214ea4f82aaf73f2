// One pass over the calls, and the shares from the sums by process and call. Summed here and not by SQL, which would
// sort all rows by their names: half of the time.
#include "report/stack_shares.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/wrapping.h"

namespace ingero::report {
namespace {

using store::Value;

// Calls of one name in processes of one name.
struct Group {
  uint64_t calls = 0, ns = 0;               // without a stack
  double stands_for = 0, stood_for_ns = 0;  // by the weights of the stacks of the others
  std::map<int64_t, StackShare> stacks;     // by hash
};

std::optional<uint64_t> unsigned_of(const Value& value) {
  const auto number = value.as_int64();
  return number && *number >= 0 ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
}

// A row: comm, op_name, duration, weight, stack_hash, calls it stands for, size.
void add(Group& group, StackShares& shares, std::span<const Value> row) {
  const auto ns = unsigned_of(row[2]);
  const uint64_t weight = unsigned_of(row[3]).value_or(1), all_ns = weight * ns.value_or(0);
  shares.calls += weight;
  shares.total_ns += all_ns;
  if (row[4].is_null()) {
    group.calls += weight;
    group.ns += all_ns;
    return;
  }
  shares.calls_with_stack += weight;
  shares.total_with_stack_ns += all_ns;
  const uint64_t others = weight * unsigned_of(row[5]).value_or(0);
  group.stands_for += static_cast<double>(others);
  group.stood_for_ns += static_cast<double>(others) * static_cast<double>(ns.value_or(0));
  StackShare& stack = group.stacks[row[4].integer];
  stack.taken += weight;
  stack.taken_ns += all_ns;
  stack.stands_for += others;
  stack.stood_for_ns += others * ns.value_or(0);
  if (ns) {
    stack.total_ns = stack.taken_ns;
    stack.min_ns = std::min(*ns, stack.min_ns.value_or(*ns));
    stack.max_ns = std::max(*ns, stack.max_ns.value_or(*ns));
  }
  if (const auto size = row[6].as_int64()) {
    const auto all = static_cast<int64_t>(static_cast<uint64_t>(*size) * weight);
    stack.sum_arg0 = wrapping_sum(stack.sum_arg0.value_or(0), all);
  }
}

// Adds the calls without a stack that this one stands for. A weight counts calls that may lie outside of the selection,
// so they are never more than there are.
void scale(StackShare& stack, const Group& group) {
  stack.calls = stack.taken;
  if (stack.stands_for == 0 || group.calls == 0) return;
  const auto there = static_cast<double>(group.calls);
  const double others = static_cast<double>(stack.stands_for) * std::min(1.0, there / group.stands_for);
  stack.calls += static_cast<uint64_t>(others + 0.5);
  if (stack.sum_arg0) {
    const double each = static_cast<double>(*stack.sum_arg0) / static_cast<double>(stack.taken);
    stack.sum_arg0 = wrapping_sum(*stack.sum_arg0, static_cast<int64_t>(each * others));
  }
  if (stack.total_ns && group.stood_for_ns > 0) {
    *stack.total_ns += static_cast<uint64_t>(static_cast<double>(group.ns) * std::min(1.0, group.stands_for / there) *
                                             static_cast<double>(stack.stood_for_ns) / group.stood_for_ns);
  }
}

}  // namespace

Result<StackShares> gather_stack_shares(const store::Reader& reader, const store::Conditions& conditions,
                                        const store::QueryLimits& limits) {
  // The recording has the calls that a stack stands for, but its own, in the upper bits of a row's state
  // (docs/formats/store.md).
  constexpr std::string_view kStandsFor =
      "CASE WHEN e.stack_hash <> 0 THEN (SELECT state >> 12 FROM event_rows WHERE seq = e.seq) END";
  const std::string sql = fmt::format(
      "SELECT e.comm, e.op_name, e.duration, e.weight, nullif(e.stack_hash, 0), {}, CASE WHEN e.stack_hash <> "
      "0 AND e.kind IN ('alloc', 'memcpy', 'memset', 'host') THEN e.arg0 END FROM events e{}",
      kStandsFor, conditions.where());
  StackShares shares;
  std::unordered_map<std::string, Group> groups;
  std::string key;
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const Value> row) {
        key.assign(row[0].text).append(1, '\0').append(row[1].text);
        add(groups[key], shares, row);
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  for (auto& [name, group] : groups) {
    const size_t end = name.find('\0');
    for (auto& [hash, stack] : group.stacks) {
      stack.hash = hash;
      stack.untrusted_process = name.substr(0, end);
      stack.op = name.substr(end + 1);
      scale(stack, group);
      shares.calls_covered += stack.calls;
      shares.total_covered_ns += stack.total_ns.value_or(0);
      shares.stacks.push_back(std::move(stack));
    }
  }
  shares.calls_covered = std::min(shares.calls_covered, shares.calls);
  shares.total_covered_ns = std::min(shares.total_covered_ns, shares.total_ns);
  return shares;
}

}  // namespace ingero::report
