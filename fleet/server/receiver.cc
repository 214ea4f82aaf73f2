// Statuses, codes and encodings: see receiver.h.
#include "fleet/server/receiver.h"

#include <random>

#include "base/text.h"
#include "fleet/wire/inflate.h"
#include "fleet/wire/metrics_json.h"
#include "fleet/wire/protobuf.h"

namespace ingero::fleet::server {
namespace {

namespace http = ingero::serve::http;

constexpr const char* kProtobufType = "application/x-protobuf";
constexpr const char* kJsonType = "application/json";
constexpr int kMinRetry_s = 5, kMaxRetry_s = 15;  // one to three times as often as agents send
constexpr int kRetrySpread_s = 5;

// Of google.rpc.Code.
int code_of(int status) {
  constexpr int kInvalidArgument = 3, kUnimplemented = 12, kResourceExhausted = 8, kUnavailable = 14;
  if (status == 413 || status == 429) return kResourceExhausted;
  if (status == 503) return kUnavailable;
  return status == 404 || status == 405 ? kUnimplemented : kInvalidArgument;
}

http::Response refusal(int status, bool is_json, const std::string& why) {
  http::Response response;
  response.status = status;
  response.type = is_json ? kJsonType : kProtobufType;
  response.body =
      is_json ? dump(Json{{"code", code_of(status)}, {"message", why}}) : wire::protobuf_error(code_of(status), why);
  response.note = why;
  return response;
}

// Seconds; at random, or all nodes come back at once.
int random_between(int least, int most) {
  static thread_local std::mt19937 random(std::random_device{}());
  return std::uniform_int_distribution<int>(least, most)(random);
}
int retry_after() { return random_between(kMinRetry_s, kMaxRetry_s); }
int retry_after(const Quotas::Refusal& over) {
  constexpr uint64_t kSecond_ns = 1'000'000'000;
  return static_cast<int>(over.wait_ns / kSecond_ns) + random_between(1, kRetrySpread_s);
}

http::Response limited(Cluster& cluster, const Quotas::Refusal& over, bool is_json) {
  cluster.count_over_quota();
  http::Response response = refusal(429, is_json, over.why);
  response.headers.emplace_back("Retry-After", std::to_string(retry_after(over)));
  return response;
}

// In capital letters or not, without parameters.
bool is_word(std::string_view header, std::string_view word) {
  const std::string_view name = trim(header.substr(0, header.find(';')));
  return std::equal(name.begin(), name.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// `packed`: as it came, by `encoding`.
Result<wire::Batch> decode(const std::string& packed, const std::string& encoding, bool is_json, uint64_t now_ns) {
  std::string unpacked;
  const bool is_packed = is_word(encoding, "gzip") || is_word(encoding, "x-gzip");
  if (!encoding.empty() && !is_word(encoding, "identity")) {
    if (!is_packed) {
      return Error(Errc::kNotSupported, fmt::format("the encoding {} is not known", printable(encoding, 32)),
                   "send gzip, or nothing");
    }
    auto inflated = wire::inflate_gzip(packed);
    INGERO_TRY(inflated);
    unpacked = std::move(*inflated);
  }
  const std::string& body = is_packed ? unpacked : packed;
  if (is_json && body.size() > kMaxJsonBytes) {
    return Error(Errc::kFull, "the body is longer than 8 MiB of JSON", "send protobuf, or less at a time");
  }
  wire::Collector collector(now_ns);
  INGERO_TRY(is_json ? wire::read_json(body, collector) : wire::read_protobuf(body, collector));
  return collector.take();
}

// What is of clusters for which the token does not send.
void refuse_others(const store::Clusters& its, wire::Batch& batch) {
  constexpr const char* kOther = "the token is not one of this cluster";
  const auto erase = [&](auto& list) {
    return std::erase_if(list, [&](const auto& one) { return !its.have(one.sender.cluster); });
  };
  std::erase_if(batch.idle, [&](const wire::Sender& one) { return !its.have(one.cluster); });
  const size_t refused = erase(batch.points) + erase(batch.windows);
  if (refused > 0) batch.refused[kOther] += refused;
}

std::string why_of(const wire::Refusals& refused) {
  std::string why;
  for (const auto& [reason, count] : refused) why += fmt::format("{}{} ({})", why.empty() ? "" : "; ", reason, count);
  return why;
}

struct ThresholdNames {
  const char *threshold, *quorum, *score;
};
constexpr ThresholdNames kHeaders = {"X-Ingero-Threshold", "X-Ingero-Quorum-Met", "X-Ingero-Score"};
constexpr ThresholdNames kMetadata = {"ingero-threshold", "ingero-quorum-met", "ingero-score"};

// What the senders of the batch classify themselves by, as headers of these names; none before it is known.
std::vector<std::pair<std::string, std::string>> threshold_of(Cluster& cluster, const wire::Batch& batch,
                                                              const ThresholdNames& names) {
  const wire::Sender* sender = nullptr;
  if (!batch.points.empty()) sender = &batch.points.front().sender;
  if (!batch.windows.empty()) sender = &batch.windows.front().sender;
  if (sender == nullptr) return {};
  const Threshold threshold = cluster.threshold(sender->cluster, sender->node);
  if (!threshold.is_known) return {};
  std::vector<std::pair<std::string, std::string>> headers{{names.threshold, fmt::format("{:.6g}", threshold.value)},
                                                           {names.quorum, threshold.has_quorum ? "true" : "false"}};
  if (threshold.score) headers.emplace_back(names.score, fmt::format("{:.6g}", *threshold.score));
  return headers;
}

http::Response accepted(Cluster& cluster, const wire::Batch& batch, bool is_json, uint64_t received_ns) {
  const uint64_t refused = batch.refused_count();
  http::Response response;
  response.type = is_json ? kJsonType : kProtobufType;
  if (is_json) {
    Json body = Json::object();
    if (refused > 0) {
      // 64-bit numbers are text in the protocol's JSON.
      body["partialSuccess"] = {{"rejectedDataPoints", std::to_string(refused)},
                                {"errorMessage", why_of(batch.refused)}};
    }
    response.body = dump(body);
  } else {
    response.body = wire::protobuf_answer(refused, why_of(batch.refused));
  }
  response.headers = threshold_of(cluster, batch, kHeaders);
  response.headers.emplace_back(wire::kTimeHeader, wire::time_header(received_ns, cluster.clock().wall_ns()));
  return response;
}

}  // namespace

http::Response receive(Cluster& cluster, const http::Request& request) {
  const uint64_t received_ns = cluster.clock().wall_ns();
  const std::string type = request.header("Content-Type");
  const bool is_json = is_word(type, kJsonType);
  if (request.path != "/v1/metrics") return refusal(404, is_json, "metrics are received at /v1/metrics");
  if (request.method != "POST") {
    http::Response response = refusal(405, is_json, "metrics are sent with POST");
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  if (!is_json && !is_word(type, kProtobufType)) {
    cluster.count_undecodable();
    return refusal(415, false, "Content-Type must be application/x-protobuf or application/json");
  }
  const std::string sender = request.header("Authorization");
  if (const auto over =
          cluster.quotas().take_bytes(sender, request.network, request.body.size(), cluster.clock().mono_ns())) {
    return limited(cluster, *over, is_json);
  }
  auto batch = decode(request.body, request.header("Content-Encoding"), is_json, received_ns);
  if (!batch.ok()) {
    cluster.count_undecodable();
    const Errc code = batch.error().code();
    const int status = code == Errc::kFull ? 413 : code == Errc::kNotSupported ? 415 : 400;
    return refusal(status, is_json, batch.error().text());
  }
  batch->sent_by = cluster.quotas().sender_of(sender, request.network);
  refuse_others(cluster.tokens().clusters_of(sender), *batch);
  if (const auto over = cluster.quotas().take_points(sender, *batch, cluster.clock().mono_ns())) {
    return limited(cluster, *over, is_json);
  }
  if (const Status taken = cluster.take(*batch); !taken.ok()) {
    http::Response response = refusal(503, is_json, taken.error().text());
    response.headers.emplace_back("Retry-After", std::to_string(retry_after()));
    return response;
  }
  return accepted(cluster, *batch, is_json, received_ns);
}

http::GrpcAnswer receive(Cluster& cluster, const http::GrpcCall& call) {
  const uint64_t received_ns = cluster.clock().wall_ns();
  http::GrpcAnswer answer;
  const auto refuse = [&](http::GrpcCode code, const std::string& why) {
    answer.code = code;
    answer.why = why;
    return answer;
  };
  const auto limit = [&](const Quotas::Refusal& over) {
    cluster.count_over_quota();
    const auto exhausted = static_cast<int>(http::GrpcCode::kResourceExhausted);
    answer.details = wire::protobuf_error(exhausted, over.why, retry_after(over));
    return refuse(http::GrpcCode::kResourceExhausted, over.why);
  };
  const auto header = [&](const char* name) {
    const auto found = call.headers.find(name);
    return found == call.headers.end() ? std::string() : found->second;
  };
  if (call.path != kExportPath) {
    return refuse(http::GrpcCode::kUnimplemented, fmt::format("only {} is served here", kExportPath));
  }
  const std::string sender = header("authorization");
  if (const auto over =
          cluster.quotas().take_bytes(sender, call.network, call.message.size(), cluster.clock().mono_ns())) {
    return limit(*over);
  }
  const std::string encoding = call.is_packed ? header("grpc-encoding") : "";
  if (call.is_packed && (encoding.empty() || encoding == "identity")) {
    cluster.count_undecodable();
    answer.reason = http::Refused::kMalformed;
    return refuse(http::GrpcCode::kInternal, "the message is packed, and grpc-encoding does not say how");
  }
  auto batch = decode(call.message, encoding, false, received_ns);
  if (!batch.ok()) {
    cluster.count_undecodable();
    const Errc code = batch.error().code();
    if (code == Errc::kNotSupported) answer.metadata = {{"grpc-accept-encoding", "identity,gzip"}};
    answer.reason = code == Errc::kFull           ? http::Refused::kTooLarge
                    : code == Errc::kNotSupported ? http::Refused::kWrongType
                                                  : http::Refused::kMalformed;
    return refuse(code == Errc::kFull           ? http::GrpcCode::kResourceExhausted
                  : code == Errc::kNotSupported ? http::GrpcCode::kUnimplemented
                                                : http::GrpcCode::kInvalidArgument,
                  batch.error().text());
  }
  batch->sent_by = cluster.quotas().sender_of(sender, call.network);
  refuse_others(cluster.tokens().clusters_of(sender), *batch);
  if (const auto over = cluster.quotas().take_points(sender, *batch, cluster.clock().mono_ns())) return limit(*over);
  if (const Status taken = cluster.take(*batch); !taken.ok()) {
    const auto unavailable = static_cast<int>(http::GrpcCode::kUnavailable);
    answer.details = wire::protobuf_error(unavailable, taken.error().text(), retry_after());
    return refuse(http::GrpcCode::kUnavailable, taken.error().text());
  }
  answer.body = wire::protobuf_answer(batch->refused_count(), why_of(batch->refused));
  answer.metadata = threshold_of(cluster, *batch, kMetadata);
  answer.metadata.emplace_back(wire::kTimeMetadata, wire::time_header(received_ns, cluster.clock().wall_ns()));
  return answer;
}

}  // namespace ingero::fleet::server
