// What a user says of the cluster that is sent to, as flags have it: of `trace` and of `fleet-push` alike.
//
// Secrets come from the environment or a file, never from the arguments. Pure but for the files that it reads. Failure:
// kInvalid, and kPermission of the token's file, as a sentence that names the flag.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "fleet/send/sender.h"

namespace ingero::fleet::send {

struct Settings {
  std::string endpoint;  // empty: nothing is sent
  std::string cluster, node, job, token_file, authorities, certificate, key;
  std::string threshold_url;  // empty: only answers say what this machine classifies itself by
  std::string timeout = "5s";
  bool is_plain = false;
};

// `node` names this machine where no flag does; `agent`: of the User-Agent header. The endpoint is not empty.
Result<SenderOptions> sender_options(const Settings& settings, const Environment& environment, const std::string& node,
                                     std::string agent);

}  // namespace ingero::fleet::send
