// The numbers of probes (attach cookies, indices into the recipes map): whose they are, and who may have more.
//
// How probes are given back (kernelside/tracer_release.cc has the steps, kernelside/probe_release.h those of the
// records):
//
//   1. A file that has probes is watched: the agent maps a page behind its end, without access, and once a second asks
//      the kernel (bpf/files.bpf.c) whether any other mapping of the file exists, and whether it still has a name. That
//      sees what no list of processes does: children that inherited the mapping, and processes that let go of it.
//   2. A file that no process has mapped at two looks leaves when it cannot come back (it is deleted), when numbers are
//      short, or, of an ordinary user, when it has not been mapped for five minutes. What is kept costs no first call.
//   3. It is marked as leaving, looked at once more, and its links are closed. A process that maps it from the mark on
//      is remembered, and examined anew behind the closing: never two probes on one function, and a window that is
//      counted like that of any new library (`attach_window`, `process_unprobed`).
//   4. Its numbers may still be in open calls (left by longjmp), in the rings and in batches. They are free again when
//      no thread has an open call of theirs, the rings have been read beyond what was in them then, and the batch with
//      the last of their calls has been stored.
//   5. Should a record come later all the same, it began before its number's present meaning was made: it is dropped
//   and
//      counted as `probe_reused`, never booked on the other function (kernelside/normalise.cc).
//
// A user (the real one of the process that mapped the file first) has a share. Beyond it he gets numbers only while
// there is plenty, so his copies displace his own; the last quarter is root's. What gets no numbers is counted as
// `probe_quota` and gets them when some come back. A file is all there or not at all.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bpf/wire.h"

namespace ingero::kernelside {

class ProbeNumbers {
 public:
  static constexpr uint32_t kAll = WIRE_MAX_PROBES;
  static constexpr uint32_t kShare = kAll / 4;    // of each ordinary user
  static constexpr uint32_t kReserve = kAll / 4;  // for root alone

  // That many for a user's file, or nothing: they are others'. Those that came back come first, the longest unused
  // before all: what is kept by number then stays as small as the most that were used at a time.
  std::optional<std::vector<uint32_t>> take(uint32_t uid, size_t count);
  bool has(uint32_t uid, size_t count) const;
  void give_back(std::span<const uint32_t> numbers);
  // Files of this user that no process maps should go now.
  bool is_short(uint32_t uid) const;
  uint32_t used(uint32_t uid) const;
  uint32_t free() const { return kAll - next_ + static_cast<uint32_t>(free_.size()); }
  // How often numbers have come back.
  uint64_t returns() const { return returns_; }

 private:
  uint32_t next_ = 0;
  std::deque<uint32_t> free_;
  std::vector<std::optional<uint32_t>> owners_;  // by number; none: it is free
  std::map<uint32_t, uint32_t> used_;            // by user
  uint64_t returns_ = 0;
};

}  // namespace ingero::kernelside
