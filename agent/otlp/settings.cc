// Reads the exporter's settings: flags override OTEL_* variables, and variables override defaults.
#include "agent/otlp/settings.h"

#include <filesystem>

#include "base/hash.h"
#include "base/text.h"
#include "base/trusted_path.h"
#include "store/db/file_access.h"

namespace ingero::agent {
namespace {

namespace otlp = serve::otlp;

// The flag, or else the variable, for one signal's sake before the general one; empty: neither says anything.
class OtlpVariables {
 public:
  explicit OtlpVariables(const Environment& environment) : environment_(environment) {}
  std::string get(const std::string& name) const {
    return environment_.variable(("OTEL_EXPORTER_OTLP_" + name).c_str()).value_or("");
  }
  std::string or_flag(const std::string& flag, const std::string& name) const {
    return flag.empty() ? get(name) : flag;
  }

 private:
  const Environment& environment_;
};

Result<otlp::Protocol> protocol_of(const std::string& text) {
  if (text.empty() || text == "http/protobuf") return otlp::Protocol::kHttpProtobuf;
  if (text == "http/json") return otlp::Protocol::kHttpJson;
  if (text == "grpc") return otlp::Protocol::kGrpc;
  return Error(Errc::kInvalid,
               fmt::format("--otlp-protocol (or OTEL_EXPORTER_OTLP_PROTOCOL) {}: unknown", printable(text)),
               "use http/protobuf, http/json or grpc");
}

Result<uint64_t> timeout_of(const OtlpSettings& options, const OtlpVariables& variables) {
  if (!options.timeout.empty()) return parse_duration_ns(options.timeout);
  const std::string text = variables.get("TIMEOUT");  // milliseconds, as the specification has it
  if (text.empty()) return uint64_t{10'000'000'000};
  const auto ms = parse_u64(text);
  if (!ms || *ms == 0 || *ms > 3'600'000) {
    return Error(
        Errc::kInvalid,
        fmt::format("OTEL_EXPORTER_OTLP_TIMEOUT={}: not a number of milliseconds up to an hour", printable(text)));
  }
  return *ms * 1'000'000;
}

Result<otlp::Headers> headers_of(const OtlpSettings& options, const OtlpVariables& variables,
                                 const std::string& signal) {
  otlp::Headers headers;
  for (const std::string& name : {std::string("HEADERS"), signal + "_HEADERS"}) {
    const auto more = otlp::parse_headers_variable(variables.get(name), "OTEL_EXPORTER_OTLP_" + name);
    INGERO_TRY(more);
    otlp::merge_headers(headers, *more);
  }
  if (options.headers_file.empty()) return headers;
  const auto more = otlp::read_headers_file(options.headers_file);
  if (!more.ok()) return more.error().in("--otlp-headers");
  otlp::merge_headers(headers, *more);
  return headers;
}

// A directory for each receiver: what was meant for one is never sent to another.
Result<std::string> queue_directory(const OtlpSettings& options, const Environment& environment,
                                    const otlp::Receiver& receiver) {
  std::string above = options.queue;
  if (above.empty()) {
    const auto location = store::locate(environment, options.database);
    if (!location.ok()) {
      return Error(Errc::kInvalid, "no directory for the OTLP queue: HOME is not set",
                   "name a directory with --otlp-queue, or a recording with --db");
    }
    const size_t slash = location->path.rfind('/');
    above = (slash == std::string::npos ? "." : location->path.substr(0, slash)) + "/otlp-queue";
  }
  while (above.size() > 1 && above.ends_with('/')) above.pop_back();
  const std::string whose = fmt::format("{} {}", receiver.endpoint.url(), static_cast<int>(receiver.protocol));
  return fmt::format("{}/{:016x}", above, fnv1a(whose));
}

}  // namespace

Result<otlp::ExporterOptions> exporter_options(const OtlpSettings& options, const Environment& environment) {
  const OtlpVariables variables(environment);
  otlp::ExporterOptions out;
  const auto protocol = protocol_of(variables.or_flag(options.protocol, "PROTOCOL"));
  INGERO_TRY(protocol);
  out.receiver.protocol = *protocol;
  auto endpoint = otlp::parse_endpoint(options.endpoint, {*protocol, options.insecure, options.insecure_allowed});
  INGERO_TRY(endpoint);
  out.receiver.endpoint = std::move(*endpoint);
  out.receiver.agent = "ingero/" INGERO_VERSION;
  for (auto* of : {&out.receiver.metrics_headers, &out.receiver.traces_headers}) {
    auto headers = headers_of(options, variables, of == &out.receiver.metrics_headers ? "METRICS" : "TRACES");
    INGERO_TRY(headers);
    *of = std::move(*headers);
  }
  const std::string compression = variables.or_flag(options.compression, "COMPRESSION");
  if (!compression.empty() && compression != "gzip" && compression != "none") {
    return Error(Errc::kInvalid,
                 fmt::format("OTEL_EXPORTER_OTLP_COMPRESSION={}: neither gzip nor none", printable(compression)));
  }
  out.is_gzip = compression != "none";
  out.tls = {variables.or_flag(options.authorities, "CERTIFICATE"),
             variables.or_flag(options.certificate, "CLIENT_CERTIFICATE"), variables.or_flag(options.key, "CLIENT_KEY"),
             false, "--otlp-cert and --otlp-key"};
  const auto interval = parse_duration_ns(options.interval);
  INGERO_TRY(interval);
  if (*interval < 100'000'000) {
    return Error(Errc::kInvalid,
                 fmt::format("--otlp-interval {}: must be at least 100ms", printable(options.interval, 64)));
  }
  out.interval_ns = *interval;
  const auto timeout = timeout_of(options, variables);
  INGERO_TRY(timeout);
  if (*timeout < 1'000'000) {
    return Error(Errc::kInvalid,
                 fmt::format("--otlp-timeout {}: must be at least 1ms", printable(options.timeout, 64)));
  }
  out.timeout_ns = *timeout;
  const auto queue_bytes = parse_size_bytes(options.queue_size);
  INGERO_TRY(queue_bytes);
  if (*queue_bytes < (1 << 20)) {
    return Error(Errc::kInvalid,
                 fmt::format("--otlp-queue-size {}: must be at least 1m", printable(options.queue_size, 64)));
  }
  out.queue.max_bytes = *queue_bytes;
  const auto directory = queue_directory(options, environment, out.receiver);
  INGERO_TRY(directory);
  out.queue.directory = *directory;
  out.version = INGERO_VERSION;
  return out;
}

Status make_queue_parents(const std::string& queue_directory, const OtlpSettings& options,
                          const Environment& environment) {
  const std::string parent = std::filesystem::path(queue_directory).parent_path().parent_path().string();
  std::error_code ignored;
  if (parent.empty() || std::filesystem::exists(parent, ignored)) return {};
  // A queue that is named needs no place for a recording.
  const auto location = store::locate(environment, options.database.empty() ? options.queue : options.database);
  INGERO_TRY(location);
  const auto& owner = location->owner;
  INGERO_TRY(check_trusted_path(parent, owner ? std::optional<uint32_t>(owner->uid) : std::nullopt));
  return store::make_directories(parent, owner);
}

}  // namespace ingero::agent
