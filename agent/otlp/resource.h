// The OTLP resource, by OpenTelemetry's semantic conventions: service, host, process, and the pod it runs in.
//
// What cannot be determined is absent. The files' roots are arguments, for tests.
#pragma once

#include <string>

#include "base/result.h"
#include "serve/otlp/model.h"
#include "store/db/location.h"

namespace ingero::agent {

struct ResourceSources {
  Environment environment;
  std::string root = {};  // before /etc/machine-id and the pod's files
  std::string node;       // of the recording
  std::string cluster = {};
};

// OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win over what is found. kInvalid when the latter cannot be understood.
Result<serve::otlp::Attributes> resource_attributes(const ResourceSources& sources);

}  // namespace ingero::agent
