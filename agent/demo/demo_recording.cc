// Writes a scenario into a recording batch by batch, as a live trace would.
#include "agent/demo/demo_recording.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "agent/engine_feed.h"
#include "store/write/writer.h"

namespace ingero::agent {
namespace {

constexpr uint64_t kStartMonoNs = 3'600'000'000'000;
constexpr uint64_t kStepNs = 100'000'000;

// The scenario's time: its recording is the same however long the machine takes to open and to write it.
class ScenarioClock final : public Clock {
 public:
  explicit ScenarioClock(uint64_t start_wall_ns) : start_wall_ns_(start_wall_ns) {}
  uint64_t mono_ns() const override { return kStartMonoNs + passed_ns_; }
  uint64_t wall_ns() const override { return start_wall_ns_ + passed_ns_; }
  void set(uint64_t passed_ns) { passed_ns_ = passed_ns; }

 private:
  const uint64_t start_wall_ns_;
  std::atomic<uint64_t> passed_ns_ = 0;
};

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  std::string name = (std::filesystem::temp_directory_path() / "ingero-demo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return errno_error(fmt::format("mkdtemp({})", name));
  return TemporaryFolder(std::move(name));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Status record_demo(const DemoScenario& scenario, const hal::CallTable& calls, const DemoPace& pace,
                   const std::string& path, const Clock& clock) {
  hal::LossLedger ledger;
  store::WriterOptions writing;
  writing.path = path;
  writing.session.node = "demo";
  writing.session.flags = std::string(scenario.name);
  const uint64_t wall_ns = clock.wall_ns();
  ScenarioClock scenario_clock(wall_ns);
  auto writer = store::Writer::open(writing, calls, ledger, scenario_clock);
  INGERO_TRY(writer);
  EngineFeed feed(calls, ledger);
  const DemoTrace trace = make_demo(scenario, calls, kStartMonoNs, wall_ns);
  const auto begin = std::chrono::steady_clock::now();
  auto next = trace.events.begin();
  auto snapshot = trace.snapshots.begin();
  for (uint64_t at = kStepNs; next != trace.events.end(); at += kStepNs) {
    if (pace.limit_ns != 0 && at > pace.limit_ns) break;
    scenario_clock.set(at);
    EventBatch batch;
    batch.wall_offset_ns = static_cast<int64_t>(wall_ns) - static_cast<int64_t>(kStartMonoNs);
    if (at == kStepNs) batch.processes = trace.processes;
    for (; snapshot != trace.snapshots.end() && snapshot->wall_ns < wall_ns + at; ++snapshot) {
      batch.snapshots.push_back(*snapshot);
    }
    for (; next != trace.events.end() && next->end_mono_ns() < kStartMonoNs + at; ++next) {
      batch.records.events.push_back(*next);
    }
    batch.watermark_mono_ns = kStartMonoNs + at;
    for (const hal::Process& process : batch.processes) (*writer)->add_process(process);
    for (const hal::SystemSnapshot& one : batch.snapshots) (*writer)->add_snapshot(one);
    for (const hal::Event& event : batch.records.events) {
      if (event.probe != 0)
        (*writer)->add_probe(event.probe, {event.call, std::string(calls[event.call].name), "", ""});
    }
    INGERO_TRY((*writer)->write(batch.records.events));
    feed.take(batch);
    feed.write(**writer);
    (*writer)->set_watermark(wall_ns + at);
    if (pace.speed > 0) {
      std::this_thread::sleep_until(
          begin + std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(at) / pace.speed)));
    }
  }
  feed.finish(**writer);
  return (*writer)->close();
}

}  // namespace ingero::agent
