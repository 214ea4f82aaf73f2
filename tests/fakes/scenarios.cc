// Hard cases for a tracer, one per subcommand, each saying on stdout what a correct recording must hold (scenario.h).
//
//   scenarios NAME [NUMBERS...] [--library DIR] [--wait FILE] [--linger-ms MS]
//
// The libraries are loaded, then --wait is obeyed, then the calls are made; dlopen-late and deleted load them later.
// This file holds the frame and the cases about where calls come from; scenario_time.cc those about where time goes;
// scenario_leave.cc those about calls that are left without a return.
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include <dlfcn.h>

#include "fakes/scenario.h"

namespace ingero::fakes {

Api api;

uint64_t Settings::number(size_t index, uint64_t otherwise) const {
  if (index >= arguments.size()) return otherwise;
  char* end = nullptr;
  const uint64_t value = strtoull(arguments[index].c_str(), &end, 10);
  if (end == arguments[index].c_str() || *end != 0) die(arguments[index] + " is not a number");
  return value;
}

uint32_t thread_id() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

void die(const std::string& sentence) {
  fprintf(stderr, "scenarios: %s\n", sentence.c_str());
  _exit(1);
}

namespace {

template <typename Function>
void find(void* library, const char* name, Function& function) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) die(std::string("dlsym: ") + dlerror());
  memcpy(&function, &symbol, sizeof function);
}

void* open_library(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) die(std::string("dlopen: ") + dlerror());
  return library;
}

void load_runtime(const std::string& path) {
  void* library = open_library(path);
  find(library, "timed_runtime_control", api.runtime);
  find(library, "cudaMalloc", api.cudaMalloc);
  find(library, "cudaFree", api.cudaFree);
  find(library, "cudaMemcpy", api.cudaMemcpy);
  find(library, "cudaMemcpyAsync", api.cudaMemcpyAsync);
  find(library, "cudaLaunchKernel", api.cudaLaunchKernel);
  find(library, "cudaStreamSynchronize", api.cudaStreamSynchronize);
}

}  // namespace

void load_libraries(const std::string& directory) {
  void* driver = open_library(directory + "/libcuda.so.1");
  find(driver, "timed_driver_control", api.driver);
  find(driver, "cuMemAlloc_v2", api.cuMemAlloc);
  load_runtime(directory + "/libcudart.so.12");
}

void wait_for_go(const Settings& settings) {
  while (!settings.wait.empty() && access(settings.wait.c_str(), F_OK) != 0) sleep_ns(2000000);
}

void pin_to_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) die(std::string("sched_setaffinity: ") + strerror(errno));
}

std::string pair(const char* name, uint64_t value) { return "\"" + std::string(name) + "\":" + std::to_string(value); }

std::string pair(const char* name, const std::string& text) { return "\"" + std::string(name) + "\":\"" + text + "\""; }

namespace {

void write_line(const std::string& text) {
  const std::string line = text + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
}

std::string who() { return pair("pid", static_cast<uint64_t>(getpid())) + "," + pair("tid", thread_id()); }

}  // namespace

void print(const Line& line) {
  const bool returned = line.end_ns != 0;
  write_line("{" + pair("symbol", std::string(line.symbol)) + "," + who() + "," + pair("start_ns", line.start_ns) +
             ",\"end_ns\":" + (returned ? std::to_string(line.end_ns) : "null") +
             ",\"ret\":" + (returned ? std::to_string(line.ret) : "null") +
             (line.inside[1] != 0
                  ? ",\"inside\":[" + std::to_string(line.inside[0]) + "," + std::to_string(line.inside[1]) + "]"
                  : "") +
             ",\"args\":{" + line.args + "}," + pair("outcome", std::string(line.outcome)) + ",\"expect\":{" +
             line.expect + "}}");
}

void note(const char* what, const std::string& pairs) {
  write_line("{" + pair("note", std::string(what)) + "," + who() + "," + pair("ns", now_ns()) +
             (pairs.empty() ? "" : ",") + pairs + "}");
}

Line synchronize(uint64_t stream) {
  Line line = timed("cudaStreamSynchronize", pair("stream", stream),
                    [&] { return api.cudaStreamSynchronize(reinterpret_cast<void*>(stream)); });
  line.inside[0] = api.runtime()->began_ns;
  line.inside[1] = api.runtime()->ended_ns;
  return line;
}

namespace {

// A call of each kind, with arguments a test can recognise.
void mixed_calls(uint64_t rounds, uint64_t base) {
  for (uint64_t i = 0; i < rounds; ++i) {
    const uint64_t n = base + i;
    const uint64_t stream = 0x5000 + n % 7;
    void* memory = nullptr;
    api.runtime()->out = 0x700000000000U + (n << 8U);
    Line line = timed("cudaMalloc", pair("bytes", 256 + n), [&] { return api.cudaMalloc(&memory, 256 + n); });
    line.args += "," + pair("address", reinterpret_cast<uint64_t>(memory));
    print(line);
    print(timed("cudaMemcpyAsync",
                pair("bytes", 64 + n) + "," + pair("stream", stream) + "," + pair("direction", std::string("h2d")),
                [&] { return api.cudaMemcpyAsync(memory, &memory, 64 + n, 1, reinterpret_cast<void*>(stream)); }));
    print(timed("cudaLaunchKernel",
                pair("stream", stream) + "," + pair("shared_bytes", n % 1024) + ",\"grid\":[" +
                    std::to_string(n % 512 + 1) + ",2,3],\"block\":[128,2,1]",
                [&] {
                  return api.cudaLaunchKernel(&api, Dim3{static_cast<unsigned>(n % 512 + 1), 2, 3}, Dim3{128, 2, 1},
                                              nullptr, n % 1024, reinterpret_cast<void*>(stream));
                }));
    print(synchronize(stream));
    api.runtime()->ret = n % 5 == 0 ? 700 : 0;
    print(timed("cudaFree", pair("address", reinterpret_cast<uint64_t>(memory)), [&] { return api.cudaFree(memory); }));
  }
}

int run_threads(const Settings& settings) {
  const uint64_t threads = settings.number(0, 4), rounds = settings.number(1, 10);
  wait_for_go(settings);
  std::vector<std::thread> running;
  for (uint64_t t = 0; t < threads; ++t) running.emplace_back([=] { mixed_calls(rounds, t * 10000); });
  for (auto& thread : running) thread.join();
  return 0;
}

int run_fork_children(const Settings& settings) {
  const uint64_t children = settings.number(0, 3), rounds = settings.number(1, 5);
  wait_for_go(settings);
  int failed = 0;
  for (uint64_t c = 0; c < children; ++c) {
    const pid_t child = fork();
    if (child < 0) die(std::string("fork: ") + strerror(errno));
    if (child == 0) {
      mixed_calls(rounds, c * 10000);
      _exit(0);
    }
    int status = 0;
    failed |= waitpid(child, &status, 0) != child || status != 0 ? 1 : 0;
  }
  mixed_calls(rounds, 900000);
  return failed;
}

// The real runtime's allocation enters the driver's; more levels by calls made from inside calls, runtime and driver by
// turns. Level 0 is the outermost.
struct Level {
  uint64_t index, depth;
  std::string parent;
  uint64_t parent_start_ns;
};

void call_level(const Level& level);

void enter_next(void* pointer) { call_level(*static_cast<Level*>(pointer)); }

void call_level(const Level& level) {
  const bool runtime = level.index % 2 == 0;
  const char* symbol = runtime ? "cudaMalloc" : "cuMemAlloc_v2";
  timed_control* control = runtime ? api.runtime() : api.driver();
  const uint64_t bytes = 1000 + level.index;
  Line line;
  line.symbol = symbol;
  Level next{level.index + 1, level.depth, symbol, 0};
  control->out = 0x70000000U + level.index;
  if (level.index + 1 < level.depth) {
    control->inside = enter_next;
    control->argument = &next;
  }
  uint64_t address = 0;
  void* pointer = nullptr;
  line.start_ns = next.parent_start_ns = now_ns();
  line.ret = runtime ? api.cudaMalloc(&pointer, bytes) : api.cuMemAlloc(&address, bytes);
  line.end_ns = now_ns();
  if (runtime) address = reinterpret_cast<uint64_t>(pointer);
  line.args = pair("bytes", bytes) + "," + pair("address", address);
  line.expect = pair("depth", level.index);
  if (level.index > 0) {
    line.expect += "," + pair("parent", level.parent) + "," + pair("parent_start_ns", level.parent_start_ns);
  }
  print(line);
}

int run_nested(const Settings& settings) {
  const uint64_t depth = settings.number(0, 2), rounds = settings.number(1, 1);
  wait_for_go(settings);
  for (uint64_t i = 0; i < rounds; ++i) call_level({0, depth, {}, 0});
  return 0;
}

// One runtime allocation that itself calls the driver's, as the vendor's does: two events, the outer the parent.
int run_runtime_into_driver(const Settings& settings) {
  const uint64_t rounds = settings.number(0, 10);
  wait_for_go(settings);
  for (uint64_t i = 0; i < rounds; ++i) {
    void* pointer = nullptr;
    api.runtime()->enters_driver = 1;
    api.driver()->out = 0x7100000000U + i;
    Line line = timed("cudaMalloc", pair("bytes", 512 + i), [&] { return api.cudaMalloc(&pointer, 512 + i); });
    line.args += "," + pair("address", reinterpret_cast<uint64_t>(pointer));
    line.expect = pair("child", std::string("cuMemAlloc_v2"));
    print(line);
  }
  return 0;
}

// The library is not there when a tracer looks; then it is, and is called at once. What is missed between the mapping
// and the first recorded call is the tracer's window.
int run_dlopen_late(const Settings& settings) {
  const uint64_t delay_ms = settings.number(0, 500), calls = settings.number(1, 500);
  wait_for_go(settings);
  sleep_ns(delay_ms * 1000000U);
  const uint64_t before = now_ns();
  load_libraries(settings.directory);
  note("loaded", pair("before_ns", before) + "," + pair("after_ns", now_ns()));
  for (uint64_t i = 0; i < calls; ++i) {
    print(synchronize(0x6000 + i));
    sleep_ns(1000000);
  }
  return 0;
}

std::string read_all(const std::string& path) {
  std::string content;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) die(path + ": " + strerror(errno));
  char buffer[65536];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) content.append(buffer, static_cast<size_t>(n));
  close(fd);
  return content;
}

// The mapped file is gone from its folder: only the mapping still leads to it.
int run_deleted(const Settings& settings) {
  char path[] = "/tmp/libcudart.so.12.XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) die(std::string("mkstemp: ") + strerror(errno));
  const std::string content = read_all(settings.directory + "/libcudart.so.12");
  if (write(fd, content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    die(std::string(path) + ": " + strerror(errno));
  }
  close(fd);
  load_runtime(path);
  unlink(path);
  note("deleted", pair("path", std::string(path)));
  wait_for_go(settings);
  mixed_calls(settings.number(0, 5), 0);
  return 0;
}

struct Scenario {
  const char* name;
  const char* usage;
  bool loads_late;
  int (*run)(const Settings&);
};

constexpr Scenario kScenarios[] = {
    {"deleted", "[ROUNDS]", true, run_deleted},
    {"dlopen-late", "[DELAY_MS [CALLS]]", true, run_dlopen_late},
    {"exception", "[TIMES]", false, run_exception},
    {"exec-inside", "", false, run_exec_inside},
    {"exit-inside", "[TIMES]", false, run_exit_inside},
    {"fork-children", "[CHILDREN [ROUNDS]]", false, run_fork_children},
    {"futex", "USEC [TIMES]", false, run_futex},
    {"hang", "SECONDS", false, run_hang},
    {"longjmp", "[TIMES]", false, run_longjmp},
    {"nested", "[DEPTH [ROUNDS]]", false, run_nested},
    {"preempt", "USEC [TIMES]", false, run_preempt},
    {"read", "[MIB [WAITED_MS]]", false, run_read},
    {"runtime-into-driver", "[ROUNDS]", false, run_runtime_into_driver},
    {"sleep", "USEC [TIMES]", false, run_sleep},
    {"spin", "USEC [TIMES]", false, run_spin},
    {"threads", "[THREADS [ROUNDS]]", false, run_threads},
};

int usage() {
  fprintf(stderr, "usage: scenarios NAME [NUMBERS...] [--library DIR] [--wait FILE] [--linger-ms MS]\n");
  for (const auto& scenario : kScenarios) fprintf(stderr, "  %s %s\n", scenario.name, scenario.usage);
  return 2;
}

}  // namespace
}  // namespace ingero::fakes

int main(int argc, char** argv) {
  using namespace ingero::fakes;
  Settings settings;
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0 || length == static_cast<ssize_t>(sizeof self)) die("cannot read /proc/self/exe");
  settings.self.assign(self, static_cast<size_t>(length));
  settings.directory = settings.self.substr(0, settings.self.rfind('/')) + "/timed";
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) {
      settings.arguments.push_back(argument);
    } else if (i + 1 == argc) {
      return usage();
    } else if (argument == "--library") {
      settings.directory = argv[++i];
    } else if (argument == "--wait") {
      settings.wait = argv[++i];
    } else if (argument == "--linger-ms") {
      settings.linger_ms = static_cast<unsigned>(strtoul(argv[++i], nullptr, 10));
    } else {
      return usage();
    }
  }
  for (const auto& scenario : kScenarios) {
    if (argc < 2 || strcmp(argv[1], scenario.name) != 0) continue;
    if (!scenario.loads_late) load_libraries(settings.directory);
    const int status = scenario.run(settings);
    sleep_ns(settings.linger_ms * 1000000ULL);
    return status;
  }
  return usage();
}
