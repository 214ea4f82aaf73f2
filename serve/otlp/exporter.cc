// The exporter's thread: collects at an interval, queues on disk what cannot be sent, and sends it in order.
#include "serve/otlp/exporter.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "serve/metrics/metric_names.h"
#include "serve/otlp/backoff.h"

namespace ingero::serve::otlp {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::nanoseconds;

}  // namespace

struct Exporter::Impl {
  Impl(ExporterOptions o, const Clock& c, DiskQueue q) : options(std::move(o)), clock(c), queue(std::move(q)) {}

  void run();
  void collect();
  void offer(const Payload& payload);
  void drain();
  // False: not now.
  bool send(const Payload& payload);
  void account_queue();
  bool is_stopping() {
    const std::scoped_lock lock(mutex);
    return stopping;
  }
  void say(const std::string& sentence) const {
    if (hooks.say) hooks.say(sentence);
  }
  void lose(hal::Loss loss, uint64_t count) const {
    if (count > 0 && hooks.lose) hooks.lose(loss, count);
  }

  const ExporterOptions options;
  const Clock& clock;
  std::optional<TlsContext> tls;
  std::unique_ptr<Transport> transport;
  Stop stop;
  Hooks hooks;
  std::thread thread;

  // The thread's own:
  DiskQueue queue;
  Backoff backoff;
  std::mt19937_64 random{std::random_device{}()};
  Steady::time_point next_try{};
  uint64_t start_wall_ns = 0;
  QueueCounts accounted;
  bool is_failing = false;
  std::string reported_refusal, reported_warning;

  mutable std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex:
  bool stopping = false, finished = false;
  Steady::time_point stop_by{};
  std::vector<Span> spans;
  uint64_t spans_dropped = 0;
  ExporterHealth health;
};

void Exporter::Impl::account_queue() {
  const QueueCounts now = queue.counts();
  const uint64_t dropped = now.dropped_items - accounted.dropped_items;
  const uint64_t damaged = now.damaged_files - accounted.damaged_files;
  accounted = now;
  lose(hal::Loss::otlp_dropped, dropped);
  lose(hal::Loss::otlp_damaged, damaged);
  const std::scoped_lock lock(mutex);
  health.dropped_items += dropped;
  health.damaged_files += damaged;
  health.waiting_requests = queue.size();
  health.waiting_bytes = queue.bytes();
}

bool Exporter::Impl::send(const Payload& payload) {
  Deadline deadline = Steady::now() + nanoseconds(options.timeout_ns);
  {
    const std::scoped_lock lock(mutex);
    if (stopping) deadline = std::min(deadline, stop_by);
  }
  const Answer answer = transport->send(payload, deadline, stop);
  if (answer.send_result == SendResult::kRetry) {
    next_try = Steady::now() + nanoseconds(backoff.next_ns(answer.retry_after_ns, random()));
    {
      const std::scoped_lock lock(mutex);
      ++health.failed_tries;
      health.last_error = answer.message;
    }
    if (!is_failing) say(fmt::format("OTLP: {}; data is queued on disk and sent later", answer.message));
    is_failing = true;
    return false;
  }
  backoff.reset();
  if (is_failing) say("OTLP: the receiver answers again");
  is_failing = false;
  const bool is_refused = answer.send_result == SendResult::kRefused;
  lose(hal::Loss::otlp_refused, is_refused ? payload.items : answer.rejected);
  std::string& reported = is_refused ? reported_refusal : reported_warning;
  if (!answer.message.empty() && reported != answer.message) {
    reported = answer.message;
    say(fmt::format("OTLP: {}{}", is_refused ? "refused, and not sent again: " : "the receiver says: ", reported));
  }
  const std::scoped_lock lock(mutex);
  if (is_refused) {
    health.refused_items += payload.items;
    health.last_error = answer.message;
    return true;
  }
  ++health.accepted_requests;
  health.accepted_items += payload.items - answer.rejected;
  health.rejected_items += answer.rejected;
  health.last_error.clear();
  if (!answer.message.empty()) health.warning = answer.message;
  return true;
}

// What waits goes first.
void Exporter::Impl::offer(const Payload& payload) {
  if (queue.empty() && Steady::now() >= next_try && send(payload)) return;
  queue.push(payload);
}

void Exporter::Impl::drain() {
  while (Steady::now() >= next_try) {
    const auto oldest = queue.front();
    if (!oldest) return;
    if (!send(*oldest)) return;
    queue.pop();
    if (is_stopping() && Steady::now() >= stop_by) return;
  }
}

void Exporter::Impl::collect() {
  const Encoding encoding{options.receiver.protocol == Protocol::kHttpJson, options.is_gzip, options.resource,
                          options.version};
  std::vector<Span> now;
  uint64_t dropped = 0;
  {
    const std::scoped_lock lock(mutex);
    now.swap(spans);
    std::swap(dropped, spans_dropped);
    health.dropped_items += dropped;
  }
  lose(hal::Loss::otlp_dropped, dropped);
  for (const Payload& payload : encode_spans(now, encoding)) offer(payload);
  metrics::MetricSet metrics;
  hooks.fill(metrics);
  for (const Payload& payload : encode_metrics(metrics, encoding, start_wall_ns, clock.wall_ns())) offer(payload);
}

void Exporter::Impl::run() {
  pthread_setname_np(pthread_self(), "ingero-otlp");
  sigset_t pipe;  // a connection that TLS finds closed
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  const auto interval = nanoseconds(options.interval_ns);
  auto next_collect = Steady::now() + interval;
  bool is_last = false;
  while (!is_last) {
    {
      std::unique_lock lock(mutex);
      const auto wake = queue.empty() ? next_collect : std::min(next_collect, next_try);
      changed.wait_until(lock, wake, [this] { return stopping; });
      is_last = stopping;
      if (is_last) next_try = {};  // one more try, whatever was promised
    }
    drain();
    if (is_last || Steady::now() >= next_collect) {
      collect();
      // A wall of time that passed elsewhere (suspend, a slow receiver) is not made up for.
      next_collect = std::max(next_collect + interval, Steady::now());
    }
    account_queue();
  }
  const std::scoped_lock lock(mutex);
  finished = true;
  changed.notify_all();
}

Exporter::Exporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Exporter::~Exporter() { stop(); }

Result<std::unique_ptr<Exporter>> Exporter::open(ExporterOptions options, const Clock& clock) {
  const bool is_grpc = options.receiver.protocol == Protocol::kGrpc;
  INGERO_TRY(
      net::http_available(options.receiver.endpoint.has_tls, is_grpc ? net::HttpVersion::k2 : net::HttpVersion::k1_1));
  std::optional<TlsContext> tls;
  if (options.receiver.endpoint.has_tls) {
    auto made = TlsContext::make(options.tls);
    INGERO_TRY(made);
    tls = std::move(*made);
  }
  auto queue = DiskQueue::open(options.queue);
  INGERO_TRY(queue);
  auto impl = std::make_unique<Impl>(std::move(options), clock, std::move(*queue));
  impl->tls = std::move(tls);
  impl->transport = make_transport(impl->options.receiver, impl->tls ? &*impl->tls : nullptr, clock);
  impl->start_wall_ns = clock.wall_ns();
  return std::unique_ptr<Exporter>(new Exporter(std::move(impl)));
}

void Exporter::start(Hooks hooks) {
  impl_->hooks = std::move(hooks);
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

void Exporter::add(Span span) {
  const std::scoped_lock lock(impl_->mutex);
  if (impl_->spans.size() >= kMaxSpans) {
    ++impl_->spans_dropped;
    return;
  }
  impl_->spans.push_back(std::move(span));
}

void Exporter::stop() {
  if (!impl_->thread.joinable()) return;
  {
    std::unique_lock lock(impl_->mutex);
    impl_->stopping = true;
    impl_->stop_by = Steady::now() + nanoseconds(impl_->options.stop_ns);
    impl_->changed.notify_all();
    // A request that was under way may take longer than is left: it is ended, and what it held waits on disk.
    impl_->changed.wait_until(lock, impl_->stop_by, [this] { return impl_->finished; });
  }
  impl_->stop.signal();
  impl_->thread.join();
}

ExporterHealth Exporter::health() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->health;
}

std::string Exporter::url() const { return impl_->options.receiver.endpoint.url(); }

void Exporter::write(metrics::MetricSet& metrics) const {
  const ExporterHealth now = health();
  const std::pair<const char*, uint64_t> outcomes[] = {{"accepted", now.accepted_items},
                                                       {"rejected", now.rejected_items},
                                                       {"refused", now.refused_items},
                                                       {"dropped", now.dropped_items}};
  for (const auto& [outcome, count] : outcomes) {
    metrics.add(metrics::kOtlpItems, {{"outcome", outcome}}, static_cast<double>(count));
  }
  metrics.add(metrics::kOtlpFailedTries, {}, static_cast<double>(now.failed_tries));
  metrics.add(metrics::kOtlpWaiting, {}, static_cast<double>(now.waiting_requests));
  metrics.add(metrics::kOtlpWaitingBytes, {}, static_cast<double>(now.waiting_bytes));
}

}  // namespace ingero::serve::otlp
