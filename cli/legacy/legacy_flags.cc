// The table of legacy flags, which are accepted so that old command lines work, and the reason why each has no effect.
#include "cli/legacy/legacy_flags.h"

#include <span>
#include <string>

#include <fmt/format.h>

namespace ingero::cli {
namespace {

struct LegacyFlag {
  const char* name;
  bool has_value;
  const char* why;
};

constexpr const char* kEverySecond = "the machine is sampled every second";
constexpr const char* kOwnPace = "devices are sampled every --device-interval";
constexpr const char* kOneFile = "a recording is one file, pruned to --max-db";
constexpr const char* kSameRules = "the rules are the same for training and inference";
constexpr const char* kOfTheRecording = "ranks are those of the recording";
constexpr const char* kServerKnows =
    "nodes do not classify themselves: the server compares their ranks, and names the slow one";
constexpr const char* kAskTheServer = "incidents are asked for at the server (docs/fleet.md)";
constexpr const char* kWindows = "what is sent are windows of 5s, as ranks worked in them";
constexpr const char* kTraceSends = "ingero trace sends metrics and spans (--otlp)";
constexpr const char* kNoLineage = "steps do not record the ages of allocations";

constexpr LegacyFlag kLegacyFlags[] = {
    {"--nccl", false, "collectives are always recorded"},
    {"--stack-samples", true, "a stack is stored once, however many events have it"},
    {"--deadband", true, kEverySecond},
    {"--heartbeat", true, kEverySecond},
    {"--sampling-rate", true, "every call is captured; --store selective stores fewer, --sample-every says how many"},
    {"--py-walker", true, "Python frames are read in the kernel, with the native ones"},
    {"--fleet-workload-type", true, kSameRules},
    {"--throttle-poll-interval", true, kOwnPace},
    {"--libnccl-discovery-interval", true, "libraries are found as they are mapped"},
    {"--memfrag-poll-interval", true, kOwnPace},
    {"--enable-experimental-kprobes", false, "launches have their dimensions without it"},
    {"--db-rollover-size", true, kOneFile},
    {"--db-rollover-keep", true, kOneFile},
    {"--inference-pause-on-severity", true, "slow steps never change the baseline"},
    {"--inference-sampler-degrade-on", true, "--store selective keeps every slow step"},
    {"--inference-phase-memfrag-decode-min", true, "the phase does not depend on it"},
    {"--inference-kvcache-lineage", false, kNoLineage},
    {"--inference-kvcache-top-n", true, kNoLineage},
    {"--inference-kvcache-max-per-pid", true, kNoLineage},
};

constexpr LegacyFlag kLegacyPushFlags[] = {
    {"--fleet-workload-type", true, kSameRules},
    {"--fleet-world-size", true, kOfTheRecording},
    {"--fleet-node-rank", true, kOfTheRecording},
    {"--fleet-persist-path", true, kServerKnows},
    {"--fleet-persist-stale-age", true, kServerKnows},
    {"--fleet-detection-mode", true, kServerKnows},
    {"--fleet-threshold-url", true, kServerKnows},
    {"--fleet-poll-interval", true, kServerKnows},
    {"--fleet-classifier-hysteresis", true, kServerKnows},
    {"--warmup-samples", true, kServerKnows},
    {"--remediate", false, kAskTheServer},
    {"--remediate-socket", true, kAskTheServer},
    {"--remediate-gid", true, kAskTheServer},
    {"--signal-window", true, kWindows},
    {"--signal-num-gpus", true, kWindows},
    {"--otlp-enabled", false, kTraceSends},
    {"--otlp-endpoint", true, kTraceSends},
    {"--otlp-insecure", false, kTraceSends},
};

void add(Command command, Context& context, std::span<const LegacyFlag> flags) {
  for (const LegacyFlag& flag : flags) {
    const auto reported = [&context, &flag] {
      context.err << fmt::format("ingero: {} has no effect: {}\n", flag.name, flag.why);
    };
    if (flag.has_value) {
      command
          .add_option_callback(
              flag.name, [reported](const std::string&) { reported(); }, "")
          .hidden();
    } else {
      command.add_flag_callback(flag.name, reported, "").hidden();
    }
  }
}

}  // namespace

void add_legacy_flags(Command command, Context& context) { add(command, context, kLegacyFlags); }
void add_legacy_push_flags(Command command, Context& context) { add(command, context, kLegacyPushFlags); }

void add_legacy_metric_names(Command command, bool& wanted) {
  command.add_flag("--prometheus-earlier-names", wanted,
                   "Also serve the legacy agent's metrics that are not in base units");
}

}  // namespace ingero::cli
