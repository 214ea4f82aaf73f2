// Calls to devices: which of the machine's devices each event was about.
//
// correlate/ knows the number by which the process calls it, hal/ what such a number means in that process's
// environment, the samplers which devices there are; this brings them together. A process's environment is read when
// its first call to a device succeeds: by then the runtime has read it too. take() and its like belong to one thread,
// the others to any.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/batch_queue.h"
#include "cli/live_environment.h"
#include "correlate/device_choice.h"
#include "hal/call_table.h"
#include "hal/device.h"
#include "hal/event.h"
#include "hal/visible_devices.h"

namespace ingero::cli {

class DeviceWatch {
 public:
  // The arguments must outlive this.
  DeviceWatch(std::span<const hal::Backend* const> backends, const hal::CallTable& calls, kernelside::Foreign& foreign,
              hal::LossLedger& ledger);

  // The devices that a backend's sampler sees. Any thread.
  void know(std::string_view backend, const std::vector<hal::Device>& devices);
  // What Event::device_ref means. Any thread.
  hal::EventDevice device(uint32_t ref) const;

  // A process, or the program that it runs from now on. `from_start`: no call of it was missed.
  void meet(const hal::Process& told, bool from_start);
  void process_ended(uint32_t pid);
  // Some of its calls were not seen.
  void missed(uint32_t pid) { choice_.missed(pid); }
  void lost() { choice_.lost(); }
  bool has_met(uint32_t pid) const { return processes_.contains(pid); }
  bool has_chosen(uint32_t pid) const { return choice_.has_chosen(pid); }
  // Fills Event::device_ref of a parcel's events, in ring order; tells what is new in Parcel::devices.
  void take(Parcel& parcel);
  // Of a call that has not returned.
  void look(hal::Event& event, const hal::Exchange* exchange, Parcel& parcel);

 private:
  struct Seen {
    uint64_t generation = 0;  // of the machine's devices
    hal::VisibleDevices devices;
    std::vector<uint32_t> refs;  // by ordinal, 0: not asked for yet; kNone: not known
  };
  struct Process {
    Variables started_with;
    bool in_container = false;
    std::unique_ptr<Variables> variables;  // as they were when first needed
    std::map<const hal::Backend*, Seen> visible;
  };

  void place(hal::Event& event, const correlate::DeviceChoice::Answer& answer, Parcel& parcel);
  uint32_t ref_of(hal::EventDevice device, Parcel& parcel);
  Variables read_variables(uint32_t pid, const Process& process) const;

  std::vector<std::string_view> names_;
  kernelside::Foreign& foreign_;
  correlate::DeviceChoice choice_;
  std::unordered_map<uint32_t, Process> processes_;

  mutable std::mutex mutex_;
  std::atomic<uint64_t> generation_{1};  // of machine_: written with mutex_ held
  // Guarded by mutex_:
  std::map<std::string, std::vector<hal::Device>, std::less<>> machine_;  // identities, by backend
  std::vector<hal::EventDevice> placed_;                                  // by ref - 1
};

}  // namespace ingero::cli
