// Keeps function names per process and handle, sharing equal names and those that a child has from its parent.
#include "store/write/function_names.h"

#include <utility>

namespace ingero::store {

FunctionNames::Texts::value_type* FunctionNames::text(std::string_view name) {
  auto& found = *texts_.try_emplace(std::string(name), 0).first;
  ++found.second;
  return &found;
}

void FunctionNames::release(Texts::value_type* text) {
  if (--text->second == 0) texts_.erase(std::string(text->first));
}

FunctionNames::Added FunctionNames::add(int64_t process, uint64_t handle, std::string_view name) {
  if (processes_.size() >= kMaxProcesses && !processes_.contains(process)) return Added::kNoRoom;
  auto& names = processes_[process].names;
  const auto known = names.find(handle);
  if (known == names.end()) {
    if (size_ >= kMaxNames) return Added::kNoRoom;
    names.emplace(handle, text(name));
    ++size_;
    return Added::kFirst;
  }
  if (known->second->first == name) return Added::kSame;
  release(std::exchange(known->second, text(name)));
  return Added::kRenamed;
}

const std::string* FunctionNames::find(int64_t process, uint64_t handle) const {
  for (int i = 0; i < kMaxAncestors; ++i) {
    const auto known = processes_.find(process);
    if (known == processes_.end()) return nullptr;
    const auto found = known->second.names.find(handle);
    if (found != known->second.names.end()) return &found->second->first;
    process = known->second.parent;
  }
  return nullptr;
}

bool FunctionNames::add_parent(int64_t process, int64_t parent) {
  if (process == parent) return true;
  const auto known = processes_.find(process);
  if (known != processes_.end() && known->second.parent >= 0) return true;
  if (processes_.size() + 2 > kMaxProcesses) return false;
  processes_[process].parent = parent;
  ++processes_[parent].children;
  return true;
}

void FunctionNames::process_ended(int64_t process) {
  auto known = processes_.find(process);
  if (known == processes_.end()) return;
  known->second.is_over = true;
  while (known != processes_.end() && known->second.is_over && known->second.children == 0) {
    const int64_t parent = known->second.parent;
    size_ -= known->second.names.size();
    for (const auto& [handle, name] : known->second.names) release(name);
    processes_.erase(known);
    known = processes_.find(parent);
    if (known != processes_.end()) --known->second.children;
  }
}

}  // namespace ingero::store
