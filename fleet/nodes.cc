// Nodes as operators write them: see nodes.h.
#include "fleet/nodes.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::fleet {
namespace {

using serve::net::is_loopback_host;

constexpr uint16_t kPort = 8080;  // of `ingero dashboard`

Error wrong(std::string_view entry, std::string_view why, std::string hint = "give HOST:PORT or https://HOST:PORT") {
  return {Errc::kInvalid, fmt::format("node {}: {}", printable(entry, 300), why), std::move(hint)};
}

Result<Node> parse_node(std::string_view entry, const NodeRules& rules) {
  Node node;
  std::string_view rest = entry;
  const bool has_scheme = serve::net::take_scheme(rest, node.peer);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('@') != std::string_view::npos) {
    return Error(Errc::kInvalid, "a node address with a user name or password: every process can read it",
                 "put a token into INGERO_NODES_TOKEN or a file for --nodes-token-file");
  }
  node.peer.port = kPort;
  if (const Status parsed = serve::net::parse_authority(rest, node.peer); !parsed.ok()) {
    return wrong(entry, parsed.error().message());
  }
  const bool is_loopback = is_loopback_host(node.peer.host);
  if (!has_scheme && !rules.has_tls_files && (is_loopback || rules.is_plain_allowed)) node.peer.has_tls = false;
  if (!node.peer.has_tls && !rules.is_plain_allowed) {
    if (!is_loopback)
      return wrong(entry, "not encrypted, and not this machine", "use https, or --fleet-require-tls=false");
    node.peer.only_loopback = true;
  }
  node.name = node.peer.authority();
  return node;
}

}  // namespace

Result<std::vector<Node>> parse_nodes(const std::vector<std::string>& entries, const NodeRules& rules) {
  std::vector<Node> nodes;
  for (const std::string& list : entries) {
    for (const std::string_view raw : split(list, ',')) {
      const std::string_view entry = trim(raw);
      if (entry.empty()) continue;
      auto node = parse_node(entry, rules);
      if (!node.ok()) return node.error();
      const bool is_known =
          std::any_of(nodes.begin(), nodes.end(), [&](const Node& one) { return one.name == node->name; });
      if (is_known) return wrong(entry, "named twice", "its rows would count twice");
      if (nodes.size() == kMaxNodes) {
        return Error(Errc::kInvalid, fmt::format("more than {} nodes", kMaxNodes), "query them in parts");
      }
      nodes.push_back(std::move(*node));
    }
  }
  return nodes;
}

}  // namespace ingero::fleet
