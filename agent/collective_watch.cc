// Passes collectives from the batches to correlate/, and what correlate/ finds back into the batches.
#include "agent/collective_watch.h"

#include <cstring>

#include "base/text.h"
#include "hal/bounded.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxProcesses = 65536;

std::string list_of(const std::vector<hal::CollectiveHang::Rank>& ranks) {
  std::string list;
  for (const auto& rank : ranks) {
    list += list.empty() ? "" : ", ";
    list += rank.rank ? fmt::format("rank {} (pid {})", *rank.rank, rank.pid) : fmt::format("pid {}", rank.pid);
  }
  return list;
}

}  // namespace

CollectiveWatch::CollectiveWatch(const hal::CallTable& calls, kernelside::Foreign& foreign, LayoutOf layout_of,
                                 const Clock& clock, hal::LossLedger& ledger, uint64_t hang_after_ns)
    : communicators_(
          calls, ledger,
          [&foreign](uint32_t pid, uint64_t address, std::span<uint64_t> words) {
            return foreign.read_memory(pid, address, words.data(), words.size_bytes());
          },
          [&foreign, &clock, layout_of = std::move(layout_of)](
              const hal::Event& call, uint64_t handle) -> std::optional<hal::LiveCommunicator> {
            const auto layout = layout_of(call.probe);
            if (!layout) return std::nullopt;
            const uint64_t from = clock.mono_ns();
            auto found = hal::read_live(*layout, handle, [&](uint64_t address, std::span<std::byte> bytes) {
              return foreign.read_memory(call.pid, address, bytes.data(), bytes.size());
            });
            if (!found) return std::nullopt;
            found->read_from_mono_ns = from;
            found->read_to_mono_ns = clock.mono_ns();
            return found;
          }),
      barriers_(calls, ledger),
      hang_after_ns_(hang_after_ns),
      ledger_(ledger) {}

void CollectiveWatch::join_block(const wire_name& block, hal::Exchange& exchange) {
  const size_t length = std::min<size_t>(block.length, sizeof(block.name));
  const std::span<const std::byte> bytes = std::as_bytes(std::span(block.name)).first(length);
  if (exchange.role != hal::Role::kShrink) {
    exchange.id_hash = correlate::fold_id(bytes);
    return;
  }
  exchange.excluded.resize(length / sizeof(int32_t));
  std::memcpy(exchange.excluded.data(), block.name, exchange.excluded.size() * sizeof(int32_t));
}

std::vector<uint32_t> CollectiveWatch::take(EventBatch& batch) {
  auto next = batch.records.exchanges.begin();
  for (size_t i = 0; i < batch.records.events.size(); ++i) {
    const hal::Event& event = batch.records.events[i];
    hal::Exchange* exchange = nullptr;
    if (next != batch.records.exchanges.end() && next->first == i) exchange = &(next++)->second;
    if (exchange != nullptr) {
      communicators_.take(event, *exchange);
      for (const auto& reported : communicators_.take_changes()) {
        arrivals_.know(reported);
        batch.communicators.push_back(reported);
      }
      arrivals_.take(event, *exchange);
    }
    barriers_.take(event, exchange);
  }
  batch.arrivals = arrivals_.take_arrivals();
  for (const hal::BarrierWait& wait : barriers_.take_waits()) batch.barrier_waits.push_back(wait);
  batch.syncs = barriers_.take_syncs();
  std::vector<uint32_t> added;
  for (const hal::Communicator& reported : batch.communicators) {
    hal::clear_if_full(processes_, kMaxProcesses, hal::Loss::rank_forgotten, ledger_);
    if (processes_.emplace(reported.pid, reported.made_mono_ns).second) added.push_back(reported.pid);
  }
  return added;
}

void CollectiveWatch::in_flight(const hal::Event& event, hal::Exchange exchange) {
  if (event.kind != hal::Kind::kCollective) return;
  communicators_.take(event, exchange);
  arrivals_.take(event, exchange);
}

void CollectiveWatch::evaluate(uint64_t now_mono_ns, EventBatch& batch) {
  for (const hal::Communicator& reported : communicators_.take_changes()) {
    arrivals_.know(reported);
    batch.communicators.push_back(reported);
  }
  for (auto& hang : arrivals_.evaluate(now_mono_ns, hang_after_ns_)) batch.hangs.push_back(std::move(hang));
  auto now = arrivals_.hanging(now_mono_ns);
  const std::scoped_lock lock(mutex_);
  hanging_ = std::move(now);
}

void CollectiveWatch::process_ended(uint32_t pid, uint64_t mono_ns) {
  communicators_.process_ended(pid, mono_ns);
  barriers_.process_ended(pid);
  processes_.erase(pid);
}

void CollectiveWatch::lost(bool communicators) {
  arrivals_.forget();
  communicators_.lost_collectives();
  if (communicators) communicators_.lost_communicators();
}

std::vector<hal::CollectiveHang> CollectiveWatch::hanging() const {
  const std::scoped_lock lock(mutex_);
  return hanging_;
}

std::string hang_text(const hal::CollectiveHang& hang, const hal::CallTable& calls) {
  return fmt::format("{}, number {} on communicator {:016x}: {} waiting for {} since {}",
                     hang.call < calls.size() ? calls[hang.call].name : "a collective", hang.number, hang.comm_id_hash,
                     list_of(hang.present), list_of(hang.missing), format_duration(hang.waited_ns));
}

}  // namespace ingero::agent
