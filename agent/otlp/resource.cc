// Collects the resource's attributes from the host, the process and its environment, so that receivers can
// distinguish senders.
#include "agent/otlp/resource.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "agent/host_facts.h"
#include "base/text.h"
#include "serve/otlp/headers.h"

namespace ingero::agent {
namespace {

using serve::otlp::Attributes;

void set(Attributes& attributes, const std::string& key, serve::otlp::Value value) {
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && text->empty()) return;
  std::erase_if(attributes, [&](const auto& known) { return known.first == key; });
  attributes.emplace_back(key, std::move(value));
}

std::string arch_of(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

}  // namespace

Result<Attributes> resource_attributes(const ResourceSources& sources) {
  const auto variable = [&](const char* name) { return sources.environment.variable(name).value_or(""); };
  Attributes out;
  set(out, "service.name", std::string("ingero"));
  set(out, "service.version", std::string(INGERO_VERSION));
  utsname system{};
  if (::uname(&system) == 0) {
    set(out, "host.name", std::string(system.nodename));
    set(out, "host.arch", arch_of(system.machine));
    set(out, "os.version", std::string(system.release));
  }
  set(out, "host.id", first_line(sources.root + "/etc/machine-id"));
  set(out, "os.type", std::string("linux"));
  set(out, "process.pid", static_cast<int64_t>(::getpid()));
  set(out, "process.executable.name", std::string("ingero"));
  // One run of the agent on one host, so that receivers can distinguish senders, and a restart from a counter's fall.
  set(out, "service.instance.id", fmt::format("{}-{}", sources.node, ::getpid()));
  set(out, "ingero.node.id", sources.node);
  set(out, "ingero.cluster.id", sources.cluster);
  if (!variable("KUBERNETES_SERVICE_HOST").empty()) {
    set(out, "k8s.pod.name", variable("HOSTNAME"));
    set(out, "k8s.namespace.name",
        first_line(sources.root + "/var/run/secrets/kubernetes.io/serviceaccount/namespace"));
    // Given by the pod's description (fieldRef), under the names that are usual.
    for (const char* name : {"K8S_NODE_NAME", "NODE_NAME"}) set(out, "k8s.node.name", variable(name));
    for (const char* name : {"K8S_POD_NAME", "POD_NAME"}) set(out, "k8s.pod.name", variable(name));
    for (const char* name : {"K8S_POD_UID", "POD_UID"}) set(out, "k8s.pod.uid", variable(name));
    for (const char* name : {"K8S_NAMESPACE", "POD_NAMESPACE"}) set(out, "k8s.namespace.name", variable(name));
  }
  const auto more = serve::otlp::parse_pairs(variable("OTEL_RESOURCE_ATTRIBUTES"), "OTEL_RESOURCE_ATTRIBUTES");
  INGERO_TRY(more);
  for (const auto& [key, value] : *more) set(out, key, value);
  set(out, "service.name", variable("OTEL_SERVICE_NAME"));
  return out;
}

}  // namespace ingero::agent
