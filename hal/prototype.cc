// The spellings of a row: base name, version suffixes, then the per-thread-stream suffixes of each.
#include "hal/prototype.h"

namespace ingero::hal {

std::vector<std::string> spellings(const Row& row) {
  std::vector<std::string> versions;
  if ((row.twins & kNotBase) == 0) versions.emplace_back(row.name);
  if ((row.twins & kV2) != 0) versions.push_back(std::string(row.name) + "_v2");
  if ((row.twins & kV3) != 0) versions.push_back(std::string(row.name) + "_v3");
  std::vector<std::string> all = versions;
  const auto add = [&](Twin twin, const char* suffix) {
    if ((row.twins & twin) == 0) return;
    for (const std::string& version : versions) all.push_back(version + suffix);
  };
  add(kPtsz, "_ptsz");
  add(kPtds, "_ptds");
  add(kSpt, "_spt");
  return all;
}

}  // namespace ingero::hal
