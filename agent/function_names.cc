// Joins names to the calls that they were passed to, whether both come in one batch or in different ones.
#include "agent/function_names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "agent/collective_watch.h"
#include "base/hash.h"

namespace ingero::agent {
namespace {

constexpr size_t kKept = WIRE_NAME_LEN - 1;  // of a name that is longer

}  // namespace

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
      const std::string_view text(name.name, strnlen(name.name, kKept));
      batch.names.push_back({event.pid, handle, std::string(text)});
      const Function function(event.pid, handle);
      cut_.erase(function);
      if (text.size() == kKept) {
        if (cut_.size() >= kMaxCut) {
          ledger_.add(hal::Loss::name_truncated, cut_.size());
          cut_.clear();
        }
        cut_[function] = {name.address, fnv1a(text)};
        last_launched(function) = {};
      }
    }
    pending_.erase(found);
  }
}

// None: it cannot be read, or has no end.
std::optional<std::string> FunctionNames::whole_name(uint32_t pid, const Cut& cut) const {
  constexpr size_t kPiece = 512, kPage = 4096;  // one piece lies in one page: there may be no page behind the end
  std::string name;
  std::array<char, kPiece> piece;
  for (bool has_ended = false; !has_ended;) {
    const uint64_t at = cut.address + name.size();
    const size_t size = std::min(kPiece, kPage - at % kPage);
    if (name.size() > kMaxLength || !read_memory_(pid, at, piece.data(), size)) return std::nullopt;
    const size_t length = strnlen(piece.data(), size);
    name.append(piece.data(), length);
    has_ended = length < size;
  }
  if (name.size() < kKept || fnv1a(std::string_view(name).substr(0, kKept)) != cut.hash) return std::nullopt;
  return name;
}

void FunctionNames::name_launched(EventBatch& batch, StackTable* stacks) {
  for (const FunctionName& name : batch.names) {
    if (registered_.size() >= kMaxRegistered) registered_.clear();
    registered_.insert({name.pid, name.handle});
  }
  for (const hal::Event& event : batch.records.events) {
    if (event.kind != hal::Kind::kLaunch || !event.has(hal::Has::kFunction)) continue;
    const Function function(event.pid, event.function);
    Function& slot = last_launched(function);
    if (slot == function) continue;
    slot = function;
    if (const auto cut = cut_.find(function); cut != cut_.end()) {
      if (auto whole = whole_name(event.pid, cut->second)) {
        batch.names.push_back({event.pid, event.function, std::move(*whole)});
      } else {
        ledger_.add(hal::Loss::name_truncated);
      }
      cut_.erase(cut);
    }
    if (registered_.insert(function).second && stacks != nullptr) stacks->name_function(event.pid, event.function);
  }
}

void FunctionNames::process_ended(uint32_t pid) {
  registered_.erase(registered_.lower_bound({pid, 0}), registered_.lower_bound({pid + 1, 0}));
  cut_.erase(cut_.lower_bound({pid, 0}), cut_.lower_bound({pid + 1, 0}));
  launched_.fill({});
}

}  // namespace ingero::agent
