// What a timeline shows of a recording: nodes, processes, threads and calls by their names, and one event at a time.
//
// Text is printable. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "hal/vocabulary.h"

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

// The numbers of an event. kFunction, kGeometry, kDevice, kStack, kCulprit and kParent are ids (see RecordedNames);
// kHash and what follows are of a collective.
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

// What events refer to, held in memory.
struct RecordedNames {
  std::vector<std::string> nodes;
  std::vector<RecordedProcess> processes;
  std::vector<RecordedThread> threads;
  // By the ids of the recording.
  std::unordered_map<int64_t, RecordedCall> calls;
  std::unordered_map<int64_t, std::string> kernels, geometries, preemptors;
  std::unordered_map<int64_t, int64_t> gpu_ids, stack_hashes;

  void add_node(const std::string& node);
  // Its index; that of the one that was added with the same key: node, pid, start.
  size_t add_process(RecordedProcess process, std::tuple<std::string, int64_t, int64_t> key);
  const RecordedCall* call(int64_t id) const;

 private:
  std::map<std::tuple<std::string, int64_t, int64_t>, size_t> process_keys_;
};

}  // namespace ingero::serve::perfetto
