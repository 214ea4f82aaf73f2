// Where a timeline is written to: tracks and their slices, in one of the two formats that timeline viewers read.
//
// A track is written before its slices; slices on one track never overlap unless one contains the other, and come by
// start, the longer first. Times are wall nanoseconds. Text is already printable UTF-8. Writers keep nothing but names:
// memory does not grow with the events. Threads: one. Failure: the sink's, returned by the next flush or finish.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace ingero::serve::perfetto {

// Takes the next bytes of the file.
using Sink = std::function<Status(std::string_view bytes)>;

using TrackId = uint64_t;  // 0: none

struct Hex {
  uint64_t value;
};
struct Argument {
  std::string_view name;
  std::variant<int64_t, double, Hex, std::string_view> value;
};

// An arrow between slices. An end belongs to one arrow only; starts and steps lead to the next slice with the same id.
struct Flow {
  enum class Part : uint8_t { kStart, kStep, kEnd };
  uint64_t id = 0;
  Part part = Part::kStart;
};

struct Slice {
  TrackId track = 0;
  int64_t start_ns = 0;
  std::optional<uint64_t> duration_ns;  // absent: a moment
  std::string_view name, category;
  std::span<const Argument> arguments;
  std::span<const Flow> flows;
};

enum class Unit : uint8_t { kNone, kBytes, kPercent };

class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  // `pid` and `tid` are unique within the trace; labels are shown next to the name.
  virtual void process(TrackId track, int32_t pid, std::string_view name, std::string_view label) = 0;
  virtual void thread(TrackId track, TrackId process, int32_t tid, std::string_view name) = 0;
  // A group of tracks that is not a process: a node.
  virtual void group(TrackId track, std::string_view name) = 0;
  virtual void track(TrackId track, TrackId parent, std::string_view name) = 0;
  virtual void counter_track(TrackId track, TrackId parent, std::string_view name, Unit unit) = 0;
  virtual void slice(const Slice& slice) = 0;
  virtual void counter(TrackId track, int64_t at_ns, double value) = 0;
  // Hands on what is held when it is worth it.
  virtual Status flush() = 0;
  virtual Status finish() = 0;

 protected:
  static constexpr size_t kHeldBytes = 1 << 20;
};

// Perfetto's own protobuf (perfetto.protos.Trace). `start_ns`: about the first time that follows.
std::unique_ptr<TraceWriter> proto_writer(Sink sink, int64_t start_ns);
// The JSON of chrome://tracing. Its times are microseconds since `start_ns`, which is in its metadata: a JSON number
// cannot hold nanoseconds since the epoch.
std::unique_ptr<TraceWriter> chrome_writer(Sink sink, int64_t start_ns);

}  // namespace ingero::serve::perfetto
