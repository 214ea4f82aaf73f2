// OTLP metrics over HTTP (POST /v1/metrics) and over gRPC (MetricsService/Export): unpacks, decodes, hands the batch to
// the cluster, and answers as the protocol wants it (opentelemetry.io/docs/specs/otlp). No state of its own;
// thread-safe.
//
// Owns nothing. Failure is the answer's status, with a sentence in it.
#pragma once

#include "fleet/server/cluster.h"
#include "serve/http/grpc_server.h"
#include "serve/http/server.h"

namespace ingero::fleet::server {

inline constexpr size_t kMaxBodyBytes = 4 << 20;  // as it is sent
inline constexpr size_t kMaxJsonBytes = 8 << 20;  // unpacked: its tree is many times as large

inline constexpr const char* kExportPath = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

ingero::serve::http::Response receive(Cluster& cluster, const ingero::serve::http::Request& request);
ingero::serve::http::GrpcAnswer receive(Cluster& cluster, const ingero::serve::http::GrpcCall& call);

}  // namespace ingero::fleet::server
