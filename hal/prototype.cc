// The spellings of a row: the base name and each version, every one with its per-thread-stream suffixes.
#include "hal/prototype.h"

namespace ingero::hal {

std::vector<std::string> spellings(const Row& row) {
  std::vector<std::string> versions;
  if ((row.twins & kNotBase) == 0) versions.emplace_back(row.name);
  if ((row.twins & kV2) != 0) versions.push_back(std::string(row.name) + "_v2");
  if ((row.twins & kV3) != 0) versions.push_back(std::string(row.name) + "_v3");
  std::vector<std::string> all;
  for (const std::string& version : versions) {
    all.push_back(version);
    if ((row.twins & kPtsz) != 0) all.push_back(version + "_ptsz");
    if ((row.twins & kPtds) != 0) all.push_back(version + "_ptds");
    if ((row.twins & kSpt) != 0) all.push_back(version + "_spt");
  }
  return all;
}

}  // namespace ingero::hal
