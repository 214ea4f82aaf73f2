// A dictionary of the recording, as its writer holds it: key to small id, and the entries not yet committed.
//
// Ids are given in order and never reused. What was looked up last is found without hashing. Memory is bounded: of more
// than `capacity` keys those that were not looked up for longest are forgotten, half of them at once; a key that comes
// again then gets a second id, which readers treat as another key. Owns keys and ids. One thread, the writer's.
// Failure: none; what is not committed stays pending.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ingero::store {

// A key of 64-bit words without padding.
template <size_t Words>
struct WordKey {
  std::array<uint64_t, Words> words{};
  bool operator==(const WordKey&) const = default;
  struct Hash {
    size_t operator()(const WordKey& key) const {
      uint64_t hash = 0x9e3779b97f4a7c15;
      for (const uint64_t word : key.words) {
        hash = (hash ^ word) * 0xff51afd7ed558ccd;
        hash ^= hash >> 32;
      }
      return static_cast<size_t>(hash);
    }
  };
};

// Empties what waited, and gives its room back where a disk that took nothing had made it large.
template <typename T>
void empty(std::vector<T>& waiting) {
  constexpr size_t kKept = 1024;
  if (waiting.capacity() > kKept) {
    waiting = {};
  } else {
    waiting.clear();
  }
}

template <size_t Words>
class Dictionary {
 public:
  using Key = WordKey<Words>;
  explicit Dictionary(size_t capacity = 65536) : capacity_(capacity) {}

  // The first id this run may give: one past the greatest in the file.
  void start_at(int64_t id) { next_ = id; }

  // The key's id; `is_new` says whether it was given just now.
  int64_t id_of(const Key& key, bool& is_new) {
    is_new = false;
    const size_t hash = typename Key::Hash()(key);
    Recent& recent = recent_[hash % kRecent];
    if (recent.id >= 0 && recent.key == key) return recent.id;
    recent = {key, known_or_new(key, is_new)};
    return recent.id;
  }
  int64_t id_of(const Key& key) {
    bool is_new = false;
    return id_of(key, is_new);
  }
  const int64_t* find(const Key& key) const {
    for (const Ids* ids : {&ids_, &older_}) {
      if (const auto found = ids->find(key); found != ids->end()) return &found->second;
    }
    return nullptr;
  }
  void forget(const Key& key) {
    ids_.erase(key);
    older_.erase(key);
    Recent& recent = recent_[typename Key::Hash()(key) % kRecent];
    if (recent.key == key) recent.id = -1;
  }

  // Entries the file does not have yet; cleared by the writer once they are committed.
  const std::vector<std::pair<Key, int64_t>>& pending() const { return pending_; }
  void committed() { empty(pending_); }

 private:
  struct Recent {
    Key key;
    int64_t id = -1;
  };
  using Ids = std::unordered_map<Key, int64_t, typename Key::Hash>;

  int64_t known_or_new(const Key& key, bool& is_new) {
    if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
    if (ids_.size() >= capacity_ / 2) older_ = std::exchange(ids_, {});
    auto kept = older_.extract(key);
    is_new = kept.empty();
    if (!is_new) return ids_.insert(std::move(kept)).position->second;
    pending_.emplace_back(key, next_);
    ids_.emplace(key, next_);
    return next_++;
  }

  static constexpr size_t kRecent = 64;
  size_t capacity_;
  int64_t next_ = 0;
  std::array<Recent, kRecent> recent_{};
  Ids ids_, older_;  // each key is in one of them
  std::vector<std::pair<Key, int64_t>> pending_;
};

}  // namespace ingero::store
