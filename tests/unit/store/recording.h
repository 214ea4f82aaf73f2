// What the store's tests share: a made-up vendor's calls, events with every field, a temporary directory, and quick
// questions to a recording.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hal/call_table.h"
#include "hal/event.h"
#include "hal/loss.h"
#include "store/read/reader.h"
#include "store/read/summary.h"
#include "store/write/writer.h"
#include "temp_folder.h"

namespace ingero::store::testing {

using hal::Event;
using hal::Has;
using hal::Outcome;

inline constexpr hal::Row kRuntimeRows[] = {
    {.name = "cudaMalloc", .kind = hal::Kind::kAlloc, .shape = {}, .op = 1},
    {.name = "cudaLaunchKernel", .kind = hal::Kind::kLaunch, .shape = {}, .op = 3},
    {.name = "cudaMemcpyAsync", .kind = hal::Kind::kMemcpy, .shape = {}, .op = 7},
    {.name = "cudaStreamSynchronize",
     .kind = hal::Kind::kSync,
     .shape = {},
     .flags = hal::kSynchronising,
     .op = 5,
     .op_name = "cudaStreamSync"},
    {.name = "cudaEventRecord", .kind = hal::Kind::kEvent, .shape = {}},
    {.name = "cudaEventQuery", .kind = hal::Kind::kEvent, .shape = {}},
    {.name = "cudaFree", .kind = hal::Kind::kFree, .shape = {}, .op = 2},
    {.name = "cudaSetDevice", .kind = hal::Kind::kDevice, .shape = {}},
};
inline constexpr hal::Row kDriverRows[] = {
    {.name = "cuMemAlloc", .kind = hal::Kind::kAlloc, .shape = {}, .op = 5},
};
inline constexpr hal::Library kLibraries[] = {
    {.name = "libcudart", .sonames = {}, .rows = kRuntimeRows, .layer = "CUDA", .source = 1},
    {.name = "libcuda", .sonames = {}, .rows = kDriverRows, .layer = "DRIVER", .source = 4},
};
inline constexpr hal::Backend kBackend = {.name = "cuda", .vendor = "nvidia", .libraries = kLibraries};
inline constexpr hal::Row kOtherRows[] = {
    {.name = "otherAllReduce", .kind = hal::Kind::kCollective, .shape = {}},
    {.name = "otherLaunch", .kind = hal::Kind::kLaunch, .shape = {}},
    {.name = "otherCompile", .kind = hal::Kind::kModule, .shape = {}},
};
inline constexpr hal::Library kOtherLibraries[] = {
    {.name = "libother", .sonames = {}, .rows = kOtherRows, .layer = "OTHER"},
};
inline constexpr hal::Backend kOther = {.name = "other", .vendor = "acme", .libraries = kOtherLibraries};

inline const hal::CallTable& calls() {
  static const hal::Backend* const backends[] = {&kBackend, &kOther};
  static const hal::CallTable table(backends);
  return table;
}

inline hal::CallId call_named(std::string_view name) {
  for (size_t i = 0; i < calls().size(); ++i) {
    if (calls()[static_cast<hal::CallId>(i)].name == name) return static_cast<hal::CallId>(i);
  }
  ADD_FAILURE() << "no such call: " << name;
  return hal::kNoCall;
}

// 2026-01-01 and an hour of uptime.
inline constexpr uint64_t kWall = 1'767'225'600'000'000'000;
inline constexpr uint64_t kMono = 3'600'000'000'000;
inline constexpr int64_t kOffset = static_cast<int64_t>(kWall - kMono);

class HeldClock : public Clock {
 public:
  uint64_t mono_ns() const override { return kMono + elapsed_ns; }
  uint64_t wall_ns() const override { return kWall + elapsed_ns; }
  std::atomic<uint64_t> elapsed_ns{0};
};

// A returned call of process 100 that started `at_ns` after the recording did.
inline hal::Process process_of(uint32_t pid, uint64_t start_mono_ns, std::string comm) {
  hal::Process process;
  process.pid = pid;
  process.start_mono_ns = start_mono_ns;
  process.comm = std::move(comm);
  return process;
}

inline Event event_of(std::string_view call, uint64_t at_ns, uint64_t duration_ns, uint32_t pid = 100,
                      uint32_t tid = 0) {
  Event event;
  event.call = call_named(call);
  event.kind = calls()[event.call].kind;
  event.start_mono_ns = kMono + at_ns;
  event.wall_offset_ns = kOffset;
  event.pid = pid;
  event.tid = tid == 0 ? pid : tid;
  event.duration_ns = duration_ns;
  event.set(Has::kDuration);
  if (event.kind != hal::Kind::kHost) event.set(Has::kReturnCode);
  return event;
}

inline Event in_flight(Event event) {
  event.outcome = Outcome::kInFlight;
  event.clear(Has::kReturnCode);
  return event;
}

class RecordingTest : public ::testing::Test {
 protected:
  void TearDown() override { writer.reset(); }

  WriterOptions options() {
    WriterOptions made;
    made.path = path;
    made.session.node = "node-a";
    return made;
  }
  void open() { open(options()); }
  void open(WriterOptions given) {
    writer.reset();
    Result<std::unique_ptr<Writer>> opened = Writer::open(std::move(given), calls(), losses, clock);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    writer = std::move(*opened);
  }
  void write(const std::vector<Event>& events) {
    const Status status = writer->write(events);
    ASSERT_TRUE(status.ok()) << status.error().text();
  }
  void flush() {
    const Status status = writer->flush();
    ASSERT_TRUE(status.ok()) << status.error().text();
  }
  void close() {
    const Status status = writer->close();
    ASSERT_TRUE(status.ok()) << status.error().text();
    writer.reset();
  }

  std::unique_ptr<Reader> read(const std::string& file = {}) {
    Result<std::unique_ptr<Reader>> opened = Reader::open(file.empty() ? path : file);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().text());
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  // Rows as text, columns separated by '|', NULL as "NULL".
  static std::vector<std::string> rows(const Reader& reader, const std::string& sql) {
    std::vector<std::string> out;
    Result<QueryOutcome> outcome = reader.query(sql, {}, [&](std::span<const Value> values) {
      std::string line;
      for (const Value& value : values) {
        if (&value != values.data()) line += '|';
        switch (value.type) {
          case Value::Type::kNull:
            line += "NULL";
            break;
          case Value::Type::kInteger:
            line += std::to_string(value.integer);
            break;
          case Value::Type::kReal:
            line += fmt::format("{}", value.real);
            break;
          default:
            line += value.text;
        }
      }
      out.push_back(line);
      return true;
    });
    EXPECT_TRUE(outcome.ok()) << sql << "\n" << (outcome.ok() ? "" : outcome.error().text());
    return out;
  }
  std::vector<std::string> rows(const std::string& sql) {
    const std::unique_ptr<Reader> reader = read();
    return reader ? rows(*reader, sql) : std::vector<std::string>();
  }
  std::string row(const std::string& sql) {
    const std::vector<std::string> all = rows(sql);
    EXPECT_EQ(all.size(), 1U) << sql;
    return all.empty() ? std::string() : all.front();
  }
  static const CallStats* find(const Summary& summary, std::string_view call, uint32_t pid = 0) {
    for (const CallStats& stats : summary.calls) {
      if (stats.call == call && (pid == 0 || stats.pid == pid)) return &stats;
    }
    return nullptr;
  }

  const TempFolder temp;
  const std::string& directory = temp.path();
  std::string path = directory + "/run.db";
  hal::LossLedger losses;
  HeldClock clock;
  std::unique_ptr<Writer> writer;
};

}  // namespace ingero::store::testing
