// Ending a trace of every row: all stand-in libraries of tests/fakes are probed by the agent as it is shipped, then it
// gets a signal to stop. From the signal to the end of the program: probes gone, rings drained, database committed.
//
//   stop_bench [repetitions = 5] [mechanism ...]      (perf takes about 100 ms a probe; name it to measure it)
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "bench/harness.h"

using namespace ingero;

int main(int argc, char** argv) {
  uint64_t repetitions = 5;
  std::vector<std::string> mechanisms;
  for (int i = 1; i < argc; ++i) {
    if (const auto number = parse_u64(argv[i])) {
      repetitions = *number;
    } else {
      mechanisms.emplace_back(argv[i]);
    }
  }
  if (mechanisms.empty()) mechanisms = {"session", "multi"};
  bench::need_root("stop_bench");
  const std::string fakes = bench::own_folder() + "/../tests/fakes/plain";
  std::vector<std::string> libraries;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(fakes, none)) libraries.push_back(entry.path());
  if (libraries.empty()) {
    std::printf("SKIP: stop_bench: no stand-in libraries (build fake_libraries)\n");
    return 0;
  }
  bench::pin(bench::kAgentCore);
  bench::print_conditions("stopping a trace of every row");
  const std::string path = fmt::format("/tmp/ingero-stop-bench.{}.db", getpid());
  for (const auto& mechanism : mechanisms) {
    std::vector<double> times;
    for (uint64_t i = 0; i < repetitions; ++i) {
      std::vector<std::string> flags{"--rdma-verbs", "--backends-dir", INGERO_MANIFESTS, "--attach", mechanism};
      for (const auto& library : libraries) flags.insert(flags.end(), {"--library", library});
      bench::Recorder recorder(path, flags);
      std::this_thread::sleep_for(std::chrono::seconds(2));
      times.push_back(1e3 * recorder.stop());
    }
    std::printf("%s: %zu libraries, %s ms from signal to end\n", mechanism.c_str(), libraries.size(),
                bench::spread(times).c_str());
    bench::print_goal(mechanism + ": stopping a trace of every row", bench::median(times), 200, "ms");
  }
  return 0;
}
