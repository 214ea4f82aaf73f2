// Pinning, medians, the target process.
#include "bench/harness.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"

namespace ingero::bench {
namespace {

struct Command {
  uint32_t what = 0;
  uint64_t count = 0;
};

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(part * static_cast<double>(values.size() - 1)))];
}

}  // namespace

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Other work on the machine is not what is measured: the two sides go first, where that is allowed.
void pin(int core) {
  setpriority(PRIO_PROCESS, 0, -20);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(core), &set);
  if (sched_setaffinity(0, sizeof(set), &set) == 0) return;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  sched_setaffinity(0, sizeof(set), &set);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

std::string spread(const std::vector<double>& values, int digits) {
  return fmt::format("{:.{}f} ({:.{}f}..{:.{}f})", quantile(values, 0.5), digits, quantile(values, 0.25), digits,
                     quantile(values, 0.75), digits);
}

void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

void must(const Status& status) {
  if (!status.ok()) fail(status.error().text());
}

void need_root(const char* program) {
  if (geteuid() == 0) return;
  std::printf("SKIP: %s: probes need root\n", program);
  std::exit(0);
}

std::string own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

void print_conditions(const char* what) {
  const auto load = read_file("/proc/loadavg", 256);
  std::printf("\n== %s (load %s)\n", what, load.ok() ? std::string(trim(*load)).c_str() : "unknown");
  std::fflush(stdout);
}

void print_goal(const std::string& what, double value, double bound, const char* unit, bool at_most) {
  const bool holds = at_most ? value <= bound : value >= bound;
  std::printf("%-64s %10.3f %-4s (%s %g) %s\n", what.c_str(), value, unit, at_most ? "at most" : "at least", bound,
              holds ? "holds" : "MISSED");
  std::fflush(stdout);
}

Target::Target(const std::function<Work()>& prepare) {
  int commands[2];
  int answers[2];
  if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) fail("the target's pipes could not be made");
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ < 0) fail("the target could not be forked");
  if (pid_ == 0) {
    close(commands[1]);
    close(answers[0]);
    pin(kTargetCore);
    const Work work = prepare();
    Command command;
    while (read(commands[0], &command, sizeof(command)) == sizeof(command)) {
      const double answer = work(command.what, command.count);
      if (write(answers[1], &answer, sizeof(answer)) != sizeof(answer)) break;
    }
    _exit(0);
  }
  close(commands[0]);
  close(answers[1]);
  commands_ = commands[1];
  answers_ = answers[0];
}

Target::~Target() {
  close(commands_);
  close(answers_);
  waitpid(pid_, nullptr, 0);
}

void Target::start(uint32_t what, uint64_t count) {
  const Command command{what, count};
  if (write(commands_, &command, sizeof(command)) != sizeof(command)) fail("the target is gone");
}

double Target::finish() {
  double answer = 0;
  ssize_t got = 0;
  do {
    got = read(answers_, &answer, sizeof(answer));
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(answer)) fail("the target ended in the middle of a sample");
  return answer;
}

double Target::run(uint32_t what, uint64_t count) {
  start(what, count);
  return finish();
}

pid_t start_program(const std::vector<std::string>& command, const std::string& output) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  pin(kAgentCore);
  const int fd = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd >= 0) {
    dup2(fd, 1);
    dup2(fd, 2);
  }
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

Recorder::Recorder(std::string path, const std::vector<std::string>& flags) : path_(std::move(path)) {
  remove_files();
  std::vector<std::string> command{own_folder() + "/../cli/ingero", "trace", "--db", path_};
  command.insert(command.end(), flags.begin(), flags.end());
  pid_ = start_program(command, path_ + ".log");
  constexpr int kTries = 600;
  for (int i = 0; said().find("Ctrl-C ends it") == std::string::npos; ++i) {
    int status = 0;
    if (i == kTries || waitpid(pid_, &status, WNOHANG) == pid_) fail("ingero trace did not start: " + said());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

Recorder::~Recorder() { remove_files(); }

double Recorder::stop() {
  const uint64_t from = now_ns();
  kill(pid_, SIGINT);
  int status = 0;
  waitpid(pid_, &status, 0);
  const uint64_t length = now_ns() - from;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("ingero trace failed: " + said());
  return static_cast<double>(length) / 1e9;
}

std::string Recorder::said() const {
  auto text = read_file(path_ + ".log", 1 << 20);
  return text.ok() ? std::move(*text) : "";
}

void Recorder::remove_files() const {
  for (const char* end : {"", "-wal", "-shm", ".log"}) std::filesystem::remove(path_ + end);
}

}  // namespace ingero::bench
