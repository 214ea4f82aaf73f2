// Queries each node on a thread of its own, or a silent one would keep others waiting; joined before the query returns:
// see client.h.
#include "fleet/client.h"

#include <system_error>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/json.h"
#include "base/text.h"

namespace ingero::fleet {
namespace {

using serve::net::Deadline;
using serve::net::HttpRequest;
using SteadyClock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(50);  // for a cancellation

Errc code_of(std::string_view fault) {
  return fault == "bad_input"   ? Errc::kInvalid
         : fault == "refused"   ? Errc::kPermission
         : fault == "not_found" ? Errc::kNotFound
         : fault == "timed_out" ? Errc::kBusy
                                : Errc::kIo;
}

// Without the leading address: the caller that shows the error prepends it.
std::string without_url(const std::string& message, const Node& node) {
  const std::string prefix = node.peer.url() + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

Json time_schema() { return serve::tools::object_of("timestamp_ns:integer"); }

bool lists(const Json& answer, const char* name, std::string_view value) {
  const auto found = answer.find(name);
  return found != answer.end() && found->is_array() &&
         std::any_of(found->begin(), found->end(), [&](const Json& one) { return one == value; });
}

}  // namespace

struct Client::Round {
  Deadline deadline;
  const serve::net::Stop& stop;
};

Result<Json> checked_answer(std::string_view untrusted_body, const Json& schema) {
  // Before it is parsed: an empty list takes two bytes here and many more in memory.
  const auto values = std::count_if(untrusted_body.begin(), untrusted_body.end(),
                                    [](char c) { return c == ',' || c == '[' || c == '{'; });
  if (static_cast<size_t>(values) > kMaxValues) return Error(Errc::kCorrupt, "its answer holds too many values");
  Json answer = parse_json(untrusted_body);
  if (answer.is_discarded()) return Error(Errc::kCorrupt, "its answer is not JSON");
  if (const Status fits = serve::tools::check_schema(schema, answer); !fits.ok()) {
    return Error(Errc::kCorrupt, "its answer does not fit ingero's schema: " + printable(fits.error().message(), 300));
  }
  return answer;
}

Error refusal_of(int status, std::string_view untrusted_body) {
  const std::string said = fmt::format("HTTP {}", status);
  if (status < 400) return {Errc::kIo, said + " (redirects are not followed)"};
  const Json body = parse_json(untrusted_body.substr(0, 64 << 10));
  const std::string reason = text_member(body, "error");
  const std::string sentence = reason.empty() ? said : printable(reason, 500);
  if (status == 401) {
    return {Errc::kPermission, sentence, "give its token in INGERO_NODES_TOKEN or a file for --nodes-token-file"};
  }
  if (status == 429) return {Errc::kBusy, sentence};
  if (status == 404 && reason.empty()) return {Errc::kNotFound, sentence};
  return {code_of(text_member(body, "class")), sentence};
}

Result<Client> Client::make(ClientOptions options, const Clock& clock) {
  const bool has_tls =
      std::any_of(options.nodes.begin(), options.nodes.end(), [](const Node& node) { return node.peer.has_tls; });
  INGERO_TRY(serve::net::http_available(has_tls));
  options.tls.only_newest = true;
  auto tls = serve::net::TlsContext::make(options.tls);
  if (!tls.ok()) return tls.error();
  const bool is_word =
      std::all_of(options.token.begin(), options.token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!is_word || options.token.size() > 4096) return Error(Errc::kInvalid, "the token for the nodes is not one word");
  for (const Node& node : options.nodes) {
    if (options.token.empty() || node.peer.has_tls || node.peer.only_loopback) continue;
    if (serve::net::is_loopback_host(node.peer.host)) continue;
    return Error(Errc::kInvalid, fmt::format("node {}: the token would be sent unencrypted", node.name),
                 "use https, or ask without a token");
  }
  return Client(std::move(options), std::move(*tls), clock);
}

HttpRequest Client::request_of(std::string_view path, std::string_view body) const {
  HttpRequest request{.path = path,
                      .agent = options_.agent,
                      .headers = {{"Accept", "application/json"}},
                      .type = body.empty() ? "" : "application/json",
                      .body = body};
  if (!options_.token.empty()) request.headers.emplace_back("Authorization", "Bearer " + options_.token);
  return request;
}

Result<Json> Client::exchange(const Round& round, const Node& node, HttpRequest request, const Json& schema,
                              uint64_t* round_trip_ns, uint64_t* begin_wall_ns) const {
  const auto failed = [&](const Error& error) {
    std::string hint = error.hint();
    if (error.code() == Errc::kCorrupt && !node.peer.has_tls) hint = "if it serves TLS, write https://" + node.name;
    return Error(error.code(), without_url(error.message(), node), hint);
  };
  // The clock's question begins where the connection is there: its set-up would count as the way to the node.
  uint64_t begin_ns = 0;
  request.on_connected = [&] {
    if (begin_wall_ns != nullptr) *begin_wall_ns = clock_->wall_ns();
    begin_ns = clock_->mono_ns();
  };
  const auto got = serve::net::http_ask(node.peer, &tls_, request, kMaxAnswerBytes, round.deadline, round.stop);
  if (!got.ok()) return failed(got.error());
  if (round_trip_ns != nullptr) *round_trip_ns = clock_->mono_ns() - begin_ns;
  if (got->status != 200) return refusal_of(got->status, got->body);
  if (got->is_over) {
    return Error(Errc::kCorrupt, fmt::format("its answer is longer than {}", format_bytes(kMaxAnswerBytes)));
  }
  if (got->is_late) return Error(Errc::kBusy, "it did not answer in time");
  if (!got->is_whole) return Error(Errc::kIo, "its answer is cut");
  return checked_answer(got->body, schema);
}

// A node that does not say the time is asked all the same.
void Client::ask_clock(const Round& round, const Node& node, NodeAnswer& out) const {
  static const Json schema = time_schema();
  std::vector<ClockOffset> samples;
  const HttpRequest request = request_of("/api/v1/time", "");
  for (int i = 0; i < kClockSamples; ++i) {
    uint64_t round_trip_ns = 0, begin_wall_ns = 0;
    const auto said = exchange(round, node, request, schema, &round_trip_ns, &begin_wall_ns);
    if (!said.ok()) return;
    const Json& time = (*said)["timestamp_ns"];
    if (time.is_number_unsigned() && time.get<uint64_t>() > INT64_MAX) return;
    const auto offset = clock_offset(begin_wall_ns, round_trip_ns, time.get<int64_t>());
    if (!offset) return;
    samples.push_back(*offset);
  }
  out.clock = best_of(samples);
}

Result<Json> Client::ask_versions(const Round& round, const Node& node) const {
  static const Json schema = serve::tools::object_of("");
  auto said = exchange(round, node, request_of("/api/versions", ""), schema);
  if (!said.ok() && said.error().code() != Errc::kNotFound) return said;
  if (said.ok() && (lists(*said, "versions", "v1") || lists(*said, "capabilities", "tools"))) return said;
  return Error(Errc::kNotSupported, "it does not say at /api/versions that it has tools, so it is too old to be asked",
               "run 'ingero dashboard' or 'ingero fleet serve' of this version there");
}

void Client::ask_one(const Round& round, const Questions& questions, bool with_clocks, NodeAnswer& out) const {
  const auto versions = ask_versions(round, *out.node);
  if (!versions.ok()) {
    out.answers = versions.error();
    return;
  }
  out.kind = versions->contains("capabilities") ? ServerKind::kCluster : ServerKind::kNode;
  const auto& chosen = out.kind == ServerKind::kCluster ? questions.of_cluster : questions.of_node;
  if (!chosen.ok()) {
    out.answers = chosen.error();
    return;
  }
  std::vector<Json> answers;
  for (const NodeQuestion& question : *chosen) {
    if (out.kind == ServerKind::kCluster && !lists(*versions, "capabilities", question.capability)) {
      out.answers =
          Error(Errc::kNotSupported, fmt::format("this cluster's server is too old: it has no {}", question.capability),
                "run 'ingero fleet serve' of this version there");
      return;
    }
    const std::string path = "/api/v1/tools/" + question.tool;
    const std::string body = dump(question.input);
    auto said = exchange(round, *out.node, request_of(path, body), question.schema);
    if (!said.ok()) {
      out.answers = said.error();
      return;
    }
    answers.push_back(std::move(*said));
  }
  out.answers = std::move(answers);
  if (with_clocks) ask_clock(round, *out.node, out);
}

std::vector<NodeAnswer> Client::ask(const Questions& questions, bool with_clocks, const Bounds& bounds) const {
  std::vector<NodeAnswer> out;
  const auto is_silent = [&](const Node& node) {
    return bounds.silent != nullptr && bounds.silent->contains(node.name);
  };
  for (const Node& node : options_.nodes) {
    out.push_back({&node,
                   {},
                   is_silent(node) ? Error(Errc::kIo, "not queried again: it did not answer before")
                                   : Error(Errc::kBusy, "not queried: the time limit was reached")});
  }
  const auto begin = SteadyClock::now();
  const Deadline end = bounds.time_ns == 0 ? Deadline::max() : begin + std::chrono::nanoseconds(bounds.time_ns);
  serve::net::Stop stop;
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::condition_variable done;
  size_t running = std::min(kMaxNodes, out.size());
  const auto work = [&] {
    for (size_t i = next++; i < out.size() && !stop.is_signalled(); i = next++) {
      if (is_silent(*out[i].node)) continue;
      const auto now = SteadyClock::now();
      if (now >= end) break;
      const auto share = std::min<uint64_t>(options_.timeout_ns, INT64_MAX / 4);
      const Round round{std::min(end, now + std::chrono::nanoseconds(share)), stop};
      try {
        ask_one(round, questions, with_clocks, out[i]);
      } catch (const std::exception& error) {  // of the JSON library, or of memory
        out[i].answers = Error(Errc::kIo, error.what());
      }
    }
    const std::scoped_lock lock(mutex);
    --running;
    done.notify_all();
  };
  std::vector<std::thread> threads;
  for (size_t i = running; i > 0; --i) {
    try {
      threads.emplace_back(work);
    } catch (const std::system_error&) {  // as many as there can be
      const std::scoped_lock lock(mutex);
      --running;
    }
  }
  {
    std::unique_lock lock(mutex);
    while (running > 0) {
      if (bounds.cancel != nullptr && bounds.cancel->load()) stop.signal();
      done.wait_for(lock, kLook);
    }
  }
  for (std::thread& thread : threads) thread.join();
  return out;
}

}  // namespace ingero::fleet
