// One pass over the calls, and the shares from the sums by process and call.
#include "report/stack_shares.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ingero::report {
namespace {

using store::Value;

// Of the calls of one name in processes of one name.
struct Sums {
  uint64_t calls = 0, ns = 0;               // without a stack
  double stands_for = 0, stood_for_ns = 0;  // by the weights of the stacks of the others
};
using Key = std::pair<std::string, std::string>;  // process, call

std::optional<uint64_t> unsigned_of(const Value& value) {
  const auto number = value.as_int64();
  return number && *number >= 0 ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
}

// Adds the calls without a stack that each stack stands for. A weight counts calls that may lie outside of the
// selection, so they are never more than there are.
void scale(StackShares& shares, const std::map<Key, Sums>& sums) {
  for (StackShare& stack : shares.stacks) {
    const Sums& all = sums.at({stack.untrusted_process, stack.op});
    if (stack.stands_for > 0 && all.calls > 0) {
      const auto there = static_cast<double>(all.calls);
      const double others = static_cast<double>(stack.stands_for) * std::min(1.0, there / all.stands_for);
      if (stack.sum_arg0) {
        *stack.sum_arg0 +=
            static_cast<int64_t>(static_cast<double>(*stack.sum_arg0) / static_cast<double>(stack.taken) * others);
      }
      stack.calls += static_cast<uint64_t>(others + 0.5);
      if (stack.total_ns && all.stood_for_ns > 0) {
        *stack.total_ns += static_cast<uint64_t>(static_cast<double>(all.ns) * std::min(1.0, all.stands_for / there) *
                                                 static_cast<double>(stack.stood_for_ns) / all.stood_for_ns);
      }
    }
    shares.calls_covered += stack.calls;
    shares.total_covered_ns += stack.total_ns.value_or(0);
  }
  shares.calls_covered = std::min(shares.calls_covered, shares.calls);
  shares.total_covered_ns = std::min(shares.total_covered_ns, shares.total_ns);
}

}  // namespace

Result<StackShares> gather_stack_shares(const store::Reader& reader, const store::Conditions& conditions,
                                        const store::QueryLimits& limits) {
  // The recording has the calls that a stack stands for, but its own, in the upper bits of a row's state
  // (docs/formats/store.md); earlier formats have none.
  const char* stands_for =
      reader.layout() == store::Layout::kLegacy
          ? "0"
          : "CASE WHEN e.stack_hash <> 0 THEN (SELECT state >> 12 FROM event_rows WHERE seq = e.seq) END";
  const std::string sql = fmt::format(
      "SELECT comm, op, hash, sum(weight), sum(weight * duration), min(duration), max(duration), "
      "sum(weight * size), sum(weight * others), sum(weight * others * duration) FROM (SELECT e.comm AS comm, "
      "e.op_name AS op, nullif(e.stack_hash, 0) AS hash, e.weight AS weight, e.duration AS duration, CASE "
      "WHEN e.stack_hash <> 0 AND e.kind IN ('alloc', 'memcpy', 'memset', 'host') THEN e.arg0 END AS size, "
      "{} AS others FROM events e{}) GROUP BY 1, 2, 3",
      stands_for, conditions.where());
  StackShares shares;
  std::map<Key, Sums> sums;
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const Value> row) {
        StackShare stack;
        stack.untrusted_process = row[0].as_text();
        stack.op = row[1].as_text();
        stack.taken = stack.calls = unsigned_of(row[3]).value_or(0);
        stack.total_ns = unsigned_of(row[4]);
        stack.taken_ns = stack.total_ns.value_or(0);
        Sums& all = sums[{stack.untrusted_process, stack.op}];
        shares.calls += stack.calls;
        shares.total_ns += stack.total_ns.value_or(0);
        if (row[2].is_null()) {
          all.calls += stack.calls;
          all.ns += stack.total_ns.value_or(0);
          return true;
        }
        stack.hash = row[2].integer;
        stack.min_ns = unsigned_of(row[5]);
        stack.max_ns = unsigned_of(row[6]);
        stack.sum_arg0 = row[7].as_int64();
        stack.stands_for = unsigned_of(row[8]).value_or(0);
        stack.stood_for_ns = unsigned_of(row[9]).value_or(0);
        all.stands_for += static_cast<double>(stack.stands_for);
        all.stood_for_ns += static_cast<double>(stack.stood_for_ns);
        shares.calls_with_stack += stack.calls;
        shares.total_with_stack_ns += stack.total_ns.value_or(0);
        shares.stacks.push_back(std::move(stack));
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  scale(shares, sums);
  return shares;
}

}  // namespace ingero::report
