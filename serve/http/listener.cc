// The loop around poll(): see listener.h.
#include "serve/http/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <tuple>

#include <netdb.h>
#include <netinet/tcp.h>

#include "base/log.h"

namespace ingero::serve::http {
namespace {

using Steady = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(1);  // for the last answer; for what is still sent after it
constexpr size_t kSlowestBytesPerSecond = 32 << 10;
constexpr int kAcceptedAtOnce = 64;

int left_ms(Steady::time_point end, Steady::time_point now) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
}

}  // namespace

Listener::Listener(Fd socket, TlsContext tls, const ListenerOptions& options, ListenerCalls calls)
    : socket_(std::move(socket)),
      tls_(std::move(tls)),
      options_(options),
      calls_(std::move(calls)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");  // as Stop does
}

Listener::~Listener() { stop(); }

void Listener::start() {
  workers_ = std::make_unique<Workers>(options_.workers);
  thread_ = std::thread([this] { run(); });
}

void Listener::stop() {
  if (!thread_.joinable()) return;
  stop_.signal();
  thread_.join();
}

void Listener::run() {
  pthread_setname_np(pthread_self(), "ingero-http");
  sigset_t pipe;  // a connection that TLS finds closed
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  while (!stop_.is_signalled()) {
    wait();
    if (stop_.is_signalled()) break;
    const Time now = Steady::now();
    take_answers(now);
    for (auto at = peers_.begin(); at != peers_.end();) {
      at = expire(at->second, now) ? std::next(at) : peers_.erase(at);
    }
    if (now >= refused_until_) accept_all(now);
  }
  finish();
}

// Waits for a connection to be accepted, for those that are read and written, for answers and for the next time limit;
// and moves on those that are ready.
void Listener::wait() {
  const Time now = Steady::now();
  Time until = now + std::chrono::minutes(1);
  std::vector<pollfd> wanted{{stop_.fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}};
  if (now < refused_until_) {
    wanted[2].fd = -1;
    until = std::min(until, refused_until_);
  }
  std::vector<uint64_t> ids;
  for (const auto& [id, peer] : peers_) {
    if (peer.phase == Phase::kAnswering) continue;
    wanted.push_back({peer.connection.fd(), peer.connection.wanted_events(), 0});
    ids.push_back(id);
    until = std::min(until, peer.deadline);
  }
  if (::poll(wanted.data(), wanted.size(), left_ms(until, now)) <= 0) return;
  uint64_t count = 0;
  if (wanted[1].revents != 0) (void)!::read(wake_.get(), &count, sizeof(count));
  const Time then = Steady::now();
  for (size_t i = 0; i < ids.size(); ++i) {
    if (wanted[i + 3].revents == 0) continue;
    const auto peer = peers_.find(ids[i]);
    if (peer == peers_.end()) continue;
    if (!advance(peer->first, peer->second, then)) peers_.erase(peer);
  }
}

void Listener::accept_all(Time now) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    Fd accepted(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!accepted.valid()) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        log_warning("cannot accept a connection: {}", errno_error("accept").text());
        refused_until_ = now + kGrace;
      }
      return;
    }
    if (peers_.size() >= options_.connections) displace_one();
    if (peers_.size() >= options_.connections) continue;  // all are being answered
    const int yes = 1;
    ::setsockopt(accepted.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    const uint64_t id = next_id_++;
    Peer& peer = peers_.try_emplace(id, std::move(accepted), tls_.get(), fresh_reader()).first->second;
    peer.since = now;
    peer.deadline = now + std::chrono::seconds(options_.seconds);
    peer.left = options_.requests;
    if (!advance(id, peer, now)) peers_.erase(id);
  }
}

// Of the client with most connections the one that has been waiting longest, an idle one first.
void Listener::displace_one() {
  std::map<std::string_view, size_t> counts;
  for (const auto& [id, peer] : peers_) ++counts[peer.client.address];
  auto chosen = peers_.end();
  const auto rank = [&](const Peer& peer) {
    const bool is_idle = peer.phase == Phase::kReading && !peer.reader.is_begun();
    return std::make_tuple(counts[peer.client.address], is_idle, Time::max() - peer.since);
  };
  for (auto at = peers_.begin(); at != peers_.end(); ++at) {
    if (at->second.phase == Phase::kAnswering) continue;
    if (chosen == peers_.end() || rank(chosen->second) < rank(at->second)) chosen = at;
  }
  if (chosen != peers_.end()) peers_.erase(chosen);
}

bool Listener::advance(uint64_t id, Peer& peer, Time now) {
  if (peer.phase == Phase::kHandshake) {
    const Step step = peer.connection.shake_hands();
    if (step != Step::kDone) return step == Step::kAgain;
    peer.phase = Phase::kReading;
  }
  if (peer.phase == Phase::kReading) return read(id, peer, now);
  if (peer.phase == Phase::kWriting) return write(peer, now) && (peer.phase != Phase::kReading || read(id, peer, now));
  return peer.phase == Phase::kAnswering || peer.connection.discard() == Step::kAgain;
}

bool Listener::read(uint64_t id, Peer& peer, Time now) {
  while (peer.phase == Phase::kReading) {
    if (!peer.rest.empty()) {
      const std::string before = std::exchange(peer.rest, {});
      if (!take(id, peer, before, now)) return false;
      continue;
    }
    char bytes[16384];
    size_t got = 0;
    const Step step = peer.connection.read(bytes, sizeof(bytes), got);
    if (step != Step::kDone) return step == Step::kAgain;
    if (!take(id, peer, {bytes, got}, now)) return false;
  }
  // A short answer is on its way at once.
  return peer.phase != Phase::kWriting || write(peer, now);
}

bool Listener::take(uint64_t id, Peer& peer, std::string_view bytes, Time now) {
  RequestReader& reader = peer.reader;
  if (!reader.is_begun() && peer.left < options_.requests) {  // the first one's time runs from its connection on
    peer.since = now;
    peer.deadline = now + std::chrono::seconds(options_.seconds);
  }
  while (true) {
    bytes.remove_prefix(reader.feed(bytes));
    if (reader.state() == RequestReader::State::kHeadRead) {
      if (auto refusal = calls_.admit(reader.head(), peer.client)) {
        begin_answer(peer, std::move(*refusal), now);
        return true;
      }
      reader.read_body();
      if (reader.state() == RequestReader::State::kBody && reader.head().expects_continue && bytes.empty()) {
        const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        size_t at = 0;
        if (peer.connection.write(go_on, at) != Step::kDone) return false;  // nothing else is on its way: it fits
      }
      continue;
    }
    break;
  }
  if (reader.state() == RequestReader::State::kRefused) {
    begin_answer(peer, calls_.refuse(reader.head(), peer.client, reader.status(), reader.reason()), now);
  } else if (reader.state() == RequestReader::State::kDone) {
    peer.rest = bytes;
    submit(id, peer);
  } else if (reader.state() == RequestReader::State::kBody && bodies() > options_.all_body_bytes) {
    begin_answer(peer, calls_.refuse(reader.head(), peer.client, 503, "too many bodies are being sent at once"), now);
  }
  return true;
}

size_t Listener::bodies() const {
  size_t sum = 0;
  for (const auto& [id, peer] : peers_) sum += peer.reader.held_bytes() + peer.submitted_bytes;
  return sum;
}

void Listener::submit(uint64_t id, Peer& peer) {
  peer.phase = Phase::kAnswering;
  const Weight weight = calls_.weight(peer.reader.head(), peer.reader.body());
  peer.submitted_bytes = peer.reader.body().size();
  workers_->submit(
      [this, id, head = peer.reader.head(), body = std::move(peer.reader.body()), client = peer.client,
       goes_on = peer.left > 1]() mutable {
        Raw answer = calls_.answer(head, std::move(body), client, goes_on);
        {
          const std::scoped_lock lock(mutex_);
          answers_[id] = std::move(answer);
        }
        const uint64_t one = 1;
        (void)!::write(wake_.get(), &one, sizeof(one));
      },
      weight);
}

void Listener::take_answers(Time now) {
  std::map<uint64_t, Raw> answers;
  {
    const std::scoped_lock lock(mutex_);
    answers.swap(answers_);
  }
  for (auto& [id, answer] : answers) {
    const auto at = peers_.find(id);
    if (at == peers_.end()) continue;
    begin_answer(at->second, std::move(answer), now);
    if (!advance(id, at->second, now)) peers_.erase(at);
  }
}

void Listener::begin_answer(Peer& peer, Raw answer, Time now) {
  peer.reader = fresh_reader();
  peer.submitted_bytes = 0;
  peer.answer = std::move(answer);
  peer.written = 0;
  peer.phase = Phase::kWriting;
  peer.since = now;
  const size_t more = peer.answer.text.size() / kSlowestBytesPerSecond;
  peer.deadline = now + std::chrono::seconds(options_.seconds + static_cast<int>(more));
  bound_answers(peer);
}

// Those who have been taking their answer longest give way to a new one.
void Listener::bound_answers(const Peer& newest) {
  size_t sum = 0;
  for (const auto& [id, peer] : peers_) sum += peer.answer.text.size();
  while (sum > options_.all_answer_bytes) {
    auto oldest = peers_.end();
    for (auto at = peers_.begin(); at != peers_.end(); ++at) {
      if (at->second.phase != Phase::kWriting || &at->second == &newest) continue;
      if (oldest == peers_.end() || at->second.since < oldest->second.since) oldest = at;
    }
    if (oldest == peers_.end()) return;
    sum -= oldest->second.answer.text.size();
    peers_.erase(oldest);
  }
}

bool Listener::write(Peer& peer, Time now) {
  const Step step = peer.connection.write(peer.answer.text, peer.written);
  return step == Step::kDone ? after_answer(peer, now) : step == Step::kAgain;
}

bool Listener::after_answer(Peer& peer, Time now) {
  const bool ends = peer.answer.ends || --peer.left <= 0;
  peer.answer = {};
  peer.since = now;
  if (ends) {
    peer.connection.end_sending();
    std::string().swap(peer.rest);
    peer.phase = Phase::kLingering;
    peer.deadline = now + kGrace;
    return true;
  }
  peer.phase = Phase::kReading;
  peer.deadline = now + std::chrono::seconds(options_.idle_seconds);
  return true;
}

// Whether the connection goes on.
bool Listener::expire(Peer& peer, Time now) {
  if (peer.phase == Phase::kAnswering || now < peer.deadline) return true;
  if (peer.phase != Phase::kReading || !peer.reader.is_begun()) return false;
  begin_answer(peer, calls_.refuse(peer.reader.head(), peer.client, 408, "the request took too long to come"), now);
  return write(peer, now);
}

void Listener::finish() {
  socket_.reset();
  std::erase_if(peers_, [](const auto& one) {
    return one.second.phase != Phase::kAnswering && one.second.phase != Phase::kWriting;
  });
  workers_->stop();
  const Time end = Steady::now() + kGrace;
  take_answers(Steady::now());
  while (Steady::now() < end) {
    std::erase_if(peers_, [](const auto& one) { return one.second.phase != Phase::kWriting; });
    if (peers_.empty()) break;
    std::vector<pollfd> wanted;
    for (const auto& [id, peer] : peers_) wanted.push_back({peer.connection.fd(), peer.connection.wanted_events(), 0});
    if (::poll(wanted.data(), wanted.size(), left_ms(end, Steady::now())) < 0 && errno != EINTR) break;
    for (auto at = peers_.begin(); at != peers_.end();) {
      Peer& peer = at->second;
      const Step step = peer.connection.write(peer.answer.text, peer.written);
      if (step == Step::kDone) peer.connection.end_sending();
      at = step == Step::kAgain ? std::next(at) : peers_.erase(at);
    }
  }
  peers_.clear();
}

Result<Fd> listen_on(const std::string& host, uint16_t& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string name = fmt::format("listen on {}:{}", host, port);
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0) {
    return Error(Errc::kInvalid, fmt::format("{}: {}", name, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  int reason = EADDRNOTAVAIL;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Fd made(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // No SO_REUSEPORT: with it a second agent would take the first one's requests.
    const int yes = 1;
    ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    sockaddr_storage bound{};
    socklen_t size = sizeof(bound);
    if (::bind(made.get(), at->ai_addr, at->ai_addrlen) != 0 || ::listen(made.get(), SOMAXCONN) != 0 ||
        ::getsockname(made.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
      reason = errno;
      continue;
    }
    port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
    return made;
  }
  return errno_error(name, reason);
}

}  // namespace ingero::serve::http
