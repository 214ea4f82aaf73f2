// Builds OTLP spans from causal chains, slow collectives and slow steps, with ids derived from what each span names.
#include "agent/otlp/spans.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/hash.h"
#include "serve/metrics/operation_names.h"

namespace ingero::agent {
namespace {

using serve::otlp::Span;

constexpr size_t kMaxEvents = 32;

// Never all zero: that means "no id".
void put_id(uint8_t* to, uint64_t value) {
  value = value == 0 ? 1 : value;
  for (int i = 0; i < 8; ++i) to[i] = static_cast<uint8_t>(value >> (56 - 8 * i));
}

void put_trace_id(Span& span, const Fnv1a& what) {
  put_id(span.trace_id.data(), what.value());
  put_id(span.trace_id.data() + 8, Fnv1a(what).add("second half").value());
}

template <typename T>
void put(Span& span, const char* key, const std::optional<T>& value) {
  if (value) span.attributes.emplace_back(key, static_cast<int64_t>(*value));
}

void put(Span& span, const char* key, std::string_view text) {
  if (!text.empty()) span.attributes.emplace_back(key, std::string(text));
}

template <typename Names, typename Text>
std::string name_of_code(const std::optional<uint32_t>& code, const Names& names, Text text) {
  if (!code) return {};
  return *code < names.size() ? std::string(text(names[*code])) : std::to_string(*code);
}

}  // namespace

Span IncidentSpans::span_of(const hal::CausalChain& chain) const {
  Span span;
  const auto what = Fnv1a().add(run_).end_text().add(chain.id).end_text();
  put_trace_id(span, what);
  put_id(span.span_id.data(), Fnv1a(what).add("span").value());
  const std::string_view rule = chain.rule.empty() ? std::string_view("incident") : std::string_view(chain.rule);
  span.name = fmt::format("incident {}", rule);
  span.start_wall_ns = chain.onset_wall_ns.value_or(0);
  span.end_wall_ns = chain.end_wall_ns.value_or(0);
  put(span, "ingero.incident.id", node_ + ":" + chain.id);
  put(span, "ingero.incident.rule", rule);
  put(span, "ingero.incident.severity", chain.severity);
  put(span, "ingero.incident.grade", chain.grade);
  span.attributes.emplace_back("ingero.incident.confidence", chain.confidence.value_or(0));
  span.attributes.emplace_back("ingero.incident.resolved", chain.resolved);
  put(span, "ingero.incident.root_cause", chain.root_cause);
  put(span, "ingero.incident.recommendations", fmt::format("{}", fmt::join(chain.recommendations, "; ")));
  span.attributes.emplace_back("ingero.incident.lost_ns", static_cast<int64_t>(chain.lost_ns.value_or(0)));
  put(span, "ingero.operation", chain.op);
  put(span, "ingero.process", chain.process);
  put(span, "process.pid", chain.pid);
  put(span, "thread.id", chain.tid);
  put(span, "ingero.rank", chain.rank);
  for (const hal::ChainEvidence& one : chain.evidence) {
    if (span.events.size() >= kMaxEvents) break;
    span.events.push_back({one.start_wall_ns,
                           one.op,
                           {{"ingero.evidence", one.detail},
                            {"ingero.duration_ns", static_cast<int64_t>(one.duration_ns)},
                            {"process.pid", int64_t{one.pid}},
                            {"thread.id", int64_t{one.tid}}}});
  }
  span.is_error = true;
  span.status = chain.summary;
  return span;
}

void IncidentSpans::emit(const hal::CausalChain& chain) {
  if (chain.resolved) {
    open_.erase(chain.id);
    take_(span_of(chain));
    return;
  }
  // The cap on open chains: one of them becomes a span as it is now.
  if (open_.size() >= kMaxOpen && !open_.contains(chain.id)) {
    take_(span_of(open_.begin()->second));
    open_.erase(open_.begin());
  }
  open_.insert_or_assign(chain.id, chain);
}

void IncidentSpans::finish() {
  for (const auto& [id, chain] : open_) take_(span_of(chain));
  open_.clear();
}

Span span_of(const correlate::ClassifiedStep& evaluated, const std::optional<ModelServer>& server,
             const std::string& run) {
  const correlate::InferenceStep& step = evaluated.step;
  Span span;
  const auto what = Fnv1a()
                        .add(run)
                        .end_text()
                        .add("step")
                        .end_text()
                        .add(uint64_t{step.pid})
                        .add(uint64_t{step.tid})
                        .add(step.end_mono_ns);
  put_trace_id(span, what);
  put_id(span.span_id.data(), Fnv1a(what).add("span").value());
  const std::string_view slow = name_of(evaluated.slow);
  span.name = fmt::format("infer.outlier.{}", slow);
  const auto offset = static_cast<uint64_t>(step.wall_offset_ns);
  span.start_wall_ns = step.start_mono_ns + offset;
  span.end_wall_ns = step.end_mono_ns + offset;
  put(span, "process.pid", std::optional(step.pid));
  put(span, "thread.id", std::optional(step.tid));
  put(span, "ingero.infer.phase", name_of(evaluated.phase));
  put(span, "ingero.infer.outlier_bucket", slow);
  put(span, "ingero.infer.step_duration_ns", std::optional(step.duration_ns()));
  put(span, "ingero.infer.baseline_mean_ns", evaluated.mean_ns);
  put(span, "ingero.infer.baseline_p95_ns", evaluated.p95_ns);
  put(span, "ingero.infer.wait_ns", std::optional(step.wait_ns));
  put(span, "ingero.infer.idle_ns", std::optional(step.idle_ns));
  put(span, "ingero.infer.launches", std::optional(step.launches));
  put(span, "ingero.infer.graph_launches", std::optional(step.graph_launches));
  put(span, "ingero.infer.copied_bytes", std::optional(step.copied_bytes));
  put(span, "ingero.infer.collectives", std::optional(step.collectives));
  if (step.stream) put(span, "ingero.infer.stream_handle", fmt::format("{:#x}", *step.stream));
  put(span, "ingero.infer.kernel_fingerprint", fmt::format("{:016x}", step.functions));
  if (server) {
    put(span, "gen_ai.system", server->name);
    put(span, "gen_ai.request.model", server->model);
  }
  span.is_error = true;
  span.status = fmt::format("{} of what is usual", slow);
  return span;
}

void CollectiveSpans::add(const EventBatch& batch, const Lookup& communicator) {
  for (const correlate::Arrival& arrival : batch.arrivals) {
    const std::pair key(arrival.comm_id_hash, arrival.number);
    if (arrivals_.insert_or_assign(key, arrival).second) arrivals_order_.push_back(key);
    if (arrivals_order_.size() <= kMaxArrivals) continue;
    arrivals_.erase(arrivals_order_.front());
    arrivals_order_.pop_front();
  }
  for (const auto& [index, exchange] : batch.records.exchanges) {
    const hal::Event& event = batch.records.events[index];
    if (event.kind != hal::Kind::kCollective && event.kind != hal::Kind::kP2p) continue;
    if (exchange.is_part || event.outcome != hal::Outcome::kReturned || !event.has(hal::Has::kDuration)) continue;
    if (event.call >= calls_.size()) continue;
    Waiting one{event, exchange, exchange.communicator_id ? communicator(*exchange.communicator_id) : std::nullopt};
    if (event.duration_ns >= slow_ns_) {  // it blocked: what waits for it on its stream adds nothing to that
      emit(one, std::nullopt);
      continue;
    }
    if (!waiting_.insert_or_assign(exchange.exchange_id, std::move(one)).second) continue;
    order_.push_back(exchange.exchange_id);
    if (order_.size() <= kMaxWaiting) continue;
    waiting_.erase(order_.front());  // no wait for it was seen
    order_.pop_front();
  }
  for (const hal::BarrierWait& wait : batch.barrier_waits) {
    const auto found = waiting_.find(wait.exchange_id);
    if (found == waiting_.end()) continue;
    if (found->second.event.duration_ns + wait.wait_ns >= slow_ns_) emit(found->second, wait.wait_ns);
    waiting_.erase(found);
  }
}

void CollectiveSpans::emit(const Waiting& one, std::optional<uint64_t> wait_ns) const {
  const hal::Call& call = calls_[one.event.call];
  const hal::Exchange& exchange = one.exchange;
  const auto hash = one.on && one.on->comm_id_hash ? one.on->comm_id_hash : exchange.id_hash;
  Span span;
  const auto mine = Fnv1a().add(run_).end_text().add(exchange.exchange_id);
  const bool is_shared = hash && exchange.number && one.event.kind == hal::Kind::kCollective;
  put_trace_id(span, is_shared ? Fnv1a().add("collective").end_text().add(*hash).add(*exchange.number) : mine);
  put_id(span.span_id.data(), Fnv1a(mine).add("span").value());
  const std::string operation = serve::metrics::collective_name(call.name);
  span.name = fmt::format("collective {}", operation);
  span.start_wall_ns = one.event.start_wall_ns();
  span.end_wall_ns = span.start_wall_ns + one.event.duration_ns + wait_ns.value_or(0);
  put(span, "gpu.vendor", call.vendor);
  put(span, "gpu.collective.op_type", operation);
  put(span, "process.pid", std::optional(one.event.pid));
  put(span, "thread.id", std::optional(one.event.tid));
  if (hash) put(span, "gpu.collective.comm_id_hash", fmt::format("{:016x}", *hash));
  put(span, "gpu.collective.rank", one.on && one.on->rank ? one.on->rank : exchange.rank);
  put(span, "gpu.collective.nranks", one.on && one.on->nranks ? one.on->nranks : exchange.nranks);
  put(span, "gpu.collective.seq", exchange.number);
  if (one.event.has(hal::Has::kBytes)) put(span, "gpu.collective.bytes", std::optional(one.event.bytes));
  put(span, "gpu.collective.peer", exchange.peer);
  put(span, "gpu.collective.root", exchange.root);
  if (call.owner != nullptr) {
    put(span, "gpu.collective.datatype",
        name_of_code(exchange.datatype, call.owner->datatypes, [](const hal::DataType& type) { return type.name; }));
    put(span, "gpu.collective.reduce_op",
        name_of_code(exchange.reduce_op, call.owner->reductions, [](std::string_view op) { return op; }));
  }
  put(span, "gpu.collective.enqueue_ns", std::optional(one.event.duration_ns));
  put(span, "gpu.collective.barrier_wait_ns", wait_ns);
  if (is_shared) {
    if (const auto found = arrivals_.find({*hash, *exchange.number}); found != arrivals_.end()) {
      put(span, "gpu.collective.last_rank", found->second.last_rank);
      put(span, "gpu.collective.lateness_ns", std::optional(found->second.late_ns));
    }
  }
  if (one.event.failed) {
    span.is_error = true;
    span.status = fmt::format("error {}", one.event.return_code);
  }
  take_(std::move(span));
}

}  // namespace ingero::agent
