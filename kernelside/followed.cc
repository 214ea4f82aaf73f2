// Walks up the parents, and remembers those between.
#include "kernelside/followed.h"

#include <vector>

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxParents = 64;
constexpr size_t kMaxFollowed = 65536;
constexpr size_t kMaxOthers = 4096;

}  // namespace

bool Followed::has(uint32_t pid) {
  if (is_everybody_) return true;
  std::vector<uint32_t> between;
  for (uint32_t at = pid; at > 1 && between.size() < kMaxParents;) {
    {
      const std::scoped_lock lock(mutex_);
      if (pids_.contains(at)) {
        if (pids_.size() < kMaxFollowed) pids_.insert(between.begin(), between.end());
        return true;
      }
      if (others_.contains(at)) break;
    }
    between.push_back(at);
    at = parent_of_(at).value_or(0);
  }
  const std::scoped_lock lock(mutex_);
  if (others_.size() >= kMaxOthers) others_.clear();
  if (!between.empty()) others_.insert(pid);
  return false;
}

bool Followed::add(uint32_t pid) {
  const std::scoped_lock lock(mutex_);
  others_.erase(pid);
  return !is_everybody_ && pids_.size() < kMaxFollowed && pids_.insert(pid).second;
}

void Followed::remove(uint32_t pid) {
  const std::scoped_lock lock(mutex_);
  pids_.erase(pid);
  others_.erase(pid);
}

}  // namespace ingero::kernelside
