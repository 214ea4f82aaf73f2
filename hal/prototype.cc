// The spellings of a row (the base name and each version, every one with its per-thread-stream suffixes), and the
// meaning of a backend's codes.
#include "hal/prototype.h"

#include <algorithm>

namespace ingero::hal {

std::vector<std::string> spellings(const Row& row) {
  std::vector<std::string> versions;
  if ((row.variants & kNotBase) == 0) versions.emplace_back(row.name);
  if ((row.variants & kV2) != 0) versions.push_back(std::string(row.name) + "_v2");
  if ((row.variants & kV3) != 0) versions.push_back(std::string(row.name) + "_v3");
  std::vector<std::string> all;
  for (const std::string& version : versions) {
    all.push_back(version);
    if ((row.variants & kPtsz) != 0) all.push_back(version + "_ptsz");
    if ((row.variants & kPtds) != 0) all.push_back(version + "_ptds");
    if ((row.variants & kSpt) != 0) all.push_back(version + "_spt");
  }
  return all;
}

std::string_view status_name(std::span<const StatusName> statuses, int64_t code) {
  const auto at = std::lower_bound(statuses.begin(), statuses.end(), StatusName{code, {}}, by_code);
  return at != statuses.end() && at->code == code ? at->name : std::string_view{};
}

Direction direction_of(const Backend& backend, uint64_t code) {
  return code < backend.directions.size() ? backend.directions[code] : Direction::kUnknown;
}

Place place_of(const Backend& backend, uint64_t code) {
  return code < backend.places.size() ? backend.places[code] : Place::kUnknown;
}

}  // namespace ingero::hal
