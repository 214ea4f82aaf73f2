// The sender's thread: encodes what was given to it, and sends it in order; incidents first.
#include "fleet/send/sender.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "base/text.h"
#include "fleet/wire/encode.h"
#include "serve/otlp/backoff.h"
#include "serve/otlp/encode.h"

namespace ingero::fleet::send {
namespace {

using Steady = std::chrono::steady_clock;
using serve::otlp::Payload;
using serve::otlp::SendResult;
using std::chrono::nanoseconds;

constexpr size_t kMaxTextBytes = 512;        // of an incident's sentence
constexpr size_t kMaxKnownIncidents = 4096;  // whose state was sent
constexpr double kNsPerSecond = 1e9;

double seconds(uint64_t ns) { return static_cast<double>(ns) / kNsPerSecond; }

wire::Window window_of(const correlate::RankWindow& from, const wire::Sender& sender, std::string operation) {
  wire::Window to;
  to.sender = sender;
  to.start_ns = from.start_ns;
  to.end_ns = from.end_ns;
  to.rank = from.rank;
  to.communicator = from.comm_id_hash;
  to.comm_rank = from.comm_rank;
  to.nranks = from.nranks;
  to.count = from.measured;
  to.blocked = from.blocked;
  if (from.median_ns) to.work_s = seconds(*from.median_ns);
  to.work_total_s = seconds(from.work_ns);
  to.wait_s = seconds(from.wait_ns);
  to.bytes = static_cast<int64_t>(std::min<uint64_t>(from.bytes, INT64_MAX));
  if (from.entered) to.entered = static_cast<int64_t>(*from.entered);
  if (from.left) to.left = static_cast<int64_t>(*from.left);
  to.operation = std::move(operation);
  to.preempted_s = seconds(from.off.preempted_ns);
  to.runqueue_s = seconds(from.off.runqueue_ns);
  to.blocked_s = seconds(from.off.blocked_ns);
  to.io_s = seconds(from.off.io_ns);
  return to;
}

wire::Incident incident_of(const hal::CausalChain& chain, const std::string& recording_node) {
  wire::Incident incident;
  incident.time_ns = chain.end_wall_ns();
  incident.lost_s = seconds(chain.lost_ns);
  if (chain.rank && *chain.rank >= 0) incident.rank = *chain.rank;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) incident.attributes.emplace_back(key, printable(value, kMaxTextBytes));
  };
  add("causal_chain_id", recording_node.empty() ? chain.id : fmt::format("{}:{}", recording_node, chain.id));
  add("severity", std::string(name_of(chain.severity)));
  add("rule", std::string(chain.rule));
  add("state", chain.resolved ? "over" : "open");
  add("summary", chain.summary);
  add("root_cause", chain.root_cause);
  add("process", chain.process);
  add("operation", chain.op);
  add("pid", chain.pid ? std::to_string(*chain.pid) : "");
  add("onset_ns", std::to_string(chain.onset_wall_ns()));
  return incident;
}

// A run of this program, told from all others.
std::string random_instance() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace

struct Sender::Impl {
  Impl(SenderOptions o, const Clock& c) : options(std::move(o)), clock(c) {}

  void run();
  void encode_pending();
  void encode(std::vector<correlate::RankWindow> windows);
  void encode_incidents(std::vector<hal::CausalChain> chains);
  void push(std::deque<Payload>& to, std::string body, uint32_t points);
  void bound();
  void drain();
  bool send(const Payload& payload);
  void drop(uint64_t points);
  void say(const std::string& sentence) const {
    if (hooks.say) hooks.say(sentence);
  }
  Steady::time_point wake_up();

  const SenderOptions options;
  const Clock& clock;
  const std::string instance = random_instance();
  std::optional<serve::otlp::TlsContext> tls;
  std::unique_ptr<serve::otlp::Transport> transport;
  serve::net::Stop stop;
  Hooks hooks;
  std::thread thread;

  // The thread's own:
  std::deque<Payload> waiting, urgent;
  uint64_t waiting_bytes = 0, pushes = 0;
  serve::otlp::Backoff backoff;
  std::mt19937_64 random{std::random_device{}()};
  Steady::time_point next_try{}, next_incidents{};
  bool is_failing = false;
  std::string reported;

  mutable std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex:
  bool stopping = false, finished = false;
  Steady::time_point stop_by{};
  std::deque<std::vector<correlate::RankWindow>> pending;
  std::map<std::string, hal::CausalChain> incidents;                        // to be sent, by id
  std::map<std::string, std::pair<hal::ChainSeverity, bool>> known_states;  // given before, by id
  SenderHealth health;
};

void Sender::Impl::drop(uint64_t points) {
  if (points == 0) return;
  if (hooks.dropped) hooks.dropped(points);
  const std::scoped_lock lock(mutex);
  health.dropped += points;
}

void Sender::Impl::push(std::deque<Payload>& to, std::string body, uint32_t points) {
  if (body.empty()) return;
  Payload payload{serve::otlp::Signal::kMetrics, true, points, serve::otlp::gzip(body)};
  waiting_bytes += payload.body.size();
  to.push_back(std::move(payload));
}

// The receiver knows one job, and one sender, for each request.
void Sender::Impl::encode(std::vector<correlate::RankWindow> windows) {
  std::map<std::pair<uint64_t, std::string>, std::vector<wire::Window>> groups;  // by start and job
  for (const correlate::RankWindow& window : windows) {
    auto& group = groups[{window.start_ns, window.job}];
    group.push_back(window_of(window, {options.cluster, options.node, window.job}, hooks.operation(window.call)));
  }
  for (const auto& [key, group] : groups) {
    for (size_t from = 0; from < group.size(); from += kMaxWindowsARequest) {
      const auto some = std::span(group).subspan(from, std::min(kMaxWindowsARequest, group.size() - from));
      push(waiting, wire::encode_windows(some, {instance, ++pushes}), wire::points_of(some));
    }
  }
}

void Sender::Impl::encode_incidents(std::vector<hal::CausalChain> chains) {
  if (chains.empty()) return;
  std::vector<wire::Incident> some;
  some.reserve(chains.size());
  for (const hal::CausalChain& chain : chains) some.push_back(incident_of(chain, options.recording_node));
  push(urgent, wire::encode_incidents({options.cluster, options.node, ""}, some, {instance, ++pushes}),
       static_cast<uint32_t>(some.size()));
}

void Sender::Impl::encode_pending() {
  std::deque<std::vector<correlate::RankWindow>> windows;
  std::vector<hal::CausalChain> chains;
  {
    const std::scoped_lock lock(mutex);
    windows.swap(pending);
    if (stopping || Steady::now() >= next_incidents) {
      for (auto& [id, chain] : incidents) chains.push_back(std::move(chain));
      incidents.clear();
    }
  }
  if (!chains.empty()) next_incidents = Steady::now() + nanoseconds(options.between_incidents_ns);
  encode_incidents(std::move(chains));
  for (auto& some : windows) encode(std::move(some));
  bound();
}

void Sender::Impl::bound() {
  while (waiting.size() + urgent.size() > options.max_waiting || waiting_bytes > options.max_waiting_bytes) {
    auto& from = waiting.empty() ? urgent : waiting;
    waiting_bytes -= from.front().body.size();
    drop(from.front().items);
    from.pop_front();
  }
}

// False: not now.
bool Sender::Impl::send(const Payload& payload) {
  auto deadline = Steady::now() + nanoseconds(options.timeout_ns);
  {
    const std::scoped_lock lock(mutex);
    if (stopping) deadline = std::min(deadline, stop_by);
  }
  const auto answer = transport->send(payload, deadline, stop);
  if (answer.send_result == SendResult::kRetry) {
    next_try = Steady::now() + nanoseconds(backoff.next_ns(answer.retry_after_ns, random()));
    if (!is_failing) say(fmt::format("cluster: {}; windows wait in memory and are sent later", answer.message));
    is_failing = true;
    const std::scoped_lock lock(mutex);
    ++health.failed_tries;
    health.last_error = answer.message;
    return false;
  }
  backoff.reset();
  if (is_failing) say("cluster: the server answers again");
  is_failing = false;
  const bool is_refused = answer.send_result == SendResult::kRefused;
  const uint64_t refused = is_refused ? payload.items : answer.rejected;
  if (refused > 0 && hooks.refused) hooks.refused(refused);
  if (!answer.message.empty() && reported != answer.message) {
    reported = answer.message;
    say(fmt::format("cluster: {}{}", is_refused ? "refused, and not sent again: " : "the server says: ", reported));
  }
  const std::scoped_lock lock(mutex);
  ++health.requests;
  health.refused += refused;
  health.accepted += payload.items - std::min<uint64_t>(payload.items, refused);
  health.last_error = is_refused ? answer.message : "";
  return true;
}

void Sender::Impl::drain() {
  while (Steady::now() >= next_try && (!urgent.empty() || !waiting.empty())) {
    auto& from = urgent.empty() ? waiting : urgent;
    if (!send(from.front())) return;
    waiting_bytes -= from.front().body.size();
    from.pop_front();
    // What has come meanwhile may be an incident.
    encode_pending();
  }
}

// When there is something to do without being woken.
Steady::time_point Sender::Impl::wake_up() {
  auto wake = Steady::time_point::max();
  if (!urgent.empty() || !waiting.empty()) wake = next_try;
  if (!incidents.empty()) wake = std::min(wake, next_incidents);
  return wake;
}

void Sender::Impl::run() {
  pthread_setname_np(pthread_self(), "ingero-fleet");
  sigset_t pipe;  // a connection that TLS finds closed
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  bool is_last = false;
  while (!is_last) {
    {
      std::unique_lock lock(mutex);
      const auto is_due = [this] { return stopping || !pending.empty() || Steady::now() >= wake_up(); };
      while (!is_due()) {
        const auto wake = wake_up();
        if (wake == Steady::time_point::max()) {
          changed.wait(lock);
        } else {
          changed.wait_until(lock, wake);
        }
      }
      is_last = stopping;
      if (is_last) next_try = {};  // one more try, whatever was promised
    }
    encode_pending();
    drain();
    const std::scoped_lock lock(mutex);
    health.waiting_requests = waiting.size() + urgent.size();
  }
  uint64_t left = 0;
  for (const auto* list : {&waiting, &urgent}) {
    for (const Payload& payload : *list) left += payload.items;
  }
  drop(left);
  const std::scoped_lock lock(mutex);
  finished = true;
  changed.notify_all();
}

Sender::Sender(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sender::~Sender() { stop(); }

Result<std::unique_ptr<Sender>> Sender::open(SenderOptions options, const Clock& clock) {
  INGERO_TRY(serve::net::http_available(options.receiver.endpoint.has_tls));
  auto impl = std::make_unique<Impl>(std::move(options), clock);
  if (impl->options.receiver.endpoint.has_tls) {
    auto made = serve::otlp::TlsContext::make(impl->options.tls);
    INGERO_TRY(made);
    impl->tls = std::move(*made);
  }
  impl->transport = serve::otlp::make_transport(impl->options.receiver, impl->tls ? &*impl->tls : nullptr, impl->clock);
  return std::unique_ptr<Sender>(new Sender(std::move(impl)));
}

void Sender::start(Hooks hooks) {
  {
    const std::scoped_lock lock(impl_->mutex);  // add() may be called already
    impl_->hooks = std::move(hooks);
  }
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

void Sender::add(std::vector<correlate::RankWindow> windows) {
  if (windows.empty()) return;
  const std::scoped_lock lock(impl_->mutex);
  if (impl_->pending.size() >= kMaxPending) {
    // The thread is behind by minutes: what is oldest gives way. Each window has at least four points.
    const uint64_t points = 4 * impl_->pending.front().size();
    impl_->pending.pop_front();
    impl_->health.dropped += points;
    if (impl_->hooks.dropped) impl_->hooks.dropped(points);
  }
  impl_->pending.push_back(std::move(windows));
  impl_->changed.notify_all();
}

void Sender::add(const hal::CausalChain& chain) {
  if (chain.severity < hal::ChainSeverity::kHigh) return;
  const std::scoped_lock lock(impl_->mutex);
  auto& known = impl_->known_states;
  const std::pair state(chain.severity, chain.resolved);
  const auto found = known.find(chain.id);
  if (found != known.end() && found->second == state) return;
  if (found == known.end() && known.size() >= kMaxKnownIncidents) known.clear();  // sent again, at worst
  known.insert_or_assign(chain.id, state);
  if (impl_->incidents.size() >= kMaxIncidents && !impl_->incidents.contains(chain.id)) {
    ++impl_->health.dropped;
    if (impl_->hooks.dropped) impl_->hooks.dropped(1);
    return;
  }
  impl_->incidents.insert_or_assign(chain.id, chain);
  impl_->changed.notify_all();
}

void Sender::stop() {
  if (!impl_->thread.joinable()) return;
  {
    std::unique_lock lock(impl_->mutex);
    impl_->stopping = true;
    impl_->stop_by = Steady::now() + nanoseconds(impl_->options.stop_ns);
    impl_->changed.notify_all();
    impl_->changed.wait_until(lock, impl_->stop_by, [this] { return impl_->finished; });
  }
  impl_->stop.signal();
  impl_->thread.join();
}

SenderHealth Sender::health() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->health;
}

std::string Sender::url() const { return impl_->options.receiver.endpoint.url(); }

}  // namespace ingero::fleet::send
