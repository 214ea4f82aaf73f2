// A connection's way from request to answer: see listener.h.
#include "serve/http/listener.h"

#include <utility>

namespace ingero::serve::http {
namespace {

constexpr size_t kSlowestBytesPerSecond = 32 << 10;
constexpr size_t kHeavyOfClient = 16;  // that wait for a thread or have one

}  // namespace

ListenerPeer Listener::make_peer(Fd accepted, Time now) {
  Peer peer(Connection(std::move(accepted), tls_.get()), fresh_reader(), bodies_, answers_);
  peer.since = now;
  peer.deadline = now + std::chrono::seconds(options_.seconds);
  peer.left = options_.requests;
  return peer;
}

std::optional<Listener::Time> Listener::deadline_of(const Peer& peer) const {
  if (peer.phase == Phase::kAnswering) return std::nullopt;
  return peer.deadline;
}

bool Listener::is_idle(const Peer& peer) const { return peer.phase == Phase::kReading && !peer.reader.is_begun(); }

bool Listener::is_owed(const Peer& peer) const {
  return peer.phase == Phase::kAnswering || peer.phase == Phase::kWriting;
}

bool Listener::advance(uint64_t id, Peer& peer, Time now) {
  if (peer.phase == Phase::kHandshake) {
    const Step step = peer.connection.shake_hands();
    if (step == Step::kEnded) refusals().count(Refused::kHandshake);
    if (step != Step::kDone) return step == Step::kAgain;
    peer.phase = Phase::kReading;
  }
  if (peer.phase == Phase::kReading) return read(id, peer, now);
  if (peer.phase == Phase::kWriting) return write(peer, now) && (peer.phase != Phase::kReading || read(id, peer, now));
  return peer.phase == Phase::kAnswering || peer.connection.discard() == Step::kAgain;
}

bool Listener::read(uint64_t id, Peer& peer, Time now) {
  for (int reads = 0; peer.phase == Phase::kReading && reads < kReadsAtOnce;) {
    if (!peer.rest.empty()) {
      const std::string before = std::exchange(peer.rest, {});
      if (!take(id, peer, before, now)) return false;
      continue;
    }
    ++reads;
    char bytes[16384];  // a whole record of TLS: nothing is left that epoll does not see
    size_t got = 0;
    const Step step = peer.connection.read(bytes, sizeof(bytes), got);
    if (step == Step::kEnded && peer.reader.is_begun()) refusals().count(Refused::kTruncated);
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
    peer.body_bytes.set(reader.held_bytes());
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
    submit_request(id, peer, now);
  } else if (reader.state() == RequestReader::State::kBody && !bodies_.has_room(peer.client.network, 0)) {
    begin_answer(peer, calls_.refuse(reader.head(), peer.client, 503, "too many bodies are being sent at once"), now);
  }
  return true;
}

// Connections that wait for their answer cannot be displaced: were all of them waiting for queries that never end, the
// page would not be reached.
bool Listener::has_too_many_heavy(const Peer& newest) const {
  size_t all = 0, of_client = 0;
  for (const auto& [id, peer] : peers_) {
    if (peer.phase != Phase::kAnswering || peer.weight != Weight::kHeavy) continue;
    ++all;
    of_client += peer.client.network == newest.client.network ? 1 : 0;
  }
  return of_client >= kHeavyOfClient || all >= options_.connections / 2;
}

void Listener::submit_request(uint64_t id, Peer& peer, Time now) {
  const Weight weight = calls_.weight(peer.reader.head(), peer.reader.body());
  if (weight == Weight::kHeavy && has_too_many_heavy(peer)) {
    begin_answer(peer,
                 calls_.refuse(peer.reader.head(), peer.client, 503, "too many questions are being answered at once"),
                 now);
    return;
  }
  peer.phase = Phase::kAnswering;
  peer.weight = weight;
  peer.body_bytes.set(peer.reader.body().capacity());
  submit(
      id, peer.client.network,
      [this, head = peer.reader.head(), body = std::move(peer.reader.body()), client = peer.client,
       goes_on = peer.left > 1]() mutable { return calls_.answer(head, std::move(body), client, goes_on); },
      weight);
}

bool Listener::take_answer(uint64_t id, Peer& peer, Raw answer, Time now) {
  begin_answer(peer, std::move(answer), now);
  return advance(id, peer, now);
}

void Listener::begin_answer(Peer& peer, Raw answer, Time now) {
  peer.reader = fresh_reader();
  peer.body_bytes.set(0);
  peer.answer = std::move(answer);
  peer.answer_bytes.set(peer.answer.text.size());
  peer.written = 0;
  peer.phase = Phase::kWriting;
  peer.since = now;
  const size_t more = peer.answer.text.size() / kSlowestBytesPerSecond;
  peer.deadline = now + std::chrono::seconds(options_.seconds + static_cast<int>(more));
  bound_answers(peer);
}

// Of the client that holds most, those that have been taking their answer longest give way to a new one.
void Listener::bound_answers(const Peer& newest) {
  const auto rank = [this](const Peer& peer) {
    return std::make_pair(answers_.held_by(peer.client.network), Time::max() - peer.since);
  };
  while (answers_.held() > answers_.total()) {
    auto chosen = peers_.end();
    for (auto at = peers_.begin(); at != peers_.end(); ++at) {
      if (at->second.phase != Phase::kWriting || &at->second == &newest) continue;
      if (chosen == peers_.end() || rank(chosen->second) < rank(at->second)) chosen = at;
    }
    if (chosen == peers_.end()) return;
    refusals().count(Refused::kAnswerNotTaken);
    drop(chosen);
  }
}

bool Listener::write(Peer& peer, Time now) {
  const Step step = peer.connection.write(peer.answer.text, peer.written);
  return step == Step::kDone ? after_answer(peer, now) : step == Step::kAgain;
}

bool Listener::after_answer(Peer& peer, Time now) {
  const bool ends = peer.answer.ends || --peer.left <= 0;
  peer.answer = {};
  peer.answer_bytes.set(0);
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

bool Listener::expire(Peer& peer, Time now) {
  if (peer.phase != Phase::kReading || !peer.reader.is_begun()) {
    const bool has_asked = peer.left < options_.requests;  // an idle connection has nothing to answer for
    if (peer.phase == Phase::kHandshake) refusals().count(Refused::kHandshake);
    if (peer.phase == Phase::kReading && !has_asked) refusals().count(Refused::kRequestTimeout);
    if (peer.phase == Phase::kWriting) refusals().count(Refused::kAnswerNotTaken);
    return false;
  }
  begin_answer(peer, calls_.refuse(peer.reader.head(), peer.client, 408, "the request took too long to come"), now);
  return write(peer, now);
}

bool Listener::flush(Peer& peer) {
  if (peer.phase != Phase::kWriting) return false;
  const Step step = peer.connection.write(peer.answer.text, peer.written);
  if (step == Step::kDone) peer.connection.end_sending();
  return step == Step::kAgain;
}

}  // namespace ingero::serve::http
