// Feeds batches to the causal engine in the order in which they are stored, so that a replay finds the same chains.
#include "agent/engine_feed.h"

#include <unistd.h>

namespace ingero::agent {

EngineFeed::EngineFeed(const hal::CallTable& calls, hal::LossLedger& ledger) : calls_(calls), budget_(calls, ledger) {
  correlate::EngineOptions options;
  const long cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  options.cpus = cpus > 0 ? static_cast<uint64_t>(cpus) : 0;
  options.status_of = [&calls](uint32_t call, int64_t code) {
    return call < calls.size() ? std::string(hal::status_name(calls[static_cast<hal::CallId>(call)], code))
                               : std::string();
  };
  options.meaning_of = hal::find_status_meaning;
  options.event_of = [&calls](uint32_t call, uint64_t code) {
    if (call >= calls.size()) return hal::AsyncEvent{};
    const hal::Call& its = calls[static_cast<hal::CallId>(call)];
    return its.owner != nullptr && its.owner->event_of != nullptr && its.name == its.owner->event_call
               ? its.owner->event_of(code)
               : hal::AsyncEvent{};
  };
  engine_ = std::make_unique<correlate::Engine>(std::move(options), ledger);
  for (size_t id = 0; id < calls.size(); ++id) {
    const correlate::CallFacts facts = correlate::make_facts(calls[static_cast<hal::CallId>(id)]);
    submits_.push_back(correlate::is_work(facts));
    engine_->set_call(static_cast<hal::CallId>(id), facts);
  }
}

void EngineFeed::take(const EventBatch& batch) {
  wall_offset_ns_ = batch.wall_offset_ns;
  for (const kernelside::NamedProbe& probe : batch.probes) {
    const bool is_per_thread = correlate::is_per_thread_symbol(probe.probe.symbol);
    engine_->set_probe(probe.index, is_per_thread);
    budget_.set_probe(probe.index, is_per_thread);
  }
  for (const hal::Process& process : batch.processes) {
    engine_->add_process(process);
    budget_.add_process(process);
  }
  for (const hal::SystemSnapshot& snapshot : batch.snapshots) {
    engine_->add_snapshot(snapshot, snapshot.wall_ns - static_cast<uint64_t>(batch.wall_offset_ns));
  }
  for (const hal::Throttling& one : batch.throttlings) engine_->add_throttling(one);
  for (const hal::Affinity& one : batch.affinities) engine_->add_affinity(one);
  for (const hal::Communicator& one : batch.communicators) {
    if (communicators_.size() >= kMaxCommunicators) communicators_.clear();
    communicators_[one.id] = {one.comm_id_hash, one.rank};
  }
  for (const hal::CollectiveHang& hang : batch.hangs) {
    engine_->add_hang(hang, hang.call < calls_.size() ? calls_[hang.call].name : std::string_view());
  }
  auto next = batch.records.exchanges.begin();
  auto wait = batch.records.waits.begin();
  for (size_t i = 0; i < batch.records.events.size(); ++i) {
    const hal::Event& event = batch.records.events[i];
    engine_->add(event);
    budget_.add(event);
    if (event.call < submits_.size() && submits_[event.call] && event.pid != last_submitter_) note_submitter(event.pid);
    if (wait != batch.records.waits.end() && wait->first == i) {
      engine_->add_wait(event, wait->second);
      budget_.add_wait(event, (wait++)->second);
    }
    if (next == batch.records.exchanges.end() || next->first != i) continue;
    const hal::Exchange& exchange = (next++)->second;
    if (event.kind != hal::Kind::kCollective || event.outcome >= hal::Outcome::kInFlight || exchange.is_part) continue;
    if (!exchange.communicator_id || !exchange.number) continue;
    const auto known = communicators_.find(*exchange.communicator_id);
    if (known == communicators_.end() || !known->second.hash) continue;
    engine_->add_arrival(event, *known->second.hash, *exchange.number, known->second.rank);
  }
  for (const hal::CpuSample& sample : batch.records.samples) budget_.add_sample(sample);
  if (batch.watermark_mono_ns != 0) {
    watermark_ns_ = batch.watermark_mono_ns;
    engine_->advance(batch.watermark_mono_ns);
    budget_.advance(batch.watermark_mono_ns);
  }
}

void EngineFeed::add_device_sample(const hal::DeviceSample& sample, uint64_t mono_ns) {
  engine_->add_device_sample(sample, mono_ns);
  budget_.add_device_sample(sample, mono_ns);
}

void EngineFeed::write(store::Writer& writer) {
  budget_.write(writer);
  for (hal::CausalChain& chain : engine_->take_changes()) {
    if (correlate::is_of_cpu_alone(chain.rule) && !given_.contains(chain.id) && held_.size() < kMaxHeld) {
      const uint64_t onset_ns = chain.onset_wall_ns.value_or(0) - static_cast<uint64_t>(wall_offset_ns_);
      Held& held = held_.try_emplace(chain.id, Held{{}, onset_ns}).first->second;
      held.chain = std::move(chain);
    } else {
      if (const auto known = given_.find(chain.id); known != given_.end()) known->second = chain;
      give(chain, writer);
    }
  }
  give_held(writer, false);
}

void EngineFeed::note_submitter(uint32_t pid) {
  if (submitters_.size() >= kMaxHeld) submitters_.clear();
  submitters_.insert(last_submitter_ = pid);
}

void EngineFeed::give(const hal::CausalChain& chain, store::Writer& writer) {
  writer.add_chain(chain);
  if (listener_) listener_(chain);
}

void EngineFeed::give_held(store::Writer& writer, bool at_end) {
  std::erase_if(held_, [&](const auto& entry) {
    const hal::CausalChain& chain = entry.second.chain;
    const auto cost = chain.pid ? budget_.summary().cpu_cost_of(*chain.pid) : std::nullopt;
    const bool has_budget = chain.pid && submitters_.contains(*chain.pid);  // or will have: it comes seconds later
    const bool is_old = at_end || !has_budget || entry.second.onset_mono_ns + kHeldNs <= watermark_ns_;
    if (!cost && !is_old) return false;
    if (cost && cost->is_harmless(chain.rule)) return chain.resolved;
    give(chain, writer);
    if (given_.size() >= kMaxHeld) given_.clear();
    given_[chain.id] = chain;
    return true;
  });
}

// While it lasts, the budget of a process is seconds behind its chains.
void EngineFeed::hold_given(store::Writer& writer) {
  for (auto& [id, chain] : given_) {
    const auto cost = chain.pid ? budget_.summary().cpu_cost_of(*chain.pid) : std::nullopt;
    const auto before_ns = chain.lost_ns;
    if (cost) cost->hold(chain);
    if (chain.lost_ns != before_ns) give(chain, writer);
  }
}

void EngineFeed::finish(store::Writer& writer) {
  engine_->finish();
  budget_.finish(writer);
  write(writer);
  give_held(writer, true);
  hold_given(writer);
}

}  // namespace ingero::agent
