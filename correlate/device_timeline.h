// When a device had work, as a line of segments: of one device, or of all those of a process together.
//
// Spans come in any order; the segments are taken from left to right, each instant once. What is open, with an end that
// is not known yet, is given anew each time. The invariants D1, D2 and D4 of device_time.h are kept here.
//
// Pure and deterministic; one thread. Monotonic nanoseconds. Failure: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ingero::correlate {

// kCopying: nothing but one copy that a thread waits for; whether that counts as work is the reader's choice.
enum class DeviceState : uint8_t { kIdle, kBusy, kCopying, kUnknown };

struct DeviceSegment {
  uint64_t from_ns = 0, to_ns = 0;
  DeviceState state = DeviceState::kUnknown;
  uint32_t tid = 0;             // who made the submission behind it
  uint64_t until_ns = 0;        // when that began
  bool is_input = false;        // it copies to the device
  bool is_behind_sync = false;  // a short gap right behind a wait
};

class DeviceTimeline {
 public:
  static constexpr uint64_t kShortGapNs = 1'000'000;
  static constexpr size_t kMaxPending = 1 << 20;  // submissions that are not in a segment yet

  struct Span {
    uint64_t from_ns, to_ns;
  };
  // False: it did not fit, and ends no gap.
  bool submit(uint64_t start_ns, uint32_t tid, bool is_input);
  void add_alive(Span span) { alive_.push_back(span); }  // work that may be there
  void add_busy(Span span) { busy_.push_back(span); }    // that is there
  void add_copy(Span span) { copies_.push_back(span); }  // that a thread copies itself
  // From `mono_ns` on work of before the recording may be there, until it is said that there is none.
  void begin_unknown(uint64_t mono_ns) { unknown_since_ = mono_ns; }
  void end_unknown(uint64_t mono_ns);

  std::optional<uint64_t> unknown_since() const { return unknown_since_; }
  std::optional<uint64_t> first_submission_ns() const { return first_submission_; }
  uint64_t last_submission_ns() const { return last_submission_; }

  // `open`: work that may be there.
  std::vector<DeviceSegment> take(uint64_t until_ns, const std::vector<Span>& open);

 private:
  struct Submission {
    uint64_t start_ns;
    uint32_t tid;
    bool is_input;
  };
  struct Edge {
    uint64_t ns;
    int alive, busy, copies;
  };
  std::vector<Edge> edges_until(uint64_t until_ns, const std::vector<Span>& open);

  std::vector<Span> alive_, busy_, copies_;
  std::vector<Submission> submissions_;
  std::optional<uint64_t> first_submission_, unknown_since_;
  uint64_t last_submission_ = 0;
  uint64_t done_ns_ = 0;  // segments were taken up to here
};

}  // namespace ingero::correlate
