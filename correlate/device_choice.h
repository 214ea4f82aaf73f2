// Which of its process's devices a call was about, by the number that the process gives it.
//
// A call that names a device says so. The others are about the device that their thread has chosen (a runtime's choice,
// or a context made current), unless they are about something that was made on another: a stream, an event, an
// allocation, a communicator. A thread that was watched from its process's start and has chosen nothing is on the
// runtime's first device, where that is documented; for any other the device is unknown until it chooses or queries.
// A driver's handle of a device is taken to be its number, as every framework does.
//
// Only certain answers are given. Pure; one thread; memory bounded, what is forgotten is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hal/call_table.h"
#include "hal/event.h"
#include "hal/loss.h"

namespace ingero::correlate {

class DeviceChoice {
 public:
  // The arguments must outlive this.
  DeviceChoice(const hal::CallTable& calls, hal::LossLedger& ledger) : calls_(calls), ledger_(ledger) {}

  struct Answer {
    const hal::Backend* backend = nullptr;  // whose numbers these are; null: not about a device
    std::optional<int32_t> ordinal;         // absent: about one, and not known which
  };
  // Every event in ring order; with its exchange where it has one.
  Answer take(const hal::Event& event, const hal::Exchange* exchange);
  // The same without learning from it: a call that has not returned.
  Answer look(const hal::Event& event, const hal::Exchange* exchange);

  // All of its calls from its first on will be passed to take(). Before this call, or after lost(), that is not so.
  void watched_from_start(uint32_t pid);
  void missed(uint32_t pid);
  bool has_chosen(uint32_t pid) const { return processes_.contains(pid); }
  void process_ended(uint32_t pid);
  // Calls were lost: what they chose is not known.
  void lost();

  static constexpr size_t kMaxThreads = 65536;  // per process
  static constexpr size_t kMaxThings = 65536;   // streams, events and allocations of a process
  static constexpr size_t kMaxDepth = 64;       // of contexts

 private:
  enum class Sort : uint8_t { kStream, kHandle, kAddress, kCommunicator };
  struct Key {
    Sort sort;
    uint64_t value;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return static_cast<size_t>((key.value ^ static_cast<uint64_t>(key.sort) << 61) * 0x9e3779b97f4a7c15U >> 7);
    }
  };
  using Contexts = std::vector<std::optional<int32_t>>;  // the thread's, the current one last
  struct Process {
    bool from_start = false;
    const hal::Backend* numbering = nullptr;  // the backend that numbers devices, of which there is usually one
    bool several = false;
    std::unordered_map<uint32_t, Contexts> threads;
    std::unordered_map<Key, std::optional<int32_t>, KeyHash> made_on;
  };

  std::optional<int32_t> current(const Process& process, const hal::Event& event) const;
  std::optional<int32_t> made_on(const Process& process, Sort sort, uint64_t value) const;
  std::optional<int32_t> device_of(const Process& process, const hal::Event& event,
                                   const hal::Exchange* exchange) const;
  void learn(Process& process, const hal::Event& event, const hal::Exchange* exchange, std::optional<int32_t> ordinal);
  void note(Process& process, Sort sort, uint64_t value, std::optional<int32_t> ordinal);
  bool starts_on_first(const hal::Event& event) const;
  const hal::Backend* numbering_of(const Process* process, const hal::Event& event) const;

  const hal::CallTable& calls_;
  hal::LossLedger& ledger_;
  std::unordered_map<uint32_t, Process> processes_;
  std::unordered_set<uint32_t> from_start_;
};

}  // namespace ingero::correlate
