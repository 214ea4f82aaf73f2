// Names, classes and news of incidents: see incident.h.
#include "fleet/detect/incident.h"

#include <algorithm>
#include <cmath>

namespace ingero::fleet::detect {
namespace {

constexpr double kExplains = 0.5;          // of the lateness, for a class
constexpr double kExplainTogether = 0.75;  // for that of the greater of two
constexpr double kNews = 0.1;              // change of the effect, as a share

}  // namespace

const char* name_of(Class value) {
  constexpr const char* kNames[] = {"unknown", "host", "input"};
  return kNames[static_cast<size_t>(value)];
}

const char* name_of(State value) {
  constexpr const char* kNames[] = {"open", "over", "silent", "merged"};
  return kNames[static_cast<size_t>(value)];
}

Class class_of(const Incident& incident) {
  const double host_s = incident.reasons.host_s, input_s = incident.reasons.input_s();
  // Together: of a rank that waits for storage, and then about as long for a CPU, it is known why it is late.
  const bool is_explained = std::max(host_s, input_s) >= kExplains * incident.lateness_s ||
                            host_s + input_s >= kExplainTogether * incident.lateness_s;
  if (!is_explained) return Class::kUnknown;
  return host_s >= input_s ? Class::kHost : Class::kInput;
}

bool is_news(const Incident& before, const Incident& now) {
  return now.state != State::kOpen || now.what != before.what || now.ranks != before.ranks ||
         std::abs(now.effect - before.effect) > kNews * before.effect;
}

}  // namespace ingero::fleet::detect
