// Draws from hashes, so that the noise of a plan is the same with and without details: see details.h.
#include "fleet/simulate/details.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"

namespace ingero::fleet::simulate {
namespace {

constexpr uint64_t kSampled = 4;  // one of four collectives is in the sample
constexpr double kNsOfSecond = 1e9;

// Steps begin at equal distances from `begin_of_job_ns` on, by the node's clock, and all ranks leave a collective when
// its step ends.
void add_arrivals_of(uint64_t begin_of_job_ns, uint64_t step_ns, wire::Window& window) {
  if (!window.entered || window.count == 0 || !window.work_s) return;
  const auto first = static_cast<uint64_t>(*window.entered) - window.count + 1;
  const auto work_ns = std::min(static_cast<uint64_t>(*window.work_s * kNsOfSecond), step_ns - 2'000'000);
  for (uint64_t i = 0; i < window.count; ++i) {
    const uint64_t number = first + i;
    if (Fnv1a().add(window.communicator).add(number).value() % kSampled != 0) continue;
    const uint64_t begin_ns = begin_of_job_ns + (number - 1) * step_ns;
    window.arrivals.push_back({.number = number,
                               .entered_ns = begin_ns + work_ns,
                               .left_ns = begin_ns + step_ns - 1'000'000,
                               .operation = window.operation,
                               .bytes = window.bytes / static_cast<int64_t>(window.count)});
  }
}

}  // namespace

double drawn(uint64_t first, uint64_t second) {
  return static_cast<double>(Fnv1a().add(first).add(second).value() >> 11) / static_cast<double>(1ULL << 53);
}

wire::DeviceState device_of(const wire::Window& window, double slower) {
  const double a = drawn(window.rank, window.start_ns), b = drawn(window.start_ns, window.rank);
  const bool is_hot = slower > 0;
  return {.id = fmt::format("GPU-{:08x}-0000-0000-0000-{:012x}", window.rank, window.rank),
          .model = "simulated",
          .utilization_ratio = 0.85 + 0.1 * a,
          .power_watts = (620 + 60 * b) / (1 + slower),
          .temperature_celsius = (is_hot ? 84 : 58) + 6 * a,
          .sm_clock_hertz = (1.95e9 + 3e7 * b) / (1 + slower),
          .throttle_reasons = is_hot ? wire::kThrottleThermal : 0};
}

void add_arrivals(uint64_t begin_of_job_ns, uint64_t step_ns, std::vector<wire::Window>& windows) {
  for (wire::Window& window : windows) add_arrivals_of(begin_of_job_ns, step_ns, window);
}

wire::Incident chain_of(std::string id, std::string rule, uint64_t onset_ns, uint64_t end_ns, double lost_share) {
  wire::Incident chain;
  chain.time_ns = end_ns;
  chain.lost_s = lost_share * static_cast<double>(end_ns - onset_ns) / kNsOfSecond;
  chain.attributes = {{"causal_chain_id", std::move(id)},
                      {"onset_ns", fmt::format("{}", onset_ns)},
                      {"rule", std::move(rule)},
                      {"summary", "simulated"}};
  return chain;
}

}  // namespace ingero::fleet::simulate
