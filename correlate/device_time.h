// When the devices of one process are known to have had work, known to have had none, or neither.
//
// No device is asked: submissions, markers, synchronisations, queries and blocking copies say enough to bound it. Work
// is complete when a wait that covers it has returned, and was there until then if that wait had to wait; from the end
// of its submission on, because a device takes work in the order in which it comes.
//
// Invariants:
// D1  Known idle: everything submitted is known to be complete, and the next submission has not begun. Known busy: some
//     work is known to be incomplete. Neither is ever claimed without such a fact.
// D2  The segments tile the time from the first submission to the last one; a gap belongs to the submission behind it.
// D3  Memory is bounded; work that nothing waits for within kDrainedNs counts as unknown until then. Copies that the
//     slowest link (D5) would have moved are over when everything else is: a library fills a buffer on a stream of its
//     own once, and nothing ever waits for it.
// D4  The result depends on the calls and their times, not on the order in which threads' calls were given within one
//     settle().
// D5  A copy that finds the device without work is over when the slowest link would have moved it: the machine's,
//     shared by eight devices that copy at once (hal/device.h), or where that is not known PCIe 1.0 x1, 250 MB/s of
//     payload (PCI Express Base Specification 1.1, 2.5 GT/s in 8b/10b). A wait that shows a copy to last longer than
//     the machine's link allows leaves the slowest one, and then nothing, of this assumption for the process.
// D6  Where the program's environment makes launches wait for their work, each covers what its stream has.
// D7  An asynchronous copy to the host that takes longer than the copy waits for its stream: into pageable memory it
//     returns when it is done (docs/rules.md). Where it may have been held up by something else, the synchronisation of
//     its stream right behind it says when all was done; so does a habit, for where nearly all of the last small ones
//     took several times as long as a launch, it is not something else each time.
// D8  A short wait long after the last submission found all done, most likely: to return takes as long on a slow
//     machine.
// D9  To give memory back waits for the device where it has work: a call that took long is such a wait. How long the
//     device was busy is known only where the thread slept until it was done; one that ran may have cleared away pages.
// D10 A copy that found work outstanding may have waited for that, and how fast it was then is not known: it is copying
//     for as long as the fastest memory takes for its bytes, and waited for what is longer than the slowest link takes.
//     Between the two nothing is claimed until enough copies of its direction found nothing outstanding: the best rate
//     that was seen divides it from then on, whatever the sizes.
// D11 What is put on a list is work when the list is executed, on the queue that it is given to, each time.
// D12 From the second device on that a process gives work, each has segments of its own. Work of which the device
//     is not known may be on each; a wait for work of several shows none of them busy, only all together.
//
// Pure and deterministic; one thread. Monotonic nanoseconds. Failure: none; what does not fit is counted.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "correlate/device_timeline.h"
#include "correlate/facts.h"
#include "correlate/streams.h"
#include "correlate/thread_time.h"
#include "hal/event.h"
#include "hal/loss.h"

namespace ingero::correlate {

// An outermost call, as far as a budget needs it.
struct BudgetCall {
  uint64_t start_ns = 0, end_ns = 0;
  std::optional<uint64_t> stream, handle;
  uint64_t function = 0;
  uint64_t bytes = 0;
  uint64_t stack_id = 0;
  uint32_t tid = 0, device_ref = 0;
  hal::CallId call = hal::kNoCall;
  hal::Direction direction = hal::Direction::kUnknown;
  bool is_per_thread = false, failed = false, is_zero = true;  // it returned 0, or nothing
};

class DeviceTime {
 public:
  static constexpr uint64_t kDrainedNs = 10'000'000'000;
  static constexpr uint64_t kBeforeNs = 2'000'000'000;  // likewise, for work of before the recording
  static constexpr uint64_t kScalarBytes = 1024;        // a copy of no more to the host is made to wait: a loss, a flag
  static constexpr uint64_t kSmallCopyBytes = 65536;    // a copy of less may return before it is done
  static constexpr size_t kMaxParts = 4096;             // outstanding, of a stream
  static constexpr size_t kQueueFull = 64;              // submissions outstanding
  static constexpr uint64_t kQueueFullNs = 100'000;     // and a launch that takes this long waits for room
  static constexpr size_t kMaxDevices = 64;             // distinguished; of more there is what all of them did together
  static constexpr size_t kMaxFetches = 4096;           // threads
  static constexpr size_t kMaxLists = 65536;
  static constexpr uint64_t kLongFetchNs = 1'000'000;     // no interrupt takes this long
  static constexpr int kFetches = 64, kSlowFetches = 56;  // the last small copies to the host: nearly all of them,
  static constexpr uint64_t kSlowParts = 4;               // each this many times as long as a launch (D7)
  static constexpr uint64_t kSoonNs = 1'000'000;          // from the end of a copy to a synchronisation right behind it
  static constexpr uint64_t kStagedNs = 50'000;           // an asynchronous copy that takes this long in the call, and
  static constexpr double kFastestStaging = 64;           // no more bytes a nanosecond, is made by the calling thread
  static constexpr uint32_t kEnoughAlone = 3;             // copies; fewer may be slow for being the first (D10)
  static constexpr double kSlowestLink = 0.25;            // bytes a nanosecond, where no link is known (D5)
  static constexpr uint64_t kCopyStartNs = 200'000;       // from the call to the first byte
  static constexpr uint64_t kDoubtfulNs = 100'000;        // a wait of less than this, behind
  static constexpr uint64_t kFarParts = 1000;             // a thousand times as long without a submission (D8)
  static constexpr uint64_t kLongFreeNs = 1'000'000;      // less may be what the call itself takes (D9)
  static constexpr uint64_t kSpinsFirstNs = 1'000'000;    // a library that sleeps until work is done spins less before

  explicit DeviceTime(hal::LossLedger& ledger) : ledger_(ledger) {}

  // Bytes a nanosecond that a copy surely gets (D5).
  void set_slowest_link(double rate) {
    if (!is_link_doubted_) slowest_link_ = rate;
  }
  void set_launches_block(bool block) { launches_block_ = block; }  // (D6)
  // What was submitted before is not known.
  void begin_unknown(uint64_t mono_ns);
  // In the order of their ends. What the call was to its thread.
  CallSpan add(const BudgetCall& call, const CallFacts& facts, const ThreadTime& thread);
  // Everything that ended before is given. Returns until when the segments are final: of one device, where it is
  // distinguished, else of all together.
  uint64_t settle(uint64_t mono_ns, uint32_t device_ref = 0);
  std::vector<DeviceSegment> take(uint64_t until_ns, uint32_t device_ref = 0);
  // The devices that are distinguished, and the first that had work; what was known before the second came is its own.
  bool distinguishes(uint32_t device_ref) const { return devices_.contains(device_ref); }
  const std::map<uint32_t, DeviceTimeline>& devices() const { return devices_; }
  uint32_t first_device_ref() const { return first_device_ref_; }

  // Of all together.
  std::optional<uint64_t> first_submission_ns() const { return all_.first_submission_ns(); }
  uint64_t last_submission_ns(uint32_t device_ref = 0) const { return line(device_ref).last_submission_ns(); }
  // Of the synchronisation added last: submissions that were waiting behind those it waited for.
  uint32_t queued_behind() const { return queued_behind_; }
  // Of the call added last: a synchronisation that names neither a stream nor a marker, and no device either.
  bool names_nothing() const { return names_nothing_; }

 private:
  struct Part {
    uint64_t number = 0;
    uint64_t first_start_ns = 0, last_end_ns = 0;
    uint32_t tid = 0;  // 0: several
    uint32_t device_ref = 0;
    uint32_t submissions = 0;
    uint64_t bytes = 0;  // where there are only copies
    bool only_collectives = true, only_copies = true;
  };
  struct Fetch {
    Streams::Key key;
    uint64_t start_ns, end_ns;
  };
  // Of a copy behind earlier work: until when it surely waited for that, and from when on it surely copied.
  struct CopyParts {
    uint64_t waits_until_ns, copies_from_ns;
  };
  struct Rate {
    double best = 0;     // seen, bytes a nanosecond
    uint32_t alone = 0;  // copies that found nothing outstanding
  };
  struct Covered {
    bool any = false;
    bool only_collectives = true;
    uint64_t last_end_ns = 0;
    uint32_t device_ref = 0;  // 0: several
    uint32_t left = 0;        // submissions to the same streams that came behind
  };
  void distinguish(uint32_t device_ref);
  DeviceTimeline* line_of(uint32_t device_ref);  // null: it is not distinguished
  const DeviceTimeline& line(uint32_t device_ref) const {
    const auto found = devices_.find(device_ref);
    return found == devices_.end() ? all_ : found->second;
  }
  // 0: of which device it is is not known.
  void add_alive(uint32_t device_ref, DeviceTimeline::Span span);
  void add_busy(uint32_t device_ref, DeviceTimeline::Span span);
  void add_copy(uint32_t device_ref, DeviceTimeline::Span span);
  void end_unknown(uint32_t device_ref, uint64_t mono_ns);
  bool is_unknown() const { return all_.unknown_since().has_value(); }
  std::vector<DeviceTimeline::Span> open(uint32_t device_ref, uint64_t until_ns) const;
  void begin_list(uint64_t handle, const Streams::Key& key);
  void submit(const BudgetCall& call, bool is_input);
  void bound(const BudgetCall& call, const CallFacts& facts);
  uint64_t longest_copy_ns(uint64_t bytes) const;
  uint64_t done_by(uint64_t complete_ns) const;
  void put(const BudgetCall& call, const CallFacts& facts);
  Covered cover(Streams::Reach reach, const BudgetCall& wait, uint64_t complete_ns);
  void cover_copies(uint64_t complete_ns);
  CallSpan copy(const BudgetCall& call, const CallFacts& facts);
  CallSpan wait(const BudgetCall& call, const CallFacts& facts, const ThreadTime& thread);
  CallSpan wait_for_own(const BudgetCall& call, const ThreadTime& thread);
  static bool is_fetch(const BudgetCall& call, const CallFacts& facts);
  void note_habit(const BudgetCall& call, const CallFacts& facts);
  bool fetches_wait() const;
  const Fetch* fetch_before(const BudgetCall& wait, const Streams::Reach& reach) const;
  CallSpan fetch(const BudgetCall& call, const CallFacts& facts, const ThreadTime& thread);
  WaitEvidence evidence(const BudgetCall& call, const ThreadTime& thread);
  void query(const BudgetCall& call);
  std::optional<Streams::Reach> reach_of(const BudgetCall& call, bool& is_device_wide) const;
  void give_up(uint64_t mono_ns);
  bool is_behind_work(const Streams::Key& key, const Streams::Reach& reach) const;
  CopyParts parts_of_copy(const BudgetCall& call, bool is_async, bool is_behind);

  hal::LossLedger& ledger_;
  Streams streams_;
  std::map<Streams::Key, std::deque<Part>> outstanding_;
  size_t outstanding_submissions_ = 0;
  std::optional<uint64_t> copied_ns_;   // only copies are outstanding, and are over by then (D5)
  double slowest_link_ = kSlowestLink;  // 0: nothing is assumed any more
  bool is_link_doubted_ = false;
  bool launches_block_ = false;
  std::map<uint32_t, Fetch> fetches_;  // the last asynchronous copy to the host that each thread waited in (D7)
  uint64_t slow_fetches_ = 0;          // a bit for each of the last small ones, the newest lowest
  uint64_t fetches_seen_ = 0, usual_launch_ns_ = 0;
  std::set<uint64_t> lists_;     // streams that are lists: what is put on them does not run there (D11)
  std::set<uint32_t> sleepers_;  // threads of which a synchronisation was seen to sleep
  DeviceTimeline all_;
  std::map<uint32_t, DeviceTimeline> devices_;  // by hal::Event::device_ref (D12)
  uint32_t first_device_ref_ = 0;               // 0: none is known
  std::optional<uint64_t> attached_ns_;         // work of before it may be there
  uint64_t last_length_ns_ = 0;
  uint32_t queued_behind_ = 0;
  bool names_nothing_ = false;
  std::map<std::pair<hal::Direction, bool>, Rate> rates_;  // by direction, and whether by name asynchronous (D10)
};

}  // namespace ingero::correlate
