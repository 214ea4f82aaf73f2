// Feeds batches to the windows of ranks, and decides when a window is complete.
#include "agent/window_feed.h"

#include <algorithm>

#include "agent/recorder.h"

namespace ingero::agent {

void WindowFeed::take(const EventBatch& batch) {
  for (const auto& [pid, start_mono_ns] : batch.ended) windows_.process_ended(pid, start_mono_ns);
  for (const hal::Process& process : batch.processes) windows_.know(process);
  for (const hal::Communicator& communicator : batch.communicators) windows_.know(communicator);
  const auto& records = batch.records;
  windows_.take(records.events, records.exchanges, batch.syncs, batch.wall_offset_ns);
  for (const hal::LostCalls& lost : batch.lost_calls) windows_.lost(lost.pid, lost.wall_ns);
  // All that ended before it is here; a busy ring never says so, and is not waited for.
  const uint64_t watermark_ns = batch.watermark_mono_ns + static_cast<uint64_t>(batch.wall_offset_ns);
  const uint64_t now_ns = clock_.wall_ns();
  const uint64_t late_ns = now_ns - std::min(now_ns, kMaxWaitNs);
  give(windows_.advance(batch.watermark_mono_ns == 0 ? late_ns : std::max(watermark_ns, late_ns)));
  count_losses();
}

void WindowFeed::finish() {
  give(windows_.finish());
  count_losses();
}

void WindowFeed::give(std::vector<correlate::RankWindow> windows) {
  if (!windows.empty()) give_(std::move(windows));
}

void WindowFeed::lose(hal::Loss loss, uint64_t count) {
  Recorder* recorder = recorder_;
  if (count > 0 && recorder != nullptr) recorder->add_loss(loss, count);
}

void WindowFeed::count_losses() {
  if (recorder_ == nullptr) return;
  const uint64_t unknown = ledger_.count(hal::Loss::fleet_unknown);
  const uint64_t forgotten = ledger_.count(hal::Loss::fleet_forgotten);
  lose(hal::Loss::fleet_unknown, unknown - std::exchange(unknown_, unknown));
  lose(hal::Loss::fleet_forgotten, forgotten - std::exchange(forgotten_, forgotten));
}

void WindowFeed::lose_dropped(uint64_t points) { lose(hal::Loss::fleet_dropped, points); }
void WindowFeed::lose_refused(uint64_t points) { lose(hal::Loss::fleet_refused, points); }

}  // namespace ingero::agent
