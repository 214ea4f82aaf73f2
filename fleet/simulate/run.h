// A job that does not exist, sent to a real server from its first window to its last: what `ingero fleet simulate`
// does.
//
// Reads the token's file and writes the truth's. One thread besides the sender's. Owns nothing that outlives the call.
// Failure: kInvalid of options and files, kIo where the server takes nothing, or not all.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"

namespace ingero::fleet::simulate {

struct SimulateOptions {
  std::string endpoint = "http://127.0.0.1:4318", cluster = "sim", plan = "random", noise = "usual", truth, token_file,
              authorities;
  uint32_t ranks = 64, windows = 120;
  uint64_t seed = 1;
  double effect = 0;
  double speed = 1;  // of a live one
  bool is_live = false;
};

// `out`: what was sent, in a line, also where some of it was refused. The token is the file's, else INGERO_TOKEN of the
// environment.
Status run(const SimulateOptions& options, const Environment& environment, const Clock& clock, std::ostream& out);

}  // namespace ingero::fleet::simulate
