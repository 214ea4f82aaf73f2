// The ranks of one node of a job that has several, on a stand-in collective library (that of live_nccl.c, too) and
// runtime: they work, make a collective together with the ranks of the other nodes, and wait for it, step by step. One
// of them may be slow.
//
//   node_ranks --collectives LIB --runtime LIB --first R --count N --ranks N --log FILE --start FILE --steps N
//              [--work-ms MS] [--slow RANK --slow-ms MS --slow-from STEP --slow-until STEP] [--read FILE]
//              [--hang-at STEP] [--device-ms MS]
//
// Each rank is a process of its own that is started with RANK and WORLD_SIZE. When all are ready it prints "ready";
// they begin at the CLOCK_MONOTONIC nanosecond that --start holds once it is there. When each rank is to enter which
// collective follows from that time, and with it how long the collective makes it wait: the stand-in sleeps for so long
// in the synchronisation, and longer where a rank has come later than planned: none leaves before all have entered,
// which they count in FILE.entered.BEGIN of --log. At the step --hang-at the slow rank never comes. From the step
// --slow-from on until --slow-until each collective takes --device-ms longer, for all ranks alike. With --read it does
// not sleep in its additional time, but reads FILE past the page cache. What each rank called is written to FILE.RANK
// of --log, a JSON line a call: call, start_ns, end_ns, bytes.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <getopt.h>

#include "fakes/clock.h"
#include "fakes/fake_control.h"

namespace {

using ingero::tests::now_ns;
using ingero::tests::sleep_ms;
using ingero::tests::sleep_ns;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kForeverMs = 3'600'000;
constexpr uint64_t kWorld = 0x700000001000, kStream = 0x10;
constexpr uint64_t kCollective_ns = 5 * kMs;  // from the last rank's entry to the end
constexpr size_t kElements = 1000, kElementBytes = 4, kReadBytes = 256 << 10, kPageBytes = 4096;
constexpr int kFloat32 = 7, kSum = 0;

struct Id {
  unsigned char bytes[128];
};

struct Options {
  const char *collectives = nullptr, *runtime = nullptr, *log = nullptr, *start = nullptr, *read = nullptr;
  int first = 0, count = 0, ranks = 0, rank = -1, slow = -1;
  uint64_t steps = 0, work_ms = 250, slow_ms = 0, slow_from = 0, slow_until = UINT64_MAX, hang_at = UINT64_MAX,
           device_ms = 0;

  uint64_t work_ns(int of, uint64_t at) const {
    const bool is_slow = of == slow && at >= slow_from && at < slow_until;
    return (work_ms + (is_slow ? slow_ms : 0) + (of == slow && at == hang_at ? kForeverMs : 0)) * kMs;
  }
};

void* pointer(uintptr_t number) { return reinterpret_cast<void*>(number); }

[[noreturn]] void fail(const char* what) {
  fprintf(stderr, "node_ranks: %s\n", what);
  _exit(1);
}

class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) fail(dlerror());
    find("fake_control", control_, false);
  }
  template <typename... Arguments>
  void call(FILE* log, const char* name, uint64_t out, uint64_t sleep, uint64_t bytes, Arguments... arguments) {
    call_until(log, name, out, sleep, bytes, nullptr, 0, arguments...);
  }
  // Until `*awaited` is at least `least`, too.
  template <typename... Arguments>
  void call_until(FILE* log, const char* name, uint64_t out, uint64_t sleep, uint64_t bytes, const uint64_t* awaited,
                  uint64_t least, Arguments... arguments) {
    int (*function)(Arguments...) = nullptr;
    find(name, function);
    if (control_ != nullptr) {
      struct fake_control* control = control_();
      control->ret = 0;
      control->out = out;
      control->sleep_ns = sleep;
      control->awaited = awaited;
      control->least = least;
    }
    const uint64_t start = now_ns();
    function(arguments...);
    fprintf(log, "{\"call\": \"%s\", \"start_ns\": %lu, \"end_ns\": %lu, \"bytes\": %lu}\n", name, start, now_ns(),
            bytes);
  }

 private:
  template <typename Function>
  void find(const char* name, Function& function, bool is_needed = true) {
    void* symbol = dlsym(handle_, name);
    if (symbol == nullptr && is_needed) fail(name);
    memcpy(&function, &symbol, sizeof function);
  }
  void* handle_;
  struct fake_control* (*control_)() = nullptr;
};

// Sleeps, or waits for the disk, until a time.
void spend(uint64_t until_ns, int file) {
  static void* const buffer = aligned_alloc(kPageBytes, kReadBytes);
  off_t at = 0;
  while (file >= 0 && now_ns() + kMs < until_ns) {
    const ssize_t got = pread(file, buffer, kReadBytes, at);
    if (got < 0) fail("cannot read past the page cache");
    at = got == 0 ? 0 : at + got;
  }
  const uint64_t now = now_ns();
  if (now < until_ns) sleep_ns(until_ns - now);
}

uint64_t start_of(const char* path) {
  while (access(path, F_OK) != 0) sleep_ms(5);
  FILE* file = fopen(path, "r");
  unsigned long start = 0;
  if (file == nullptr || fscanf(file, "%lu", &start) != 1) fail("--start holds no number");
  fclose(file);
  return start;
}

// How many times ranks of all nodes have entered a collective, as they count it together.
uint64_t* entered_of(const char* log, uint64_t begin) {
  const std::string path = std::string(log) + ".entered." + std::to_string(begin);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(uint64_t)) != 0) fail("cannot make the count of those that have entered");
  void* shared = mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) fail("cannot share the count of those that have entered");
  close(file);
  return static_cast<uint64_t*>(shared);
}

int run_rank(const Options& options) {
  FILE* log = fopen((std::string(options.log) + "." + std::to_string(options.rank)).c_str(), "w");
  const int file = options.read == nullptr ? -1 : open(options.read, O_RDONLY | O_DIRECT);
  if (log == nullptr || (options.read != nullptr && file < 0)) fail("cannot open a file");
  Library collectives(options.collectives), runtime(options.runtime);
  Id id{};
  memset(id.bytes, 0x5a, sizeof id.bytes);
  void* made = nullptr;
  runtime.call(log, "cudaSetDevice", 0, 0, 0, int{0});
  collectives.call(log, "ncclCommInitRank", kWorld, 0, 0, static_cast<void*>(&made), options.ranks, id, options.rank);
  if (write(STDOUT_FILENO, "ready\n", 6) != 6) return 1;
  uint64_t begin = start_of(options.start);
  uint64_t* const entered = entered_of(options.log, begin);
  for (uint64_t step = 0; step < options.steps; ++step) {
    const uint64_t slow_part = options.work_ns(options.rank, step) - options.work_ms * kMs;
    spend(begin + options.work_ms * kMs, -1);
    if (slow_part > 0) spend(begin + options.work_ms * kMs + slow_part, file);
    uint64_t longest = 0;
    for (int rank = 0; rank < options.ranks; ++rank) longest = std::max(longest, options.work_ns(rank, step));
    const bool is_slow = step >= options.slow_from && step < options.slow_until;
    const uint64_t end = begin + longest + kCollective_ns + (is_slow ? options.device_ms * kMs : 0);
    collectives.call(log, "ncclAllReduce", 0, 0, kElements * kElementBytes, pointer(0x1000), pointer(0x2000), kElements,
                     kFloat32, kSum, made, pointer(kStream));
    __atomic_add_fetch(entered, 1, __ATOMIC_ACQ_REL);
    const uint64_t now = now_ns(), all = (step + 1) * static_cast<uint64_t>(options.ranks);
    runtime.call_until(log, "cudaStreamSynchronize", 0, now < end ? end - now : 0, 0, entered, all, pointer(kStream));
    begin = end;
  }
  return fclose(log) == 0 ? 0 : 1;
}

bool parse(int argc, char** argv, Options& options) {
  static const char* const kNames[] = {"collectives", "runtime",   "log",        "start",   "read",     "first",
                                       "count",       "ranks",     "rank",       "slow",    "steps",    "work-ms",
                                       "slow-ms",     "slow-from", "slow-until", "hang-at", "device-ms"};
  std::vector<option> known;
  for (size_t i = 0; i < std::size(kNames); ++i) known.push_back({kNames[i], 1, nullptr, static_cast<int>(i) + 1});
  known.push_back({});
  const char** texts[] = {&options.collectives, &options.runtime, &options.log, &options.start, &options.read};
  int* small[] = {&options.first, &options.count, &options.ranks, &options.rank, &options.slow};
  uint64_t* large[] = {&options.steps,      &options.work_ms, &options.slow_ms,  &options.slow_from,
                       &options.slow_until, &options.hang_at, &options.device_ms};
  for (int c = 0; (c = getopt_long(argc, argv, "", known.data(), nullptr)) != -1;) {
    if (c < 1 || c > static_cast<int>(std::size(kNames))) return false;
    const size_t which = static_cast<size_t>(c) - 1;
    if (which < 5) *texts[which] = optarg;
    if (which >= 5 && which < 10) *small[which - 5] = atoi(optarg);
    if (which >= 10) *large[which - 10] = strtoull(optarg, nullptr, 10);
  }
  return options.collectives != nullptr && options.runtime != nullptr && options.log != nullptr &&
         options.start != nullptr && options.count > 0 && options.ranks >= options.first + options.count;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fprintf(stderr, "usage: see the head of node_ranks.cc\n");
    return 2;
  }
  if (options.rank >= 0) return run_rank(options);
  std::vector<pid_t> children;
  for (int rank = options.first; rank < options.first + options.count; ++rank) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      // As a launcher does it: a rank is started with its number in its environment.
      const std::string number = std::to_string(rank);
      setenv("RANK", number.c_str(), 1);
      setenv("WORLD_SIZE", std::to_string(options.ranks).c_str(), 1);
      std::vector<char*> arguments(argv, argv + argc);
      std::string flag = "--rank";
      arguments.push_back(flag.data());
      arguments.push_back(const_cast<char*>(number.c_str()));  // execv does not write there
      arguments.push_back(nullptr);
      execv("/proc/self/exe", arguments.data());
      _exit(127);
    }
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) failed = 1;
  }
  return failed;
}
