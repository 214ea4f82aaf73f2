// The windows of ranks from the rows of a recording, by the code that forms them while it is made
// (correlate/rank_windows.h): what a trace with `--fleet-endpoint` sends, `fleet-push` finds again.
//
// A window is given out when a row says that its time is over, as a trace's batches say: kSlackNs after its end, on the
// recording's own clock. What a recording does not hold is not guessed: of a run that kept only a part of its calls
// there are no windows, because own work cannot be measured; its collectives are counted. Pure but for `give`; one
// thread. Memory is bounded by the constants here and in correlate/; what does not fit is counted.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "correlate/barriers.h"
#include "correlate/rank_windows.h"
#include "fleet/send/device_states.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "store/read/follow.h"

namespace ingero::fleet::push {

class RowWindows final : public ingero::store::FollowSink {
 public:
  using Give = std::function<void(std::vector<correlate::RankWindow>)>;
  static constexpr uint64_t kSlackNs = 100'000'000;
  static constexpr uint64_t kEndDelayNs = 1'500'000'000;  // until the last calls of a process are there
  static constexpr uint64_t kLongNs = 1'000'000'000;      // a call that may have been stored before it returned
  static constexpr size_t kMaxDeferred = 65536, kMaxProcesses = 65536, kMaxLosses = 65536, kMaxDevices = 4096;
  static constexpr uint64_t kMaxIdleWindows = 720;  // an hour without a row

  // `calls` outlives this.
  RowWindows(const hal::CallTable& calls, Give give);

  // What ended before this time of the recording's wall clock has been given.
  void complete(uint64_t wall_ns);

  // Of the run that began last; empty: none has.
  const std::string& node() const { return node_; }
  // Collectives that are in no window, because the run kept only a part of its calls.
  uint64_t sampled_out() const { return sampled_out_; }
  // Other than `node()`: of a file that several machines' recordings were merged into.
  const std::optional<std::string>& other_node() const { return other_node_; }
  uint64_t count(hal::Loss loss) const { return ledger_.count(loss); }
  // By the number of the call table, for the names of operations.
  const hal::CallTable& calls() const { return calls_; }

  void call(hal::CallId id, const ingero::store::ReplayedCall& call) override;
  void process(const hal::Process& process) override;
  void run(const ingero::store::FollowedRun& run) override;
  void communicator(const hal::Communicator& communicator) override;
  void lost(uint32_t pid, uint64_t wall_ns) override;
  void exchange(const hal::Event& recorded, const hal::Exchange* exchange, bool was_open) override;
  void event_device(uint32_t ref, const hal::EventDevice& device) override;
  void devices(const hal::DeviceSample& sample) override;
  void gap() override;
  void stopped(std::optional<uint64_t> wall_ns) override;

 private:
  using Call = std::pair<hal::Event, std::optional<hal::Exchange>>;
  struct Ended {
    uint64_t mono_ns, start_mono_ns;
  };

  hal::CallId known(hal::CallId recorded) const;
  // Time passes until an event that ends then; of the wall clock and the monotonic one.
  void pass(uint64_t wall_ns, uint64_t mono_ns);
  void release(uint64_t mono_ns);
  void know_communicators(uint64_t mono_ns);
  void end_processes(uint64_t mono_ns);
  void advance(uint64_t wall_ns);
  void feed(const hal::Event& event, const hal::Exchange* given);
  void give(std::vector<correlate::RankWindow> windows);

  const hal::CallTable& calls_;
  const Give give_;
  std::map<std::pair<std::string, std::string>, hal::CallId> by_name_;  // vendor and layer, name
  std::unordered_map<hal::CallId, hal::CallId> of_recorded_;
  hal::LossLedger ledger_;
  std::string node_;
  std::optional<std::string> other_node_;
  uint64_t sampled_out_ = 0;

  std::unordered_map<uint32_t, hal::EventDevice> devices_;  // by Event::device_ref
  send::DeviceStates states_;

  // Of the run.
  bool is_running_ = false, is_sampled_out_ = false;
  std::optional<correlate::RankWindows> windows_;
  std::optional<correlate::Barriers> barriers_;
  int64_t wall_offset_ns_ = 0;
  uint64_t reached_wall_ns_ = 0, next_end_wall_ns_ = 0;
  std::map<uint32_t, uint64_t> starts_;             // of processes, mono
  std::multimap<uint64_t, uint32_t> ends_;          // of processes, when they are due
  std::unordered_map<uint32_t, Ended> ended_;       // those in ends_
  std::multimap<uint64_t, hal::Communicator> due_;  // what becomes known of communicators, and when
  std::multimap<uint64_t, uint32_t> losses_;        // by wall time
  std::multimap<uint64_t, Call> deferred_;          // by end
};

}  // namespace ingero::fleet::push
