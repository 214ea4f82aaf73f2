// Writes a recording of a job's ranks through the store's own writer, for tests of what is sent from one:
//
//   make_rank_recording FILE SECONDS [--live]
//
// Four ranks in one communicator reduce every 100 ms and wait for it; rank 2 works longer. The recording ends now; with
// --live it begins now and is written as time passes. Each run has a causal chain of severity HIGH. Prints one line
// of JSON: what each rank entered.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "backends/registry.h"
#include "base/clock.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "store/write/writer.h"

namespace {

using namespace ingero;
using hal::Event;
using hal::Has;

constexpr uint64_t kNsOfSecond = 1'000'000'000, kStepNs = 100'000'000, kNsOfMs = 1'000'000;
constexpr uint32_t kRanks = 4;

void must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.error().text().c_str());
  std::exit(1);
}

// The store's clock: a recording of the past is of then.
class PastClock : public Clock {
 public:
  uint64_t mono_ns() const override { return system_clock().mono_ns() - back_ns; }
  uint64_t wall_ns() const override { return system_clock().wall_ns() - back_ns; }
  uint64_t back_ns = 0;
};

class Maker {
 public:
  Maker(const std::string& path, uint64_t seconds, bool is_live) : calls_(backends::all_backends()), is_live_(is_live) {
    clock_.back_ns = is_live ? 0 : seconds * kNsOfSecond;
    mono_ns_ = clock_.mono_ns();
    wall_ns_ = clock_.wall_ns();
    store::WriterOptions options;
    options.path = path;
    options.session.node = "gpu-07";
    auto opened = store::Writer::open(options, calls_, losses_, clock_);
    if (!opened.ok()) must(opened.error());
    writer_ = std::move(*opened);
    for (uint32_t rank = 0; rank < kRanks; ++rank) describe(rank);
  }

  void make(uint64_t seconds) {
    const uint64_t steps = seconds * kNsOfSecond / kStepNs;
    const auto begin = std::chrono::steady_clock::now();
    for (uint64_t step = 0; step < steps; ++step) {
      for (uint32_t rank = 0; rank < kRanks; ++rank) collect(rank, step);
      for (uint32_t rank = 0; rank < kRanks; ++rank) wait(rank, step);
      if (step == 3) must_have_chain();
      if (is_live_) {
        std::this_thread::sleep_until(begin + std::chrono::nanoseconds((step + 1) * kStepNs));
        if (step % 10 == 9) snapshot();
        must(writer_->flush());
      }
    }
    writer_->set_watermark(wall_ns_ + seconds * kNsOfSecond);
    must(writer_->close());
    std::printf("{\"collectives\": %llu}\n", static_cast<unsigned long long>(steps));
  }

 private:
  static uint32_t pid(uint32_t rank) { return 4000 + rank; }

  void describe(uint32_t rank) {
    hal::Process process;
    process.pid = pid(rank);
    process.start_mono_ns = mono_ns_ - 1;
    process.comm = "train";
    process.rank = static_cast<int32_t>(rank);
    writer_->add_process(process);
    hal::Communicator communicator;
    communicator.id = rank + 1;
    communicator.pid = pid(rank);
    communicator.handle = 0x1000 + rank;
    communicator.made_mono_ns = mono_ns_;
    communicator.comm_id_hash = 0xfeedfacecafebeef;
    communicator.rank = static_cast<int32_t>(rank);
    communicator.nranks = kRanks;
    communicator.made_by = hal::Role::kInit;
    writer_->add_communicator(communicator);
  }

  Event event(const char* name, uint32_t rank, uint64_t at_ns, uint64_t length_ns) {
    Event made;
    for (size_t id = 0; id < calls_.size(); ++id) {
      if (calls_[static_cast<hal::CallId>(id)].name == name) made.call = static_cast<hal::CallId>(id);
    }
    made.kind = calls_[made.call].kind;
    made.start_mono_ns = mono_ns_ + at_ns;
    made.wall_offset_ns = static_cast<int64_t>(wall_ns_ - mono_ns_);
    made.pid = made.tid = pid(rank);
    made.duration_ns = length_ns;
    made.set(Has::kDuration);
    made.set(Has::kReturnCode);
    made.stream = 0x7000 + rank;
    made.set(Has::kStream);
    return made;
  }

  uint64_t entry_ns(uint32_t rank, uint64_t step) const {
    return step * kStepNs + 10 * kNsOfMs + rank * 100'000 + (rank == 2 ? 30 * kNsOfMs : 0);
  }

  void collect(uint32_t rank, uint64_t step) {
    Event made = event("ncclAllReduce", rank, entry_ns(rank, step), 15'000);
    made.bytes = 1 << 20;
    made.set(Has::kBytes);
    hal::Exchange exchange;
    exchange.exchange_id = ++exchanges_;
    exchange.communicator = 0x1000 + rank;
    exchange.communicator_id = rank + 1;
    exchange.number = step + 1;
    must(writer_->write_exchange(made, exchange));
  }

  // All are through when the last one has come.
  void wait(uint32_t rank, uint64_t step) {
    const uint64_t from_ns = entry_ns(rank, step) + 50'000;
    const Event made =
        event("cudaStreamSynchronize", rank, from_ns, entry_ns(2, step) + 5 * kNsOfMs + rank * 1000 - from_ns);
    must(writer_->write({&made, 1}));
  }

  void must_have_chain() {
    hal::CausalChain chain;
    chain.id = "chain-" + std::to_string(wall_ns_);
    chain.rule = "host";
    chain.severity = "HIGH";
    chain.grade = "measured";
    chain.pid = pid(2);
    chain.rank = 2;
    chain.process = "train";
    chain.op = "cudaStreamSync";
    chain.onset_wall_ns = wall_ns_;
    chain.end_wall_ns = wall_ns_ + kStepNs;
    chain.lost_ns = 30 * kNsOfMs;
    chain.resolved = true;
    chain.summary = "train lost 30ms";
    chain.root_cause = "another process had its CPU";
    writer_->add_chain(chain);
  }

  void snapshot() {
    hal::SystemSnapshot one;
    one.wall_ns = system_clock().wall_ns();
    writer_->add_snapshot(one);
  }

  hal::CallTable calls_;
  hal::LossLedger losses_;
  PastClock clock_;
  const bool is_live_;
  uint64_t mono_ns_ = 0, wall_ns_ = 0, exchanges_ = 0;
  std::unique_ptr<store::Writer> writer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_rank_recording FILE SECONDS [--live]\n");
    return 2;
  }
  const uint64_t seconds = std::strtoull(argv[2], nullptr, 10);
  Maker(argv[1], seconds, argc > 3 && std::strcmp(argv[3], "--live") == 0).make(seconds);
  return 0;
}
