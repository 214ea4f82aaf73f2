// The messages of OTLP 1.x (opentelemetry-proto): numbers and names of the fields that are used.
#include "serve/otlp/encode.h"

#include <algorithm>
#include <charconv>

#include "serve/metrics/metric_names.h"
#include "serve/net/gzip.h"
#include "serve/otlp/message.h"
#include "serve/otlp/names.h"

namespace ingero::serve::otlp {
namespace {

using metrics::MetricType;

constexpr int32_t kCumulative = 2;   // AggregationTemporality
constexpr int32_t kInternal = 1;     // Span.SpanKind
constexpr int32_t kStatusError = 2;  // Status.StatusCode
constexpr std::string_view kScope = "ingero";

template <class M>
void put_value(M& message, const Value& value) {
  M any(message, {2, "value"});
  if (const auto* text = std::get_if<std::string>(&value)) {
    any.text({1, "stringValue"}, *text);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    any.boolean({2, "boolValue"}, *flag);
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    any.int64({3, "intValue"}, *number);
  } else {
    any.number({4, "doubleValue"}, std::get<double>(value));
  }
}

template <class M>
void put_attributes(M& message, Field field, const Attributes& attributes) {
  if (attributes.empty()) return;
  typename M::List list(message, field);
  for (const auto& [key, value] : attributes) {
    M pair(list);
    pair.text({1, "key"}, key);
    put_value(pair, value);
  }
}

// Request{resource_x{resource, scope_x{scope, x...}}}, around what is encoded already.
template <class M>
std::string put_request(const Encoding& encoding, Signal signal, const std::vector<std::string>& encoded) {
  const bool is_metrics = signal == Signal::kMetrics;
  std::string out;
  {
    M request(out);
    typename M::List resources(request, {1, is_metrics ? "resourceMetrics" : "resourceSpans"});
    M one(resources);
    {
      M resource(one, {1, "resource"});
      put_attributes(resource, {1, "attributes"}, encoding.resource);
    }
    typename M::List scopes(one, {2, is_metrics ? "scopeMetrics" : "scopeSpans"});
    M scope_data(scopes);
    {
      M scope(scope_data, {1, "scope"});
      scope.text({1, "name"}, kScope);
      scope.text({2, "version"}, encoding.version);
    }
    typename M::List items(scope_data, {2, is_metrics ? "metrics" : "spans"});
    for (const std::string& item : encoded) items.add_encoded(item);
  }
  return out;
}

struct Times {
  uint64_t start_ns, now_ns;  // start 0: not known
};

Attributes attributes_of(const metrics::Series& series, const MetricName& name) {
  Attributes out;
  if (name.is_hardware) out.emplace_back("hw.type", "gpu");
  for (const auto& [label, value] : series.labels) {
    std::string key = attribute_name(label, name);
    int64_t number = 0;
    const char* end = value.data() + value.size();
    if (key == "process.pid" && std::from_chars(value.data(), end, number).ptr == end) {
      out.emplace_back(std::move(key), number);
    } else {
      out.emplace_back(std::move(key), std::string(value));
    }
  }
  return out;
}

template <class M>
void put_point(M& point, const metrics::Series& series, const MetricName& name, const Times& times) {
  const bool is_histogram = name.type == MetricType::kHistogram;
  put_attributes(point, {is_histogram ? 9U : 7U, "attributes"}, attributes_of(series, name));
  if (times.start_ns != 0) point.fixed64({2, "startTimeUnixNano"}, times.start_ns);
  point.fixed64({3, "timeUnixNano"}, times.now_ns);
  if (!is_histogram) {
    point.number({4, "asDouble"}, series.value * name.scale);
    return;
  }
  uint64_t count = 0;
  for (const uint64_t one : series.counts) count += one;
  std::vector<double> bounds(series.upper_bounds);
  for (double& bound : bounds) bound *= name.scale;
  point.fixed64({4, "count"}, count);
  point.number({5, "sum"}, series.sum * name.scale);
  point.fixed64s({6, "bucketCounts"}, series.counts);
  point.numbers({7, "explicitBounds"}, bounds);
}

template <class M>
std::string put_metric(const metrics::FamilyView& family, std::span<const metrics::Series> series,
                       const MetricName& name, const Times& times) {
  std::string out;
  {
    M metric(out);
    metric.text({1, "name"}, name.name);
    metric.text({2, "description"}, family.help);
    if (!name.unit.empty()) metric.text({3, "unit"}, name.unit);
    const Field kind = name.type == MetricType::kHistogram ? Field{9, "histogram"}
                       : name.type == MetricType::kCounter ? Field{7, "sum"}
                                                           : Field{5, "gauge"};
    M data(metric, kind);
    {
      typename M::List points(data, {1, "dataPoints"});
      for (const auto& one : series) {
        M point(points);
        put_point(point, one, name, name.type == MetricType::kGauge ? Times{0, times.now_ns} : times);
      }
    }
    if (name.type != MetricType::kGauge) data.enumeration({2, "aggregationTemporality"}, kCumulative);
    if (name.type == MetricType::kCounter) data.boolean({3, "isMonotonic"}, true);
  }
  return out;
}

template <class M>
std::string put_span(const Span& span) {
  std::string out;
  {
    M message(out);
    message.id({1, "traceId"}, span.trace_id);
    message.id({2, "spanId"}, span.span_id);
    message.text({5, "name"}, span.name);
    message.enumeration({6, "kind"}, kInternal);
    message.fixed64({7, "startTimeUnixNano"}, span.start_wall_ns);
    message.fixed64({8, "endTimeUnixNano"}, std::max(span.start_wall_ns, span.end_wall_ns));
    put_attributes(message, {9, "attributes"}, span.attributes);
    if (!span.events.empty()) {
      typename M::List events(message, {11, "events"});
      for (const SpanEvent& event : span.events) {
        M one(events);
        one.fixed64({1, "timeUnixNano"}, event.wall_ns);
        one.text({2, "name"}, event.name);
        put_attributes(one, {3, "attributes"}, event.attributes);
      }
    }
    if (span.is_error) {
      M status(message, {15, "status"});
      status.text({2, "message"}, span.status);
      status.enumeration({3, "code"}, kStatusError);
    }
  }
  return out;
}

// Splits items into requests of bounded size.
class Requests {
 public:
  Requests(const Encoding& encoding, Signal signal, size_t most) : encoding_(encoding), signal_(signal), most_(most) {}
  size_t room() const { return most_ - items_; }
  void add(std::string encoded, size_t items) {
    encoded_.push_back(std::move(encoded));
    items_ += items;
    if (items_ >= most_) close();
  }
  std::vector<Payload> take() {
    close();
    return std::move(payloads_);
  }

 private:
  void close() {
    if (encoded_.empty()) return;
    std::string body = encoding_.is_json ? put_request<Json>(encoding_, signal_, encoded_)
                                         : put_request<Proto>(encoding_, signal_, encoded_);
    encoded_.clear();
    if (encoding_.is_gzip) body = net::gzip(body);
    payloads_.push_back({signal_, encoding_.is_gzip, static_cast<uint32_t>(items_), std::move(body)});
    items_ = 0;
  }
  const Encoding& encoding_;
  Signal signal_;
  size_t most_;
  std::vector<std::string> encoded_;
  size_t items_ = 0;
  std::vector<Payload> payloads_;
};

bool began_with_the_trace(std::string_view page_name) {
#define X(constant, name, type, labels, help) \
  if (page_name == (name)) return true;
  INGERO_METRICS(X)
#undef X
  return false;
}

}  // namespace

std::vector<Payload> encode_metrics(const metrics::MetricSet& metrics, const Encoding& encoding, uint64_t start_wall_ns,
                                    uint64_t wall_ns) {
  Requests requests(encoding, Signal::kMetrics, kMaxPoints);
  metrics.each([&](const metrics::FamilyView& family, std::span<const metrics::Series> all) {
    const Times times{began_with_the_trace(family.name) ? start_wall_ns : 0, wall_ns};
    for (const MetricName& name : metric_names(family.name, family.type)) {
      for (std::span<const metrics::Series> rest = all; !rest.empty();) {
        const auto now = rest.first(std::min(rest.size(), requests.room()));
        requests.add(
            encoding.is_json ? put_metric<Json>(family, now, name, times) : put_metric<Proto>(family, now, name, times),
            now.size());
        rest = rest.subspan(now.size());
      }
    }
  });
  return requests.take();
}

std::vector<Payload> encode_spans(std::span<const Span> spans, const Encoding& encoding) {
  Requests requests(encoding, Signal::kTraces, kMaxSpansARequest);
  for (const Span& span : spans) requests.add(encoding.is_json ? put_span<Json>(span) : put_span<Proto>(span), 1);
  return requests.take();
}

}  // namespace ingero::serve::otlp
