// Which attach mechanism this kernel has, found by trying each on a function of this program.
//
// A mechanism that does not work is an answer and not a failure: it says why in a sentence. Trying one takes some
// milliseconds, and CAP_BPF and CAP_PERFMON (else that is the reason of each). Any thread, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ingero::kernelside {

enum class Mechanism : uint8_t { kSession, kMulti, kPerf };
inline constexpr Mechanism kMechanisms[] = {Mechanism::kSession, Mechanism::kMulti, Mechanism::kPerf};  // best first
std::string_view name_of(Mechanism mechanism);  // "session", "multi", "perf"
std::optional<Mechanism> mechanism_of(std::string_view name);

struct MechanismProbe {
  Mechanism mechanism;
  bool works = false;
  bool is_forbidden = false;  // for lack of privileges: it may well work
  std::string reason;         // when it does not: a sentence, with the kernel release that has it
  std::string words;          // the error text of the kernel or libbpf
};

struct MechanismRefusal {
  int error_number = 0;
  std::string words;
};

// What probing needs of the machine.
struct MechanismTrial {
  // Attaches a probe and removes it again; nothing: that worked.
  std::function<std::optional<MechanismRefusal>(Mechanism mechanism)> attach;
  std::string release;  // of the kernel, as uname(2) says it; empty: unknown
};
MechanismTrial system_trial();

MechanismProbe probe_mechanism(Mechanism mechanism, const MechanismTrial& trial = system_trial());
// All three, best first.
std::vector<MechanismProbe> probe_mechanisms(const MechanismTrial& trial = system_trial());
// A sentence: that this kernel has no `what`, and the release that has them, or what it said when that is an older one.
// The release explains a refusal, it never makes one.
std::string refusal_text(std::string_view what, int major, int minor, std::string_view release, std::string_view words);
std::string kernel_release();  // as uname(2) says it; empty: unknown

// What the two probes of a call add to its time: from the end of the program at the entry of an empty function of this
// program to the start of the one at its return, the median of some hundred calls in a row. With cold caches it is two
// to three times that: of a program's calls it is the least that they cost. No other process pays. A few milliseconds;
// of perf probes some tenths of a second. Calls that pass through a probe on an instruction that is single-stepped take
// longer (single_step.h).
Result<uint64_t> measure_probe_ns(Mechanism mechanism);
// Why nothing can be attached: `wanted`, or without it every mechanism, was `refused`. What several lack is said once;
// where another one works, that is the hint.
Error no_mechanism_error(std::optional<Mechanism> wanted, std::span<const MechanismProbe> refused,
                         const MechanismTrial& trial = system_trial());

}  // namespace ingero::kernelside
