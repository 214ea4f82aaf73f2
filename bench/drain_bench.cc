// The agent as it is shipped, on the second core, recording what one thread on the first can produce: the rate it keeps
// up with and what is lost, its CPU share at a modest rate, its memory. CPU shares are those of a process that is
// known already: the cost of the first second is printed separately.
//
//   drain_bench [--seconds=12] [--rate=500000] [--low-rate=10000] [--directory=.]
//   drain_bench --calls [--mixed] [--seconds=12] [--rate=500000]    only makes calls, once a line comes in (for
//   bench/interfaces.py); mixed: of eight, five copies on four streams, an allocation, its release, a synchronisation
//
// The program is `ingero trace` next to this one in the build tree; every call made must be a row of its database.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "base/text.h"
#include "bench/harness.h"

namespace {

using namespace ingero;

using Copy = int(void*, const void*, unsigned long, int, void*);

constexpr uint64_t kNanosecond = 1'000'000'000;

using Allocate = int(void**, unsigned long);
using WithAddress = int(void*);

template <typename Function>
Function* function_of(void* library, const char* name) {
  auto* found = library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  if (found == nullptr) bench::fail(dlerror());
  return found;
}

// The n-th call of a program that does more than copy.
class MixedCalls {
 public:
  explicit MixedCalls(void* library)
      : copy_(function_of<Copy>(library, "cudaMemcpyAsync")),
        allocate_(function_of<Allocate>(library, "cudaMalloc")),
        release_(function_of<WithAddress>(library, "cudaFree")),
        synchronise_(function_of<WithAddress>(library, "cudaStreamSynchronize")) {}

  void make(uint64_t number) {
    void* const stream = reinterpret_cast<void*>(0x1000 + number % 4 * 0x100);
    switch (number % 8) {
      case 0:
        allocate_(&held_[number / 8 % held_.size()], 4096 + number % 7 * 512);
        return;
      case 5:  // what was obtained 63 rounds before
        release_(held_[(number / 8 + 1) % held_.size()]);
        return;
      case 7:
        synchronise_(stream);
        return;
      default:
        copy_(nullptr, nullptr, number & 0xffff, 1, stream);
    }
  }

 private:
  Copy* copy_;
  Allocate* allocate_;
  WithAddress *release_, *synchronise_;
  std::array<void*, 64> held_{};
};

// Makes `count` calls: paced to a rate given in the upper half of `what`, in bursts of a millisecond, or as fast as it
// can. Answers with the seconds it took.
bench::Target::Work target_of(bool is_mixed) {
  void* library = dlopen((bench::own_folder() + "/libcudart.so.12").c_str(), RTLD_NOW);
  auto* copy = function_of<Copy>(library, "cudaMemcpyAsync");
  return [=, mixed = MixedCalls(library)](uint32_t rate, uint64_t count) mutable {
    const uint64_t from = bench::now_ns();
    uint64_t done = 0;
    while (done < count) {
      uint64_t due = count;
      if (rate != 0) {
        due = (bench::now_ns() - from) * rate / kNanosecond;
        if (due <= done) {
          if (rate < 100000) {
            const timespec pause{0, 1'000'000};
            nanosleep(&pause, nullptr);
          }
          continue;
        }
      }
      for (due = std::min(due, count); done < due; ++done) {
        if (is_mixed) {
          mixed.make(done);
        } else {
          copy(nullptr, nullptr, done & 0xffff, 1, nullptr);
        }
      }
    }
    return static_cast<double>(bench::now_ns() - from) / static_cast<double>(kNanosecond);
  };
}
bench::Target::Work make_target() { return target_of(false); }

uint64_t query(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK ||
      sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    bench::fail(fmt::format("{}: {}", path, sqlite3_errmsg(database)));
  }
  const uint64_t value =
      sqlite3_step(statement) == SQLITE_ROW ? static_cast<uint64_t>(sqlite3_column_int64(statement, 0)) : 0;
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return value;
}

// CPU seconds a process has used, from /proc/PID/stat (ticks of 10 ms).
double cpu_seconds(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid), 4096);
  if (!text.ok()) return 0;
  const auto words = split(std::string_view(*text).substr(text->rfind(')') + 2), ' ');
  return static_cast<double>(parse_u64(words[11]).value_or(0) + parse_u64(words[12]).value_or(0)) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

double resident_mb(pid_t pid, const char* field) {
  const auto text = read_file(fmt::format("/proc/{}/status", pid), 8192);
  if (!text.ok()) return 0;
  const size_t at = text->find(field);
  if (at == std::string::npos) return 0;
  const auto words = split(trim(std::string_view(*text).substr(at + strlen(field))), ' ');
  return static_cast<double>(parse_u64(words[0]).value_or(0)) / 1024;
}

struct Run {
  double seconds = 0;            // of calls
  double own_seconds = 0;        // of CPU the calling thread was given for them
  double cpu_percent = 0;        // of one core, while the calls were made
  double first_cpu_seconds = 0;  // of the second before: the process is new, its unwinding tables are read
  double peak_mb = 0;
  uint64_t calls = 0, rows = 0, lost = 0;
  double bytes_per_row = 0;
  double stop_seconds = 0;  // from the signal to the end of the program
};

Run record(bench::Target& target, const std::string& path, uint32_t rate, uint64_t calls) {
  bench::Recorder recorder(path, {"--max-db", "0", "--pid", std::to_string(target.pid())});
  const pid_t pid = recorder.pid();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  Run run;
  run.calls = calls + rate;
  const double cpu_at_first = cpu_seconds(pid);
  target.run(rate, rate);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const double cpu_before = cpu_seconds(pid);
  run.first_cpu_seconds = cpu_before - cpu_at_first;
  const double own_before = cpu_seconds(target.pid());
  run.seconds = target.run(rate, calls);
  run.own_seconds = cpu_seconds(target.pid()) - own_before;
  run.cpu_percent = 100 * (cpu_seconds(pid) - cpu_before) / run.seconds;
  run.peak_mb = resident_mb(pid, "VmHWM:");
  run.stop_seconds = recorder.stop();
  run.rows = query(path, "SELECT count(*) FROM events WHERE call = 'cudaMemcpyAsync'");
  run.lost = query(path, "SELECT ifnull(sum(count), 0) FROM loss WHERE name IN ('ring_full', 'store_failed')");
  run.bytes_per_row =
      static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(std::max<uint64_t>(1, run.rows));
  return run;
}

void print_rows(const Run& run) {
  std::printf(
      "  %lu calls in %.2f s (%.2f s on the CPU), %lu rows, %lu counted as lost, %.1f bytes a row, stopped in %.0f "
      "ms; %.2f s of CPU for the first second%s\n",
      run.calls, run.seconds, run.own_seconds, run.rows, run.lost, run.bytes_per_row, run.stop_seconds * 1e3,
      run.first_cpu_seconds, run.rows + run.lost == run.calls ? "" : "  WRONG");
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seconds = 12;
  uint64_t rate = 500000;
  uint64_t low_rate = 10000;
  std::string directory = ".";
  bool only_calls = false, is_mixed = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = parse_u64(word.substr(word.find('=') + 1)).value_or(0);
    if (word.starts_with("--seconds=")) {
      seconds = value;
    } else if (word.starts_with("--rate=")) {
      rate = value;
    } else if (word.starts_with("--low-rate=")) {
      low_rate = value;
    } else if (word.starts_with("--directory=")) {
      directory = word.substr(12);
    } else if (word == "--calls") {
      only_calls = true;
    } else if (word == "--mixed") {
      is_mixed = true;
    } else {
      bench::fail(word + ": no such option");
    }
  }
  if (only_calls) {
    const auto calls = target_of(is_mixed);
    std::printf("ready\n");
    std::fflush(stdout);
    if (std::getchar() == EOF) return 1;
    std::printf("%.3f\n", calls(static_cast<uint32_t>(rate), rate * seconds));
    return 0;
  }
  bench::need_root("drain_bench");
  bench::Target target(make_target);
  bench::pin(bench::kAgentCore);
  const std::string path = fmt::format("{}/drain_bench.{}.db", directory, getpid());

  bench::print_conditions("draining and storing, one traced thread");
  const Run fast = record(target, path, static_cast<uint32_t>(rate), rate * seconds);
  const double reached = static_cast<double>(rate * seconds) / fast.seconds;
  bench::print_goal(fmt::format("events a second for {:.0f} s", fast.seconds), reached,
                    static_cast<double>(rate) * 0.999, "/s", false);
  bench::print_goal("events lost at that rate", static_cast<double>(fast.calls - fast.rows), 0, "");
  std::printf("%-64s %10.3f %%\n", "CPU of the agent at that rate, of a core", fast.cpu_percent);
  bench::print_goal("peak resident memory of the agent at that rate", fast.peak_mb, 64, "MB");
  print_rows(fast);

  const Run slow = record(target, path, static_cast<uint32_t>(low_rate), low_rate * seconds);
  bench::print_goal(fmt::format("CPU of the agent at {} events/s, of a core", low_rate), slow.cpu_percent, 2, "%");
  bench::print_goal("peak resident memory of the agent at that rate", slow.peak_mb, 64, "MB");
  print_rows(slow);

  const Run idle = record(target, path, 1, std::min<uint64_t>(seconds, 10));
  std::printf("%-64s %10.3f %%\n", "CPU of the agent with nothing to record", idle.cpu_percent);
  return 0;
}
