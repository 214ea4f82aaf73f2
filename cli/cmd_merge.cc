// ingero merge: recordings of several nodes as one.
#include <atomic>
#include <csignal>
#include <optional>
#include <set>

#include "base/group.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/progress.h"
#include "fleet/fleet.h"
#include "store/merge/clock_sentences.h"
#include "store/merge/merge.h"

namespace ingero::cli {
namespace {

struct MergeCommand {
  std::vector<std::string> sources;
  std::string output, group, node, threshold = format_duration(fleet::kClockThresholdNs);
};

std::atomic<bool> stop_asked{false};

// While it lives, SIGINT and SIGTERM end the work in its own time: nothing half done is left.
class Interruptible {
 public:
  Interruptible() {
    stop_asked = false;
    struct sigaction action {};
    action.sa_handler = [](int) { stop_asked = true; };
    sigaction(SIGINT, &action, &before_[0]);
    sigaction(SIGTERM, &action, &before_[1]);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() {
    sigaction(SIGINT, &before_[0], nullptr);
    sigaction(SIGTERM, &before_[1], nullptr);
  }

 private:
  struct sigaction before_[2]{};
};

Result<int> run_merge(const MergeCommand& command, Context& context) {
  INGERO_TRY(check_node(command.node, "--force-node"));
  const auto threshold = parse_duration_ns(command.threshold);
  if (!threshold.ok()) return threshold.error().in("--clock-skew-threshold");
  const auto place = store::locate(context.environment, command.output);
  if (!place.ok()) return place.error();
  store::MergeOptions options;
  options.sources = command.sources;
  options.output = place->path;
  options.owner = place->owner;
  if (!command.group.empty()) {
    const auto group = find_group(command.group);
    if (!group.ok()) return group.error().in("--db-group");
    options.group = *group;
  }
  options.node = command.node;
  options.wall_ns = context.clock->wall_ns();
  options.cancel = &stop_asked;
  std::optional<Progress> progress(context);
  if (progress->wanted()) options.progress = [&](uint64_t done, uint64_t all) { progress->update(done, all); };
  const Interruptible interruptible;
  const auto merged = store::merge(options);
  progress.reset();
  if (!merged.ok() && stop_asked) return Error(Errc::kBusy, fmt::format("{}: interrupted", printable(options.output)));
  if (!merged.ok()) return merged.error();
  uint64_t events = 0, chains = 0;
  std::set<std::string> nodes;
  for (const store::MergedSource& source : merged->sources) {
    events += source.events;
    chains += source.chains;
    nodes.insert(source.nodes.begin(), source.nodes.end());
    if (source.is_live) {
      context.err << fmt::format("ingero: {}: still being recorded; only what was written so far is merged\n",
                                 printable(source.path));
    }
  }
  for (const std::string& sentence : merged->left_out) context.err << "ingero: " << sentence << '\n';
  for (const std::string& sentence : store::clock_sentences(merged->clocks, *threshold)) {
    context.err << "ingero: " << sentence << '\n';
  }
  context.err << fmt::format("ingero: {}: {} events and {} causal chains of {} node{}\n", printable(options.output),
                             events, chains, nodes.size(), nodes.size() == 1 ? "" : "s");
  return kExitDone;
}

}  // namespace

void add_merge(Command root, Context& context) {
  const Command command = root.add_command("merge", "Put recordings of several nodes into one file");
  auto options = std::make_shared<MergeCommand>();
  command.add_option("recordings", options->sources, "Their files; they are only read").required().type_name("FILE");
  command.add_option("-o,--output", options->output, "Output file; it appears when it is complete")
      .required()
      .type_name("FILE");
  command
      .add_option("--db-group", options->group, "Let members of this group read the output (default: only its owner)")
      .type_name("GROUP");
  command.add_option("--force-node", options->node, "Node name for recordings that do not contain one")
      .type_name("NAME");
  command.add_option("--clock-skew-threshold", options->threshold, "Warn when clocks of nodes certainly differ by more")
      .show_default()
      .type_name("DURATION");
  command.footer(
      "Examples:\n"
      "  ingero merge node-01.db node-02.db -o cluster.db\n"
      "  ingero explain --db cluster.db\n"
      "  ingero export --format perfetto -d cluster.db -o cluster.pftrace");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_merge(*options, context); }; });
}

}  // namespace ingero::cli
