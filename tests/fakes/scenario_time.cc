// Scenarios about where a call's time goes: on the CPU, asleep, preempted, blocked, waiting for a disk, nowhere yet.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>

#include "fakes/scenario.h"

namespace ingero::fakes {
namespace {

// The kernel's own account of the calling thread: time on a CPU, and time runnable without one.
struct SchedStat {
  bool known = false;
  uint64_t run_ns = 0;
  uint64_t wait_ns = 0;
};

SchedStat sched_stat() {
  SchedStat stat;
  const std::string path = "/proc/self/task/" + std::to_string(thread_id()) + "/schedstat";
  FILE* file = fopen(path.c_str(), "re");
  if (file == nullptr) return stat;
  unsigned long run = 0, wait = 0;
  stat.known = fscanf(file, "%lu %lu", &run, &wait) == 2;
  fclose(file);
  stat.run_ns = run;
  stat.wait_ns = wait;
  return stat;
}

uint64_t thread_cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000U + static_cast<uint64_t>(t.tv_nsec);
}

std::string context_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return pair("voluntary", static_cast<uint64_t>(usage.ru_nvcsw)) + "," +
         pair("involuntary", static_cast<uint64_t>(usage.ru_nivcsw));
}

}  // namespace

int run_spin(const Settings& settings) {
  const uint64_t ns = settings.number(0, 1000) * 1000, times = settings.number(1, 1);
  wait_for_go(settings);
  for (uint64_t i = 0; i < times; ++i) {
    api.runtime()->spin_ns = ns;
    Line line = synchronize(i + 1);
    line.expect = pair("duration_ns", ns) + "," + pair("blocked_ns", 0);
    print(line);
  }
  return 0;
}

int run_sleep(const Settings& settings) {
  const uint64_t ns = settings.number(0, 1000) * 1000, times = settings.number(1, 1);
  wait_for_go(settings);
  for (uint64_t i = 0; i < times; ++i) {
    api.runtime()->sleep_ns = ns;
    Line line = synchronize(i + 1);
    line.expect = pair("duration_ns", ns) + "," + pair("blocked_ns", ns) + "," + pair("preempted_ns", 0);
    print(line);
  }
  return 0;
}

// This thread and a competitor share one CPU, and the call needs a known CPU time: the rest of its duration it was
// preempted, by the competitor and nothing else if the machine is quiet. The kernel's schedstat is the witness.
int run_preempt(const Settings& settings) {
  const uint64_t ns = settings.number(0, 100000) * 1000, times = settings.number(1, 1);
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) die("sched_getaffinity failed");
  int cpu = -1;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) cpu = i;  // the last one: interrupts prefer the first
  }
  pin_to_cpu(cpu);
  wait_for_go(settings);
  const pid_t parent = getpid();
  const pid_t competitor = fork();
  if (competitor < 0) die(std::string("fork: ") + strerror(errno));
  if (competitor == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "competitor");
    while (getppid() == parent) {
      for (int i = 0; i < 1000000; ++i) __asm__ volatile("");
    }
    _exit(0);
  }
  sleep_ns(20000000);
  struct Inside {
    uint64_t ns;
    SchedStat before, after;
  };
  for (uint64_t i = 0; i < times; ++i) {
    Inside inside{ns, {}, {}};
    api.runtime()->argument = &inside;
    api.runtime()->inside = [](void* pointer) {
      auto* in = static_cast<Inside*>(pointer);
      in->before = sched_stat();
      const uint64_t due = thread_cpu_ns() + in->ns;
      while (thread_cpu_ns() < due) {
      }
      in->after = sched_stat();
    };
    Line line = synchronize(i + 1);
    line.expect = pair("cpu_ns", ns) + "," + pair("blocked_ns", 0) + "," + pair("culprit", std::string("competitor")) +
                  "," + pair("culprit_pid", static_cast<uint64_t>(competitor)) + "," + context_switches();
    if (inside.before.known && inside.after.known) {
      line.expect += "," + pair("run_ns", inside.after.run_ns - inside.before.run_ns) + "," +
                     pair("preempted_ns", inside.after.wait_ns - inside.before.wait_ns);
    }
    print(line);
  }
  kill(competitor, SIGKILL);
  int status = 0;
  waitpid(competitor, &status, 0);
  return 0;
}

// The call waits on a condition that another thread fulfils after a known time: blocked, never preempted.
int run_futex(const Settings& settings) {
  const uint64_t ns = settings.number(0, 10000) * 1000, times = settings.number(1, 1);
  wait_for_go(settings);
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool waiting = false, open = false;
    uint64_t wait_ns = 0, signal_ns = 0, woken_ns = 0;
  };
  for (uint64_t i = 0; i < times; ++i) {
    Gate gate;
    std::thread opener([&] {
      {
        std::unique_lock lock(gate.mutex);
        gate.changed.wait(lock, [&] { return gate.waiting; });
      }
      sleep_ns(ns);
      std::lock_guard lock(gate.mutex);
      gate.open = true;
      gate.signal_ns = now_ns();
      gate.changed.notify_all();
    });
    api.runtime()->argument = &gate;
    api.runtime()->inside = [](void* pointer) {
      auto* g = static_cast<Gate*>(pointer);
      std::unique_lock lock(g->mutex);
      g->waiting = true;
      g->wait_ns = now_ns();
      g->changed.notify_all();
      g->changed.wait(lock, [&] { return g->open; });
      g->woken_ns = now_ns();
    };
    Line line = synchronize(i + 1);
    opener.join();
    line.expect = pair("blocked_ns", gate.signal_ns - gate.wait_ns) + "," +
                  pair("woken_after_ns", gate.woken_ns - gate.signal_ns) + "," + pair("preempted_ns", 0);
    print(line);
  }
  return 0;
}

// The call reads a file past the page cache, asleep in I/O wait: once, or again and again until it has been off the CPU
// for the given time (at most 50 times that, where the file system waits for nothing). Needs a file system with
// O_DIRECT under the current folder; where there is none the line says so and nothing is expected.
int run_read(const Settings& settings) {
  constexpr size_t kChunk = 1 << 20;
  const uint64_t mib = settings.number(0, 16);
  const uint64_t waited_ns = settings.number(1, 0) * 1000000;
  char path[] = "./scenario_read.XXXXXX";
  const int writer = mkstemp(path);
  if (writer < 0) die(std::string(path) + ": " + strerror(errno));
  void* memory = nullptr;
  if (posix_memalign(&memory, 4096, kChunk) != 0) die("posix_memalign failed");
  memset(memory, 0x5a, kChunk);
  bool written = true;
  for (uint64_t i = 0; i < mib; ++i) written &= write(writer, memory, kChunk) == static_cast<ssize_t>(kChunk);
  written &= fsync(writer) == 0;
  close(writer);
  const int reader = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
  const int open_error = errno;
  unlink(path);
  if (!written) die(std::string(path) + ": cannot write " + std::to_string(mib) + " MiB");
  if (reader < 0) {
    note("skipped", pair("reason", std::string("O_DIRECT: ") + strerror(open_error)));
    free(memory);
    return 0;
  }
  wait_for_go(settings);
  struct Inside {
    int fd;
    void* memory;
    uint64_t waited_ns;
    uint64_t bytes, cpu_ns, passes;
  } inside{reader, memory, waited_ns, 0, 0, 0};
  api.runtime()->argument = &inside;
  api.runtime()->inside = [](void* pointer) {
    auto* in = static_cast<Inside*>(pointer);
    const uint64_t cpu_before = thread_cpu_ns();
    const uint64_t before = now_ns();
    uint64_t took = 0;
    do {
      if (lseek(in->fd, 0, SEEK_SET) != 0) break;
      for (ssize_t n; (n = read(in->fd, in->memory, kChunk)) > 0;) in->bytes += static_cast<uint64_t>(n);
      ++in->passes;
      in->cpu_ns = thread_cpu_ns() - cpu_before;
      took = now_ns() - before;
    } while (took < in->cpu_ns + in->waited_ns && took < 50 * in->waited_ns);
  };
  Line line = synchronize(1);
  close(reader);
  free(memory);
  const uint64_t duration = line.end_ns - line.start_ns;
  line.expect = pair("io_bytes", inside.bytes) + "," + pair("cpu_ns", inside.cpu_ns) + "," +
                pair("off_cpu_ns", duration > inside.cpu_ns ? duration - inside.cpu_ns : 0);
  print(line);
  return inside.bytes == inside.passes * mib * kChunk ? 0 : 1;
}

// A call that does not return for long. The note is written from inside it.
int run_hang(const Settings& settings) {
  uint64_t ns = settings.number(0, 10) * 1000000000U;
  wait_for_go(settings);
  api.runtime()->argument = &ns;
  api.runtime()->inside = [](void* pointer) {
    note("in call", pair("call", std::string("cudaStreamSynchronize")) + "," + pair("stream", 0xdead0));
    sleep_ns(*static_cast<uint64_t*>(pointer));
  };
  Line line = synchronize(0xdead0);
  line.expect = pair("duration_ns", ns);
  print(line);
  return 0;
}

}  // namespace ingero::fakes
