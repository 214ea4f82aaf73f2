// The machine as a whole: pressure, and time that others took from its CPUs.
#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {

void evaluate_system(const SystemState& system, Findings& findings) {
  const auto add = [&](RuleId id, double percent, std::string detail, uint64_t mono_ns) {
    if (percent < rule(id).share) return;
    Finding finding;
    finding.rule = id;
    finding.number = static_cast<uint64_t>(percent);
    finding.lost_ns = static_cast<uint64_t>(percent / 100 * static_cast<double>(kWindowNs));
    finding.lost_now_ns = finding.lost_ns;
    finding.detail = std::move(detail);
    finding.onset_mono_ns = mono_ns;
    findings.push_back(std::move(finding));
  };
  if (system.snapshot) {
    const hal::SystemSnapshot& now = *system.snapshot;
    add(RuleId::memory_pressure, now.psi_mem_some,
        fmt::format("tasks waited for memory {:.0f}% of the time{}", now.psi_mem_some,
                    now.psi_mem_full > 0 ? fmt::format(", all of them {:.0f}%", now.psi_mem_full) : ""),
        system.snapshot_mono_ns);
    constexpr double kPlentyFree = 70;  // percent used: who waits for memory may have none of what is free
    if (!findings.empty() && findings.back().rule == RuleId::memory_pressure && now.mem_percent >= 0 &&
        now.mem_percent < kPlentyFree) {
      findings.back().remedy = fmt::format(
          "Of the machine's memory {:.0f}% is used: look for cgroups at their own limit (memory.max, memory.high, "
          "memory.pressure), and raise that",
          now.mem_percent);
    }
    add(RuleId::cpu_steal, now.steal_percent, fmt::format("{:.0f}% of the CPUs' time was stolen", now.steal_percent),
        system.snapshot_mono_ns);
    add(RuleId::interrupt_load, now.interrupt_percent,
        fmt::format("interrupts took {:.0f}% of the CPUs' time", now.interrupt_percent), system.snapshot_mono_ns);
  }
}

}  // namespace ingero::correlate
