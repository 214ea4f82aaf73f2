// Reads a process's rank at its first call and again at its first communicator, when a worker must know it.
#include "agent/rank_watch.h"

#include <algorithm>

#include "agent/live_environment.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxRankProcesses = 65536;

}  // namespace

void RankWatch::forget(uint32_t pid) {
  have_called_.erase(pid);
  if (last_ == pid) last_ = 0;
}

void RankWatch::take(std::span<const hal::Event> events, std::span<const uint32_t> made, const Traced& traced,
                     std::vector<hal::Process>& changed) {
  std::vector<uint32_t> looked_at;
  const auto look = [&](uint32_t pid) {
    hal::Process* process = traced(pid);
    if (process == nullptr) return false;
    if (update_ranks(foreign_, proc_, *process)) changed.push_back(*process);
    looked_at.push_back(pid);
    return true;
  };
  for (const hal::Event& event : events) {
    if (event.pid == last_ || event.kind == hal::Kind::kHost) continue;
    if (!have_called_.contains(event.pid)) {
      if (!look(event.pid)) continue;  // not known yet: with its next call
      if (have_called_.size() >= kMaxRankProcesses) have_called_.clear();
      have_called_.insert(event.pid);
    }
    last_ = event.pid;
  }
  for (const uint32_t pid : made) {
    if (std::find(looked_at.begin(), looked_at.end(), pid) == looked_at.end()) look(pid);
  }
}

}  // namespace ingero::agent
