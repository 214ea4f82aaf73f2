// Reads a process's rank at its first call and again at its first communicator, when a worker must know it.
#include "agent/rank_watch.h"

#include <algorithm>

#include "agent/live_environment.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxRankProcesses = 65536;
constexpr uint64_t kMaxTurnNs = 5'000'000;  // the rings fill meanwhile

}  // namespace

void RankWatch::forget(uint32_t pid) {
  have_called_.erase(pid);
  if (last_ == pid) last_ = 0;
}

void RankWatch::take(std::span<const hal::Event> events, std::span<const uint32_t> made, const Traced& traced,
                     std::vector<hal::Process>& changed) {
  for (const hal::Event& event : events) {
    if (event.pid == last_ || event.kind == hal::Kind::kHost) continue;
    if (!have_called_.contains(event.pid)) {
      // Not known yet, or too many wait: with its next call.
      if (traced(event.pid) == nullptr || wanted_.size() >= kMaxRankProcesses) continue;
      if (have_called_.size() >= kMaxRankProcesses) have_called_.clear();
      have_called_.insert(event.pid);
      wanted_.push_back(event.pid);
    }
    last_ = event.pid;
  }
  for (const uint32_t pid : made) {
    const bool is_wanted = std::ranges::find(wanted_, pid) != wanted_.end();
    if (!is_wanted && wanted_.size() < kMaxRankProcesses) wanted_.push_back(pid);
  }
  if (wanted_.empty()) return;
  const uint64_t until_ns = clock_.mono_ns() + kMaxTurnNs;
  do {
    hal::Process* process = traced(wanted_.front());
    wanted_.pop_front();
    if (process != nullptr && update_ranks(foreign_, proc_, *process)) changed.push_back(*process);
  } while (!wanted_.empty() && clock_.mono_ns() < until_ns);
}

}  // namespace ingero::agent
