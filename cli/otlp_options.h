// `trace --otlp`: its flags, and what the OTEL_EXPORTER_OTLP_ variables say where a flag does not.
//
// Only --otlp makes the program send anything: a variable alone does not. Secrets come from a file or a variable.
#pragma once

#include <string>

#include "base/result.h"
#include "serve/otlp/exporter.h"
#include "store/location.h"

namespace CLI {
class App;
}

namespace ingero::cli {

struct OtlpOptions {
  std::string endpoint;  // empty: nothing is sent
  bool traces = false;
  std::string protocol, compression, interval = "10s", timeout;
  std::string slow_collective = "50ms";
  std::string headers_file, authorities, certificate, key;
  std::string queue;
  std::string queue_size = "64m";
  bool insecure = false, insecure_allowed = false;
};
void add_otlp_options(CLI::App& command, OtlpOptions& options);

// Everything that is said is checked, files are read; the resource is the caller's to fill.
Result<serve::otlp::ExporterOptions> exporter_options(const OtlpOptions& options,
                                                      const store::Environment& environment);

}  // namespace ingero::cli
