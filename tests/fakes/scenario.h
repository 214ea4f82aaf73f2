// What the scenario programs share: the timed stand-ins' calls, and one JSON line on stdout per call that was made.
//
// A line is {"symbol","pid","tid","start_ns","end_ns","ret","args","outcome","expect"}: times are CLOCK_MONOTONIC
// nanoseconds, end_ns and ret are null for a call that did not return; args and expect are keyed by the vocabulary's
// words. A line with "inside" has the call's own first and last reading of that clock too: whatever stops the machine,
// the call lasted from between the two first readings to between the two last ones. Anything else a test needs to know
// is a line with "note" instead of "symbol". Lines are written whole, with one write(2), so processes and threads may
// share stdout. Failures end the program with a sentence on stderr.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fakes/clock.h"
#include "fakes/timed.h"

namespace ingero::fakes {

struct Dim3 {
  unsigned x, y, z;
};

// The stand-ins' calls; filled by load_libraries().
struct Api {
  timed_control* (*runtime)() = nullptr;
  timed_control* (*driver)() = nullptr;
  int (*cudaMalloc)(void**, size_t) = nullptr;
  int (*cudaFree)(void*) = nullptr;
  int (*cudaMemcpy)(void*, const void*, size_t, int) = nullptr;
  int (*cudaMemcpyAsync)(void*, const void*, size_t, int, void*) = nullptr;
  int (*cudaLaunchKernel)(const void*, Dim3, Dim3, void**, size_t, void*) = nullptr;
  int (*cudaStreamSynchronize)(void*) = nullptr;
  int (*cuMemAlloc)(uint64_t*, size_t) = nullptr;
};
extern Api api;

struct Settings {
  std::string directory;  // of libcudart.so.12 and libcuda.so.1
  std::string wait;       // do nothing before this file exists
  unsigned linger_ms = 0;
  std::string self;  // this program, for exec
  std::vector<std::string> arguments;
  uint64_t number(size_t index, uint64_t otherwise) const;
};

using ingero::tests::now_ns;
using ingero::tests::sleep_ns;
uint32_t thread_id();
[[noreturn]] void die(const std::string& sentence);
void load_libraries(const std::string& directory);
// Waits for the file named by --wait.
void wait_for_go(const Settings& settings);
void pin_to_cpu(int cpu);

// "name":value pairs, joined by commas.
std::string pair(const char* name, uint64_t value);
std::string pair(const char* name, const std::string& text);

struct Line {
  const char* symbol = "";
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;  // 0: did not return
  int64_t ret = 0;
  uint64_t inside[2] = {};  // 0: not known
  std::string args;         // pairs
  const char* outcome = "returned";
  std::string expect;  // pairs
};
void print(const Line& line);
void note(const char* what, const std::string& pairs = {});

// Makes one call and times it; the line is the caller's to complete and print.
template <typename Function>
Line timed(const char* symbol, std::string args, Function&& function) {
  Line line;
  line.symbol = symbol;
  line.args = std::move(args);
  line.start_ns = now_ns();
  line.ret = function();
  line.end_ns = now_ns();
  return line;
}

// cudaStreamSynchronize of a made-up stream: the call most scenarios dress up.
Line synchronize(uint64_t stream);

// Scenarios, by file. Each returns the program's exit status.
int run_spin(const Settings&);
int run_sleep(const Settings&);
int run_preempt(const Settings&);
int run_futex(const Settings&);
int run_read(const Settings&);
int run_hang(const Settings&);

int run_longjmp(const Settings&);
int run_exit_inside(const Settings&);
int run_exec_inside(const Settings&);
int run_exception(const Settings&);

}  // namespace ingero::fakes
