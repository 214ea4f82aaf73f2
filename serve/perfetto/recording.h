// What a timeline shows of a recording: nodes, processes and threads, and every event by its start, the longer first.
//
// Reads our recordings and those of the legacy agent. Names are held in memory, events are not: SQLite sorts many
// events in a temporary file. Text is printable. Threads: one. Failure: the store's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "hal/vocabulary.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::serve::perfetto {

struct RecordedProcess {
  std::string node, comm;
  uint32_t pid = 0;
  std::optional<int64_t> rank, world_size;
};
struct RecordedThread {
  size_t process = 0;
  uint32_t tid = 0;
  std::string comm;
};
struct RecordedCall {
  std::string name, op, layer;
  hal::Kind kind = hal::Kind::kHost;
};

// The numbers of an event. kFunction, kGeometry, kDevice, kStack, kCulprit and kParent are ids (see Recording); kHash
// and what follows are of a collective.
enum class Number : uint8_t {
  kReturn,
  kStream,
  kBytes,
  kAddress,
  kHandle,
  kFunction,
  kGeometry,
  kDevice,
  kStack,
  kPreempted,
  kRunqueue,
  kBlocked,
  kIo,
  kPreemptedBy,
  kPreemptedByNs,
  kArg0,
  kArg1,
  kParent,
  kHash,
  kRank,
  kRanks,
  kSequence,
  kWait,
  kPeer,
  kCommunicator,
  kCount,
};

struct RecordedEvent {
  int64_t seq = 0, start_ns = 0;
  std::optional<uint64_t> duration_ns;
  size_t thread = 0;
  const RecordedCall* call = nullptr;
  bool failed = false;
  hal::Direction direction = hal::Direction::kUnknown;
  std::string_view outcome;  // empty: returned
  std::array<std::optional<int64_t>, static_cast<size_t>(Number::kCount)> numbers;
  const std::optional<int64_t>& operator[](Number number) const { return numbers[static_cast<size_t>(number)]; }
};

class Recording {
 public:
  // `reader` outlives this.
  static Result<Recording> load(const store::Reader& reader);

  // Until `on` returns an error. Events without a time or a call are left out and counted in `unplaced`.
  Status each_event(const store::Selection& selection, const std::function<Status(const RecordedEvent&)>& on);
  struct Counted {
    uint64_t events = 0;
    std::optional<int64_t> first_ns;
  };
  // Of the whole recording only how many.
  Result<Counted> count(const store::Selection& selection) const;

  const store::Reader& reader() const { return *reader_; }
  const RecordedThread& thread(size_t index) const { return threads_[index]; }
  const RecordedProcess& process(size_t index) const { return processes_[index]; }
  const std::vector<std::string>& nodes() const { return nodes_; }
  const RecordedCall* call(int64_t id) const;
  // Empty or absent: not known.
  std::string_view kernel(int64_t function) const;
  std::string_view geometry(int64_t id) const;
  std::string_view preempted_by(int64_t id) const;
  std::optional<int64_t> device(int64_t id) const;
  std::optional<int64_t> stack_hash(int64_t id) const;
  uint64_t unplaced() const { return unplaced_; }

 private:
  Status load_current();
  Status load_legacy();
  size_t add_process(RecordedProcess process, std::tuple<std::string, int64_t, int64_t> key);
  size_t legacy_thread(std::string_view node, int64_t pid, int64_t tid, std::string_view comm);
  void add_node(const std::string& node);

  const store::Reader* reader_ = nullptr;
  std::vector<std::string> nodes_;
  std::vector<RecordedProcess> processes_;
  std::vector<RecordedThread> threads_;
  std::map<std::tuple<std::string, int64_t, int64_t>, size_t> process_keys_;  // node, pid, start
  std::unordered_map<int64_t, size_t> thread_ids_;
  std::map<std::tuple<size_t, int64_t>, size_t> legacy_threads_;
  std::unordered_map<int64_t, RecordedCall> calls_;
  std::unordered_map<int64_t, int64_t> call_of_probe_;
  std::unordered_map<int64_t, std::string> kernels_, geometries_, preemptors_;
  std::unordered_map<int64_t, int64_t> devices_, stacks_;
  uint64_t unplaced_ = 0;
};

}  // namespace ingero::serve::perfetto
