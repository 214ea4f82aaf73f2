// What `trace --otlp` sends where, from its flags and, where a flag does not say, from the OTEL_EXPORTER_OTLP_
// variables.
//
// Only --otlp makes the program send anything: a variable alone does not. Secrets come from a file or a variable.
//
// Plain values. Reads files while starting, before privileges are given up. Failure: kInvalid names the flag or the
// variable. One thread. Owns its texts.
#pragma once

#include <string>

#include "base/result.h"
#include "serve/otlp/exporter.h"
#include "store/db/location.h"

namespace ingero::agent {

struct OtlpSettings {
  std::string endpoint;  // empty: nothing is sent
  bool traces = false;
  std::string protocol, compression, interval = "10s", timeout;
  std::string slow_collective = "50ms";
  std::string headers_file, authorities, certificate, key;
  std::string queue;
  std::string database;  // --db: without `queue`, the queue is next to the recording
  std::string queue_size = "64m";
  std::string cluster;  // that this machine is in, for the resource
  bool insecure = false, insecure_allowed = false;
};

// Checks every setting and reads the files; the caller fills in the resource.
Result<serve::otlp::ExporterOptions> exporter_options(const OtlpSettings& options, const Environment& environment);

// Makes the directories above the queue that are missing, as the recording's are made: neither needs the other.
Status make_queue_parents(const std::string& queue_directory, const OtlpSettings& options,
                          const Environment& environment);

}  // namespace ingero::agent
