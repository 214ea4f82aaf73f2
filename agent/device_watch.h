// Calls to devices: which of the machine's devices each event was about.
//
// correlate/ knows the number by which the process calls it, hal/ what such a number means in that process's
// environment, the samplers which devices there are; this brings them together. A process's environment is read when
// its first call to a device succeeds: by then the runtime has read it too. Of one that has ended by then, what it was
// started with is not what it had: which devices it saw is not known. take() and its like belong to one thread, the
// others to any.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/batch_queue.h"
#include "agent/live_environment.h"
#include "correlate/device_choice.h"
#include "hal/call_table.h"
#include "hal/device.h"
#include "hal/event.h"
#include "hal/visible_devices.h"

namespace ingero::agent {

class DeviceWatch {
 public:
  // The arguments must outlive this.
  DeviceWatch(std::span<const hal::Backend* const> backends, const hal::CallTable& calls, kernelside::Foreign& foreign,
              hal::LossLedger& ledger);

  // The devices that a backend's sampler sees. Any thread.
  void know(std::string_view backend, const std::vector<hal::Device>& devices);
  // What Event::device_ref means. Any thread.
  hal::EventDevice device(uint32_t ref) const;

  // A process, or the program that it runs since `since_mono_ns`. `from_start`: all calls of it were seen, unless
  // missed() says otherwise.
  void add_process(const hal::Process& process, bool from_start, uint64_t since_mono_ns);
  void process_ended(uint32_t pid);
  // Some of its calls before `until_mono_ns` were not seen. Comes no later than the first event after that, and perhaps
  // before the process itself.
  void missed(uint32_t pid, uint64_t until_mono_ns);
  void lost() { choice_.lost(); }
  bool knows(uint32_t pid) const { return processes_.contains(pid); }
  // Or may have, unseen.
  bool has_chosen(uint32_t pid) const { return choice_.has_chosen(pid) || windows_.contains(pid); }
  // Fills Event::device_ref of a batch's events, in ring order; adds new devices to EventBatch::devices.
  void take(EventBatch& batch);
  // Of a call that has not returned.
  void look(hal::Event& event, const hal::Exchange* exchange, EventBatch& batch);

 private:
  struct Seen {
    uint64_t generation = 0;  // of the machine's devices
    hal::VisibleDevices devices;
    std::vector<uint32_t> refs;  // by ordinal, 0: not asked for yet; kNone: not known
  };
  struct Process {
    bool in_container = false;
    bool is_read = false;
    std::optional<Variables> variables;  // as they were when first needed; absent: not known
    std::map<const hal::Backend*, Seen> visible;
  };

  void make_room();
  void forget_missed(const hal::Event& event);
  void place(hal::Event& event, const correlate::DeviceChoice::Answer& answer, EventBatch& batch);
  uint32_t ref_of(hal::EventDevice device, EventBatch& batch);
  hal::VisibleDevices visible_devices(const hal::Backend& backend, const Process& process) const;

  std::vector<std::string_view> names_;
  kernelside::Foreign& foreign_;
  correlate::DeviceChoice choice_;
  std::unordered_map<uint32_t, Process> processes_;
  struct Window {
    uint64_t until_mono_ns = 0;
    bool is_past = false;  // an event after it has been taken
  };
  std::unordered_map<uint32_t, Window> windows_;  // in which calls of a process were missed
  bool forgot_windows_ = false;                   // there were too many: of no process all calls are known to be seen

  mutable std::mutex mutex_;
  std::atomic<uint64_t> generation_{1};  // of machine_: written with mutex_ held
  // Guarded by mutex_:
  std::map<std::string, std::vector<hal::Device>, std::less<>> machine_;  // identities, by backend
  std::vector<hal::EventDevice> placed_;                                  // by ref - 1
};

}  // namespace ingero::agent
