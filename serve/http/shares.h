// What clients hold of a total of bytes. Each may hold as much as then stays free: one alone has half of all, n that
// take what they can have a part in n + 1 each, and who comes next finds as much. Clients are told apart by their
// network (connection.h). Private to serve/http/; used by one thread.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace ingero::serve::http {

class Shares {
 public:
  explicit Shares(size_t total) : total_(total) {}
  Shares(const Shares&) = delete;
  Shares& operator=(const Shares&) = delete;

  bool has_room(const std::string& client, size_t more) const {
    const size_t taken = held_ + more;
    return taken <= total_ && held_by(client) + more <= total_ - taken;
  }
  void add(const std::string& client, size_t bytes) {
    if (bytes == 0) return;
    held_ += bytes;
    of_client_[client] += bytes;
  }
  void remove(const std::string& client, size_t bytes) {
    if (bytes == 0) return;
    held_ -= bytes;
    const auto found = of_client_.find(client);
    if ((found->second -= bytes) == 0) of_client_.erase(found);
  }

  size_t held() const { return held_; }
  size_t held_by(const std::string& client) const {
    const auto found = of_client_.find(client);
    return found == of_client_.end() ? 0 : found->second;
  }
  size_t total() const { return total_; }

 private:
  const size_t total_;
  size_t held_ = 0;
  std::map<std::string, size_t> of_client_;  // none is 0
};

// A part of a client's share, given back when it goes. The shares outlive it.
class Share {
 public:
  Share(Shares& shares, std::string client) : shares_(&shares), client_(std::move(client)) {}
  Share(Share&& other) noexcept
      : shares_(other.shares_), client_(std::move(other.client_)), bytes_(std::exchange(other.bytes_, 0)) {}
  Share& operator=(Share&&) = delete;
  ~Share() { set(0); }
  void set(size_t bytes) {
    shares_->remove(client_, bytes_);
    shares_->add(client_, bytes);
    bytes_ = bytes;
  }

 private:
  Shares* shares_;
  std::string client_;
  size_t bytes_ = 0;
};

}  // namespace ingero::serve::http
