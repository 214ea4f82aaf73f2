// Writes a recording with something for every view of the page, through the store's own writer:
//
//   make_recording FILE EVENTS
//
// Four ranks, each a process with six threads and four streams, launch, copy, allocate, wait and reduce; their host
// loses the CPU now and then; devices and fabric are sampled; one call hangs; records were lost; the first one's steps
// are those of a program that serves a model, one of them slow. Where the time of all steps went stands there as the
// agent would have it, every tenth step slow. Deterministic.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>

#include "backends/registry.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "store/write/writer.h"

namespace {

using namespace ingero;
using hal::Event;
using hal::Has;

constexpr uint64_t kMono = 1'000'000'000'000;
constexpr uint64_t kWall = 1'795'228'000'000'000'000;
constexpr uint64_t kServing = (uint64_t{1} << 60) + 1;  // a stream; no double holds it
constexpr uint32_t kRanks = 4, kThreads = 6, kStreams = 4;

void must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.error().text().c_str());
  std::exit(1);
}

class Maker {
 public:
  Maker(const std::string& path, uint64_t events) : calls_(backends::all_backends()), events_(events) {
    std::remove(path.c_str());
    store::WriterOptions options;
    options.path = path;
    options.session.node = "node-7";
    auto opened = store::Writer::open(options, calls_, losses_);
    if (!opened.ok()) must(opened.error());
    writer_ = std::move(*opened);
  }

  void make() {
    for (uint32_t rank = 0; rank < kRanks; ++rank) describe(rank);
    uint64_t step = 0;
    for (const char* object : {"", "/data/<img src=x>"}) add_cause(object);  // hostile
    while (made_ < events_) {
      for (uint32_t rank = 0; rank < kRanks; ++rank) run_step(rank, step);
      if (++step % 8 == 0) sample(step);
    }
    Event hanging = event("cudaStreamSynchronize", 0, 0, now_ns_[0], now_ns_[0] / 3);
    hanging.outcome = hal::Outcome::kInFlight;
    hanging.clear(Has::kReturnCode);
    put(hanging);
    infer();
    losses_.add(hal::Loss::ring_full, 7);
    writer_->set_watermark(kWall + *std::max_element(std::begin(now_ns_), std::end(now_ns_)));
    must(writer_->close());
  }

 private:
  uint32_t pid(uint32_t rank) const { return 4000 + rank * 100; }

  void describe(uint32_t rank) {
    hal::Process process;
    process.pid = pid(rank);
    process.start_mono_ns = kMono - 1;
    process.comm = rank == 0 ? "train\x1b[31m<b>" : "train";  // hostile
    process.rank = static_cast<int32_t>(rank);
    process.world_size = kRanks;
    writer_->add_process(process);
    hal::Communicator communicator;
    communicator.id = rank + 1;
    communicator.pid = pid(rank);
    communicator.handle = 0x1000 + rank;
    communicator.made_mono_ns = kMono;
    communicator.comm_id_hash = 0xfeedfacecafebeef;
    communicator.rank = static_cast<int32_t>(rank);
    communicator.nranks = kRanks;
    communicator.made_by = hal::Role::kInit;
    writer_->add_communicator(communicator);
    for (uint64_t probe = 0; probe < 3; ++probe) {
      writer_->add_stack(1 + probe, "[]",
                         std::string(R"([{"s":"cudaMalloc","f":"libcudart.so.13"},{"pf":"train.py","pfn":"layer)") +
                             std::to_string(probe) + R"(<img src=x>","pl":8},{"pf":"train.py","pfn":"main","pl":80}])");
    }
  }

  Event event(const char* call, uint32_t rank, uint32_t thread, uint64_t at, uint64_t duration) {
    Event made;
    made.call = id(call);
    made.kind = calls_[made.call].kind;
    made.start_mono_ns = kMono + at;
    made.wall_offset_ns = static_cast<int64_t>(kWall - kMono);
    made.pid = pid(rank);
    made.tid = pid(rank) + thread;
    made.duration_ns = duration;
    made.set(Has::kDuration);
    if (made.kind != hal::Kind::kHost) {
      made.probe = probe_of(made.call);
      made.set(Has::kReturnCode);
      made.set(Has::kOffCpu);
    }
    return made;
  }

  void put(const Event& made) {
    must(writer_->write({&made, 1}));
    ++made_;
  }

  // One training step of one rank: every thread launches and copies, the first one allocates, reduces and waits.
  void run_step(uint32_t rank, uint64_t step) {
    uint64_t& now = now_ns_[rank];
    const uint64_t begin = now;
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      uint64_t at = begin + thread * 3'000;
      for (int i = 0; i < 12; ++i) {
        const uint64_t length = 2'000 + random_() % 9'000;
        Event launch = event(i % 4 == 3 ? "cudaMemcpyAsync" : "cudaLaunchKernel", rank, thread, at, length);
        launch.stream = 0x7000 + thread % kStreams;
        launch.set(Has::kStream);
        launch.bytes = 1 << 20;
        if (i % 4 == 3) launch.set(Has::kBytes);
        if (i == 0) launch.stack_id = 1 + step % 3, launch.set(Has::kStack);
        put(launch);
        Event inner = event("cuLaunchKernel", rank, thread, at + 400, length - 800);
        inner.depth = 1;
        inner.parent_call = launch.call;
        inner.parent_start_mono_ns = launch.start_mono_ns;
        inner.set(Has::kParent);
        put(inner);
        at += length + random_() % 6'000;
      }
      now = std::max(now, at);
    }
    memory(rank, step, now);
    collective(rank, step, now);
    Event wait = event("cudaStreamSynchronize", rank, 0, now, 40'000 + random_() % 30'000);
    wait.stream = 0x7000;
    wait.set(Has::kStream);
    wait.failed = step % 997 == 3;
    wait.return_code = wait.failed ? 700 : 0;
    put(wait);
    now = wait.start_mono_ns - kMono + wait.duration_ns;
    if (step % 5 == rank) put(event("sched_switch", rank, 0, now - 20'000, 15'000));
    now += 10'000;
    spend(rank, step, begin, now);
    for (uint64_t& other : now_ns_) other = std::max(other, now);
  }

  void add_cause(const char* object) {
    store::StoredCause cause;
    cause.id = ++causes_;
    cause.is = causes_ == 1 ? hal::TimeClass::kHost : hal::TimeClass::kDisk;
    cause.role = "train<b>";
    cause.pids = "4000";
    cause.object = object;
    writer_->add_cause(cause);
  }

  // What the rank's first thread did in that step: a slow one waited for a file.
  void spend(uint32_t rank, uint64_t step, uint64_t begin, uint64_t end) {
    const uint64_t usual = end - begin;
    store::StoredStep row;
    row.pid = row.tid = pid(rank);
    row.number = step + 1;
    row.start_wall_ns = kWall + begin;
    row.start_mono_ns = kMono + begin;
    row.content = 1;
    row.is_slow = step % 10 == 9;
    row.is_usual = !row.is_slow;
    const auto of = [&row](hal::TimeClass one) -> store::StoredClassTime& {
      return row.times.classes[static_cast<size_t>(one)];
    };
    of(hal::TimeClass::kDeviceWait).ns = usual / 2;
    of(hal::TimeClass::kSubmit) = {usual / 4, 0, usual / 4};
    of(hal::TimeClass::kHost) = {usual - usual / 2 - usual / 4, usual / 8, usual / 4};
    row.duration_ns = usual;
    if (row.is_slow) {
      const uint64_t more = 4 * usual;
      of(hal::TimeClass::kDisk) = {more, more, more};
      row.duration_ns += more;
      row.usual_ns = usual;
      row.slow_class = hal::TimeClass::kDisk;
      row.more_ns = more;
      row.cause = causes_;
      writer_->add_share({row.pid, row.tid, row.start_wall_ns, row.number, causes_, 1, more, more, more});
    }
    writer_->add_step_times(row);
  }

  void memory(uint32_t rank, uint64_t step, uint64_t& now) {
    const uint64_t address = 0x10000000 + (step % 40) * 0x100000;
    if (step >= 40 && step % 3 != 0) {
      Event free = event("cudaFree", rank, 0, now, 4'000);
      free.address = address;
      free.set(Has::kAddress);
      put(free);
      now += 5'000;
    }
    Event alloc = event("cudaMalloc", rank, 0, now, 6'000);
    alloc.address = address;
    alloc.set(Has::kAddress);
    alloc.bytes = (1 + step % 7) << 20;
    alloc.set(Has::kBytes);
    alloc.stack_id = 1 + step % 3;
    alloc.set(Has::kStack);
    put(alloc);
    now += 7'000;
  }

  void collective(uint32_t rank, uint64_t step, uint64_t& now) {
    hal::Exchange exchange;
    exchange.exchange_id = step * kRanks + rank + 1;
    exchange.communicator = 0x1000 + rank;
    exchange.communicator_id = rank + 1;
    exchange.number = step + 1;
    exchange.count = 1024;
    Event reduce = event("ncclAllReduce", rank, 0, now, 9'000);
    reduce.stream = 0x7001;
    reduce.set(Has::kStream);
    reduce.bytes = 4096;
    reduce.set(Has::kBytes);
    must(writer_->write_exchange(reduce, exchange));
    ++made_;
    now += 10'000;
  }

  void infer() {
    constexpr uint64_t kSteps = 60, kUsual = 10'000'000;
    store::InferenceModelServer server;
    server.id = 1;
    server.pid = pid(0);
    server.name = "vllm";
    server.model = "meta/tiny<b>";  // hostile
    server.found_wall_ns = kWall;
    writer_->add_model_server(server);
    store::InferenceWorkload workload;
    workload.id = 1;
    workload.pid = pid(0);
    workload.stream = kServing;
    workload.server = 1;
    workload.phase = "decode";
    workload.steps = kSteps;
    workload.launches = 10 * kSteps;
    workload.slow_3x = 1;
    workload.mean_ns = kUsual;
    workload.p95_ns = kUsual;
    workload.max_ns = 4 * kUsual;
    workload.first_wall_ns = kWall;
    workload.last_wall_ns = kWall + now_ns_[0];
    writer_->add_workload(workload);
    for (uint64_t i = 0; i < kSteps; ++i) {
      const bool slow = i == kSteps / 2;
      store::InferenceStep step;
      step.workload = 1;
      step.tid = pid(0);
      step.start_mono_ns = kMono + i * now_ns_[0] / kSteps;
      step.start_wall_ns = kWall + i * now_ns_[0] / kSteps;
      step.duration_ns = slow ? 4 * kUsual : kUsual;
      step.end_mono_ns = step.start_mono_ns + step.duration_ns;
      step.wait_ns = step.duration_ns / 2;
      step.launches = 10;
      if (i >= 30) step.baseline_mean_ns = step.baseline_p95_ns = kUsual;
      if (slow) step.slow = "3x";
      writer_->add_step(step);
    }
    store::ModelServerMetric metric;
    metric.server = 1;
    metric.wall_ns = kWall + now_ns_[0];
    metric.name = "gen_ai.client.operation.duration";
    metric.source_name = "vllm:e2e_request_latency_seconds";
    metric.model = server.model;
    metric.unit = "s";
    metric.kind = "histogram";
    metric.count = 12;
    metric.sum = 7.5;
    metric.interval_mean = 0.625;
    writer_->add_model_server_metric(metric);
  }

  void sample(uint64_t step) {
    const uint64_t wall = kWall + now_ns_[0];
    hal::DeviceSample devices;
    devices.wall_ns = wall;
    hal::Device device;
    device.vendor = "nvidia";
    device.uuid = "GPU-1";
    device.name = "Device";
    for (const auto& [name, value] :
         {std::pair(hal::ReadingId::power_watts, 200.0 + 100.0 * static_cast<double>(step % 3)),
          std::pair(hal::ReadingId::temperature_celsius, 40.0 + static_cast<double>(step % 30))}) {
      hal::Reading reading;
      reading.id = name;
      reading.value = value;
      device.readings.push_back(reading);
    }
    devices.devices.push_back(device);
    writer_->add_sample(devices);
    hal::FabricSample fabric;
    fabric.wall_ns = wall;
    hal::FabricCounter counter;
    counter.name = "port_xmit_data";
    counter.unit = hal::CounterUnit::kBytes;
    counter.value = step * 1'000'000;
    counter.change = step == 8 ? hal::CounterChange::kFirst : hal::CounterChange::kGrew;
    if (step > 8) counter.delta = 8'000'000;
    hal::FabricPort port;
    port.number = 1;
    port.link_layer = "InfiniBand";
    port.state = 4;
    port.counters.push_back(counter);
    hal::FabricDevice adapter;
    adapter.name = "fab0";
    adapter.ports.push_back(port);
    fabric.devices.push_back(adapter);
    writer_->add_sample(fabric);
    hal::SystemSnapshot load;
    load.wall_ns = wall;
    load.cpu_percent = 50 + static_cast<double>(step % 40);
    load.mem_percent = 30;
    load.load1 = 3;
    writer_->add_snapshot(load);
  }

  hal::CallId id(std::string_view name) const {
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[static_cast<hal::CallId>(i)].name == name) return static_cast<hal::CallId>(i);
    }
    std::fprintf(stderr, "%.*s is no call\n", static_cast<int>(name.size()), name.data());
    std::exit(1);
  }
  uint32_t probe_of(hal::CallId call) {
    for (size_t i = 0; i < probes_.size(); ++i) {
      if (probes_[i] == call) return static_cast<uint32_t>(i) + 1;
    }
    probes_.push_back(call);
    const auto index = static_cast<uint32_t>(probes_.size());
    writer_->add_probe(index, {call, std::string(calls_[call].name), "/usr/lib/libcudart.so.13", "13.0"});
    return index;
  }

  hal::CallTable calls_;
  hal::LossLedger losses_;
  std::unique_ptr<store::Writer> writer_;
  std::vector<hal::CallId> probes_;
  std::mt19937_64 random_{20261122};
  uint64_t events_, made_ = 0;
  uint64_t now_ns_[kRanks] = {};
  uint32_t causes_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: make_recording FILE EVENTS\n");
    return 2;
  }
  Maker(arguments[1], std::strtoull(arguments[2], nullptr, 10)).make();
  return 0;
}
