// What our scheduler programs add to a context switch and the wake-up before it: two processes play ping-pong through
// pipes on one core, two switches and two wake-ups a round, without any program, with an empty one at the switch, with
// ours as untraced processes, and with ours as traced ones; each of the latter without and with the program at the
// wake-up. All are loaded before; in a round each is attached for some milliseconds, in a new order each time.
//
//   sched_bench [rounds = 150] [round trips a sample = 1000]
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "base/fd.h"
#include "bench/drainer.h"
#include "bench/harness.h"

namespace {

using namespace ingero;

// Plays against a child of its own; the answer is nanoseconds a switch. The child's id comes back for command 1.
bench::Target::Work make_player() {
  std::array<int, 2> there{};
  std::array<int, 2> back{};
  if (pipe(there.data()) != 0 || pipe(back.data()) != 0) bench::fail("the ping-pong's pipes could not be made");
  const pid_t other = fork();
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(there[1]);
    close(back[0]);
    char byte = 0;
    while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1) {
    }
    _exit(0);
  }
  close(there[0]);
  close(back[1]);
  return [=](uint32_t what, uint64_t count) -> double {
    if (what == 1) return other;
    constexpr int kChunk = 100;
    std::vector<double> chunks;
    char byte = 1;
    for (uint64_t done = 0; done < count; done += kChunk) {
      const uint64_t from = bench::now_ns();
      for (int i = 0; i < kChunk; ++i) {
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) _exit(1);
      }
      chunks.push_back(static_cast<double>(bench::now_ns() - from) / kChunk / 2);
    }
    return bench::median(std::move(chunks));
  };
}

// The least that any program at a tracepoint can cost.
class EmptyProgram {
 public:
  explicit EmptyProgram(const char* tracepoint) {
    const bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
                             {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = BPF_TRACE_RAW_TP;
    options.attach_btf_id =
        static_cast<uint32_t>(std::max(0, libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP)));
    program_ = Fd(bpf_prog_load(BPF_PROG_TYPE_TRACING, "empty", "GPL", code, std::size(code), &options));
    if (!program_.valid()) bench::fail(errno_error("load the empty program").text());
  }
  Fd attach() const {
    Fd link(bpf_raw_tracepoint_open(nullptr, program_.get()));
    if (!link.valid()) bench::fail(errno_error("attach the empty program").text());
    return link;
  }

 private:
  Fd program_;
};

struct Variant {
  const char* name;
  std::function<void()> attach, detach;
  std::vector<double> took = {};
};

// Each variant's nanoseconds a switch, round by round.
void play(bench::Target& player, std::vector<Variant>& variants, uint64_t rounds, uint64_t trips) {
  constexpr uint64_t kWarm = 100;
  std::mt19937 order(1);
  std::vector<Variant*> turns;
  turns.reserve(variants.size());
  for (Variant& variant : variants) turns.push_back(&variant);
  for (uint64_t round = 0; round <= rounds; ++round) {  // the first warms up
    std::shuffle(turns.begin(), turns.end(), order);
    for (Variant* variant : turns) {
      variant->attach();
      player.run(0, kWarm);
      const double took = player.run(0, trips);
      variant->detach();
      if (round > 0) variant->took.push_back(took);
    }
  }
}

// Percent of the first variant's switch that each of the others adds; prints and answers the medians.
std::vector<double> added(const std::vector<Variant>& variants) {
  std::vector<double> medians;
  std::printf("a switch takes %s ns\n", bench::spread(variants[0].took).c_str());
  for (size_t i = 1; i < variants.size(); ++i) {
    std::vector<double> more, percent;
    for (size_t round = 0; round < variants[i].took.size(); ++round) {
      const double without = variants[0].took[round];
      more.push_back(variants[i].took[round] - without);
      percent.push_back(100 * more.back() / without);
    }
    std::printf("  %-24s adds %s ns, %s %%\n", variants[i].name, bench::spread(more).c_str(),
                bench::spread(percent, 1).c_str());
    medians.push_back(bench::median(percent));
  }
  return medians;
}

}  // namespace

int main(int argc, char** argv) {
  bench::need_root("sched_bench");
  const uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 150;
  const uint64_t trips = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  bench::Target player(make_player);
  bench::pin(bench::kAgentCore);
  const auto other = static_cast<uint32_t>(player.run(1, 0));
  const hal::CallTable calls({});
  const EmptyProgram at_switch("sched_switch"), at_wake_up("sched_waking");
  Fd switch_link, wake_up_link;
  const auto nothing = [] {};
  const auto ours = [](const char* name, bench::Drainer& drainer, bool wakers) {
    return Variant{name,
                   [&drainer, wakers] {
                     drainer.attach();
                     if (wakers) bench::must(drainer.objects().watch_wakers(true));
                   },
                   [&drainer] { drainer.objects().detach_thread_programs(); }};
  };
  bench::print_conditions("a context switch");
  {
    bench::Drainer drainer(calls);
    drainer.objects().detach_thread_programs();
    drainer.start();
    std::vector<Variant> variants = {
        {"nothing", nothing, nothing},
        {"an empty program", [&] { switch_link = at_switch.attach(); }, [&] { switch_link = Fd(); }},
        {"one at wake-ups, too",
         [&] {
           switch_link = at_switch.attach();
           wake_up_link = at_wake_up.attach();
         },
         [&] {
           switch_link = Fd();
           wake_up_link = Fd();
         }},
        ours("ours, untraced", drainer, false),
        ours("with wake-ups, untraced", drainer, true)};
    play(player, variants, rounds, trips);
    const auto percent = added(variants);
    bench::print_goal("switch of an untraced process, added", percent[2], 4, "%");
    bench::print_goal("switch and wake-up of untraced ones", percent[3] / percent[0], 1.3, "x an empty program");
    std::printf("  (two empty programs: %.2f)\n", percent[1] / percent[0]);
  }
  // A pass of its own: what is traced has storage, which is what the programs look for.
  bench::Drainer drainer(calls);
  for (const uint32_t pid : {static_cast<uint32_t>(player.pid()), other})
    bench::must(drainer.objects().mark_traced(pid));
  drainer.objects().detach_thread_programs();
  drainer.start();
  std::vector<Variant> variants = {{"nothing", nothing, nothing},
                                   ours("ours, traced", drainer, false),
                                   ours("with wake-ups, traced", drainer, true)};
  play(player, variants, rounds, trips);
  (void)added(variants);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::printf("off-CPU records %lu\n", drainer.host_events());
  return 0;
}
