// POST /v1/metrics of OTLP over HTTP: unpacks, decodes, hands the batch to the cluster, and answers as the protocol
// wants it (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"). No state of its own; thread-safe.
#pragma once

#include "fleet/server/cluster.h"
#include "serve/http/server.h"

namespace ingero::fleet::server {

inline constexpr size_t kMaxBodyBytes = 4 << 20;  // as it is sent
inline constexpr size_t kMaxJsonBytes = 8 << 20;  // unpacked: its tree is many times as large

ingero::serve::http::Response receive(Cluster& cluster, const ingero::serve::http::Request& request);

}  // namespace ingero::fleet::server
