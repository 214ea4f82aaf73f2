// Matches synchronisations with the launches before them, and ranks of one collective, to draw arrows between slices.
#include "serve/perfetto/flows.h"

#include "base/hash.h"

namespace ingero::serve::perfetto {
namespace {

// Ids of launches are their rows' numbers; those of collectives have one more bit.
constexpr uint64_t kCollectiveBit = uint64_t{1} << 63;

bool is_launch(const RecordedCall& call) {
  return call.kind == hal::Kind::kLaunch ||
         (call.kind == hal::Kind::kGraph && call.name.find("GraphLaunch") != std::string::npos);
}

bool is_mark(const RecordedCall& call) {
  return call.kind == hal::Kind::kEvent && call.name.find("EventRecord") != std::string::npos;
}

}  // namespace

void Flows::cover(std::deque<Launch>& pending, uint64_t up_to, std::optional<int64_t> device) {
  while (!pending.empty() && pending.front().number <= up_to) {
    const Launch& launch = pending.front();
    if (device && launch.device && *device != *launch.device) break;  // a stream is of one device
    flows_.push_back({static_cast<uint64_t>(launch.seq), Flow::Part::kEnd});
    pending.pop_front();
  }
}

const std::vector<Flow>& Flows::of_call(const RecordedEvent& event, size_t process_index) {
  flows_.clear();
  if (event[Number::kParent]) return flows_;
  const auto stream = event[Number::kStream];
  if (is_launch(*event.call)) {
    Process& process = processes_[process_index];
    if (!stream || event.failed || (process.streams.size() >= kMaxStreams && !process.streams.contains(*stream))) {
      return flows_;
    }
    auto& pending = process.streams[*stream];
    if (pending.size() == kMaxPending) pending.pop_front();
    pending.push_back({++process.launches, event.seq, event[Number::kDevice]});
    flows_.push_back({static_cast<uint64_t>(event.seq), Flow::Part::kStart});
    return flows_;
  }
  const bool is_sync = event.call->kind == hal::Kind::kSync;
  if (!is_sync && !is_mark(*event.call)) return flows_;
  const auto found = processes_.find(process_index);
  if (found == processes_.end() || event.failed) return flows_;
  Process& process = found->second;
  const auto handle = event[Number::kHandle];
  if (!is_sync) {
    if (handle && stream && (process.marks.size() < kMaxMarks || process.marks.contains(*handle))) {
      process.marks[*handle] = {*stream, process.launches};
    }
    return flows_;
  }
  if (stream) {
    const auto pending = process.streams.find(*stream);
    if (pending != process.streams.end()) cover(pending->second, process.launches, {});
  } else if (handle) {
    const auto mark = process.marks.find(*handle);
    if (mark == process.marks.end()) return flows_;
    const auto pending = process.streams.find(mark->second.stream);
    if (pending != process.streams.end()) cover(pending->second, mark->second.launches, {});
  } else {
    for (auto& [of, pending] : process.streams) cover(pending, process.launches, event[Number::kDevice]);
  }
  return flows_;
}

const std::vector<Flow>& Flows::of_collective(const RecordedEvent& event) {
  flows_.clear();
  if (!event[Number::kHash] || !event[Number::kSequence]) return flows_;
  const Collective key{*event[Number::kHash], *event[Number::kSequence]};
  const auto [found, is_first] = ranks_.try_emplace(key, 0);
  if (is_first) {
    order_.push_back(key);
    if (order_.size() > kMaxCollectives) {
      ranks_.erase(order_.front());
      order_.pop_front();
    }
  }
  const uint64_t id = Fnv1a().add(static_cast<uint64_t>(key.hash)).add(static_cast<uint64_t>(key.sequence)).value();
  flows_.push_back({id | kCollectiveBit, is_first ? Flow::Part::kStart : Flow::Part::kStep});
  return flows_;
}

}  // namespace ingero::serve::perfetto
