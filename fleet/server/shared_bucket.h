// A rate that several members share. What comes back goes to all of them evenly, and each keeps what it does not use
// for a while (kBurst_s); beyond its own a member may take what is there and belongs to none of the others, so that one
// that sends without end gets what they leave, and they lose nothing by it.
//
// A member is known until it has not been heard of for five minutes; one that is new has nothing of its own yet. Beyond
// kMaxMembers the new ones are one member. Times are of a monotonic clock, in ns. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "fleet/wire/point.h"

namespace ingero::fleet::server {

class SharedBucket {
 public:
  // What is sent of a window comes all at once, when it ends.
  static constexpr uint64_t kBurst_s = wire::kWindow_ns / 1'000'000'000;
  static constexpr size_t kMaxMembers = 4096;
  static constexpr uint64_t kForgotten_ns = 300'000'000'000;

  SharedBucket(double per_second, uint64_t mono_ns)
      : rate_(per_second), left_(kBurst_s * per_second), filled_ns_(mono_ns) {}

  // How long the member has to wait until it may take something; 0: it may now.
  uint64_t wait_ns(uint64_t member, uint64_t mono_ns);
  // Also more than is there, which is paid for later.
  void take(uint64_t member, double count, uint64_t mono_ns);

 private:
  struct Member {
    double left = 0;
    uint64_t filled_ns = 0, heard_ns = 0;
  };
  Member& find(uint64_t member, uint64_t mono_ns);
  double share() const;
  void fill(Member& member, uint64_t mono_ns) const;
  double unused(uint64_t mono_ns);

  double rate_, left_;
  uint64_t filled_ns_;
  std::unordered_map<uint64_t, Member> members_;
  double reserved_ = 0;       // what the members have, as of then
  uint64_t reserved_ns_ = 0;  // 0: not known
  uint64_t looked_ns_ = 0;    // when it was, for members to forget
};

}  // namespace ingero::fleet::server
