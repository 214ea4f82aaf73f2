// Adds up by name, over the whole wait, who had the CPU while threads were ready to run.
#include "report/cpu_takers.h"

#include "base/text.h"
#include "correlate/window.h"

namespace ingero::report {

std::string CpuTakers::Named::name() const {
  return pids.size() == 1 ? fmt::format("{} (pid {})", printable(comm, 40), pids.begin()->first)
                          : fmt::format("{} processes named {}", pids.size(), printable(comm, 40));
}

void CpuTakers::Named::leave_out_small() {
  const double least = share / static_cast<double>(pids.size()) / 10;
  std::erase_if(pids, [&](const auto& one) { return one.second < least; });
}

std::string CpuTakers::text(const std::string& who, double share, const std::string& of) const {
  constexpr double kNearlyAll = 0.9;
  const std::string unknown =
      known >= kNearlyAll ? "" : fmt::format(", and for {:.0f}% it is not known who had it", 100 * (1 - known));
  return fmt::format("{} had the CPU for {:.0f}% of {}{}", who, 100 * share, of, unknown);
}

bool CpuTakers::is_mostly_own() const {
  constexpr double kHalf = 0.5, kSome = 0.15;
  return own >= kHalf || (known >= kSome && own * 2 >= known);
}

CpuTakers takers_of_cpu(const store::Reader& reader, const store::Conditions& threads, uint32_t pid) {
  constexpr double kHalf = 0.5;
  std::map<std::string, CpuTakers::Named> by_name;
  CpuTakers found;
  double all_ns = 0;
  const auto take = [&](std::span<const store::Value> row) {
    all_ns += static_cast<double>(row[3].integer);
    if (row[0].is_null()) return true;
    const auto ns = static_cast<double>(row[2].integer);
    found.known += ns;
    if (row[0].integer == int64_t{pid}) found.own += ns;
    if (row[0].integer == int64_t{pid} || correlate::is_recorder(row[1].as_text())) return true;
    CpuTakers::Named& one = by_name[std::string(row[1].as_text())];
    one.comm = row[1].as_text();
    one.pids[row[0].integer] += ns;
    one.share += ns;
    return true;
  };
  const std::string text = fmt::format(
      "SELECT c.pid, c.comm, sum(e.culprit_ns), sum(coalesce(e.preempted, 0) + coalesce(e.runqueue, 0)) FROM "
      "event_rows e JOIN waits w ON w.seq = e.seq JOIN clocks k ON k.id = e.clock JOIN threads t ON t.id = e.thread "
      "LEFT JOIN culprits c ON c.id = e.culprit WHERE {} AND coalesce(e.preempted, 0) + coalesce(e.runqueue, 0) > 0 "
      "GROUP BY c.pid, c.comm LIMIT 10000",
      threads.sql());
  const auto outcome = reader.query(text, {}, take, {}, threads.bound());
  if (!outcome.ok() || all_ns <= 0) return {};
  found.waited_ns = all_ns;
  found.own /= all_ns;
  found.known /= all_ns;
  for (auto& [name, one] : by_name) {
    one.leave_out_small();
    one.share /= all_ns;
    if (one.share >= kHalf && (!found.other || one.share > found.other->share)) found.other = one;
  }
  return found;
}

uint64_t count_waiting_for_cpu(const store::Reader& reader, const store::Conditions& threads) {
  uint64_t count = 0;
  const auto take = [&](std::span<const store::Value> row) {
    count = static_cast<uint64_t>(row[0].integer);
    return true;
  };
  const std::string text = fmt::format(
      "SELECT count(DISTINCT e.thread) FROM event_rows e JOIN waits w ON w.seq = e.seq JOIN clocks k ON k.id = e.clock "
      "JOIN threads t ON t.id = e.thread WHERE {} AND coalesce(e.preempted, 0) + coalesce(e.runqueue, 0) > 0",
      threads.sql());
  (void)reader.query(text, {}, take, {}, threads.bound()).ok();
  return count;
}

}  // namespace ingero::report
