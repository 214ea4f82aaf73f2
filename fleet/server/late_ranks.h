// What is said of late ranks and nodes: kinds, sentences, and the evidence as JSON. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "fleet/detect/detector.h"

namespace ingero::fleet::server {

inline constexpr size_t kMaxDelayed = 64;  // ranks that an incident lists, its own and those that it delays

// `is_score`: of a node's health score, as the legacy agent sends it.
const char* kind_of(const detect::Incident& incident, bool is_score);
// `group`: the control group that the score is of, may be empty; null: it is of own work.
std::string sentence_of(const std::string& node, const detect::Incident& incident, const std::string* group);
Json evidence_of(const detect::Incident& incident);
Json evidence_of_score(const detect::Incident& incident, const std::string& group);
// [{"ranks", "rank_count", "effect"}], the heaviest first.
Json imbalance_json(const std::vector<detect::HeavyRole>& roles);

}  // namespace ingero::fleet::server
