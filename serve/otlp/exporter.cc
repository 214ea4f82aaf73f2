// The exporter's thread: collects at an interval, queues on disk what cannot be sent, and sends it in order.
#include "serve/otlp/exporter.h"

#include <algorithm>

#include "serve/metrics/metric_names.h"
#include "serve/otlp/sending_thread.h"

namespace ingero::serve::otlp {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::nanoseconds;

}  // namespace

struct Exporter::Impl final : SendingThread {
  Impl(ExporterOptions o, Options sending, const Clock& c, DiskQueue q)
      : SendingThread({"ingero-otlp", "OTLP", "the receiver", "data is queued on disk and sent later"},
                      std::move(sending), c),
        options(std::move(o)),
        queue(std::move(q)),
        start_wall_ns(c.wall_ns()) {}
  ~Impl() override { stop(); }
  using SendingThread::changed_, SendingThread::failed_tries_, SendingThread::last_error_, SendingThread::mutex_;

  bool is_due() const override { return false; }
  Time wake_up() const override { return queue.empty() ? next_collect : std::min(next_collect, next_try()); }
  void turn(bool is_last) override;

  void collect();
  void offer(const Payload& payload);
  void drain();
  // False: not now.
  bool deliver(const Payload& payload);
  void account_queue();
  void lose(hal::Loss loss, uint64_t count) const {
    if (count > 0 && hooks.lose) hooks.lose(loss, count);
  }

  const ExporterOptions options;
  Hooks hooks;

  // The thread's own:
  DiskQueue queue;
  const uint64_t start_wall_ns;
  Time next_collect{};
  QueueCounts accounted;

  // Guarded by the mutex:
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
  const std::scoped_lock lock(mutex_);
  health.dropped_items += dropped;
  health.damaged_files += damaged;
  health.waiting_requests = queue.size();
  health.waiting_bytes = queue.bytes();
}

bool Exporter::Impl::deliver(const Payload& payload) {
  const auto answer = send(payload);
  if (!answer) return false;
  const bool is_refused = answer->send_result == SendResult::kRefused;
  lose(hal::Loss::otlp_refused, is_refused ? payload.items : answer->rejected);
  const std::scoped_lock lock(mutex_);
  if (is_refused) {
    health.refused_items += payload.items;
    return true;
  }
  ++health.accepted_requests;
  health.accepted_items += payload.items - answer->rejected;
  health.rejected_items += answer->rejected;
  if (!answer->message.empty()) health.warning = answer->message;
  return true;
}

// What waits goes first.
void Exporter::Impl::offer(const Payload& payload) {
  if (queue.empty() && may_try() && deliver(payload)) return;
  queue.push(payload);
}

void Exporter::Impl::drain() {
  while (may_try()) {
    const auto oldest = queue.front();
    if (!oldest) return;
    if (!deliver(*oldest)) return;
    queue.pop();
    if (is_out_of_time()) return;
  }
}

void Exporter::Impl::collect() {
  const Encoding encoding{options.receiver.protocol == Protocol::kHttpJson, options.is_gzip, options.resource,
                          options.version};
  std::vector<Span> now;
  uint64_t dropped = 0;
  {
    const std::scoped_lock lock(mutex_);
    now.swap(spans);
    std::swap(dropped, spans_dropped);
    health.dropped_items += dropped;
  }
  lose(hal::Loss::otlp_dropped, dropped);
  for (const Payload& payload : encode_spans(now, encoding)) offer(payload);
  metrics::MetricSet metrics;
  hooks.fill(metrics);
  for (const Payload& payload : encode_metrics(metrics, encoding, start_wall_ns, clock().wall_ns())) offer(payload);
}

void Exporter::Impl::turn(bool is_last) {
  drain();
  if (is_last || Steady::now() >= next_collect) {
    collect();
    // A wall of time that passed elsewhere (suspend, a slow receiver) is not made up for.
    next_collect = std::max(next_collect + nanoseconds(options.interval_ns), Steady::now());
  }
  account_queue();
}

Exporter::Exporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Exporter::~Exporter() { stop(); }

Result<std::unique_ptr<Exporter>> Exporter::open(ExporterOptions options, const Clock& clock) {
  auto sending = SendingThread::prepare({options.receiver, options.timeout_ns, options.stop_ns}, options.tls);
  INGERO_TRY(sending);
  auto queue = DiskQueue::open(options.queue);
  INGERO_TRY(queue);
  return std::unique_ptr<Exporter>(
      new Exporter(std::make_unique<Impl>(std::move(options), std::move(*sending), clock, std::move(*queue))));
}

void Exporter::start(Hooks hooks) {
  impl_->hooks = std::move(hooks);
  impl_->next_collect = Steady::now() + nanoseconds(impl_->options.interval_ns);
  impl_->start(impl_->hooks.say);
}

void Exporter::add(Span span) {
  const std::scoped_lock lock(impl_->mutex_);
  if (impl_->spans.size() >= kMaxSpans) {
    ++impl_->spans_dropped;
    return;
  }
  impl_->spans.push_back(std::move(span));
}

void Exporter::stop() {
  if (impl_) impl_->stop();
}

ExporterHealth Exporter::health() const {
  const std::scoped_lock lock(impl_->mutex_);
  ExporterHealth now = impl_->health;
  now.failed_tries = impl_->failed_tries_;
  now.last_error = impl_->last_error_;
  return now;
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
