// Copies of the target library, called in turns: how a benchmark compares what is attached to each of them.
//
// A probe sits in a file, so what is to be probed differently lies in different files ("lanes") and stays attached.
// The target's thread calls them in turns of a fraction of a millisecond, shuffled, so what the machine does to one
// turn it does to its neighbours, and a round's ratio compares turns that lie side by side. Attaching for each sample
// instead put seconds between them.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "bench/harness.h"

namespace ingero::bench {

// Opened by the target only.
class Copy {
 public:
  explicit Copy(const std::string& path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) fail(dlerror());
  }
  template <typename Function>
  Function* symbol(const char* name) const {
    auto* address = reinterpret_cast<Function*>(dlsym(library_, name));
    if (address == nullptr) fail(fmt::format("{}: no such function", name));
    return address;
  }

 private:
  void* library_;
};

class Turns {
 public:
  // Makes the copies; before the target is forked, which writes what its turns took where this process reads it.
  Turns(size_t tracks, uint64_t most_rounds)
      : tracks_(tracks), most_rounds_(most_rounds), folder_(fmt::format("/tmp/ingero-bench.{}", getpid())) {
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("no memory to share with the target");
    shared_ = static_cast<double*>(memory);
    std::filesystem::create_directory(folder_);
    for (size_t track = 0; track < tracks; ++track) {
      std::filesystem::copy_file(own_folder() + "/libbenchcalls.so", path(track));
    }
  }
  ~Turns() {
    munmap(shared_, bytes());
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  std::string path(size_t track) const { return fmt::format("{}/{}.so", folder_, track); }
  // Calls a turn; between runs.
  void set_calls(uint64_t calls) { *shared_ = static_cast<double>(calls); }
  // Nanoseconds a call in a round of the last run.
  double took(uint64_t round, size_t track) const { return shared_[1 + round * tracks_ + track]; }

  // In the target: makes `count` calls of row `row` through a track's copy.
  using Track = std::function<void(uint32_t row, uint64_t count)>;
  // A target's work; its count is the rounds.
  Target::Work work(std::vector<Track> tracks) {
    return [this, tracks = std::move(tracks), random = std::mt19937(1)](uint32_t row, uint64_t rounds) mutable {
      const auto calls = static_cast<uint64_t>(*shared_);
      std::vector<size_t> turns(tracks_);
      std::iota(turns.begin(), turns.end(), 0);
      for (uint64_t round = 0; round < std::min(rounds, most_rounds_); ++round) {
        std::shuffle(turns.begin(), turns.end(), random);
        for (const size_t track : turns) {
          const uint64_t from = now_ns();
          tracks[track](row, calls);
          shared_[1 + round * tracks_ + track] = static_cast<double>(now_ns() - from) / static_cast<double>(calls);
        }
      }
      return 0.0;
    };
  }

 private:
  size_t bytes() const { return (1 + most_rounds_ * tracks_) * sizeof(double); }

  const size_t tracks_;
  const uint64_t most_rounds_;
  const std::string folder_;
  double* shared_ = nullptr;  // calls a turn, then round by round what each track took
};

}  // namespace ingero::bench
