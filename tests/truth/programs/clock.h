// A C++ program's own record of where its time went; the same file as clock.py writes.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <time.h>

extern "C" uint64_t truth_inside_ns(void);  // the device's libraries: how long this thread was inside their calls

inline uint64_t stamp(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

// Keeps the CPU busy for this much CPU time of the thread.
inline void burn(uint64_t ns) {
  const uint64_t until = stamp(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (stamp(CLOCK_THREAD_CPUTIME_ID) < until) {
    for (int turn = 0; turn < 500; turn++) {
      asm volatile("" : : "r"(turn));
    }
  }
}

// Of one thread. A step is from one call of next() to the following one.
class Clock {
 public:
  template <typename Deed>
  void part(const char* name, Deed deed) {
    const uint64_t start = stamp(), cpu = stamp(CLOCK_THREAD_CPUTIME_ID), inside = truth_inside_ns();
    deed();
    step_.inside[name] += truth_inside_ns() - inside;
    step_.parts[name] += stamp() - start;
    step_.busy[name] += stamp(CLOCK_THREAD_CPUTIME_ID) - cpu;
  }
  void next() {
    const uint64_t now = stamp(), cpu = stamp(CLOCK_THREAD_CPUTIME_ID);
    if (step_.start != 0) {
      step_.end = now;
      step_.cpu = cpu - step_.cpu;
      steps_.push_back(step_);
    }
    step_ = Step{};
    step_.start = now;
    step_.cpu = cpu;
  }
  void note(const std::string& name, const std::string& json) { facts_[name] = json; }
  void write() const {
    const char* folder = getenv("TRUTH_DIR");
    if (folder == nullptr) {
      return;
    }
    const std::string path = std::string(folder) + "/steps." + std::to_string(getpid()) + ".json";
    FILE* file = fopen(path.c_str(), "w");
    fprintf(file, "{\"pid\": %d, \"tid\": %d, \"role\": \"main\"", getpid(), static_cast<int>(syscall(SYS_gettid)));
    for (const auto& [name, json] : facts_) {
      fprintf(file, ", \"%s\": %s", name.c_str(), json.c_str());
    }
    fprintf(file, ", \"queued_ns\": %lu, \"steps\": [", queued() - queued_);
    for (size_t at = 0; at < steps_.size(); at++) {
      const Step& step = steps_[at];
      fprintf(file, "%s{\"start\": %lu, \"end\": %lu, \"cpu\": %lu, \"parts\": ", at == 0 ? "" : ",\n", step.start,
              step.end, step.cpu);
      write_map(file, step.parts);
      fprintf(file, ", \"busy\": ");
      write_map(file, step.busy);
      fprintf(file, ", \"inside\": ");
      write_map(file, step.inside);
      fprintf(file, "}");
    }
    fprintf(file, "]}\n");
    fclose(file);
  }

 private:
  struct Step {
    uint64_t start = 0, end = 0, cpu = 0;
    std::map<std::string, uint64_t> parts, busy, inside;
  };
  // How long the first thread was ready to run and did not.
  static uint64_t queued() {
    uint64_t ran = 0, waited = 0;
    FILE* file = fopen("/proc/self/schedstat", "r");
    if (file == nullptr || fscanf(file, "%lu %lu", &ran, &waited) != 2) {
      waited = 0;
    }
    if (file != nullptr) {
      fclose(file);
    }
    return waited;
  }
  static void write_map(FILE* file, const std::map<std::string, uint64_t>& map) {
    const char* comma = "";
    fprintf(file, "{");
    for (const auto& [name, ns] : map) {
      fprintf(file, "%s\"%s\": %lu", comma, name.c_str(), ns);
      comma = ", ";
    }
    fprintf(file, "}");
  }
  uint64_t queued_ = queued();
  Step step_;
  std::vector<Step> steps_;
  std::map<std::string, std::string> facts_;
};
