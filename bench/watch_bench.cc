// What sampling and looking at wake-ups cost together, of a core: ten traced processes make some 10,000 events a
// second, each a thread that waits for another at a pipe, computes, and makes a call. The kernel's part is what its
// programs ran for (bpf run time statistics); the recorder's part is its CPU time less that of runs with --stack off,
// in turns, so it holds the stacks of calls as well: at most this.
//
//   watch_bench [--seconds=10] [--turns=3] [--directory=.]
#include <bpf/bpf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/fd.h"
#include "base/text.h"
#include "bench/harness.h"

namespace {

using namespace ingero;

using Copy = int(void*, const void*, unsigned long, int, void*);

constexpr uint64_t kProcesses = 10;
constexpr uint64_t kRounds = 333;  // a second and process: of each, a call and a wait of both threads
constexpr uint64_t kComputeNs = 200'000;
constexpr uint64_t kSecondNs = 1'000'000'000;

void compute(uint64_t ns) {
  const uint64_t from = bench::now_ns();
  while (bench::now_ns() - from < ns) {
  }
}

// One process: the feeder keeps the pace, the other thread waits for it.
[[noreturn]] void run_process(uint64_t seconds) {
  void* library = dlopen((bench::own_folder() + "/libcudart.so.12").c_str(), RTLD_NOW);
  auto* copy = library == nullptr ? nullptr : reinterpret_cast<Copy*>(dlsym(library, "cudaMemcpyAsync"));
  std::array<int, 2> ends{};
  if (copy == nullptr || pipe(ends.data()) != 0) _exit(1);
  const uint64_t rounds = seconds * kRounds;
  std::thread feeder([&] {
    const uint64_t from = bench::now_ns();
    for (uint64_t i = 1; i <= rounds; ++i) {
      const uint64_t due = from + i * kSecondNs / kRounds;
      const uint64_t now = bench::now_ns();
      if (due > now) {
        const timespec pause{0, static_cast<long>(due - now)};
        nanosleep(&pause, nullptr);
      }
      if (write(ends[1], "x", 1) != 1) _exit(1);
    }
  });
  char byte = 0;
  for (uint64_t i = 0; i < rounds && read(ends[0], &byte, 1) == 1; ++i) {
    compute(kComputeNs);
    copy(nullptr, nullptr, i & 0xffff, 1, nullptr);
  }
  feeder.join();
  _exit(0);
}

// Runs the ten and waits for them.
bench::Target::Work make_target() {
  return [](uint32_t seconds, uint64_t) -> double {
    std::array<pid_t, kProcesses> pids{};
    for (pid_t& pid : pids) {
      pid = fork();
      if (pid == 0) run_process(seconds);
    }
    double failed = 0;
    for (const pid_t pid : pids) {
      int status = 0;
      if (waitpid(pid, &status, 0) != pid || status != 0) ++failed;
    }
    return failed;
  };
}

double cpu_seconds(pid_t pid) {
  double seconds = 0;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid))) {
    const auto its = read_file(task.path().string() + "/schedstat", 4096);
    if (its.ok()) seconds += static_cast<double>(parse_u64(split(*its, ' ')[0]).value_or(0)) / 1e9;
  }
  return seconds;
}

// By name: how long the programs that a process holds ran, and how often.
struct Ran {
  uint64_t ns = 0, runs = 0;
};
std::map<std::string, Ran> programs_of(pid_t pid) {
  std::set<uint32_t> ids;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(fmt::format("/proc/{}/fdinfo", pid), error)) {
    const auto text = read_file(file.path().string(), 4096);
    if (!text.ok()) continue;
    for (const std::string_view line : split(*text, '\n')) {
      constexpr std::string_view kField = "prog_id:";
      if (!line.starts_with(kField)) continue;
      if (const auto id = parse_u64(trim(line.substr(kField.size())))) ids.insert(static_cast<uint32_t>(*id));
    }
  }
  std::map<std::string, Ran> found;
  for (const uint32_t id : ids) {
    const Fd program(bpf_prog_get_fd_by_id(id));
    bpf_prog_info info{};
    uint32_t size = sizeof(info);
    if (!program.valid() || bpf_obj_get_info_by_fd(program.get(), &info, &size) != 0) continue;
    found[info.name].ns += info.run_time_ns;
    found[info.name].runs += info.run_cnt;
  }
  return found;
}

struct Run {
  double recorder = 0;  // percent of a core
  double kernel = 0;
  double events = 0;  // a second
  Ran waking, sampling;
};

Run record(bench::Target& target, const std::string& path, uint64_t seconds, bool stacks) {
  bench::Recorder recorder(path, {"--pid", std::to_string(target.pid()), "--stack", stacks ? "auto" : "off"});
  const pid_t pid = recorder.pid();
  constexpr uint64_t kWarm = 3;  // the processes are new, and their tables are read
  target.start(static_cast<uint32_t>(seconds + kWarm), 0);
  std::this_thread::sleep_for(std::chrono::seconds(kWarm));
  const auto before = programs_of(pid);
  const double cpu_before = cpu_seconds(pid);
  const uint64_t from = bench::now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(seconds * 1000 - 500));
  auto after = programs_of(pid);
  const double wall = static_cast<double>(bench::now_ns() - from) / 1e9;
  Run run;
  run.recorder = 100 * (cpu_seconds(pid) - cpu_before) / wall;
  const auto ran = [&](const char* name) {
    Ran its = after[name];
    if (const auto known = before.find(name); known != before.end()) {
      its.ns -= known->second.ns;
      its.runs -= known->second.runs;
    }
    return its;
  };
  for (const char* name : {"on_waking", "on_waking_blind"}) {
    run.waking.ns += ran(name).ns;
    run.waking.runs += ran(name).runs;
  }
  run.sampling = ran("take_sample");
  run.kernel = 100 * static_cast<double>(run.waking.ns + run.sampling.ns) / 1e9 / wall;
  if (target.finish() != 0) bench::fail("a traced process failed");
  recorder.stop();
  const std::string said = recorder.said();
  const size_t at = said.rfind("recorded ");
  std::string digits;
  for (size_t i = at + 9; at != std::string::npos && i < said.size() && said[i] != ' '; ++i) {
    if (said[i] != ',') digits += said[i];
  }
  run.events = static_cast<double>(parse_u64(digits).value_or(0)) / static_cast<double>(seconds + kWarm);
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seconds = 10, turns = 3;
  std::string directory = ".";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = parse_u64(word.substr(word.find('=') + 1)).value_or(0);
    if (word.starts_with("--seconds=")) {
      seconds = value;
    } else if (word.starts_with("--turns=")) {
      turns = value;
    } else if (word.starts_with("--directory=")) {
      directory = word.substr(12);
    } else {
      bench::fail(word + ": no such option");
    }
  }
  bench::need_root("watch_bench");
  bench::Target target(make_target);
  bench::pin(bench::kAgentCore);
  const Fd statistics(bpf_enable_stats(BPF_STATS_RUN_TIME));
  if (!statistics.valid()) bench::fail(errno_error("enable BPF run time statistics").text());
  const std::string path = fmt::format("{}/watch_bench.{}.db", directory, getpid());
  bench::print_conditions("sampling and wake-ups, ten traced processes");
  std::vector<double> kernel, with, without, more, events;
  Run last;
  for (uint64_t turn = 0; turn < turns; ++turn) {
    last = record(target, path, seconds, true);
    const Run plain = record(target, path, seconds, false);
    kernel.push_back(last.kernel);
    with.push_back(last.recorder);
    without.push_back(plain.recorder);
    more.push_back(std::max(0.0, last.recorder - plain.recorder));
    events.push_back(last.events);
  }
  const auto each = [](const Ran& ran) { return ran.runs == 0 ? 0 : ran.ns / ran.runs; };
  std::printf("  %s events a second; a wake-up %lu ns (%lu runs), a sample %lu ns (%lu runs)\n",
              bench::spread(events).c_str(), each(last.waking), last.waking.runs, each(last.sampling),
              last.sampling.runs);
  std::printf("  the recorder used %s %% of a core, with --stack off %s %%\n", bench::spread(with, 2).c_str(),
              bench::spread(without, 2).c_str());
  if (last.waking.runs == 0 || last.sampling.runs == 0) std::printf("nothing was looked at: WRONG\n");
  bench::print_goal("sampling and wake-ups in the kernel", bench::median(kernel), 1, "% of a core");
  bench::print_goal("with the recorder's part", bench::median(kernel) + bench::median(more), 1, "% of a core");
  return 0;
}
