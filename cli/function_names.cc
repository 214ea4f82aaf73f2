// Names join the calls that they were given to, in whichever parcel those come.
#include "cli/function_names.h"

#include <cstring>
#include <string>

#include "cli/collective_watch.h"

namespace ingero::cli {

// A name is read at the start of a call; the handle it names is in the call's own record, written when it ends. A name
// whose call was lost waits in vain: kMostPending bounds those.
void FunctionNames::join(Parcel& parcel) {
  for (const wire_name& name : parcel.records.names) {
    if (pending_.size() >= kMostPending) {
      ledger_.add(hal::Loss::name_table_full, pending_.size());
      pending_.clear();
    }
    pending_[{name.tid, name.start_ns}] = name;
  }
  if (pending_.empty()) return;
  for (auto& [index, exchange] : parcel.records.exchanges) {
    const hal::Event& event = parcel.records.events[index];
    const auto found = pending_.find({event.tid, event.start_mono_ns});
    if (found == pending_.end() || event.outcome == hal::Outcome::kInFlight) continue;
    CollectiveWatch::join_block(found->second, exchange);
    pending_.erase(found);
  }
  for (const hal::Event& event : parcel.records.events) {
    if (event.kind != hal::Kind::kModule) continue;
    const auto found = pending_.find({event.tid, event.start_mono_ns});
    if (found == pending_.end() || event.outcome == hal::Outcome::kInFlight) continue;
    const wire_name& name = found->second;
    const uint64_t handle = event.has(hal::Has::kFunction) ? event.function : event.handle;
    if (handle != 0 && !event.failed) {
      const size_t length = strnlen(name.name, sizeof(name.name));
      if (length >= sizeof(name.name) - 1) ledger_.add(hal::Loss::name_truncated);
      parcel.names.push_back({event.pid, handle, std::string(name.name, length)});
    }
    pending_.erase(found);
  }
}

void FunctionNames::name_launched(const Parcel& parcel, StackBook& stacks) {
  for (const FunctionName& name : parcel.names) {
    if (registered_.size() >= kMostRegistered) registered_.clear();
    registered_.insert({name.pid, name.handle});
  }
  for (const hal::Event& event : parcel.records.events) {
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

}  // namespace ingero::cli
