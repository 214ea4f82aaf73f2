// What ingero.yaml says. Looked for as $INGERO_CONFIG, ./ingero.yaml, /etc/ingero/ingero.yaml and
// ~/.config/ingero/ingero.yaml; the first that has the key wins.
//
// A file is believed where it is the user's or root's and nobody else can write it: one that lies in a folder by chance
// must not say whom secrets go to. Others are passed over with a warning. Threads: one at a time.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/location.h"

namespace ingero::cli {

struct ConfiguredNodes {
  std::vector<std::string> nodes;  // of fleet.nodes; empty: no file has it
  std::string file;
};
// kInvalid: a file that cannot be understood, with line and column. The file that INGERO_CONFIG names must be there.
Result<ConfiguredNodes> configured_nodes(const store::Environment& environment);

// Where it is looked for, in words.
std::string configuration_places();

}  // namespace ingero::cli
