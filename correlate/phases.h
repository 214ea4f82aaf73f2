// What a step of inference was for, derived from the work it put on the device. One table; the code and
// docs/inference.md are made from it.
//
// The rules are tried in order, the first that holds names the phase. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ingero::correlate {

enum class Phase : uint8_t { kUnknown, kPrefill, kDecode, kMixed, kCount };
constexpr std::string_view name_of(Phase phase) {
  constexpr std::string_view kNames[] = {"unknown", "prefill", "decode", "mixed"};
  return kNames[static_cast<size_t>(phase)];
}

// The bounds, as the flags --inference-phase-... name them.
struct PhaseLimits {
  uint64_t decode_max_launches = 50;
  uint64_t decode_max_bytes = 1 << 20;
  uint64_t prefill_min_launches = 200;
  uint64_t prefill_min_mean_ns = 500'000;
  uint64_t mixed_min_bytes = 10 << 20;
  uint64_t mixed_low_launches = 50, mixed_high_launches = 200;
};

// What is known of a step: all of it is stored with the phase.
struct PhaseInputs {
  uint64_t launches = 0;        // kernels and host functions by themselves
  uint64_t graph_launches = 0;  // a graph counts once, whatever it holds
  uint64_t copied_bytes = 0;
  uint64_t duration_ns = 0;  // without idle time
  constexpr uint64_t submissions() const { return launches + graph_launches; }
  // The most that a kernel can have taken on average. (The time of a launch call says nothing of its kernel.)
  constexpr uint64_t mean_ns() const { return submissions() == 0 ? 0 : duration_ns / submissions(); }
};

// phase, condition on the inputs `i` and the limits `l`, meaning, flags
#define INGERO_PHASE_RULES(X)                                                                                      \
  X(kUnknown, i.submissions() == 0, "Nothing was launched: copies alone.", "")                                     \
  X(kDecode, i.submissions() < l.decode_max_launches && i.copied_bytes < l.decode_max_bytes,                       \
    "Few launches, or a replayed graph, and little copied: a token for each request.",                             \
    "decode-max-launches, decode-max-memcpy")                                                                      \
  X(kPrefill, i.launches > l.prefill_min_launches, "Many kernels launched one by one: no graph holds them.",       \
    "prefill-min-launches")                                                                                        \
  X(kPrefill, i.mean_ns() >= l.prefill_min_mean_ns, "Long kernels: the step took this long for each launch.",      \
    "prefill-min-avg-kernel")                                                                                      \
  X(kMixed, i.submissions() >= l.mixed_low_launches && i.submissions() <= l.mixed_high_launches,                   \
    "More launches than a decode, fewer than a prefill: both kinds of requests in one batch.",                     \
    "mixed-launch-low, mixed-launch-high")                                                                         \
  X(kMixed, i.copied_bytes >= l.mixed_min_bytes, "Many bytes copied, few launches: caches or prompts were moved.", \
    "mixed-memcpy")                                                                                                \
  X(kUnknown, true, "None of these.", "")

constexpr Phase phase_of(const PhaseInputs& i, const PhaseLimits& l) {
#define X(phase, condition, meaning, flags) \
  if (condition) return Phase::phase;
  INGERO_PHASE_RULES(X)
#undef X
  return Phase::kUnknown;
}

}  // namespace ingero::correlate
