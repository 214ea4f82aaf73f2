// Bounds when a device had work, from what programs know of it.
#include "correlate/device_time.h"

#include <algorithm>
#include <bit>

namespace ingero::correlate {
namespace {

using hal::Kind;

bool waits_for_device(const CallFacts& facts) {
  if (facts.frees) return true;
  const auto has = [&](std::string_view part) { return facts.name.find(part) != std::string::npos; };
  return has("Synchronize") && (has("Device") || has("Ctx") || has("Thread"));
}

// An "asynchronous" copy from or to pageable memory: the call goes through a buffer of the library, piece by piece, and
// takes time by the byte; from pinned memory it returns at once, whatever the size (docs/rules.md).
bool is_staged(const BudgetCall& call, const CallFacts& facts) {
  if (facts.kind != Kind::kMemcpy || call.direction == hal::Direction::kDeviceToDevice) return false;
  const uint64_t length = call.end_ns - call.start_ns;
  return call.bytes > DeviceTime::kSmallCopyBytes && length >= DeviceTime::kStagedNs &&
         static_cast<double>(call.bytes) <= DeviceTime::kFastestStaging * static_cast<double>(length) &&
         static_cast<double>(call.bytes) >= DeviceTime::kSlowestLink * static_cast<double>(length);
}

// It submits, and waits for nothing but room in its queue.
bool is_prompt(const BudgetCall& call, const CallFacts& facts) {
  const bool stays =
      facts.kind == Kind::kMemset || (facts.kind == Kind::kMemcpy && call.direction == hal::Direction::kDeviceToDevice);
  return facts.prompt || (stays && facts.async);
}

bool is_copy(const BudgetCall& call, const CallFacts& facts) {
  return (facts.kind == Kind::kMemcpy || facts.kind == Kind::kMemset) && call.bytes > 0;
}

Streams::Key key_of(const BudgetCall& call) {
  return Streams::key_of(call.stream, call.tid, call.is_per_thread, call.device_ref);
}

bool is_collective(const CallFacts& facts) { return facts.kind == Kind::kCollective || facts.kind == Kind::kP2p; }

}  // namespace

void DeviceTime::begin_unknown(uint64_t mono_ns) {
  attached_ns_ = mono_ns;
  all_.begin_unknown(mono_ns);
}

// (D12) What was so far is the first one's.
void DeviceTime::distinguish(uint32_t device_ref) {
  if (device_ref == 0 || device_ref == first_device_ref_) return;
  if (first_device_ref_ == 0) {
    first_device_ref_ = device_ref;
    return;
  }
  if (devices_.empty()) devices_.emplace(first_device_ref_, all_);
  if (devices_.size() >= kMaxDevices) return;
  const auto [at, is_new] = devices_.try_emplace(device_ref);
  if (is_new && attached_ns_) at->second.begin_unknown(*attached_ns_);
}

DeviceTimeline* DeviceTime::line_of(uint32_t device_ref) {
  const auto found = devices_.find(device_ref);
  return found == devices_.end() ? nullptr : &found->second;
}

void DeviceTime::add_alive(uint32_t device_ref, DeviceTimeline::Span span) {
  all_.add_alive(span);
  for (auto& [ref, line] : devices_) {
    if (device_ref == 0 || ref == device_ref) line.add_alive(span);
  }
}

void DeviceTime::add_busy(uint32_t device_ref, DeviceTimeline::Span span) {
  all_.add_busy(span);
  if (DeviceTimeline* line = line_of(device_ref)) line->add_busy(span);
}

void DeviceTime::add_copy(uint32_t device_ref, DeviceTimeline::Span span) {
  all_.add_copy(span);
  if (DeviceTimeline* line = line_of(device_ref)) line->add_copy(span);
}

void DeviceTime::end_unknown(uint32_t device_ref, uint64_t mono_ns) {
  bool is_left = false;
  for (auto& [ref, line] : devices_) {
    if (device_ref == 0 || ref == device_ref) line.end_unknown(mono_ns);
    is_left |= line.unknown_since().has_value();
  }
  if (!is_left) all_.end_unknown(mono_ns);
}

void DeviceTime::submit(const BudgetCall& call, bool is_input) {
  distinguish(call.device_ref);
  last_length_ns_ = call.end_ns - call.start_ns;
  if (!all_.submit(call.start_ns, call.tid, is_input)) ledger_.add(hal::Loss::budget_forgotten);
  for (auto& [ref, line] : devices_) {
    if (call.device_ref == 0 || ref == call.device_ref) line.submit(call.start_ns, call.tid, is_input);
  }
}

// Before the call is put among what is outstanding: whether all of it, and the call, are copies with a known end (D5).
void DeviceTime::bound(const BudgetCall& call, const CallFacts& facts) {
  const bool is_first = outstanding_.empty() && !is_unknown();
  if (copied_ns_ && *copied_ns_ < call.start_ns && !is_first) {
    // Everything so far was over before this came.
    for (auto& [key, parts] : outstanding_) {
      for (Part& part : parts) {
        add_alive(part.device_ref, {part.first_start_ns, std::max(part.first_start_ns, *copied_ns_)});
        part.first_start_ns = call.start_ns;
      }
    }
  }
  if (!is_copy(call, facts) || slowest_link_ == 0 || (!is_first && !copied_ns_)) {
    copied_ns_.reset();
    return;
  }
  const uint64_t begins = is_first ? call.end_ns : std::max(*copied_ns_, call.end_ns);
  copied_ns_ = begins + longest_copy_ns(call.bytes);
}

// (D5) Where a link is assumed.
uint64_t DeviceTime::longest_copy_ns(uint64_t bytes) const {
  return kCopyStartNs + static_cast<uint64_t>(static_cast<double>(bytes) / slowest_link_);
}

uint64_t DeviceTime::done_by(uint64_t complete_ns) const {
  return copied_ns_ ? std::min(complete_ns, *copied_ns_) : complete_ns;
}

void DeviceTime::put(const BudgetCall& call, const CallFacts& facts) {
  bound(call, facts);
  const auto key = key_of(call);
  const auto place = streams_.put(key, call.device_ref, ledger_);
  if (!place) return;
  std::deque<Part>& parts = outstanding_[key];
  ++outstanding_submissions_;
  if (parts.empty() || parts.back().number != place->number) {
    if (parts.size() >= kMaxParts) {  // the two oldest become one: covered later than it might be
      parts[1].first_start_ns = std::min(parts[0].first_start_ns, parts[1].first_start_ns);
      parts[1].only_collectives &= parts[0].only_collectives;
      parts[1].only_copies &= parts[0].only_copies;
      parts[1].bytes += parts[0].bytes;
      parts[1].submissions += parts[0].submissions;
      parts.pop_front();
    }
    parts.push_back({place->number, call.start_ns, call.end_ns, call.tid, call.device_ref});
  }
  Part& part = parts.back();
  part.first_start_ns = std::min(part.first_start_ns, call.start_ns);
  part.last_end_ns = std::max(part.last_end_ns, call.end_ns);
  if (part.tid != call.tid) part.tid = 0;
  if (part.device_ref == 0) part.device_ref = call.device_ref;
  ++part.submissions;
  part.bytes += call.bytes;
  part.only_collectives &= is_collective(facts);
  part.only_copies &= is_copy(call, facts);
}

DeviceTime::Covered DeviceTime::cover(Streams::Reach reach, const BudgetCall& wait, uint64_t complete_ns) {
  Covered found;
  for (auto& [key, number] : reach) {
    const auto known = outstanding_.find(key);
    if (known == outstanding_.end()) continue;
    std::deque<Part>& parts = known->second;
    while (!parts.empty() && parts.front().number <= number) {
      const Part& part = parts.front();
      if (part.last_end_ns > wait.start_ns && part.tid != wait.tid) {
        // Put there by another thread while this one waited: whether it is covered is not known (D1).
        number = part.number - 1;
        streams_.close(key);
        break;
      }
      add_alive(part.device_ref, {part.first_start_ns, std::max(part.first_start_ns, done_by(complete_ns))});
      found.device_ref = !found.any || found.device_ref == part.device_ref ? part.device_ref : 0;
      found.any = true;
      found.only_collectives &= part.only_collectives;
      found.last_end_ns = std::max(found.last_end_ns, part.last_end_ns);
      outstanding_submissions_ -= std::min<size_t>(outstanding_submissions_, part.submissions);
      parts.pop_front();
    }
    for (const Part& part : parts) found.left += part.submissions;
    if (parts.empty()) outstanding_.erase(known);
  }
  streams_.cover(reach);
  if (found.any) cover_copies(complete_ns);
  if (outstanding_.empty()) copied_ns_.reset();
  return found;
}

// (D3) Where only copies are left that must be over.
void DeviceTime::cover_copies(uint64_t complete_ns) {
  const auto is_over = [&](const Part& part) {
    return part.only_copies && part.last_end_ns + longest_copy_ns(part.bytes) <= complete_ns;
  };
  if (slowest_link_ == 0) return;
  for (const auto& [key, parts] : outstanding_) {
    if (!std::all_of(parts.begin(), parts.end(), is_over)) return;
  }
  Streams::Reach reach;
  for (const auto& [key, parts] : outstanding_) {
    for (const Part& part : parts) add_alive(part.device_ref, {part.first_start_ns, done_by(complete_ns)});
    reach[key] = parts.back().number;
  }
  streams_.cover(reach);
  outstanding_.clear();
  outstanding_submissions_ = 0;
}

// Whether a copy on that stream may have to wait: the default stream does for those of all others.
bool DeviceTime::is_behind_work(const Streams::Key& key, const Streams::Reach& reach) const {
  if (is_unknown()) return true;
  if (key.is_default()) {
    return std::any_of(outstanding_.begin(), outstanding_.end(), [&](const auto& one) {
      const uint32_t device_ref = one.second.front().device_ref;
      return device_ref == key.device_ref || device_ref == 0 || key.device_ref == 0;
    });
  }
  return std::any_of(reach.begin(), reach.end(), [&](const auto& one) {
    const auto known = outstanding_.find(one.first);
    return known != outstanding_.end() && known->second.front().number <= one.second;
  });
}

// (D10)
DeviceTime::CopyParts DeviceTime::parts_of_copy(const BudgetCall& call, bool is_async, bool is_behind) {
  const uint64_t length = std::max<uint64_t>(1, call.end_ns - call.start_ns);
  const auto bytes = static_cast<double>(std::max<uint64_t>(1, call.bytes));
  Rate& rate = rates_[{call.direction, is_async}];
  if (call.bytes >= kSmallCopyBytes) {
    rate.best = std::max(rate.best, bytes / static_cast<double>(length));
    if (!is_behind && rate.alone < kEnoughAlone) ++rate.alone;
  }
  uint64_t longest = length, shortest = std::min(length, static_cast<uint64_t>(bytes / kFastestStaging));
  if (slowest_link_ > 0) longest = std::min(length, longest_copy_ns(call.bytes));  // (D5)
  if (rate.alone >= kEnoughAlone) {
    shortest = std::min(longest, static_cast<uint64_t>(bytes / rate.best));
    longest = shortest;
  }
  return {call.end_ns - longest, call.end_ns - shortest};
}

CallSpan DeviceTime::copy(const BudgetCall& call, const CallFacts& facts) {
  CallSpan span{call.start_ns, call.end_ns, 0, CallUse::kBlockingCopy};
  const bool from_device = call.direction == hal::Direction::kDeviceToHost;
  const bool to_device = call.direction == hal::Direction::kHostToDevice;
  submit(call, to_device);
  const bool is_covering = from_device || (to_device && call.bytes > kSmallCopyBytes);
  if (!is_covering) {
    put(call, facts);
    return span;
  }
  const auto key = key_of(call);
  Streams::Reach reach = streams_.reach_of(key);
  const bool is_behind = is_behind_work(key, reach);
  const CopyParts parts = parts_of_copy(call, false, is_behind);
  add_copy(call.device_ref, {call.start_ns, call.end_ns});
  if (is_behind) span.copies_from_ns = parts.copies_from_ns;
  // Earlier work of the stream ended before the copy began; when exactly is known as well as the rate is. The copy goes
  // on until its end, so nothing is called idle by this.
  const Covered covered = cover(std::move(reach), call, parts.copies_from_ns);
  if (!covered.any) return span;
  const uint64_t until = parts.waits_until_ns;
  span.device_until_ns = until;
  const uint64_t busy_until = until - std::min(until, ThreadTime::kReturnNs);
  if (until >= call.start_ns + ThreadTime::kShortestWaitNs && busy_until > covered.last_end_ns) {
    add_busy(covered.device_ref, {covered.last_end_ns, busy_until});
  }
  return span;
}

std::optional<Streams::Reach> DeviceTime::reach_of(const BudgetCall& call, bool& is_device_wide) const {
  is_device_wide = false;
  if (call.handle && !call.stream) {
    const Streams::Mark* mark = streams_.find_mark(*call.handle);
    return mark == nullptr ? std::nullopt : std::optional(mark->reach);
  }
  if (call.stream) return streams_.reach_of(key_of(call));
  is_device_wide = true;
  std::optional<Streams::Key> only;
  return streams_.reach_of_device(call.device_ref, only);
}

// Where synchronisations sleep until work is done, one that never left the CPU may have found everything done: how long
// it took says nothing.
WaitEvidence DeviceTime::evidence(const BudgetCall& call, const ThreadTime& thread) {
  WaitEvidence found = thread.evidence(call.start_ns, call.end_ns);
  if (found.has_slept) sleepers_.insert(call.tid);
  const bool is_short = !found.has_left_cpu && call.end_ns - call.start_ns < kSpinsFirstNs;
  if (is_short && sleepers_.contains(call.tid)) found.has_waited = false;
  return found;
}

CallSpan DeviceTime::wait(const BudgetCall& call, const CallFacts& facts, const ThreadTime& thread) {
  CallSpan span{call.start_ns, call.end_ns, 0, CallUse::kSync};
  bool is_device_wide = false;
  auto reach = reach_of(call, is_device_wide);
  WaitEvidence seen = evidence(call, thread);
  const Fetch* fetch = reach && !seen.has_waited ? fetch_before(call, *reach) : nullptr;
  if (fetch != nullptr) {
    const WaitEvidence before = thread.evidence(fetch->start_ns, fetch->end_ns);
    seen.has_waited = before.has_waited;
    seen.busy_until_ns = before.busy_until_ns;
  }
  // (D1) A wait for events that were not recorded, or for writes of others, names neither stream nor marker as well.
  names_nothing_ = is_device_wide && !waits_for_device(facts);
  if (names_nothing_) return span;
  if (is_device_wide && is_unknown()) end_unknown(call.device_ref, seen.complete_ns);
  if (!reach) return span;
  const std::optional<uint64_t> copied = copied_ns_;
  const Covered covered = cover(std::move(*reach), call, seen.complete_ns);
  queued_behind_ = covered.left;
  if (!covered.any) return span;
  if (covered.only_collectives) span.use = CallUse::kCollectiveSync;
  const uint64_t last_submitted_ns = fetch != nullptr ? fetch->start_ns : covered.last_end_ns;
  const uint64_t length_ns = call.end_ns - call.start_ns;
  const uint64_t since_ns = call.start_ns - std::min(call.start_ns, last_submitted_ns);
  if (fetch == nullptr && length_ns < kDoubtfulNs && since_ns > kFarParts * (length_ns + ThreadTime::kShortestWaitNs))
    seen.has_waited = false;                        // (D8)
  if (facts.frees && !seen.has_slept) return span;  // (D9)
  if (seen.has_waited && seen.busy_until_ns > last_submitted_ns) {
    if (copied && seen.busy_until_ns > *copied) {
      slowest_link_ = slowest_link_ > kSlowestLink ? kSlowestLink : 0;
      is_link_doubted_ = true;
    }
    add_busy(covered.device_ref, {last_submitted_ns, seen.busy_until_ns});
  }
  return span;
}

// (D7) Bytes for the host, as of item() or cpu(), asynchronously: into pageable memory the call itself waits for the
// copy and so for all that its stream had before; into pinned memory it returns at once.
bool DeviceTime::is_fetch(const BudgetCall& call, const CallFacts& facts) {
  const uint64_t length = call.end_ns - call.start_ns;
  if (facts.kind != Kind::kMemcpy || !facts.async || call.direction != hal::Direction::kDeviceToHost) return false;
  if (call.bytes == 0 || length < ThreadTime::kShortestWaitNs) return false;
  // Longer than any link takes for it.
  return call.bytes <= kSmallCopyBytes || static_cast<double>(call.bytes) < kSlowestLink * static_cast<double>(length);
}

void DeviceTime::note_habit(const BudgetCall& call, const CallFacts& facts) {
  constexpr uint64_t kOfMean = 16;
  const uint64_t length = call.end_ns - call.start_ns;
  if (facts.kind == Kind::kLaunch) {
    usual_launch_ns_ = usual_launch_ns_ == 0 ? length : (usual_launch_ns_ * (kOfMean - 1) + length) / kOfMean;
  }
  const bool is_small_fetch = facts.kind == Kind::kMemcpy && facts.async && call.bytes > 0 &&
                              call.bytes <= kSmallCopyBytes && call.direction == hal::Direction::kDeviceToHost;
  if (!is_small_fetch || usual_launch_ns_ == 0) return;
  const bool is_slow = length >= ThreadTime::kShortestWaitNs && length >= kSlowParts * usual_launch_ns_;
  slow_fetches_ = slow_fetches_ << 1 | (is_slow ? 1 : 0);
  ++fetches_seen_;
}

bool DeviceTime::fetches_wait() const {
  return fetches_seen_ >= kFetches && std::popcount(slow_fetches_) >= kSlowFetches;
}

CallSpan DeviceTime::fetch(const BudgetCall& call, const CallFacts& facts, const ThreadTime& thread) {
  // One that was interrupted or preempted, slept for a lock, or waited for room in the queue, as the submission before
  // it did, is known to have waited for the device only with the synchronisation behind it.
  const bool is_long = call.end_ns - call.start_ns >= kLongFetchNs;
  const bool may_be_full = outstanding_submissions_ >= kQueueFull && last_length_ns_ >= ThreadTime::kShortestWaitNs;
  submit(call, false);
  put(call, facts);
  const bool is_uninterrupted = is_long && !thread.evidence(call.start_ns, call.end_ns).has_left_cpu;
  if (!may_be_full && (is_uninterrupted || fetches_wait())) {
    return wait_for_own(call, thread);
  }
  if (fetches_.size() >= kMaxFetches) fetches_.clear();  // threads that have ended; others fetch again
  fetches_[call.tid] = {key_of(call), call.start_ns, call.end_ns};
  return {call.start_ns, call.end_ns, 0, CallUse::kSync};
}

// The copy that the thread waited in before it synchronised its stream and found all done.
const DeviceTime::Fetch* DeviceTime::fetch_before(const BudgetCall& wait, const Streams::Reach& reach) const {
  const auto found = fetches_.find(wait.tid);
  if (found == fetches_.end() || !reach.contains(found->second.key)) return nullptr;
  const Fetch& fetch = found->second;
  return wait.start_ns >= fetch.end_ns && wait.start_ns - fetch.end_ns < kSoonNs ? &fetch : nullptr;
}

// What waits for its own work, and so for all that its stream had before: a copy of a few bytes for the host, as of
// item(), which takes no time itself; a launch where launches block.
CallSpan DeviceTime::wait_for_own(const BudgetCall& call, const ThreadTime& thread) {
  CallSpan span{call.start_ns, call.end_ns, 0, CallUse::kSync};
  const auto key = key_of(call);
  const WaitEvidence seen = evidence(call, thread);
  const Covered covered = cover(streams_.reach_of(key), call, seen.complete_ns);
  if (covered.any && seen.has_waited && seen.busy_until_ns > call.start_ns) {
    add_busy(covered.device_ref, {call.start_ns, seen.busy_until_ns});
  }
  return span;
}

void DeviceTime::query(const BudgetCall& call) {
  bool is_device_wide = false;
  auto reach = reach_of(call, is_device_wide);
  if (!reach || is_device_wide) return;
  if (call.is_zero) {
    cover(std::move(*reach), call, call.end_ns);
    return;
  }
  uint64_t last_end = 0;
  uint32_t device_ref = 0;
  for (const auto& [key, number] : *reach) {
    const auto known = outstanding_.find(key);
    if (known == outstanding_.end()) continue;
    for (const Part& part : known->second) {
      if (part.number > number || part.last_end_ns > call.start_ns) continue;
      device_ref = last_end == 0 || device_ref == part.device_ref ? part.device_ref : 0;
      last_end = std::max(last_end, part.last_end_ns);
    }
  }
  // "Not ready": something of it was there when it was asked for.
  if (last_end != 0 && last_end < call.start_ns) add_busy(device_ref, {last_end, call.start_ns});
}

CallSpan DeviceTime::add(const BudgetCall& call, const CallFacts& facts, const ThreadTime& thread) {
  CallSpan span{call.start_ns, call.end_ns, 0, CallUse::kOther};
  queued_behind_ = 0;
  names_nothing_ = false;
  if (is_work(facts)) {
    const bool is_blocking_copy = facts.kind == Kind::kMemcpy && !facts.async &&
                                  (facts.synchronising || call.direction == hal::Direction::kDeviceToHost);
    span.use = is_blocking_copy ? CallUse::kBlockingCopy : CallUse::kSubmit;
    if (call.failed) return span;
    note_habit(call, facts);
    if (call.stream && facts.graph != GraphStep::kLaunch && lists_.contains(*call.stream)) return span;
    const bool is_scalar = call.direction == hal::Direction::kDeviceToHost && call.bytes <= kScalarBytes;
    if (is_blocking_copy && is_scalar) {
      submit(call, false);
      put(call, facts);
      return wait_for_own(call, thread);
    }
    if (is_blocking_copy) return copy(call, facts);
    if (is_fetch(call, facts)) return fetch(call, facts, thread);
    if (launches_block_ && facts.kind == Kind::kLaunch) {
      submit(call, false);
      put(call, facts);
      (void)wait_for_own(call, thread);
      span.use = CallUse::kBlockingSubmit;
      return span;
    }
    const bool is_full =
        outstanding_submissions_ >= kQueueFull && call.end_ns - call.start_ns >= kQueueFullNs && is_prompt(call, facts);
    if (is_full) span.use = CallUse::kQueueFull;
    submit(call, facts.kind == Kind::kMemcpy && call.direction == hal::Direction::kHostToDevice);
    if (is_full || !is_staged(call, facts)) {
      put(call, facts);
      return span;
    }
    span.use = CallUse::kBlockingCopy;
    if (call.direction == hal::Direction::kDeviceToHost) {  // it returns when it is done, as what it is behind is
      const auto key = key_of(call);
      const bool is_behind = is_behind_work(key, streams_.reach_of(key));
      const CopyParts parts = parts_of_copy(call, true, is_behind);
      if (is_behind) span.copies_from_ns = parts.copies_from_ns;
      if (is_behind && parts.waits_until_ns >= call.start_ns + ThreadTime::kShortestWaitNs) {
        span.device_until_ns = parts.waits_until_ns;
      }
    }
    BudgetCall rest = call;  // what the device still has to do when the call returns
    if (outstanding_.empty() && !is_unknown()) {
      add_copy(call.device_ref, {call.start_ns, call.end_ns});
      rest.start_ns = call.end_ns;
    }
    put(rest, facts);
    return span;
  }
  if (facts.kind == Kind::kSync) {
    span.use = CallUse::kSync;
    return call.failed || !call.is_zero ? span : wait(call, facts, thread);
  }
  const bool is_long = call.end_ns - call.start_ns >= kLongFreeNs;
  if (facts.frees && is_long && !call.failed && !outstanding_.empty()) return wait(call, facts, thread);
  if (facts.kind == Kind::kAlloc || facts.kind == Kind::kFree) {
    span.use = CallUse::kAllocate;
  } else if (facts.polled && (facts.kind == Kind::kStream || facts.kind == Kind::kEvent)) {
    if (!call.failed || !call.is_zero) query(call);
  } else if (facts.graph == GraphStep::kBegin || facts.graph == GraphStep::kEnd) {
    streams_.capture(key_of(call), facts.graph == GraphStep::kBegin, ledger_);
  } else if (facts.kind == Kind::kEvent) {
    if (facts.marks_stream) span.use = CallUse::kSubmit;
    if (facts.marks_stream && call.handle) streams_.mark(key_of(call), *call.handle, ledger_);
    if (facts.awaits_mark && call.handle) streams_.await_mark(key_of(call), *call.handle, ledger_);
  } else if (facts.begins_list && call.stream) {
    begin_list(*call.stream, key_of(call));
  } else if (facts.stream_begins_or_ends && call.stream) {
    lists_.erase(*call.stream);
    streams_.erase(key_of(call));
  }
  return span;
}

// (D11) What was put on it before it was known to be a list is not outstanding.
void DeviceTime::begin_list(uint64_t handle, const Streams::Key& key) {
  if (lists_.size() >= kMaxLists) lists_.clear();  // those that go on are closed again
  lists_.insert(handle);
  const auto known = outstanding_.find(key);
  if (known == outstanding_.end()) return;
  for (const Part& part : known->second) {
    outstanding_submissions_ -= std::min<size_t>(outstanding_submissions_, part.submissions);
  }
  streams_.cover({{key, known->second.back().number}});
  outstanding_.erase(known);
  if (outstanding_.empty()) copied_ns_.reset();
}

// What nothing has waited for is taken as done after a while: unknown until then (D3).
void DeviceTime::give_up(uint64_t mono_ns) {
  if (attached_ns_ && *attached_ns_ + kBeforeNs <= mono_ns) {
    end_unknown(0, *attached_ns_ + kBeforeNs);
    attached_ns_.reset();
  }
  if (mono_ns < kDrainedNs) return;
  const uint64_t before = mono_ns - kDrainedNs;
  for (auto at = outstanding_.begin(); at != outstanding_.end();) {
    std::deque<Part>& parts = at->second;
    uint64_t last = 0;
    while (!parts.empty() && parts.front().last_end_ns <= before) {
      const Part& part = parts.front();
      add_alive(part.device_ref, {part.first_start_ns, done_by(part.last_end_ns + kDrainedNs)});
      last = parts.front().number;
      outstanding_submissions_ -= std::min<size_t>(outstanding_submissions_, parts.front().submissions);
      parts.pop_front();
    }
    if (last != 0) streams_.cover({{at->first, last}});
    at = parts.empty() ? outstanding_.erase(at) : std::next(at);
  }
}

uint64_t DeviceTime::settle(uint64_t mono_ns, uint32_t device_ref) {
  give_up(mono_ns);
  uint64_t final_ns = std::min(mono_ns, line(device_ref).unknown_since().value_or(mono_ns));
  for (const DeviceTimeline::Span& one : open(device_ref, mono_ns)) final_ns = std::min(final_ns, one.from_ns);
  // Whatever comes to be known later of what is older than this comes too late.
  if (mono_ns > kDrainedNs) final_ns = std::max(final_ns, mono_ns - kDrainedNs);
  return final_ns;
}

std::vector<DeviceTimeline::Span> DeviceTime::open(uint32_t device_ref, uint64_t until_ns) const {
  std::vector<DeviceTimeline::Span> found;
  for (const auto& [key, parts] : outstanding_) {
    const Part& first = parts.front();
    if (device_ref != 0 && first.device_ref != 0 && first.device_ref != device_ref) continue;
    found.push_back({first.first_start_ns, std::max(first.first_start_ns, done_by(until_ns))});
  }
  return found;
}

std::vector<DeviceSegment> DeviceTime::take(uint64_t until_ns, uint32_t device_ref) {
  DeviceTimeline* own = line_of(device_ref);
  return (own != nullptr ? *own : all_).take(until_ns, open(device_ref, until_ns));
}

}  // namespace ingero::correlate
