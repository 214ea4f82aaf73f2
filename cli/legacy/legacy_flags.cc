// The table of legacy flags, which are accepted so that old command lines work, and the reason why each has no effect.
#include "cli/legacy/legacy_flags.h"

#include <functional>
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
    "the server compares the ranks, and nodes classify themselves by the threshold that it answers";
constexpr const char* kAskTheServer = "incidents are asked for at the server (docs/fleet.md)";
constexpr const char* kWindows = "what is sent are windows of 5s, as ranks worked in them";
constexpr const char* kTraceSends = "ingero trace sends metrics and spans (--otlp)";
constexpr const char* kNoLineage = "steps do not record the ages of allocations";

constexpr const char* kNoActions = "ingero acts on no process: incidents are sent to a server (--fleet-endpoint)";

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
    {"--remediate", false, kNoActions},
    {"--remediate-gid", true, kNoActions},
};

constexpr LegacyFlag kLegacyPushFlags[] = {
    {"--fleet-workload-type", true, kSameRules},
    {"--fleet-world-size", true, kOfTheRecording},
    {"--fleet-node-rank", true, kOfTheRecording},
    {"--fleet-persist-path", true, kServerKnows},
    {"--fleet-persist-stale-age", true, kServerKnows},
    {"--fleet-detection-mode", true, kServerKnows},
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

struct RefusedFlag {
  const char* command;
  const char* name;
  bool has_value;
  const char *why, *instead;
};

constexpr const char* kReadableSecret = "a secret among the arguments can be read by every user of this machine";
constexpr const char* kSecretPlace = "put it into INGERO_TOKEN or --token-file";

constexpr RefusedFlag kRefusedFlags[] = {
    {"ingero", "--config", true, "no flag names the configuration", "set INGERO_CONFIG=FILE in the environment"},
    {"query", "--include-rolled", false, "a recording is one file", "ask recordings one by one, or merge them"},
    {"export", "--limit", true, "all events of the part that is chosen are written", "give --last N, or --since"},
    {"mcp", "--log", true, "requests are logged to standard error", "give --audit-log FILE"},
    {"mcp", "--mcp-bearer-token", true, kReadableSecret, kSecretPlace},
    {"mcp", "--token", true, kReadableSecret, kSecretPlace},
    {"dashboard", "--token", true, kReadableSecret, kSecretPlace},
    {"mcp", "--pagerduty-routing-key", true, kReadableSecret, "put it into INGERO_PAGERDUTY_KEY"},
};

// `given` runs where the flag is typed.
void add_hidden(Command command, const char* name, bool has_value, const std::function<void()>& given) {
  if (has_value) {
    const auto with_value = [given](const std::string&) { given(); };
    command.add_option_callback(name, with_value, "").hidden();
  } else {
    command.add_flag_callback(name, given, "").hidden();
  }
}

void add(Command command, Context& context, std::span<const LegacyFlag> flags) {
  for (const LegacyFlag& flag : flags) {
    add_hidden(command, flag.name, flag.has_value, [&context, &flag] {
      context.err << fmt::format("ingero: {} has no effect: {}\n", flag.name, flag.why);
    });
  }
}

}  // namespace

void add_legacy_flags(Command command, Context& context) { add(command, context, kLegacyFlags); }
void add_legacy_push_flags(Command command, Context& context) { add(command, context, kLegacyPushFlags); }

void refuse_legacy_flags(Command command, const char* name, Context& context) {
  for (const RefusedFlag& flag : kRefusedFlags) {
    if (std::string_view(flag.command) != name) continue;
    add_hidden(command, flag.name, flag.has_value, [&context, &flag] {
      context.refusal = Error(Errc::kInvalid, fmt::format("{}: {}", flag.name, flag.why), flag.instead);
    });
  }
}

void note_legacy_variables(Context& context) {
  if (!context.environment.variable("INGERO_TLS_ALLOW_LOOSE_KEY_PERMS")) return;
  context.err << "ingero: INGERO_TLS_ALLOW_LOOSE_KEY_PERMS has no effect: a key must be its owner's alone\n";
}

std::string_view legacy_command_text(std::string_view word) {
  if (word == "migrate") return "migrate is not needed: recordings of older schemas are read as they are";
  if (word == "rates") return "rates is left out: lost time is not turned into money";
  return {};
}

void add_legacy_metric_names(Command command, bool& wanted) {
  command.add_flag("--prometheus-earlier-names", wanted,
                   "Also serve the legacy agent's metrics that are not in base units");
}

}  // namespace ingero::cli
