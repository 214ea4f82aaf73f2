// A queue that takes no memory while it is empty: for what there are thousands of, most of them empty. A std::deque
// takes 576 bytes then.
//
// Elements lie behind one another; pointers to them are valid until the queue changes. Not thread-safe. Failure: none.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace ingero {

template <typename T>
class Queue {
 public:
  bool empty() const { return first_ == all_.size(); }
  size_t size() const { return all_.size() - first_; }
  T* begin() { return all_.data() + first_; }
  T* end() { return all_.data() + all_.size(); }
  const T* begin() const { return all_.data() + first_; }
  const T* end() const { return all_.data() + all_.size(); }
  T& front() { return all_[first_]; }
  T& back() { return all_.back(); }
  const T& front() const { return all_[first_]; }
  const T& back() const { return all_.back(); }

  void push_back(T value) { all_.push_back(std::move(value)); }
  void insert(const T* before, T value) { all_.insert(all_.begin() + (before - all_.data()), std::move(value)); }
  void pop_front() {
    if (++first_ == all_.size()) {
      clear();
    } else if (first_ >= kMinPassed && first_ > all_.size() / 2) {
      // Not more moves than elements have passed, and the rest has no more room than it needs.
      all_ = std::vector<T>(std::make_move_iterator(begin()), std::make_move_iterator(end()));
      first_ = 0;
    }
  }
  void clear() {
    all_ = std::vector<T>();  // `= {}` would keep its room
    first_ = 0;
  }

 private:
  static constexpr size_t kMinPassed = 32;
  std::vector<T> all_;
  size_t first_ = 0;  // what lies before has been taken
};

}  // namespace ingero
