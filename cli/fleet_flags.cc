// Combines the flags of fleet commands with ingero.yaml and the token's file, so that all such commands agree on them.
#include "cli/fleet_flags.h"

#include "base/private_file.h"
#include "base/text.h"
#include "cli/configuration.h"
#include "cli/flags.h"

namespace ingero::cli {
namespace {

constexpr const char* kNodesTokenVariable = "INGERO_NODES_TOKEN";
constexpr const char* kDefaultTimeout = "5s";

Result<std::string> token_of(const FleetOptions& options, const Context& context) {
  if (options.token_file.empty()) return context.environment.variable(kNodesTokenVariable).value_or("");
  const auto text = read_private(options.token_file);
  INGERO_TRY(text);
  return std::string(trim(*text));
}

struct Entries {
  std::vector<std::string> list;
  std::string file;  // that lists them; empty: they are arguments
};

Result<Entries> entries_of(const FleetOptions& options, bool may_ask_file, const Context& context) {
  if (!options.nodes.empty() && options.nodes != "all") return Entries{{options.nodes}, {}};
  if (options.nodes.empty() && !may_ask_file) return Entries{};
  const auto configuration = Configuration::read(context.environment);
  INGERO_TRY(configuration);
  auto found = configuration->nodes();
  INGERO_TRY(found);
  if (found->nodes.empty() && options.nodes == "all") {
    return Error(Errc::kInvalid, "--nodes all: no ingero.yaml has fleet.nodes",
                 "they are looked for in " + configuration_places());
  }
  return Entries{std::move(found->nodes), std::move(found->file)};
}

}  // namespace

void add_fleet_options(Command command, FleetOptions& options, const char* nodes) {
  const std::string group = "Several machines";
  command.add_option("--nodes", options.nodes, nodes).type_name("LIST").group(group);
  command.add_option("--ca-cert", options.authorities, "CA certificates to verify the nodes with (PEM)")
      .type_name("FILE")
      .group(group);
  command.add_option("--client-cert", options.certificate, "Client certificate for the nodes (PEM)")
      .type_name("FILE")
      .group(group);
  command.add_option("--client-key", options.key, "Its key (PEM), readable by its owner only")
      .type_name("FILE")
      .group(group);
  command
      .add_option("--nodes-token-file", options.token_file,
                  "Bearer token for the nodes, read from FILE (or from INGERO_NODES_TOKEN)")
      .type_name("FILE")
      .group(group);
  command
      .add_option("--cluster-id", options.cluster,
                  "Of a cluster's server this cluster only: its incidents, and what export draws")
      .type_name("NAME")
      .group(group);
  command
      .add_option("--clock-skew-threshold", options.clock_threshold,
                  "Warn when clocks of nodes certainly differ by more (0: do not check)")
      .duration()
      .show_default()
      .group(group);
  command
      .add_flag("--fleet-require-tls", options.requires_tls,
                "Query other hosts over TLS only (default: true; =false: anyone on the path can read the data)")
      .group(group);
  command.rare_flags("ca-cert client- nodes- cluster-id clock-skew fleet-require");
}

Result<std::shared_ptr<const fleet::Fleet>> open_fleet(const FleetOptions& options, const std::string& timeout,
                                                       bool may_ask_file, Context& context) {
  const auto entries = entries_of(options, may_ask_file, context);
  if (!entries.ok()) return entries.error();
  if (entries->list.empty()) return std::shared_ptr<const fleet::Fleet>();
  fleet::FleetOptions made;
  auto nodes = fleet::parse_nodes(
      entries->list, {!options.authorities.empty() || !options.certificate.empty(), !options.requires_tls});
  if (!nodes.ok()) return nodes.error().in(entries->file.empty() ? "--nodes" : entries->file);
  if (nodes->empty()) return Error(Errc::kInvalid, "--nodes: the list is empty");
  made.client.nodes = std::move(*nodes);
  made.client.tls = {options.authorities, options.certificate, options.key, true, "--client-cert and --client-key"};
  made.cluster = options.cluster;
  made.client.agent = "ingero/" INGERO_VERSION;
  auto token = token_of(options, context);
  if (!token.ok()) return token.error().in("--nodes-token-file");
  made.client.token = std::move(*token);
  const auto time = parse_duration_ns(timeout.empty() ? kDefaultTimeout : timeout);
  if (!time.ok()) return time.error().in("--timeout");
  made.client.timeout_ns = *time == 0 ? UINT64_MAX : *time;
  const auto threshold = parse_duration_ns(options.clock_threshold);
  if (!threshold.ok()) return threshold.error().in("--clock-skew-threshold");
  made.clock_threshold_ns = *threshold;
  if (!entries->file.empty()) {
    context.err << fmt::format("ingero: {} of {}\n", plural(made.client.nodes.size(), "node"),
                               printable(entries->file));
  }
  return fleet::Fleet::make(std::move(made), *context.clock);
}

}  // namespace ingero::cli
