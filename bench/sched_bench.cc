// What our scheduler programs add to a context switch: two processes play ping-pong through pipes on one core, two
// switches a round, without the programs, with them as processes nobody traces, and with them as traced ones.
//
//   sched_bench [rounds = 40] [round trips a sample = 4000]
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

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

// The programs, attached while this lives, with the ring drained on the other core.
class Programs {
 public:
  Programs(const hal::CallTable& calls, const std::vector<pid_t>& traced) : drainer_(options(), calls) {
    for (const pid_t pid : traced) bench::must(drainer_.objects().mark_traced(static_cast<uint32_t>(pid)));
    drainer_.start();
  }
  uint64_t events() const { return drainer_.host_events(); }

 private:
  static kernelside::ObjectOptions options() {
    kernelside::ObjectOptions options;
    options.own_pid = static_cast<uint32_t>(getpid());
    return options;
  }
  bench::Drainer drainer_;
};

// The least that any program at the switch can cost.
class EmptyProgram {
 public:
  EmptyProgram() {
    const bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
                             {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = BPF_TRACE_RAW_TP;
    options.attach_btf_id =
        static_cast<uint32_t>(std::max(0, libbpf_find_vmlinux_btf_id("sched_switch", BPF_TRACE_RAW_TP)));
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

}  // namespace

int main(int argc, char** argv) {
  if (geteuid() != 0) {
    std::printf("sched_bench: skipped (scheduler programs need root)\n");
    return 0;
  }
  const size_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 40;
  const uint64_t trips = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 4000;
  bench::Target player(make_player);
  bench::pin(bench::kAgentCore);
  const auto other = static_cast<pid_t>(player.run(1, 0));
  const hal::CallTable calls({});
  const EmptyProgram floor;
  bench::print_conditions("a context switch");
  std::vector<double> plain, empty, untraced, traced, empty_part, untraced_part, traced_part;
  uint64_t events = 0;
  for (size_t round = 0; round <= rounds; ++round) {
    const double a = player.run(0, trips);
    double with_empty = 0;
    {
      const Fd link = floor.attach();
      with_empty = player.run(0, trips);
    }
    const double b = player.run(0, trips);
    double with_untraced = 0;
    {
      const Programs programs(calls, {});
      with_untraced = player.run(0, trips);
    }
    const double c = player.run(0, trips);
    double with_traced = 0;
    {
      const Programs programs(calls, {player.pid(), other});
      with_traced = player.run(0, trips);
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      events += programs.events();
    }
    const double d = player.run(0, trips);
    if (round == 0) {
      events = 0;
      continue;
    }
    plain.insert(plain.end(), {a, b, c, d});
    const auto take = [](double with, double before, double after, std::vector<double>& added,
                         std::vector<double>& part) {
      const double without = (before + after) / 2;
      added.push_back(with - without);
      part.push_back(100 * (with - without) / without);
    };
    take(with_empty, a, b, empty, empty_part);
    take(with_untraced, b, c, untraced, untraced_part);
    take(with_traced, c, d, traced, traced_part);
  }
  std::printf("a switch takes %s ns; added: empty program %s, ours untraced %s, ours traced %s\n",
              bench::spread(plain).c_str(), bench::spread(empty).c_str(), bench::spread(untraced).c_str(),
              bench::spread(traced).c_str());
  bench::print_goal("switch of an untraced process, added", bench::median(untraced_part), 4, "%");
  std::printf("%-64s %10.3f %%\n", "switch of an untraced process, an empty program there", bench::median(empty_part));
  std::printf("%-64s %10.3f %%\n", "switch of a traced process, added", bench::median(traced_part));
  std::printf("off-CPU records %lu of %lu switches of the traced two\n", events, rounds * trips * 2);
  return 0;
}
