// The sender's thread: encodes what was given to it, and sends it in order; incidents first.
#include "fleet/send/sender.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "base/hash.h"
#include "base/text.h"
#include "fleet/wire/clock.h"
#include "fleet/wire/encode.h"
#include "fleet/wire/names.h"
#include "serve/net/gzip.h"
#include "serve/otlp/encode.h"
#include "serve/otlp/sending_thread.h"

namespace ingero::fleet::send {
namespace {

using Steady = std::chrono::steady_clock;
using serve::otlp::Payload;
using serve::otlp::SendResult;
using std::chrono::nanoseconds;

constexpr size_t kMaxTextBytes = 512;        // of an incident's sentence
constexpr size_t kMaxKnownIncidents = 4096;  // whose state was sent
constexpr double kNsPerSecond = 1e9;
constexpr uint64_t kReportAgain_ns = 60'000'000'000;  // where nothing has changed
constexpr uint64_t kLateWindow_ns = 30'000'000'000;   // such old ones say nothing of now

double seconds(uint64_t ns) { return static_cast<double>(ns) / kNsPerSecond; }

wire::DeviceState state_of(const hal::DeviceState& from) {
  static_assert(wire::kThrottlePower == hal::kThrottlePower && wire::kThrottleThermal == hal::kThrottleThermal);
  static_assert(wire::kThrottleSoftware == hal::kThrottleSoftware && wire::kThrottleHardware == hal::kThrottleHardware);
  return {printable(from.uuid, kMaxTextBytes),
          printable(from.model, kMaxTextBytes),
          from.utilization_ratio,
          from.power_watts,
          from.temperature_celsius,
          from.sm_clock_hertz,
          from.throttle_reasons};
}

wire::Activity activity_of(const correlate::RankActivity& from, const Sender::Hooks& hooks) {
  constexpr wire::ActivityKind kKinds[] = {wire::ActivityKind::kInCall, wire::ActivityKind::kAsleep,
                                           wire::ActivityKind::kRunning, wire::ActivityKind::kAfterCall};
  wire::Activity to;
  to.kind = kKinds[static_cast<size_t>(from.activity)];
  to.since_ns = from.since_ns;
  if (hooks.name) to.call = printable(hooks.name(from.call), wire::kMaxCallBytes);
  if (!hooks.stack || from.stack_id == 0) return to;
  const Stack stack = hooks.stack(from.stack_id);
  to.line = printable(stack.line, wire::kMaxLineBytes);
  for (const std::string& frame : stack.frames) {
    const std::string text = printable(frame, wire::kMaxLineBytes);
    if (to.stack.size() + text.size() + 1 > wire::kMaxStackBytes) break;
    to.stack += (to.stack.empty() ? "" : "\n") + text;
  }
  return to;
}

// Of a rank's windows, one in each communicator: its stack is named once.
using Activities = std::map<correlate::RankActivity, wire::Activity>;

// A few ranks of those whose numbers are known say it, in the same windows, now and then: others may have none.
bool is_compared(const correlate::RankWindow& window) {
  constexpr uint64_t kEvery = 4;
  constexpr uint32_t kFew = 4;
  return window.start_ns / correlate::RankWindows::kPeriodNs % kEvery == 0 &&
         window.comm_rank % std::max<uint32_t>(1, window.nranks / kFew) == 0;
}

wire::Progress progress_of(const correlate::Progress& from, const std::function<std::string(hal::CallId)>& operation) {
  wire::Progress to;
  to.base = static_cast<int64_t>(from.base);
  to.entered = static_cast<int64_t>(from.entered);
  to.left = static_cast<int64_t>(from.left);
  to.left_ns = from.left_ns;
  for (const auto& [call, bytes] : from.recent) {
    to.recent += fmt::format("{:04x}", Fnv1a().add(operation(call)).end_text().add(bytes).value() & 0xffff);
  }
  return to;
}

wire::Window window_of(const correlate::RankWindow& from, const wire::Sender& sender, const Sender::Hooks& hooks,
                       Activities& activities) {
  const auto& operation = hooks.operation;
  wire::Window to;
  to.pid = from.pid;
  if (from.activity) {
    const auto [known, is_new] = activities.try_emplace(*from.activity);
    if (is_new) known->second = activity_of(*from.activity, hooks);
    to.activity = known->second;
  }
  to.sender = sender;
  to.start_ns = from.start_ns;
  to.end_ns = from.end_ns;
  to.rank = from.rank;
  to.communicator = from.library_hash.value_or(from.comm_id_hash);
  if (from.library_hash) to.comm_id_hash = from.comm_id_hash;
  to.comm_rank = from.comm_rank;
  to.nranks = from.nranks;
  to.count = from.measured;
  to.blocked = from.blocked;
  if (from.median_ns) to.work_s = seconds(*from.median_ns);
  to.work_total_s = seconds(from.work_ns);
  to.wait_s = seconds(from.wait_ns);
  // Of as many collectives as are counted, where any are: what one carries follows from the two.
  const uint64_t bytes = from.measured > 0 ? from.measured_bytes : from.bytes;
  to.bytes = static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX));
  if (from.entered) to.entered = static_cast<int64_t>(*from.entered);
  if (from.left) to.left = static_cast<int64_t>(*from.left);
  to.entered_bytes = static_cast<int64_t>(std::min<uint64_t>(from.entered_bytes, INT64_MAX));
  if (from.progress && (!from.entered || is_compared(from))) to.progress = progress_of(*from.progress, operation);
  to.has_failed = from.has_failed;
  to.is_gone = from.is_gone;
  to.operation = operation(from.call);
  to.preempted_s = seconds(from.off.preempted_ns);
  to.runqueue_s = seconds(from.off.runqueue_ns);
  to.blocked_s = seconds(from.off.blocked_ns);
  to.io_s = seconds(from.off.io_ns);
  for (const correlate::SampledArrival& one : from.arrivals) {
    to.arrivals.push_back({one.number, one.entered_ns, one.left_ns, operation(one.call),
                           static_cast<int64_t>(std::min<uint64_t>(one.bytes, INT64_MAX))});
  }
  return to;
}

// Where a launcher names its job by an address of its own machine, it is another job on each.
std::string job_of(const correlate::RankWindow& window, const SenderOptions& options) {
  constexpr std::string_view kThisMachine = "localhost:";
  if (!options.job.empty()) return options.job;
  if (!window.job.starts_with(kThisMachine)) return window.job;
  return fmt::format("{}:{}", options.node, std::string_view(window.job).substr(kThisMachine.size()));
}

wire::Incident incident_of(const hal::CausalChain& chain, const std::string& recording_node) {
  wire::Incident incident;
  incident.time_ns = chain.end_wall_ns.value_or(0);
  incident.lost_s = seconds(chain.lost_ns.value_or(0));
  if (chain.rank && *chain.rank >= 0) incident.rank = *chain.rank;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) incident.attributes.emplace_back(key, printable(value, kMaxTextBytes));
  };
  add("causal_chain_id", recording_node.empty() ? chain.id : fmt::format("{}:{}", recording_node, chain.id));
  add("severity", chain.severity);
  add("rule", chain.rule);
  add("state", chain.resolved ? "over" : "open");
  add("summary", chain.summary);
  add("root_cause", chain.root_cause);
  add("process", chain.process);
  add("operation", chain.op);
  add("pid", chain.pid ? std::to_string(*chain.pid) : "");
  add("onset_ns", std::to_string(chain.onset_wall_ns.value_or(0)));
  return incident;
}

std::vector<wire::NodePoint> points_of(const NodeReport& report, bool was_straggler, const std::string& node) {
  wire::NodePoint point;
  point.texts = {{wire::kNodeState, report.state}, {wire::kDetectionMode, name_of(report.mode)}};
  std::vector<wire::NodePoint> points;
  const auto add = [&](std::string_view metric, double value) {
    points.push_back(point);
    points.back().metric = metric;
    points.back().value = value;
  };
  if (report.score) add(wire::kScoreMetric, *report.score);
  if (report.threshold) point.numbers.emplace_back(wire::kThreshold, *report.threshold);
  if (report.score) point.numbers.emplace_back(wire::kScore, *report.score);
  add(wire::kDetectionMetric, 1);
  if (!report.is_straggler && !was_straggler) return points;
  point.texts.emplace_back(wire::kSignal, report.signal);
  // The same from its begin to its end, by which receivers join them.
  point.texts.emplace_back(wire::kEventId, fmt::format("{}/{}", node, report.since_ns));
  add(wire::kStragglerMetric, report.is_straggler ? 1 : 0);
  return points;
}

std::string sentence_of(const NodeReport& report) {
  if (!report.is_straggler) return "this machine does not call itself a straggler any more";
  return fmt::format("this machine calls itself a straggler: its score is {:.2f}, the threshold {:.2f} ({}, {})",
                     report.score.value_or(0), report.threshold.value_or(0), name_of(report.mode), report.signal);
}

// A run of this program, unlike every other run.
std::string random_instance() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace

struct Sender::Impl final : serve::otlp::SendingThread {
  Impl(SenderOptions o, Options sending, const Clock& c)
      : SendingThread({"ingero-fleet", "cluster", "the server", "it waits in memory and is sent later"},
                      std::move(sending), c),
        options(std::move(o)) {
    if (options.threshold) next_question = Steady::now();
  }
  ~Impl() override { stop(); }
  using SendingThread::changed_, SendingThread::failed_tries_, SendingThread::last_error_, SendingThread::mutex_;

  bool is_due() const override { return !pending.empty(); }
  Time wake_up() const override;
  void turn(bool is_last) override;
  void end() override;

  void encode_pending(bool is_last);
  void encode(std::vector<correlate::RankWindow> windows);
  void encode_incidents(std::vector<hal::CausalChain> chains);
  void encode_heartbeat();
  void report_node();
  void hear(const std::optional<PushedThreshold>& pushed);
  void ask_for_threshold();
  struct Queue {
    std::deque<Payload> requests = {};
    // The receiver may refuse what is in one queue for an hour, and take what is in the other.
    Time next_try{};

    bool is_due() const { return !requests.empty() && Steady::now() >= next_try; }
  };
  void push(Queue& to, std::string body, uint32_t points);
  void bound();
  void note_waiting();
  void drain(bool is_last);
  // False: not now.
  bool deliver(const Payload& payload);
  void drop(uint64_t points);

  const SenderOptions options;
  const std::string instance = random_instance();
  Hooks hooks;

  // The thread's own:
  Queue waiting, urgent;
  uint64_t waiting_bytes = 0, pushes = 0;
  wire::ClockFilter clocks;  // ours less the server's
  NodeState node;
  NodeReport reported;
  uint64_t reported_ns = 0;  // mono
  Time next_question = Time::max();
  Time next_incidents{}, next_heartbeat = Steady::now() + nanoseconds(options.heartbeat_ns);

  // Guarded by the mutex:
  std::deque<std::vector<correlate::RankWindow>> pending;
  std::map<std::string, hal::CausalChain> incidents;                 // to be sent, by id
  std::map<std::string, std::pair<std::string, bool>> known_states;  // given before, by id
  SenderHealth health;
  size_t in_hand = 0;  // was given, and is being encoded
};

void Sender::Impl::note_waiting() {
  const std::scoped_lock lock(mutex_);
  health.waiting_requests = waiting.requests.size() + urgent.requests.size();
  in_hand = 0;
}

void Sender::Impl::drop(uint64_t points) {
  if (points == 0) return;
  if (hooks.dropped) hooks.dropped(points);
  const std::scoped_lock lock(mutex_);
  health.dropped += points;
}

void Sender::Impl::push(Queue& to, std::string body, uint32_t points) {
  if (body.empty()) return;
  Payload payload{serve::otlp::Signal::kMetrics, true, points, serve::net::gzip(body)};
  waiting_bytes += payload.body.size();
  if (&to == &waiting) next_heartbeat = Steady::now() + nanoseconds(options.heartbeat_ns);
  to.requests.push_back(std::move(payload));
}

// The receiver knows one job, and one sender, for each request.
void Sender::Impl::encode(std::vector<correlate::RankWindow> windows) {
  std::map<std::pair<uint64_t, std::string>, std::vector<wire::Window>> groups;  // by start and job
  std::set<std::tuple<uint64_t, std::string, uint32_t>> with_device;
  Activities activities;
  for (const correlate::RankWindow& window : windows) {
    const std::string job = job_of(window, options);
    auto& group = groups[{window.start_ns, job}];
    group.push_back(window_of(window, {options.cluster, options.node, job}, hooks, activities));
    if (!window.device || !with_device.emplace(window.start_ns, job, window.rank).second) continue;
    group.back().device = state_of(*window.device);
  }
  const uint64_t now_ns = clock().wall_ns();
  node.add(windows);
  const bool is_of_now = std::ranges::any_of(
      windows, [&](const correlate::RankWindow& window) { return window.end_ns + kLateWindow_ns > now_ns; });
  if (is_of_now) report_node();
  for (const auto& [key, group] : groups) {
    for (size_t from = 0; from < group.size(); from += kMaxWindowsARequest) {
      const auto some = std::span(group).subspan(from, std::min(kMaxWindowsARequest, group.size() - from));
      const wire::Push about{instance, ++pushes, clocks.best(clock().mono_ns())};
      push(waiting, wire::encode_windows(some, about), wire::points_of(some));
    }
  }
}

void Sender::Impl::encode_incidents(std::vector<hal::CausalChain> chains) {
  if (chains.empty()) return;
  std::vector<wire::Incident> some;
  some.reserve(chains.size());
  for (const hal::CausalChain& chain : chains) some.push_back(incident_of(chain, options.recording_node));
  const wire::Push about = options.names_run ? wire::Push{instance, ++pushes, {}} : wire::Push();
  push(urgent, wire::encode_incidents({options.cluster, options.node, ""}, some, about),
       static_cast<uint32_t>(some.size()));
}

// At once where something has changed, else now and then; a straggler says so with each window.
void Sender::Impl::report_node() {
  const uint64_t mono_ns = clock().mono_ns();
  const NodeReport now = node.report(clock().wall_ns(), mono_ns);
  const bool has_changed = std::string_view(now.state) != reported.state || now.mode != reported.mode ||
                           now.is_straggler != reported.is_straggler;
  const bool is_known = now.mode != DetectionMode::kNone || reported_ns != 0;
  const bool is_due = is_known && (has_changed || now.is_straggler || mono_ns >= reported_ns + kReportAgain_ns);
  if (!is_due || now.time_ns == 0) return;
  if (now.is_straggler != reported.is_straggler && hooks.say) hooks.say(sentence_of(now));
  const auto points = points_of(now, reported.is_straggler, options.node);
  const wire::Push about = options.names_run ? wire::Push{instance, ++pushes, {}} : wire::Push();
  push(waiting, wire::encode_node({options.cluster, options.node, options.job}, now.time_ns, points, about),
       static_cast<uint32_t>(points.size()));
  reported = now;
  reported_ns = mono_ns;
  const std::scoped_lock lock(mutex_);
  health.node = now;
}

void Sender::Impl::hear(const std::optional<PushedThreshold>& pushed) { node.hear(pushed, clock().mono_ns()); }

// Where something between the server and this machine drops headers.
void Sender::Impl::ask_for_threshold() {
  if (!options.threshold || Steady::now() < next_question) return;
  next_question = Steady::now() + nanoseconds(options.threshold->pause_ns());
  if (node.has_fresh(clock().mono_ns())) return;
  const auto deadline = Steady::now() + nanoseconds(options.timeout_ns);
  hear(options.threshold->ask(deadline, stop_signal()));
}

// Not where something waits, which would say the same once it is taken.
void Sender::Impl::encode_heartbeat() {
  if (options.heartbeat_ns == 0 || !waiting.requests.empty() || Steady::now() < next_heartbeat) return;
  report_node();  // its ranks may be idle by now
  push(waiting, wire::encode_heartbeat({options.cluster, options.node, ""}, {instance, ++pushes, {}}), 0);
}

void Sender::Impl::encode_pending(bool is_last) {
  std::deque<std::vector<correlate::RankWindow>> windows;
  std::vector<hal::CausalChain> chains;
  {
    const std::scoped_lock lock(mutex_);
    windows.swap(pending);
    if (is_last || Steady::now() >= std::max(next_incidents, urgent.next_try)) {
      for (auto& [id, chain] : incidents) chains.push_back(std::move(chain));
      incidents.clear();
    }
    in_hand = windows.size() + chains.size();
  }
  if (!chains.empty()) next_incidents = Steady::now() + nanoseconds(options.between_incidents_ns);
  encode_incidents(std::move(chains));
  for (auto& some : windows) encode(std::move(some));
  if (!is_last) encode_heartbeat();
  bound();
  note_waiting();
}

void Sender::Impl::bound() {
  while (waiting.requests.size() + urgent.requests.size() > options.max_waiting ||
         waiting_bytes > options.max_waiting_bytes) {
    auto& from = waiting.requests.empty() ? urgent.requests : waiting.requests;
    waiting_bytes -= from.front().body.size();
    drop(from.front().items);
    from.pop_front();
  }
}

bool Sender::Impl::deliver(const Payload& payload) {
  const uint64_t wall_ns = clock().wall_ns(), mono_ns = clock().mono_ns();
  const auto answer = send(payload);
  if (!answer) return false;
  const uint64_t now_ns = clock().mono_ns();
  if (const auto offset = wire::clock_offset(wall_ns, now_ns - mono_ns, answer->untrusted_time)) {
    clocks.add({-offset->offset_ns, offset->within_ns}, now_ns);
  }
  hear(read_threshold(answer->untrusted_threshold, answer->untrusted_quorum, answer->untrusted_score));
  const uint64_t refused = answer->send_result == SendResult::kRefused ? payload.items : answer->rejected;
  if (refused > 0 && hooks.refused) hooks.refused(refused);
  const std::scoped_lock lock(mutex_);
  ++health.requests;
  health.refused += refused;
  health.accepted += payload.items - std::min<uint64_t>(payload.items, refused);
  return true;
}

void Sender::Impl::drain(bool is_last) {
  while (urgent.is_due() || waiting.is_due()) {
    Queue& from = urgent.is_due() ? urgent : waiting;
    if (!deliver(from.requests.front())) {
      from.next_try = next_try();
      continue;
    }
    waiting_bytes -= from.requests.front().body.size();
    from.requests.pop_front();
    // What has come meanwhile may be an incident.
    encode_pending(is_last);
  }
}

Sender::Impl::Time Sender::Impl::wake_up() const {
  auto wake = Time::max();
  for (const Queue* queue : {&urgent, &waiting}) {
    if (!queue->requests.empty()) wake = std::min(wake, queue->next_try);
  }
  if (!incidents.empty()) wake = std::min(wake, std::max(next_incidents, urgent.next_try));
  if (options.heartbeat_ns > 0 && waiting.requests.empty()) wake = std::min(wake, next_heartbeat);
  if (options.threshold) wake = std::min(wake, next_question);
  return wake;
}

void Sender::Impl::turn(bool is_last) {
  if (is_last) waiting.next_try = urgent.next_try = {};
  encode_pending(is_last);
  drain(is_last);
  if (!is_last) ask_for_threshold();
}

void Sender::Impl::end() {
  uint64_t left = 0;
  for (const Queue* queue : {&waiting, &urgent}) {
    for (const Payload& payload : queue->requests) left += payload.items;
  }
  drop(left);
}

Sender::Sender(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sender::~Sender() { stop(); }

Result<std::unique_ptr<Sender>> Sender::open(SenderOptions options, const Clock& clock) {
  auto sending =
      serve::otlp::SendingThread::prepare({options.receiver, options.timeout_ns, options.stop_ns}, options.tls);
  INGERO_TRY(sending);
  return std::unique_ptr<Sender>(new Sender(std::make_unique<Impl>(std::move(options), std::move(*sending), clock)));
}

void Sender::start(Hooks hooks) {
  {
    const std::scoped_lock lock(impl_->mutex_);  // add() may be called already
    impl_->hooks = std::move(hooks);
  }
  impl_->start(impl_->hooks.say);
}

void Sender::add(std::vector<correlate::RankWindow> windows) {
  if (windows.empty()) return;
  const std::scoped_lock lock(impl_->mutex_);
  if (impl_->pending.size() >= kMaxPending) {
    // The thread is behind by minutes: what is oldest gives way. Each window has at least four points.
    const uint64_t points = 4 * impl_->pending.front().size();
    impl_->pending.pop_front();
    impl_->health.dropped += points;
    if (impl_->hooks.dropped) impl_->hooks.dropped(points);
  }
  impl_->pending.push_back(std::move(windows));
  impl_->changed_.notify_all();
}

void Sender::add(const hal::CausalChain& chain) {
  if (hal::severity_order(chain.severity) > hal::severity_order(name_of(hal::ChainSeverity::kHigh))) return;
  const std::scoped_lock lock(impl_->mutex_);
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
  impl_->changed_.notify_all();
}

void Sender::stop() {
  if (impl_) impl_->stop();
}

SenderHealth Sender::health() const {
  const std::scoped_lock lock(impl_->mutex_);
  SenderHealth now = impl_->health;
  now.failed_tries = impl_->failed_tries_;
  now.last_error = impl_->last_error_;
  return now;
}

SenderBacklog Sender::backlog() const {
  const std::scoped_lock lock(impl_->mutex_);
  return {impl_->pending.size() + impl_->health.waiting_requests + impl_->in_hand, impl_->incidents.size()};
}

std::string Sender::url() const { return impl_->options.receiver.endpoint.url(); }

}  // namespace ingero::fleet::send
