// Replays a recording through the engine, or reads the chains that are stored in it.
#include <algorithm>
#include <map>

#include "correlate/engine.h"
#include "report/legacy/stored_chains.h"
#include "report/report.h"
#include "store/read/replay.h"

namespace ingero::report {
namespace {

ReportedChain of_node(hal::CausalChain chain, const std::string& node) {
  const uint64_t onset_wall_ns = chain.onset_wall_ns.value_or(0);
  if (!node.empty()) chain.id = node + ":" + chain.id;
  return {std::move(chain), node, onset_wall_ns, {}, {}};
}

// One engine for each session and node of the recording, and one budget.
class EngineSink final : public store::ReplaySink {
 public:
  EngineSink(Diagnosis& diagnosis, const VendorNames& names, TimeSink* time)
      : diagnosis_(diagnosis), names_(names), time_(time) {}

  void probe(uint32_t probe, std::string_view symbol) override {
    engine_->set_probe(probe, correlate::is_per_thread_symbol(symbol));
    if (time_ != nullptr) time_->probe(probe, symbol);
  }

  void begin(const std::string& node, uint64_t cpus, bool windowed) override {
    node_ = node;
    ops_.clear();
    if (time_ != nullptr) time_->begin(node);
    correlate::EngineOptions options;
    options.cpus = cpus;
    options.windowed = windowed;
    options.status_of = [this](uint32_t call, int64_t code) {
      const auto known = ops_.find(call);
      return known == ops_.end() ? std::string() : names_.status(known->second, code);
    };
    options.meaning_of = hal::find_status_meaning;
    options.event_of = [this](uint32_t call, uint64_t code) {
      const auto known = ops_.find(call);
      return known == ops_.end() ? hal::AsyncEvent{} : names_.event(known->second, code);
    };
    engine_ = std::make_unique<correlate::Engine>(std::move(options), ledger_);
  }
  void session(int64_t id) override {
    if (time_ != nullptr) time_->session(id);
  }
  void probe_cost(uint64_t ns) override {
    if (time_ != nullptr) time_->probe_cost(ns);
  }
  void started(uint64_t mono_ns) override {
    if (time_ != nullptr) time_->started(mono_ns);
  }
  void call(hal::CallId id, const store::ReplayedCall& call) override {
    ops_[id] = call.op;
    if (time_ != nullptr) time_->call(id, call);
    engine_->set_call(id,
                      correlate::make_facts(call.name, call.op, call.layer, call.vendor, call.kind, call.synchronising,
                                            call.below_runtime, call.asynchronous, call.memory));
  }
  void process(const hal::Process& process) override {
    engine_->add_process(process);
    if (time_ != nullptr) time_->process(process);
  }
  void event(const hal::Event& event) override {
    engine_->add(event);
    if (time_ != nullptr) time_->event(event);
    if (++since_ >= kDrainEvery) drain();
  }
  void wait(const hal::Event& event, const hal::Wait& wait) override {
    engine_->add_wait(event, wait);
    if (time_ != nullptr) time_->wait(event, wait);
  }
  void cpu_sample(const hal::CpuSample& sample) override {
    if (time_ != nullptr) time_->sample(sample);
  }
  void arrival(const hal::Event& event, uint64_t hash, uint64_t number, std::optional<int32_t> rank) override {
    engine_->add_arrival(event, hash, number, rank);
  }
  void snapshot(const hal::SystemSnapshot& snapshot, uint64_t mono_ns) override {
    engine_->add_snapshot(snapshot, mono_ns);
  }
  void throttling(const hal::Throttling& throttling) override { engine_->add_throttling(throttling); }
  void affinity(const hal::Affinity& affinity) override { engine_->add_affinity(affinity); }
  void hang(const hal::CollectiveHang& hang, std::string_view call) override { engine_->add_hang(hang, call); }
  void device_error(const hal::DeviceError& error) override { engine_->add_device_error(error); }
  void device_sample(const hal::DeviceSample& sample, uint64_t mono_ns) override {
    engine_->add_device_sample(sample, mono_ns);
    if (time_ != nullptr) time_->device_sample(sample, mono_ns);
  }
  void fabric_sample(const hal::FabricSample& sample, uint64_t mono_ns) override {
    hal::FabricSample known = sample;
    for (hal::FabricDevice& device : known.devices) {
      const auto explain = [&](std::vector<hal::FabricCounter>& counters) {
        for (hal::FabricCounter& one : counters) one.meaning = names_.counter(device.driver, one.origin, one.name);
      };
      explain(device.counters);
      for (hal::FabricPort& port : device.ports) explain(port.counters);
    }
    engine_->add_fabric_sample(known, mono_ns);
  }
  void end(std::optional<uint64_t> watermark_mono_ns) override {
    if (time_ != nullptr) time_->end(watermark_mono_ns);
    if (watermark_mono_ns) engine_->advance(*watermark_mono_ns);  // as while it was recorded
    engine_->finish();
    drain();
    const auto examined = engine_->examined();
    diagnosis_.events += examined.events;
    diagnosis_.calls += examined.calls;
    diagnosis_.windows += examined.windows;
    diagnosis_.late += examined.late;
    diagnosis_.processes += examined.active;
    diagnosis_.forgotten = ledger_.count(hal::Loss::engine_forgotten);
    engine_.reset();
    for (auto& [id, chain] : found_) diagnosis_.chains.push_back(of_node(std::move(chain), node_));
    found_.clear();
  }

 private:
  static constexpr uint32_t kDrainEvery = 65536;
  void drain() {
    since_ = 0;
    for (hal::CausalChain& chain : engine_->take_changes()) {
      const std::string id = chain.id;
      found_[id] = std::move(chain);
    }
  }

  Diagnosis& diagnosis_;
  const VendorNames& names_;
  TimeSink* time_;
  hal::LossLedger ledger_;
  std::unique_ptr<correlate::Engine> engine_;
  std::string node_;
  std::map<uint32_t, std::string> ops_;
  std::map<std::string, hal::CausalChain> found_;
  uint32_t since_ = 0;
};

}  // namespace

Result<bool> is_sampled_out(const store::Reader& reader) {
  bool sampled = false;
  if (!reader.holds().losses) return sampled;
  const auto outcome = reader.query("SELECT count(*) FROM sessions WHERE policy = 'selective'", {},
                                    [&](std::span<const store::Value> values) {
                                      sampled = values[0].integer > 0;
                                      return true;
                                    });
  if (!outcome.ok()) return outcome.error();
  return sampled;
}

Result<Diagnosis> diagnose(const store::Reader& reader, const store::Selection& selection,
                           const DiagnosisOptions& options, const VendorNames& names, TimeSink* time) {
  Diagnosis diagnosis;
  bool stored = reader.is_live();
  if (!stored) {
    const auto sampled = is_sampled_out(reader);
    if (!sampled.ok()) return sampled.error();
    stored = *sampled;
  }
  if (stored) {
    auto chains = stored_chains(reader, selection, options.time_ns);
    if (!chains.ok()) return chains.error();
    diagnosis.chains = std::move(*chains);
  } else {
    EngineSink sink(diagnosis, names, time);
    INGERO_TRY(store::replay(reader, selection, sink));
    diagnosis.replayed = true;
    if (options.evaluates_stored) INGERO_TRY(evaluate_stored(reader, selection, options.time_ns, diagnosis));
    if (selection.pid) {
      std::erase_if(diagnosis.chains,
                    [&](const ReportedChain& chain) { return chain.pid && *chain.pid != *selection.pid; });
    }
  }
  std::stable_sort(diagnosis.chains.begin(), diagnosis.chains.end(),
                   [](const ReportedChain& a, const ReportedChain& b) {
                     const int one = hal::severity_order(a.severity), other = hal::severity_order(b.severity);
                     if (one != other) return one < other;
                     if (a.lost_ns.value_or(0) != b.lost_ns.value_or(0))
                       return a.lost_ns.value_or(0) > b.lost_ns.value_or(0);
                     return a.id < b.id;
                   });
  add_lines(reader, diagnosis.chains);
  return diagnosis;
}

}  // namespace ingero::report
