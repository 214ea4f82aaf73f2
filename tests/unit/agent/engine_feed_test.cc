// The chains that a recording agent stores and sends: those about waiting for a CPU only where the wait cost something.
#include "agent/engine_feed.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "backends/registry.h"
#include "hal/call_table.h"
#include "store/write/writer.h"
#include "temp_folder.h"

namespace ingero::agent {
namespace {

using hal::Has;
constexpr uint64_t kMs = 1'000'000, kSecond = 1'000'000'000, kBegin = 5000 * kSecond;
constexpr uint32_t kPid = 700;

class EngineFeedTest : public ::testing::Test {
 protected:
  EngineFeedTest() : calls_(backends::all_backends()), feed_(calls_, ledger_) {
    store::WriterOptions options;
    options.path = folder_.path() + "/run.db";
    auto writer = store::Writer::open(options, calls_, ledger_);
    EXPECT_TRUE(writer.ok());
    writer_ = std::move(*writer);
    feed_.set_listener([this](const hal::CausalChain& chain) { rules_.emplace_back(chain.rule); });
    hal::Process process;
    process.pid = kPid;
    process.comm = "train";
    process.start_mono_ns = kBegin - kMs;
    EventBatch batch;
    batch.processes.push_back(process);
    feed_.take(batch);
  }

  hal::Event event_of(std::string_view name, uint64_t from_ns, uint64_t to_ns) {
    hal::Event event;
    for (size_t id = 0; id < calls_.size(); ++id) {
      const auto call = static_cast<hal::CallId>(id);
      if (calls_[call].name == name) event.call = call;
    }
    EXPECT_NE(event.call, hal::kNoCall) << name;
    event.kind = calls_[event.call].kind;
    event.pid = event.tid = kPid;
    event.start_mono_ns = from_ns;
    event.duration_ns = to_ns - from_ns;
    for (const Has one : {Has::kDuration, Has::kReturnCode, Has::kOffCpu}) event.set(one);
    return event;
  }

  // Steps of 20 ms: a launch, a wait for the device until 14 ms, host code. Another program has the CPU from `away_ns`
  // of each on, for 5 ms.
  void train(uint64_t seconds, uint64_t away_ns) {
    for (uint64_t at = kBegin; at < kBegin + seconds * kSecond; at += 20 * kMs) {
      EventBatch batch;
      batch.records.events.push_back(event_of("cudaLaunchKernel", at, at + kMs / 100));
      const uint64_t out = at + away_ns, in = out + 5 * kMs;
      hal::Event away = event_of("sched_switch", out, in);
      away.off.preempted_ns = 5 * kMs;
      hal::Event wait = event_of("cudaDeviceSynchronize", at + kMs, at + 14 * kMs);
      const bool is_inside = out < wait.end_mono_ns();
      if (is_inside) wait.off.preempted_ns = 5 * kMs;
      batch.records.events.push_back(is_inside ? away : wait);
      batch.records.events.push_back(is_inside ? wait : away);
      batch.watermark_mono_ns = at + 20 * kMs;
      feed_.take(batch);
      feed_.write(*writer_);
    }
  }
  bool has_given(std::string_view rule) const { return std::find(rules_.begin(), rules_.end(), rule) != rules_.end(); }

  const hal::CallTable calls_;
  hal::LossLedger ledger_;
  const TempFolder folder_;
  std::unique_ptr<store::Writer> writer_;
  EngineFeed feed_;
  std::vector<std::string> rules_;
};

TEST_F(EngineFeedTest, PreemptedWhileTheDeviceWorksIsNoCause) {
  train(12, 4 * kMs);
  feed_.finish(*writer_);
  EXPECT_FALSE(has_given("cpu_preemption"));
}

TEST_F(EngineFeedTest, PreemptedWhileTheDeviceHasNothingToDoIsGivenWhileItLasts) {
  train(12, 14 * kMs + kMs / 2);
  EXPECT_TRUE(has_given("cpu_preemption"));
}

}  // namespace
}  // namespace ingero::agent
