// Accepts connections and moves them on: one thread waits with epoll(7) for all of them, so that a client that sends or
// takes a byte a second holds no thread, and thousands that keep their connection cost nothing until they send; workers
// make answers. What is spoken on a connection is said by the class that derives from this one, with its hooks: they
// run on the acceptor's thread.
//
// A new connection that is one too many displaces the one that waits longest, an idle one first, of the client that has
// most. Created, started and stopped by one thread; a class that derives from it calls stop() in its destructor, before
// its members go. Private to serve/http/.
#pragma once

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "serve/http/connection.h"
#include "serve/http/refusals.h"
#include "serve/http/workers.h"
#include "serve/net/stop.h"
#include "serve/net/thread.h"

namespace ingero::serve::http {

using AcceptorTime = std::chrono::steady_clock::time_point;

// A socket that listens on host and port (0: any free; `port` then says which).
Result<Fd> listen_on(const std::string& host, uint16_t& port);

// The next connection of a listening socket, or none; `refused_until` is moved where it is descriptors or memory that
// are wanting.
Fd accept_from(const Fd& socket, AcceptorTime now, AcceptorTime& refused_until);

// A connection, as its acceptor has it.
struct Accepted {
  explicit Accepted(Connection its_connection) : connection(std::move(its_connection)) {}
  Connection connection;
  AcceptorTime since;  // when it began to wait
  // The acceptor's alone: what it waits for (poll() events), and until when.
  bool is_known = false;  // to epoll
  short watched = 0;
  std::optional<AcceptorTime> listed;
};

// `Peer` derives from Accepted. `Answer` is what a worker makes.
template <typename Peer, typename Answer>
class Acceptor {
 public:
  using Time = AcceptorTime;

  // `socket` listens.
  Acceptor(const char* thread_name, Fd socket, size_t connections)
      : name_(thread_name),
        connections_(connections),
        socket_(std::move(socket)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    const bool can_wait = wake_.valid() && epoll_.valid() && watch(EPOLL_CTL_ADD, stop_.fd(), kStop, EPOLLIN) &&
                          watch(EPOLL_CTL_ADD, wake_.get(), kWake, EPOLLIN) &&
                          watch(EPOLL_CTL_ADD, socket_.get(), kSocket, kOnce | EPOLLIN);
    if (!can_wait) throw std::system_error(errno, std::generic_category(), "epoll");  // as Stop does
  }
  virtual ~Acceptor() = default;
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void start(size_t workers) {
    workers_ = std::make_unique<Workers>(workers);
    thread_ = std::thread([this] { run(); });
  }
  // Ends connections without an open request at once, waits for the work that has begun, and a second at most for
  // answers to be taken.
  void stop() {
    if (!thread_.joinable()) return;
    stop_.signal();
    thread_.join();
  }

  Refusals& refusals() { return refusals_; }

 protected:
  using Peers = std::map<uint64_t, Peer>;
  static constexpr auto kGrace = std::chrono::seconds(1);  // for the last answer; for what is still sent after it
  static constexpr int kReadsAtOnce = 8;                   // of one connection, before the others have their turn

  virtual Peer make_peer(Fd accepted, Time now) = 0;
  // It is ready, or new. This and the next three: whether the connection goes on.
  virtual bool advance(uint64_t id, Peer& peer, Time now) = 0;
  virtual bool take_answer(uint64_t id, Peer& peer, Answer answer, Time now) = 0;
  virtual bool expire(Peer& peer, Time now) = 0;  // its deadline has passed
  virtual bool flush(Peer& peer) = 0;             // all has ended: what it is owed is written
  // Nothing: it waits for its answer to be made, and is neither waited for nor displaced.
  virtual std::optional<Time> deadline_of(const Peer& peer) const = 0;
  virtual bool is_idle(const Peer& peer) const = 0;
  virtual bool is_owed(const Peer& peer) const = 0;  // an answer, or a farewell
  virtual void say_goodbye(Peer&) {}                 // all its answers are made
  virtual void answer_is_made(const Answer&) {}      // whether or not its connection is still there

  // Has `work` of a client made on a worker's thread; its answer goes to take_answer() if the connection is still
  // there.
  template <typename Work>
  void submit(uint64_t id, const std::string& client, Work work, Weight weight) {
    workers_->submit(
        [this, id, work = std::move(work)]() mutable {
          Answer answer = work();
          {
            const std::scoped_lock lock(mutex_);
            answers_.emplace_back(id, std::move(answer));
          }
          const uint64_t one = 1;
          (void)!::write(wake_.get(), &one, sizeof(one));
        },
        weight, client);
  }

  void drop(typename Peers::iterator at) {
    if (at->second.listed) deadlines_.erase({*at->second.listed, at->first});
    peers_.erase(at);
  }

  Peers peers_;  // none before start(), nor after stop()

 private:
  static int left_ms(Time end, Time now) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
  }

  template <typename Test>
  void keep_if(Test test) {
    for (auto at = peers_.begin(); at != peers_.end();) at = test(at->second) ? std::next(at) : peers_.erase(at);
  }

  bool watch(int what, int fd, uint64_t id, uint32_t events) {
    epoll_event event{events, {.u64 = id}};
    return ::epoll_ctl(epoll_.get(), what, fd, &event) == 0;
  }

  void run() {
    net::begin_thread(name_);
    while (true) {
      wait();
      if (stop_.is_signalled()) break;
      const Time now = std::chrono::steady_clock::now();
      take_answers(now);
      expire_late(now);
      accept_all(now);
    }
    finish();
  }

  // Waits for a connection to be accepted, for those that are read and written, for answers and for the next time
  // limit; and moves on those that are ready.
  void wait() {
    const Time now = std::chrono::steady_clock::now();
    Time until = now + std::chrono::minutes(1);
    if (!deadlines_.empty()) until = std::min(until, deadlines_.begin()->first);
    if (now < refused_until_) until = std::min(until, refused_until_);
    epoll_event ready[64];
    const int count = ::epoll_wait(epoll_.get(), ready, std::size(ready), left_ms(until, now));
    const Time then = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      const uint64_t id = ready[i].data.u64;
      uint64_t answers = 0;
      if (id == kWake) (void)!::read(wake_.get(), &answers, sizeof(answers));
      if (id == kSocket) is_offered_ = true;
      const auto peer = peers_.find(id);
      if (peer == peers_.end()) continue;
      peer->second.watched = 0;
      settle(peer, advance(id, peer->second, then));
    }
  }

  // After each step of a connection: whether it goes on, what for and how long it waits.
  void settle(typename Peers::iterator at, bool goes_on) {
    auto& [id, peer] = *at;
    const auto deadline = goes_on ? deadline_of(peer) : std::nullopt;
    const short events = deadline ? peer.connection.wanted_events() : 0;
    if (goes_on && events != 0 && events != peer.watched) {
      // Disarmed by what it reports (kOnce), so that one that waits for its answer is not heard, even when it ends.
      goes_on = watch(peer.is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, peer.connection.fd(), id,
                      kOnce | static_cast<uint32_t>(events));
      peer.is_known = true;
      peer.watched = events;
    }
    if (!goes_on) {
      drop(at);
      return;
    }
    if (deadline == peer.listed) return;
    if (peer.listed) deadlines_.erase({*peer.listed, id});
    if (deadline) deadlines_.emplace(*deadline, id);
    peer.listed = deadline;
  }

  void expire_late(Time now) {
    std::vector<uint64_t> late;
    for (auto at = deadlines_.begin(); at != deadlines_.end() && at->first <= now; ++at) late.push_back(at->second);
    for (const uint64_t id : late) {
      const auto peer = peers_.find(id);
      if (peer != peers_.end()) settle(peer, expire(peer->second, now));
    }
  }

  void accept_all(Time now) {
    if (!is_offered_ || now < refused_until_) return;
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
      Fd accepted = accept_from(socket_, now, refused_until_);
      if (!accepted.valid()) break;
      if (peers_.size() >= connections_) {
        refusals_.count(Refused::kTooManyConnections);
        displace_one();
      }
      if (peers_.size() >= connections_) continue;  // all are being answered
      const auto peer = peers_.emplace(next_id_++, make_peer(std::move(accepted), now)).first;
      settle(peer, advance(peer->first, peer->second, now));
    }
    if (now < refused_until_) return;
    is_offered_ = false;
    (void)watch(EPOLL_CTL_MOD, socket_.get(), kSocket, kOnce | EPOLLIN);
  }

  void displace_one() {
    std::map<std::string_view, size_t> counts;
    for (const auto& [id, peer] : peers_) ++counts[peer.connection.network()];
    auto chosen = peers_.end();
    const auto rank = [&](const Peer& peer) {
      return std::make_tuple(counts[peer.connection.network()], is_idle(peer), Time::max() - peer.since);
    };
    for (auto at = peers_.begin(); at != peers_.end(); ++at) {
      if (!deadline_of(at->second)) continue;
      if (chosen == peers_.end() || rank(chosen->second) < rank(at->second)) chosen = at;
    }
    if (chosen != peers_.end()) drop(chosen);
  }

  void take_answers(Time now) {
    std::vector<std::pair<uint64_t, Answer>> taken;
    {
      const std::scoped_lock lock(mutex_);
      taken.swap(answers_);
    }
    for (auto& [id, answer] : taken) {
      answer_is_made(answer);
      const auto at = peers_.find(id);
      if (at != peers_.end()) settle(at, take_answer(id, at->second, std::move(answer), now));
    }
  }

  void finish() {
    socket_.reset();
    keep_if([this](const Peer& peer) { return is_owed(peer); });
    workers_->stop();
    const Time end = std::chrono::steady_clock::now() + kGrace;
    take_answers(std::chrono::steady_clock::now());
    for (auto& [id, peer] : peers_) say_goodbye(peer);
    while (true) {
      keep_if([this](Peer& peer) { return flush(peer); });
      const Time now = std::chrono::steady_clock::now();
      if (peers_.empty() || now >= end) break;
      std::vector<pollfd> wanted;
      for (const auto& [id, peer] : peers_) {
        wanted.push_back({peer.connection.fd(), peer.connection.wanted_events(), 0});
      }
      if (::poll(wanted.data(), wanted.size(), left_ms(end, now)) < 0 && errno != EINTR) break;
    }
    peers_.clear();
    deadlines_.clear();
  }

  static constexpr int kAcceptedAtOnce = 64;
  static constexpr uint32_t kOnce = EPOLLONESHOT;
  static constexpr uint64_t kStop = 0, kWake = 1, kSocket = 2;  // connections have the ids after these

  const char* name_;
  const size_t connections_;
  Refusals refusals_;
  net::Stop stop_;
  Fd socket_, wake_, epoll_;  // wake_: an answer is there
  uint64_t next_id_ = kSocket + 1;
  std::set<std::pair<Time, uint64_t>> deadlines_;  // of all that have one
  bool is_offered_ = false;                        // connections wait to be accepted
  Time refused_until_;                             // no descriptor was left to accept with
  std::mutex mutex_;
  std::vector<std::pair<uint64_t, Answer>> answers_;
  std::unique_ptr<Workers> workers_;
  std::thread thread_;
};

}  // namespace ingero::serve::http
