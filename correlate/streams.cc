// Streams, markers and how far a wait reaches.
#include "correlate/streams.h"

#include <algorithm>

namespace ingero::correlate {

bool is_per_thread_symbol(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('@'));
  return symbol.ends_with("_ptsz") || symbol.ends_with("_ptds") || symbol.ends_with("_spt");
}

Streams::Key Streams::key_of(std::optional<uint64_t> stream, uint32_t tid, bool is_per_thread, uint32_t device_ref) {
  Key key;
  const bool is_default = !stream || *stream == 0;
  if (stream && *stream != kLegacyStream) key.stream = *stream;
  if (is_default && is_per_thread) key.stream = kPerThreadStream;
  if (key.stream == kPerThreadStream) key.tid = tid;
  if (key.is_default() || key.stream == kPerThreadStream) key.device_ref = device_ref;
  return key;
}

// The stream, and those that it may be where the device of one of them is not known.
std::vector<Streams::Key> Streams::same_as(const Key& key) const {
  std::vector<Key> found;
  const bool is_of_any = is_only_device(key.device_ref) && (key.is_default() || key.stream == kPerThreadStream);
  for (auto at = streams_.lower_bound({key.stream, key.tid, 0}); at != streams_.end(); ++at) {
    const Key& other = at->first;
    if (other.stream != key.stream || other.tid != key.tid) break;
    if (other == key || (is_of_any && (other.device_ref == 0 || key.device_ref == 0))) found.push_back(other);
  }
  return found;
}

Streams::Stream* Streams::stream_of(const Key& key, hal::LossLedger& ledger) {
  const auto known = streams_.find(key);
  if (known != streams_.end()) return &known->second;
  if (streams_.size() >= kMaxStreams) {
    ledger.add(hal::Loss::step_forgotten);
    return nullptr;
  }
  return &streams_[key];
}

std::optional<Streams::Part> Streams::put(const Key& key, uint32_t device_ref, hal::LossLedger& ledger) {
  Stream* stream = stream_of(key, ledger);
  if (stream == nullptr || stream->captured_for) return std::nullopt;
  if (device_ref != 0) {
    stream->device_ref = device_ref;
    has_several_devices_ |= only_device_ref_ != 0 && only_device_ref_ != device_ref;
    only_device_ref_ = device_ref;
  }
  Part part;
  part.is_new = std::exchange(stream->is_closed, false);
  if (part.is_new) ++stream->next_number;
  part.number = stream->next_number - 1;
  return part;
}

void Streams::mark(const Key& key, uint64_t handle, hal::LossLedger& ledger) {
  if (marks_.size() >= kMaxMarks && !marks_.contains(handle)) {
    marks_.clear();
    ledger.add(hal::Loss::step_forgotten);
  }
  const std::vector<Key> marked = same_as(key);
  if (marked.empty()) {
    marks_.erase(handle);  // nothing came before it
    return;
  }
  for (const Key& one : marked) close(one);
  const auto stream = streams_.find(key);
  marks_[handle] = {key, reach_of(key), stream == streams_.end() ? std::nullopt : stream->second.captured_for};
}

void Streams::await_mark(const Key& key, uint64_t handle, hal::LossLedger& ledger) {
  const auto mark = marks_.find(handle);
  if (mark == marks_.end()) return;
  Stream* stream = stream_of(key, ledger);
  if (stream == nullptr) return;
  for (const auto& [reached, number] : mark->second.reach) {
    uint64_t& known = stream->waits_for[reached];
    known = std::max(known, number);
  }
  if (mark->second.captured_for) stream->captured_for = mark->second.captured_for;
}

void Streams::capture(const Key& key, bool begins, hal::LossLedger& ledger) {
  if (begins) {
    if (Stream* stream = stream_of(key, ledger)) stream->captured_for = key;
    return;
  }
  for (auto& [other, stream] : streams_) {
    if (stream.captured_for == key) stream.captured_for.reset();
  }
}

void Streams::close(const Key& key) {
  const auto found = streams_.find(key);
  if (found != streams_.end()) found->second.is_closed = true;
}

Streams::Reach Streams::reach_of(const Key& key) const {
  Reach reach;
  for (const Key& one : same_as(key)) {
    const Stream& stream = streams_.at(one);
    for (const auto& [awaited, number] : stream.waits_for) reach[awaited] = std::max(reach[awaited], number);
    reach[one] = std::max(reach[one], stream.next_number - 1);
  }
  return reach;
}

const Streams::Mark* Streams::find_mark(uint64_t handle) const {
  const auto found = marks_.find(handle);
  return found == marks_.end() ? nullptr : &found->second;
}

Streams::Reach Streams::reach_of_device(uint32_t device_ref, std::optional<Key>& only) const {
  Reach reach;
  only.reset();
  for (const auto& [key, stream] : streams_) {
    const bool is_elsewhere = stream.device_ref != device_ref && !is_only_device(device_ref);
    if (stream.covered + 1 >= stream.next_number || is_elsewhere) continue;
    only = reach.empty() ? std::optional(key) : std::nullopt;
    reach[key] = stream.next_number - 1;
  }
  return reach;
}

void Streams::cover(const Reach& reach) {
  for (const auto& [reached, number] : reach) {
    const auto found = streams_.find(reached);
    if (found == streams_.end()) continue;
    Stream& stream = found->second;
    const uint64_t last = stream.next_number - 1;
    if (std::min(number, last) <= stream.covered) continue;
    stream.covered = std::min(number, last);
    if (stream.covered == last) stream.is_closed = true;
    std::erase_if(stream.waits_for, [&](const auto& one) {
      const auto other = reach.find(one.first);
      return other != reach.end() && other->second >= one.second;
    });
  }
}

}  // namespace ingero::correlate
