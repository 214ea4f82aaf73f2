// Plays a workload against stand-in libraries: threads that make the calls given to them, taking the times given to
// them. What the truth suite (tests/scenarios) plants causes with.
//
//   player --timed LIBRARY --plain LIBRARY --for 12s [--seed N] [--workers N] [--file PATH] [--peer ADDRESS:PORT]
//          --thread SPEC...
//
// SPEC is steps separated by blanks, repeated until the time is over; "@4s" lets what follows replace the steps before
// from that time on. A step is NAME[:SIZE][:TIME][*COUNT]; times vary by a fifth either way.
//
//   launch:T d2h:B:T h2d:B:T malloc:B:T free:T sync:T    calls; T on the CPU, or for sync asleep as one waits for a
//   device gsync:T        likewise, of the stream that graphs are launched on
//   spinsync:T     a synchronisation that spins locked:T       a launch that waits inside for a lock; hold:T
//   holds that lock outside of calls read:B         an asynchronous copy that reads B bytes of --file past the page
//   cache leak:B:T       malloc without a free ever fail:CODE      a launch that returns CODE; oom: a malloc that
//   returns 2 capture:T glaunch:T    begin and end a capture and instantiate; launch a graph hang           a launch
//   that does not return touch:B        outside of calls: takes B bytes of fresh host memory and gives them back cpu:T
//   idle:T   outside of calls: compute; sleep net:B   outside of calls: sends B bytes to the peer and waits for its
//   word
//
// Prints "start NS PID" (CLOCK_MONOTONIC) when its threads begin.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>

#include "fakes/clock.h"
#include "fakes/fake_control.h"
#include "fakes/timed.h"

namespace {

using ingero::tests::now_ns;
using ingero::tests::sleep_ns;

void compute_ns(uint64_t ns) {
  const uint64_t due = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (now_ns(CLOCK_THREAD_CPUTIME_ID) < due) {
  }
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "player: %s\n", why.c_str());
  std::exit(2);
}

// "5us", "20ms", "3s", "64k", "10m", "700".
uint64_t number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  static const std::map<std::string, double> kUnits = {{"", 1},    {"ns", 1},   {"us", 1e3},    {"ms", 1e6},
                                                       {"s", 1e9}, {"k", 1024}, {"m", 1 << 20}, {"g", 1 << 30}};
  const auto unit = kUnits.find(end);
  if (end == text.c_str() || unit == kUnits.end()) fail("not a time or size: " + text);
  return static_cast<uint64_t>(value * unit->second);
}

struct Step {
  std::string name;
  uint64_t bytes = 0, ns = 0, count = 1;
};
struct Phase {
  uint64_t from_ns = 0;
  std::vector<Step> steps;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool takes_bytes(const std::string& name) {
  return name == "d2h" || name == "h2d" || name == "malloc" || name == "leak" || name == "read" || name == "touch" ||
         name == "fail" || name == "net" || name == "oom";
}

std::vector<Phase> parse(const std::string& spec) {
  std::vector<Phase> phases(1);
  for (const std::string& word : split(spec, ' ')) {
    if (word.empty()) continue;
    if (word[0] == '@') {
      phases.push_back({number(word.substr(1)), {}});
      continue;
    }
    Step step;
    const auto counted = split(word, '*');
    if (counted.size() == 2) step.count = number(counted[1]);
    const auto parts = split(counted[0], ':');
    step.name = parts[0];
    size_t next = 1;
    if (takes_bytes(step.name) && parts.size() > next) step.bytes = number(parts[next++]);
    if (parts.size() > next) step.ns = number(parts[next++]);
    phases.back().steps.push_back(step);
  }
  return phases;
}

constexpr uintptr_t kGraphStream = 0x5000;
constexpr uint64_t kHugeFrom = 32 << 20;  // host buffers in huge pages: taking gigabytes a second takes those

using PlainControl = struct fake_control;  // a function has the same name

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// The calls, by the names they are exported under.
struct Calls {
  void* timed = nullptr;
  void* plain = nullptr;
  template <typename Function>
  Function find(void* library, const char* name) const {
    auto* found = reinterpret_cast<Function>(dlsym(library, name));
    if (found == nullptr) fail(std::string("no ") + name);
    return found;
  }
};

Calls calls;
std::mutex lock;
std::string file_path, peer_address;
std::atomic<bool> over{false};

void wait_for_lock(void*) { const std::scoped_lock held(lock); }
void sleep_long(void*) { sleep_ns(3600'000'000'000); }

void read_past_cache(void* argument) {
  const auto bytes = *static_cast<uint64_t*>(argument);
  static thread_local int file = open(file_path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  static thread_local void* block = nullptr;
  if (block == nullptr && posix_memalign(&block, 4096, 1 << 20) != 0) return;
  static thread_local off_t at = 0;
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t got = pread(file, block, std::min<uint64_t>(1 << 20, (bytes - done + 4095) & ~uint64_t{4095}), at);
    if (got <= 0) {
      if (at == 0) return;
      at = 0;
      continue;
    }
    at += got;
    done += static_cast<uint64_t>(got);
  }
}

// A length, that many bytes, and a byte back.
void send_to_peer(uint64_t bytes) {
  static thread_local int connection = -1;
  if (connection < 0) {
    const auto parts = split(peer_address, ':');
    sockaddr_in to{};
    to.sin_family = AF_INET;
    if (parts.size() != 2 || inet_pton(AF_INET, parts[0].c_str(), &to.sin_addr) != 1) fail("no --peer to send to");
    to.sin_port = htons(static_cast<uint16_t>(number(parts[1])));
    connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) fail("cannot reach the peer");
  }
  static const std::vector<char> block(1 << 20);
  bool fine = send(connection, &bytes, sizeof(bytes), MSG_NOSIGNAL) == sizeof(bytes);
  for (uint64_t left = bytes; fine && left > 0;) {
    const ssize_t sent = send(connection, block.data(), std::min<uint64_t>(left, block.size()), MSG_NOSIGNAL);
    fine = sent > 0;
    if (fine) left -= static_cast<uint64_t>(sent);
  }
  char word = 0;
  if (!fine || recv(connection, &word, 1, 0) != 1) fail("the peer is gone");
}

class Player {
 public:
  explicit Player(uint64_t seed) : random_(seed) {}

  void play(const Step& step) {
    for (uint64_t i = 0; i < step.count && !over; ++i) once(step);
  }

 private:
  uint64_t varied(uint64_t ns) { return ns == 0 ? 0 : ns * (80 + random_() % 41) / 100; }

  timed_control& timed() { return *calls.find<timed_control* (*)()>(calls.timed, "timed_runtime_control")(); }
  PlainControl& plain() { return *calls.find<PlainControl* (*)()>(calls.plain, "fake_control")(); }

  void launch() {
    calls.find<int (*)(const void*, Dim3, Dim3, void**, size_t, void*)>(calls.timed, "cudaLaunchKernel")(
        reinterpret_cast<const void*>(&compute_ns), {64, 1, 1}, {128, 1, 1}, nullptr, 0, nullptr);
  }
  void* allocate(uint64_t bytes, int result) {
    timed().out = next_address_ += 1 << 21;
    timed().ret = result;
    void* pointer = nullptr;
    calls.find<int (*)(void**, size_t)>(calls.timed, "cudaMalloc")(&pointer, bytes);
    return pointer;
  }

  // Long because it is one list of the steps that a script may name.
  void once(const Step& step) {
    const uint64_t ns = varied(step.ns);
    if (step.name == "idle") return sleep_ns(ns);
    if (step.name == "cpu") return compute_ns(ns);
    if (step.name == "net") return send_to_peer(step.bytes);
    if (step.name == "hold") {
      const std::scoped_lock held(lock);
      return sleep_ns(ns);
    }
    if (step.name == "touch") {
      void* block = mmap(nullptr, step.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (block == MAP_FAILED) return;
      if (step.bytes >= kHugeFrom) madvise(block, step.bytes, MADV_HUGEPAGE);
      for (uint64_t at = 0; at < step.bytes; at += 4096) static_cast<volatile char*>(block)[at] = 1;
      munmap(block, step.bytes);
      return;
    }
    if (step.name == "launch") {
      timed().spin_cpu_ns = ns;
      return launch();
    }
    if (step.name == "locked") {
      timed().spin_cpu_ns = ns;
      timed().inside = wait_for_lock;
      return launch();
    }
    if (step.name == "hang") {
      timed().inside = sleep_long;
      return launch();
    }
    if (step.name == "fail") {
      timed().ret = static_cast<int64_t>(step.bytes);
      timed().spin_cpu_ns = ns;
      return launch();
    }
    if (step.name == "sync" || step.name == "spinsync" || step.name == "gsync") {
      (step.name == "spinsync" ? timed().spin_cpu_ns : timed().sleep_ns) = ns;
      calls.find<int (*)(void*)>(
          calls.timed, "cudaStreamSynchronize")(reinterpret_cast<void*>(step.name == "gsync" ? kGraphStream : 0));
      return;
    }
    if (step.name == "d2h" || step.name == "h2d") {
      timed().spin_cpu_ns = ns;
      static char here[16];
      calls.find<int (*)(void*, const void*, size_t, int)>(calls.timed, "cudaMemcpy")(here, here, step.bytes,
                                                                                      step.name == "h2d" ? 1 : 2);
      return;
    }
    if (step.name == "read") {
      uint64_t bytes = step.bytes;
      timed().inside = read_past_cache;
      timed().argument = &bytes;
      calls.find<int (*)(void*, const void*, size_t, int, void*)>(calls.timed, "cudaMemcpyAsync")(&bytes, &bytes, bytes,
                                                                                                  1, nullptr);
      return;
    }
    if (step.name == "malloc" || step.name == "leak" || step.name == "oom") {
      timed().spin_cpu_ns = ns;
      void* pointer = allocate(step.bytes == 0 ? 1 << 20 : step.bytes, step.name == "oom" ? 2 : 0);
      if (step.name == "malloc") blocks_.push_back(pointer);
      return;
    }
    if (step.name == "free") {
      if (blocks_.empty()) return;
      timed().spin_cpu_ns = ns;
      calls.find<int (*)(void*)>(calls.timed, "cudaFree")(blocks_.back());
      blocks_.pop_back();
      return;
    }
    if (step.name == "capture") {
      uint64_t graph = 0;
      auto* stream = reinterpret_cast<void*>(kGraphStream);
      calls.find<int (*)(void*, int)>(calls.plain, "cudaStreamBeginCapture")(stream, 0);
      plain().spin_ns = ns;
      plain().out = 0x7000;
      calls.find<int (*)(void*, void*)>(calls.plain, "cudaStreamEndCapture")(stream, &graph);
      plain().spin_ns = ns;
      plain().out = graph_ = 0x9000;
      calls.find<int (*)(void*, void*, uint64_t)>(calls.plain, "cudaGraphInstantiate")(
          &graph, reinterpret_cast<void*>(graph), 0);
      plain() = {};
      return;
    }
    if (step.name == "glaunch") {
      plain().spin_ns = ns;
      calls.find<int (*)(void*, void*)>(calls.plain, "cudaGraphLaunch")(reinterpret_cast<void*>(graph_),
                                                                        reinterpret_cast<void*>(kGraphStream));
      plain() = {};
      return;
    }
    fail("no step " + step.name);
  }

  std::mt19937_64 random_;
  std::vector<void*> blocks_;
  uint64_t next_address_ = 0x7f0000000000;
  uint64_t graph_ = 0x9000;
};

}  // namespace

int main(int count, char** arguments) {
  uint64_t length_ns = 10'000'000'000, seed = 1;
  unsigned workers = 0;
  std::vector<std::string> specs;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i], value = arguments[i + 1];
    if (name == "--timed") calls.timed = dlopen(value.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (name == "--plain") calls.plain = dlopen(value.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (name == "--for") length_ns = number(value);
    if (name == "--seed") seed = number(value);
    if (name == "--workers") workers = static_cast<unsigned>(number(value));
    if (name == "--file") file_path = value;
    if (name == "--peer") peer_address = value;
    if (name == "--thread") specs.push_back(value);
  }
  if (calls.timed == nullptr) fail(std::string("--timed: ") + dlerror());
  if (specs.empty()) fail("no --thread");

  std::vector<pid_t> children;
  for (unsigned i = 0; i < workers; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const uint64_t end = now_ns() + length_ns;
      while (now_ns() < end && getppid() != 1) compute_ns(1'000'000);
      _exit(0);
    }
    children.push_back(child);
  }

  const uint64_t start = now_ns();
  std::printf("start %llu %d\n", static_cast<unsigned long long>(start), getpid());
  std::fflush(stdout);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < specs.size(); ++i) {
    threads.emplace_back([&, i, phases = parse(specs[i])] {
      Player player(seed * 1000 + i);
      size_t phase = 0;
      while (!over) {
        while (phase + 1 < phases.size() && now_ns() - start >= phases[phase + 1].from_ns) ++phase;
        for (const Step& step : phases[phase].steps) {
          if (over || (phase + 1 < phases.size() && now_ns() - start >= phases[phase + 1].from_ns)) break;
          player.play(step);
        }
        if (phases[phase].steps.empty()) sleep_ns(10'000'000);
      }
    });
  }
  while (now_ns() - start < length_ns) sleep_ns(10'000'000);
  over = true;
  std::fflush(stdout);
  for (const pid_t child : children) kill(child, SIGTERM);
  _exit(0);  // a thread may hang, as its script says
}
