// Plans the job, writes its truth, and sends its windows.
#include "fleet/simulate/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/output_file.h"
#include "base/private_file.h"
#include "base/text.h"
#include "fleet/simulate/plan.h"
#include "fleet/simulate/sender.h"

namespace ingero::fleet::simulate {
namespace {

std::string planted_in_words(const std::vector<Straggler>& planted) {
  const auto nodes = static_cast<size_t>(std::ranges::count_if(planted, [](const auto& one) { return one.ranks > 1; }));
  const std::string ranks = plural(planted.size() - nodes, "rank");
  return nodes == 0 ? ranks : ranks + " and " + plural(nodes, "node");
}

}  // namespace

Status run(const SimulateOptions& options, const Environment& environment, const Clock& clock, std::ostream& out) {
  std::string token = environment.variable("INGERO_TOKEN").value_or("");
  if (!options.token_file.empty()) {
    const auto read = read_private(options.token_file);
    if (!read.ok()) return read.error().in("--token-file");
    token = trim(*read);
  }
  auto sender = Sender::make(options.endpoint, token, options.authorities);
  if (!sender.ok()) return sender.error().in("--endpoint");
  Sender& sending = **sender;
  const uint64_t now_ns = clock.wall_ns();
  // A live one that is faster than time begins in the past, and ends now.
  const double live_back = options.windows * (1 - 1 / options.speed);
  const uint64_t back = options.is_live ? static_cast<uint64_t>(std::ceil(live_back)) : options.windows + 1;
  PlanOptions wanted;
  wanted.cluster = options.cluster;
  wanted.ranks = options.ranks;
  wanted.windows = options.windows;
  wanted.seed = options.seed;
  wanted.noise = options.noise == "quiet" ? kQuietNoise : options.noise == "noisy" ? kNoisyNoise : kUsualNoise;
  wanted.effect = options.effect;
  wanted.has_stragglers = options.plan == "random" || options.plan == "nodes";
  wanted.has_slow_nodes = options.plan == "nodes";
  wanted.has_hang = options.plan == "hang";
  wanted.has_arrivals = options.is_live;
  wanted.first_ns = (now_ns / kPeriod_ns - back) * kPeriod_ns;
  auto plan = Plan::make(wanted);
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
      const double due_ns = static_cast<double>((number + 1) * kPeriod_ns) / options.speed;
      std::this_thread::sleep_until(begin + std::chrono::nanoseconds(static_cast<uint64_t>(due_ns)));
    }
    sending.send(*plan, number);
    if (sending.sent() == 0) {
      return Error(Errc::kIo, sending.last_error(),
                   sending.is_answered() ? "where it asks for a token: --token-file, or INGERO_TOKEN"
                                         : "is `ingero fleet serve` running there?");
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const uint64_t all = uint64_t{plan->nodes()} * options.windows;
  out << fmt::format("{} of {} windows of nodes taken in {:.1f} s: {:.0f} a second, {} each; {} slow planted\n",
                     sending.sent(), all, took.count(), static_cast<double>(sending.sent()) / took.count(),
                     format_bytes(sending.bytes() / std::max<uint64_t>(1, sending.sent())),
                     planted_in_words(plan->stragglers()));
  if (const auto* said = sending.self_classified()) out << said->in_words();
  if (sending.sent() + sending.silent() < all)
    return Error(Errc::kIo, fmt::format("some were refused; the last: {}", sending.last_error()));
  return {};
}

}  // namespace ingero::fleet::simulate
