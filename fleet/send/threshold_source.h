// Asks a cluster's server what this machine classifies itself by, where no answer to what it sends says so: GET
// URL/api/v1/threshold?cluster_id=CLUSTER&node_id=NODE.
//
// Blocks until the deadline at most. Failure: none; what is not answered, longer than kMaxThresholdBytes or not what it
// should be (node_state.h) is absent. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "fleet/send/node_state.h"
#include "serve/otlp/transport.h"

namespace ingero::fleet::send {

inline constexpr size_t kMaxThresholdBytes = 8 << 10;

class ThresholdSource {
 public:
  // With the token and the agent's name of `receiver`.
  static Result<ThresholdSource> make(serve::otlp::Endpoint endpoint, const serve::otlp::Receiver& receiver,
                                      const serve::otlp::TlsFiles& tls, const std::string& cluster,
                                      const std::string& node);
  std::optional<PushedThreshold> ask(serve::net::Deadline deadline, const serve::net::Stop& stop) const;
  // Until it is asked again: 10 s and up to a fifth more or less, or all nodes would ask at once.
  static uint64_t pause_ns();

 private:
  serve::otlp::Endpoint endpoint_;
  serve::otlp::Headers headers_;
  std::string agent_, path_;
  std::shared_ptr<const serve::net::TlsContext> tls_;
};

}  // namespace ingero::fleet::send
