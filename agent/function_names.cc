// Joins names to the calls that they were passed to, whether both come in one batch or in different ones.
#include "agent/function_names.h"

#include <cstring>
#include <string>

#include "agent/collective_watch.h"

namespace ingero::agent {

// A name is read at the start of a call; the handle it names is in the call's own record, written when it ends. A name
// whose call was lost waits in vain: kMaxPending bounds those.
void FunctionNames::join(EventBatch& batch) {
  for (const wire_name& name : batch.records.names) {
    if (pending_.size() >= kMaxPending) {
      ledger_.add(hal::Loss::name_table_full, pending_.size());
      pending_.clear();
    }
    pending_[{name.tid, name.start_ns}] = name;
  }
  if (pending_.empty()) return;
  for (auto& [index, exchange] : batch.records.exchanges) {
    const hal::Event& event = batch.records.events[index];
    const auto found = pending_.find({event.tid, event.start_mono_ns});
    if (found == pending_.end() || event.outcome == hal::Outcome::kInFlight) continue;
    CollectiveWatch::join_block(found->second, exchange);
    pending_.erase(found);
  }
  for (const hal::Event& event : batch.records.events) {
    if (event.kind != hal::Kind::kModule) continue;
    const auto found = pending_.find({event.tid, event.start_mono_ns});
    if (found == pending_.end() || event.outcome == hal::Outcome::kInFlight) continue;
    const wire_name& name = found->second;
    const uint64_t handle = event.has(hal::Has::kFunction) ? event.function : event.handle;
    if (handle != 0 && !event.failed) {
      const size_t length = strnlen(name.name, sizeof(name.name));
      if (length >= sizeof(name.name) - 1) ledger_.add(hal::Loss::name_truncated);
      batch.names.push_back({event.pid, handle, std::string(name.name, length)});
    }
    pending_.erase(found);
  }
}

void FunctionNames::name_launched(const EventBatch& batch, StackTable& stacks) {
  for (const FunctionName& name : batch.names) {
    if (registered_.size() >= kMaxRegistered) registered_.clear();
    registered_.insert({name.pid, name.handle});
  }
  for (const hal::Event& event : batch.records.events) {
    if (event.kind != hal::Kind::kLaunch || !event.has(hal::Has::kFunction)) continue;
    Function& slot = launched_[(event.function >> 4 ^ event.pid) % launched_.size()];
    if (slot == Function(event.pid, event.function)) continue;
    slot = {event.pid, event.function};
    if (registered_.insert(slot).second) stacks.name_function(event.pid, event.function);
  }
}

void FunctionNames::process_ended(uint32_t pid) {
  registered_.erase(registered_.lower_bound({pid, 0}), registered_.lower_bound({pid + 1, 0}));
  launched_.fill({});
}

}  // namespace ingero::agent
