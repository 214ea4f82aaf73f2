// How many names one sender may bring, of nodes or of jobs: a server knows a bounded number of them, and a sender that
// invents them would take the room of the others.
//
// A sender may bring another name while it has at most kTimes as many as are free: alone it gets most of the room
// (seven in eight), and a later one still finds some. A name is of the sender that brought it, and anybody may
// use it. One that was not heard of for a while is forgotten.
//
// Times are of a monotonic clock, in ns. Bounded by the number of names. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace ingero::fleet::server {

class NameShares {
 public:
  static constexpr size_t kTimes = 7;
  static constexpr uint64_t kLookEvery_ns = 1'000'000'000;  // for names to forget, where there is no room

  NameShares(size_t most, uint64_t forgotten_ns) : most_(most), forgotten_ns_(forgotten_ns) {}

  // Whether the name is known, or there is room for one more of this sender. `sender`: see wire::Batch; one that is not
  // known is refused nothing.
  bool take(const std::string& sender, const std::string& name, uint64_t mono_ns);

 private:
  struct Name {
    std::string sender;
    uint64_t heard_ns;
  };
  void forget(uint64_t mono_ns);

  const size_t most_;
  const uint64_t forgotten_ns_;
  std::unordered_map<std::string, Name> names_;
  std::unordered_map<std::string, size_t> counts_;  // of names, by sender
  uint64_t looked_ns_ = 0;                          // when it was, for names to forget
};

}  // namespace ingero::fleet::server
