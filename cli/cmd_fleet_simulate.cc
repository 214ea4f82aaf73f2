// ingero fleet simulate: a job of any size that does not exist, sent to a real server, with the truth in a file.
#include <algorithm>
#include <chrono>
#include <thread>

#include "base/output_file.h"
#include "base/private_file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "fleet/simulate/plan.h"
#include "fleet/simulate/sender.h"

namespace ingero::cli {
namespace {

namespace simulate = fleet::simulate;

struct SimulateOptions {
  std::string endpoint = "http://127.0.0.1:4318", cluster = "sim", plan = "random", noise = "usual", truth, token_file,
              authorities;
  uint32_t ranks = 64, windows = 120;
  uint64_t seed = 1;
  double effect = 0;
  bool is_live = false;
};

Result<int> run_simulate(const SimulateOptions& options, Context& context) {
  std::string token;
  if (!options.token_file.empty()) {
    const auto read = read_private(options.token_file);
    if (!read.ok()) return read.error().in("--token-file");
    token = trim(*read);
  }
  auto sender = simulate::Sender::make(options.endpoint, token, options.authorities);
  if (!sender.ok()) return sender.error().in("--endpoint");
  simulate::Sender& sending = **sender;
  const uint64_t now_ns = context.clock->wall_ns();
  const uint64_t back = options.is_live ? 0 : options.windows + 1;
  simulate::PlanOptions wanted;
  wanted.cluster = options.cluster;
  wanted.ranks = options.ranks;
  wanted.windows = options.windows;
  wanted.seed = options.seed;
  wanted.noise = options.noise == "quiet"   ? simulate::kQuietNoise
                 : options.noise == "noisy" ? simulate::kNoisyNoise
                                            : simulate::kUsualNoise;
  wanted.effect = options.effect;
  wanted.has_stragglers = options.plan == "random";
  wanted.has_hang = options.plan == "hang";
  wanted.first_ns = (now_ns / simulate::kPeriod_ns - back) * simulate::kPeriod_ns;
  auto plan = simulate::Plan::make(wanted);
  if (!plan.ok()) return plan.error();
  if (!options.truth.empty()) {
    auto file = OutputFile::create(options.truth);
    INGERO_TRY(file);
    INGERO_TRY(file->write(dump_indented(plan->truth())));
    INGERO_TRY(file->commit());
  }
  const auto begin = std::chrono::steady_clock::now();
  for (uint32_t number = 0; number < options.windows; ++number) {
    if (options.is_live) {
      std::this_thread::sleep_until(begin + std::chrono::nanoseconds((number + 1) * simulate::kPeriod_ns));
    }
    sending.send(*plan, number);
    if (sending.sent() == 0) return Error(Errc::kIo, sending.last_error(), "is `ingero fleet serve` running there?");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const uint64_t all = uint64_t{plan->nodes()} * options.windows;
  context.out << fmt::format("{} of {} windows of nodes taken in {:.1f} s: {:.0f} a second, {} each; {} slow planted\n",
                             sending.sent(), all, took.count(), static_cast<double>(sending.sent()) / took.count(),
                             format_bytes(sending.bytes() / std::max<uint64_t>(1, sending.sent())),
                             plural(plan->stragglers().size(), "rank"));
  if (sending.sent() + sending.silent() < all)
    return Error(Errc::kIo, fmt::format("some were refused; the last: {}", sending.last_error()));
  return kExitDone;
}

}  // namespace

void add_fleet_simulate(Command fleet, Context& context) {
  const Command command = fleet.add_command("simulate", "Send the windows of a job that does not exist to a server");
  auto options = std::make_shared<SimulateOptions>();
  command.add_option("--endpoint", options->endpoint, "The server; on plain HTTP only on this machine")
      .type_name("URL")
      .show_default();
  command.add_option("--token-file", options->token_file, "Its bearer token, read from FILE").type_name("FILE");
  command.add_option("--fleet-tls-ca", options->authorities, "CA certificates to trust (PEM)").type_name("FILE");
  command.add_option("--fleet-cluster-id", options->cluster, "The cluster's name").type_name("NAME").show_default();
  command.add_option("--ranks", options->ranks, "Ranks, eight to a node")
      .range(16U, simulate::kMaxRanks)
      .show_default();
  command.add_option("--windows", options->windows, "Windows of 5 s").range(1U, 700U).show_default();
  command.add_option("--plan", options->plan, "What happens: one of 256 ranks is slow, nothing, or it hangs")
      .one_of({"random", "healthy", "hang"})
      .show_default();
  command.add_option("--noise", options->noise, "How much the steps of healthy ranks vary")
      .one_of({"quiet", "usual", "noisy"})
      .show_default();
  command.add_option("--effect", options->effect, "How slow the slow ranks are: 0.3 is 30 %; else drawn")
      .range(0.0, 10.0)
      .type_name("SHARE");
  command.add_option("--seed", options->seed, "Of its random numbers: one seed gives one job").show_default();
  command.add_option("--truth", options->truth, "Write which ranks are slow, when and why").type_name("FILE");
  command.add_flag("--live", options->is_live, "In real time; else as fast as it goes, up to now");
  command.footer(
      "Example:\n"
      "  ingero fleet simulate --ranks 2048 --truth truth.json --token-file token");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_simulate(*options, context); }; });
}

}  // namespace ingero::cli
