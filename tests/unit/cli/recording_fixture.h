// A small recording made by the store's own writer: known calls with known times, errors, shares and a call that hangs.
#pragma once

#include <algorithm>
#include <memory>

#include "backends/registry.h"
#include "cli_fixture.h"
#include "hal/call_table.h"
#include "store/write/writer.h"

namespace ingero::cli {

class Recording : public TemporaryFolder {
 protected:
  static constexpr uint64_t kMono = 1'000'000'000'000;
  static constexpr uint64_t kWall = 1'795'228'000'000'000'000;  // 2026-11-21T02:26:40Z
  static constexpr uint32_t kPid = 4321;

  void SetUp() override {
    TemporaryFolder::SetUp();
    calls_ = std::make_unique<hal::CallTable>(backends::all_backends());
    database_ = path("run.db");
    store::WriterOptions options;
    options.path = database_;
    options.session.node = "node-7";
    auto writer = store::Writer::open(options, *calls_, losses_);
    ASSERT_TRUE(writer.ok()) << writer.error().text();
    writer_ = std::move(writer).value();
    hal::Process process;
    process.pid = kPid;
    process.start_mono_ns = kMono - 1;
    process.comm = "train\x1b[31m";  // hostile
    writer_->add_process(process);
    record();
    writer_->set_watermark(kWall + 1'000'000'000);
    ASSERT_TRUE(writer_->close().ok());
    writer_.reset();  // lets go of the file: a recording that is still held is a live one
  }

  hal::CallId id(std::string_view name) const {
    for (size_t i = 0; i < calls_->size(); ++i) {
      if ((*calls_)[static_cast<hal::CallId>(i)].name == name) return static_cast<hal::CallId>(i);
    }
    ADD_FAILURE() << name << " is no call";
    return hal::kNoCall;
  }

  hal::Event event(std::string_view name, uint64_t at_ns, uint64_t duration_ns, int64_t code = 0) {
    hal::Event made;
    made.call = id(name);
    made.kind = (*calls_)[made.call].kind;
    made.start_mono_ns = kMono + at_ns;
    made.wall_offset_ns = static_cast<int64_t>(kWall - kMono);
    made.pid = kPid;
    made.tid = kPid + 1;
    made.duration_ns = duration_ns;
    made.set(hal::Has::kDuration);
    if (made.kind != hal::Kind::kHost) {
      made.probe = probe_of(made.call);
      made.return_code = code;
      made.set(hal::Has::kReturnCode);
      made.failed = code != 0;
      made.set(hal::Has::kOffCpu);
    }
    return made;
  }

  void write(const hal::Event& event) { ASSERT_TRUE(writer_->write({&event, 1}).ok()); }

  uint32_t probe_of(hal::CallId call) {
    const auto known = std::find(probes_.begin(), probes_.end(), call);
    if (known != probes_.end()) return static_cast<uint32_t>(known - probes_.begin()) + 1;
    probes_.push_back(call);
    const auto index = static_cast<uint32_t>(probes_.size());
    writer_->add_probe(index, {call, std::string((*calls_)[call].name), "/usr/lib/libcudart.so.13", "13.0"});
    return index;
  }

  // 20 launches of 10 us; one of 5 ms, 4 ms of it preempted; 3 failed copies; one synchronisation that never returns.
  virtual void record() {
    uint64_t at = 0;
    for (int i = 0; i < 20; ++i) write(event("cudaLaunchKernel", at += 1'000'000, 10'000));
    hal::Event slow = event("cudaLaunchKernel", at += 1'000'000, 5'000'000);
    slow.off.preempted_ns = 4'000'000;
    slow.preempted_by_pid = 991;
    slow.preempted_by_ns = 3'000'000;
    slow.set(hal::Has::kPreemptedBy);
    std::copy_n("stress-ng", 10, slow.preempted_by_comm.begin());
    write(slow);
    for (int i = 0; i < 3; ++i) write(event("cudaMemcpy", at += 10'000'000, 2'000, 1));
    hal::Event hanging = event("cudaStreamSynchronize", at += 1'000'000, 12'000'000);
    hanging.outcome = hal::Outcome::kInFlight;
    hanging.clear(hal::Has::kReturnCode);
    write(hanging);
    hal::Event switched = event("sched_switch", at += 1'000'000, 4'000'000);
    write(switched);
    losses_.add(hal::Loss::ring_full, 7);
    losses_.add(hal::Loss::unpaired_return, 2);
    ASSERT_TRUE(writer_->flush().ok());
  }

  std::unique_ptr<hal::CallTable> calls_;
  hal::LossLedger losses_;
  std::unique_ptr<store::Writer> writer_;
  std::vector<hal::CallId> probes_;
  std::string database_;
};

}  // namespace ingero::cli
