// What every benchmark here shares: pinning, medians of chunks, and a target process that makes calls on command.
//
// The machine is shared and noisy, so a figure is a ratio of samples taken in turns in one run: the target on core 0,
// the agent on core 1, and within a sample the median over chunks, so that a preemption spoils one chunk and no more.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ingero::bench {

inline constexpr int kTargetCore = 0;
inline constexpr int kAgentCore = 1;

uint64_t now_ns();
// This thread, and what it starts from now on. On a machine with one core both share it.
void pin(int core);
double median(std::vector<double> values);
// "12.3 (11.9..12.8)": the median and the middle half.
std::string spread(const std::vector<double>& values, int digits = 0);

// Ends the program with the sentence: a benchmark has no caller to report to.
[[noreturn]] void fail(const std::string& why);
void must(const Status& status);
template <typename T>
T must(Result<T> result) {
  if (!result.ok()) fail(result.error().text());
  return std::move(*result);
}

// Ends the program, and well, where the kernel's programs may not be loaded.
void need_root(const char* program);

// The folder this program was built into: the target libraries are next to it.
std::string own_folder();
// Load, and what else runs: a figure means nothing without it.
void print_conditions(const char* what);
// One line of the table: what, measured, bound, and whether it holds. `at_most` false: the bound is a minimum.
void print_goal(const std::string& what, double value, double bound, const char* unit, bool at_most = true);

// A child process pinned to the target's core. It runs `work(what, count)` when asked and answers with one number.
class Target {
 public:
  using Work = std::function<double(uint32_t what, uint64_t count)>;
  // Forks: call it before any thread is started and before BPF objects are loaded. `prepare` runs once in the child.
  Target(const std::function<Work()>& prepare);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  pid_t pid() const { return pid_; }
  double run(uint32_t what, uint64_t count);
  // The same in two halves, to do something meanwhile.
  void start(uint32_t what, uint64_t count);
  double finish();

 private:
  pid_t pid_ = -1;
  int commands_ = -1;
  int answers_ = -1;
};

// A program started on the agent's core with its output discarded or in a file; -1 when it is not there.
pid_t start_program(const std::vector<std::string>& command, const std::string& output = "/dev/null");

// `ingero trace` of this build, as it is shipped, on the agent's core. Its recording and what it says are removed at
// the beginning and at the end; where it fails, the program ends with what it said.
class Recorder {
 public:
  // Waits until it records into `path`. `flags`: what follows --db PATH.
  Recorder(std::string path, const std::vector<std::string>& flags);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  pid_t pid() const { return pid_; }
  // Ends it as Ctrl-C does: seconds from the signal to its end.
  double stop();
  std::string said() const;

 private:
  void remove_files() const;

  std::string path_;
  pid_t pid_ = -1;
};

}  // namespace ingero::bench
