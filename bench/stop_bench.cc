// Ending a trace of every row: all stand-in libraries of tests/fakes are probed by the agent as it is shipped, then it
// gets a signal to stop. From the signal to the end of the program: probes gone, rings drained, database committed.
//
//   stop_bench [repetitions = 5] [mechanism ...]      (perf takes about 100 ms a probe; name it to measure it)
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "bench/harness.h"

namespace {

using namespace ingero;

double stop_once(const std::vector<std::string>& command, const std::string& log) {
  const pid_t pid = bench::start_program(command, log);
  for (int i = 0;; ++i) {
    const auto said = read_file(log, 1 << 20);
    if (said.ok() && said->find("Ctrl-C ends it") != std::string::npos) break;
    int status = 0;
    if (i == 600 || waitpid(pid, &status, WNOHANG) == pid) {
      bench::fail("ingero trace did not start: " + (said.ok() ? *said : ""));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const uint64_t from = bench::now_ns();
  kill(pid, SIGINT);
  int status = 0;
  waitpid(pid, &status, 0);
  const double ms = static_cast<double>(bench::now_ns() - from) / 1e6;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) bench::fail("ingero trace failed: " + read_file(log).value());
  return ms;
}

}  // namespace

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
  const std::string base = fmt::format("/tmp/ingero-stop-bench.{}", getpid());
  for (const auto& mechanism : mechanisms) {
    std::vector<double> times;
    for (uint64_t i = 0; i < repetitions; ++i) {
      std::vector<std::string> command{bench::own_folder() + "/../cli/ingero", "trace", "--rdma-verbs"};
      command.insert(command.end(), {"--backends-dir", INGERO_MANIFESTS, "--attach", mechanism, "--db", base + ".db"});
      for (const auto& library : libraries) command.insert(command.end(), {"--library", library});
      times.push_back(stop_once(command, base + ".log"));
      for (const char* end : {".db", ".db-wal", ".db-shm", ".log"}) std::filesystem::remove(base + end);
    }
    std::printf("%s: %zu libraries, %s ms from signal to end\n", mechanism.c_str(), libraries.size(),
                bench::spread(times).c_str());
    bench::print_goal(mechanism + ": stopping a trace of every row", bench::median(times), 200, "ms");
  }
  return 0;
}
