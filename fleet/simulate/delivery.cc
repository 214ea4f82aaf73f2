// See delivery.h.
#include "fleet/simulate/delivery.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "fleet/simulate/details.h"

namespace ingero::fleet::simulate {
namespace {

constexpr double kTwiceShare = 0.002, kLostShare = 0.002, kRestartShare = 1.0 / 32;
constexpr uint32_t kFirstRestart = 10;

uint64_t hash_of(const char* what, uint64_t seed) { return Fnv1a().add(std::string_view(what)).add(seed).value(); }

}  // namespace

std::optional<uint32_t> Deliveries::restart_of(uint32_t node) const {
  if (windows_ <= kFirstRestart || drawn(hash_of("restart", seed_), node) >= kRestartShare) return std::nullopt;
  const double at = drawn(hash_of("restarted at", seed_), node);
  return kFirstRestart + static_cast<uint32_t>(at * (windows_ - kFirstRestart));
}

Delivery Deliveries::of(uint32_t node, uint32_t window) const {
  if (restart_of(node) == window) return Delivery::kLost;
  const double draw = drawn(hash_of("delivery", seed_), uint64_t{node} << 32 | window);
  return draw < kLostShare ? Delivery::kLost : draw < kLostShare + kTwiceShare ? Delivery::kTwice : Delivery::kOnce;
}

std::optional<uint32_t> Deliveries::last_arrival(uint32_t node) const {
  for (uint32_t window = windows_; window-- > 0;) {
    if (of(node, window) != Delivery::kLost) return window;
  }
  return std::nullopt;
}

std::string Deliveries::instance_of(uint32_t node, uint32_t window) const {
  const auto restart = restart_of(node);
  return fmt::format("simulated-{:x}-{}-{}", seed_, node, restart && window > *restart ? 2 : 1);
}

Json Deliveries::truth(uint32_t nodes) const {
  uint64_t lost = 0, doubled = 0;
  Json restarted = Json::array();
  for (uint32_t node = 0; node < nodes; ++node) {
    if (restart_of(node)) restarted.push_back(fmt::format("node-{:04}", node));
    for (uint32_t window = 0; window < windows_; ++window) {
      const Delivery delivery = of(node, window);
      lost += delivery == Delivery::kLost;
      doubled += delivery == Delivery::kTwice;
    }
  }
  return {{"lost", lost}, {"doubled", doubled}, {"restarted_nodes", std::move(restarted)}};
}

}  // namespace ingero::fleet::simulate
