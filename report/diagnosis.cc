// Replays a recording through the engine, and evaluates the chains of a legacy recording against its own rows.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "correlate/engine.h"
#include "report/report.h"
#include "store/read/replay.h"

namespace ingero::report {
namespace {

constexpr uint64_t kWorthReportingNs = 100'000;       // a shorter tail is harmless
constexpr uint64_t kLegacyWindowNs = 10'000'000'000;  // how far the legacy agent looked back

// One engine for each session and node of the recording.
class EngineSink final : public store::ReplaySink {
 public:
  EngineSink(Diagnosis& diagnosis, const VendorNames& names) : diagnosis_(diagnosis), names_(names) {}

  void begin(const std::string& node, uint64_t cpus, bool windowed) override {
    node_ = node;
    ops_.clear();
    correlate::EngineOptions options;
    options.cpus = cpus;
    options.windowed = windowed;
    options.status_of = [this](uint32_t call, int64_t code) {
      const auto known = ops_.find(call);
      return known == ops_.end() ? std::string() : names_.status(known->second, code);
    };
    options.event_of = [this](uint32_t call, uint64_t code) {
      const auto known = ops_.find(call);
      return known == ops_.end() ? hal::AsyncEvent{} : names_.event(known->second, code);
    };
    engine_ = std::make_unique<correlate::Engine>(std::move(options), ledger_);
  }
  void call(hal::CallId id, const store::ReplayedCall& call) override {
    ops_[id] = call.op;
    engine_->set_call(id, correlate::make_facts(call.name, call.op, call.layer, call.vendor, call.kind,
                                                call.synchronising, call.below_runtime));
  }
  void process(const hal::Process& process) override { engine_->add_process(process); }
  void event(const hal::Event& event) override {
    engine_->add(event);
    if (++since_ >= kDrainEvery) drain();
  }
  void arrival(const hal::Event& event, uint64_t hash, uint64_t number, std::optional<int32_t> rank) override {
    engine_->add_arrival(event, hash, number, rank);
  }
  void snapshot(const hal::SystemSnapshot& snapshot, uint64_t mono_ns) override {
    engine_->add_snapshot(snapshot, mono_ns);
  }
  void throttling(const hal::Throttling& throttling) override { engine_->add_throttling(throttling); }
  void hang(const hal::CollectiveHang& hang, std::string_view call) override { engine_->add_hang(hang, call); }
  void device_error(const hal::DeviceError& error) override { engine_->add_device_error(error); }
  void device_sample(const hal::DeviceSample& sample, uint64_t mono_ns) override {
    engine_->add_device_sample(sample, mono_ns);
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
  void end(std::optional<uint64_t> complete_mono_ns) override {
    if (complete_mono_ns) engine_->advance(*complete_mono_ns);  // as while it was recorded
    engine_->finish();
    drain();
    const auto examined = engine_->examined();
    diagnosis_.events += examined.events;
    diagnosis_.calls += examined.calls;
    diagnosis_.windows += examined.windows;
    diagnosis_.late += examined.late;
    diagnosis_.processes += examined.processes;
    engine_.reset();
    for (auto& [id, chain] : found_) diagnosis_.chains.push_back(view_of(chain, node_));
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
  hal::LossLedger ledger_;
  std::unique_ptr<correlate::Engine> engine_;
  std::string node_;
  std::map<uint32_t, std::string> ops_;
  std::map<std::string, hal::CausalChain> found_;
  uint32_t since_ = 0;
};

Result<bool> is_sampled_out(const store::Reader& reader) {
  bool sampled = false;
  const auto outcome = reader.query("SELECT count(*) FROM sessions WHERE policy = 'selective'", {},
                                    [&](std::span<const store::Value> values) {
                                      sampled = values[0].integer > 0;
                                      return true;
                                    });
  if (!outcome.ok()) return outcome.error();
  return sampled;
}

// The legacy agent's summaries begin with the call: "NAME p99=25.8ms ...".
std::string op_of(const StoredChain& chain) {
  return chain.op.empty() ? chain.summary.substr(0, chain.summary.find(' ')) : chain.op;
}

// What an earlier chain says was the cause, as one of our families.
bool same_cause(const StoredChain& legacy, const StoredChain& found) {
  const auto says = [&](std::string_view word) { return legacy.root_cause.find(word) != std::string::npos; };
  const bool cpu = says("sched_switch") || says("CPU");
  const bool io = says("block I/O");
  const bool net = says("retransmit");
  return (cpu && (found.rule == "cpu_preemption" || found.rule == "dataloader_starvation" ||
                  found.rule == "run_queue_wait")) ||
         (io && found.rule == "block_io") || (net && found.rule == "tcp_retransmits");
}

Status evaluate_legacy(const store::Reader& reader, const store::Selection& selection, uint64_t time_ns,
                       Diagnosis& diagnosis) {
  auto stored = stored_chains(reader, selection, time_ns, ChainParts::kHeads);
  if (!stored.ok()) return stored.error();
  auto summary = store::summarise(reader, selection);
  if (!summary.ok()) return summary.error();
  struct Group {
    EvaluatedChain evaluated;
    uint64_t again = 0;
    std::string as;
  };
  std::map<std::tuple<std::string, int, std::string>, Group> groups;
  for (const StoredChain& legacy : *stored) {
    Group& group = groups[{legacy.node, hal::severity_order(legacy.severity), op_of(legacy)}];
    if (group.evaluated.times++ == 0) group.evaluated.chain = legacy;
    for (const StoredChain& found : diagnosis.chains) {
      const bool in_time = found.onset_wall_ns && found.ended_wall_ns &&
                           legacy.detected_wall_ns + kLegacyWindowNs >= *found.onset_wall_ns &&
                           legacy.detected_wall_ns <= *found.ended_wall_ns + kLegacyWindowNs;
      if (!in_time || found.node != legacy.node || !same_cause(legacy, found)) continue;
      ++group.again;
      group.as = found.id;
      break;
    }
  }
  for (auto& [key, group] : groups) {
    const std::string op = std::get<2>(key);
    const auto stats = std::find_if(summary->calls.begin(), summary->calls.end(),
                                    [&](const store::CallStats& call) { return call.op == op; });
    std::string& result = group.evaluated.result;
    if (group.again > 0) {
      result = fmt::format("its cause is found again ({} of {}): {}", group.again, group.evaluated.times, group.as);
    }
    const std::string both = result.empty() ? "" : "; ";
    if (stats == summary->calls.end() || stats->timed == 0) {
      result += both + "this recording has no row of the call: its tail cannot be checked";
    } else if (stats->p99_ns < kWorthReportingNs) {
      result += both + fmt::format("not a tail: a p99 of {} is below the floor of {}", format_duration(stats->p99_ns),
                                   format_duration(kWorthReportingNs));
    } else if (result.empty()) {
      result = fmt::format(
          "not found again: in the stored rows {} took {} at most, and nothing that took CPU or disk from "
          "its process at that time reaches the floors",
          op, format_duration(stats->max_ns));
    }
    diagnosis.evaluated.push_back(std::move(group.evaluated));
  }
  return {};
}

}  // namespace

Result<Diagnosis> diagnose(const store::Reader& reader, const store::Selection& selection,
                           const DiagnosisOptions& options, const VendorNames& names) {
  Diagnosis diagnosis;
  const bool legacy = reader.layout() == store::Layout::kLegacy;
  bool stored = reader.is_live();
  if (!stored && !legacy) {
    const auto sampled = is_sampled_out(reader);
    if (!sampled.ok()) return sampled.error();
    stored = *sampled;
  }
  if (stored) {
    auto chains = stored_chains(reader, selection, options.time_ns);
    if (!chains.ok()) return chains.error();
    diagnosis.chains = std::move(*chains);
  } else {
    EngineSink sink(diagnosis, names);
    INGERO_TRY(store::replay(reader, selection, sink));
    diagnosis.replayed = true;
    if (legacy && options.evaluates_legacy) {
      INGERO_TRY(evaluate_legacy(reader, selection, options.time_ns, diagnosis));
    }
    if (selection.pid) {
      std::erase_if(diagnosis.chains,
                    [&](const StoredChain& chain) { return chain.pid && *chain.pid != *selection.pid; });
    }
  }
  std::stable_sort(diagnosis.chains.begin(), diagnosis.chains.end(), [](const StoredChain& a, const StoredChain& b) {
    const int one = hal::severity_order(a.severity), other = hal::severity_order(b.severity);
    if (one != other) return one < other;
    if (a.lost_ns.value_or(0) != b.lost_ns.value_or(0)) return a.lost_ns.value_or(0) > b.lost_ns.value_or(0);
    return a.id < b.id;
  });
  add_lines(reader, diagnosis.chains);
  return diagnosis;
}

}  // namespace ingero::report
