// Any bytes as what a client of gRPC sends, in parts of any size: as a connection, and behind its preface. A call that
// comes whole keeps its bounds and is answered; nothing is held when the connection ends.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "serve/http/grpc_session.h"

using namespace ingero::serve::http;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void run(std::string_view bytes, size_t part) {
  GrpcOptions options;
  options.message_bytes = 4096;
  Shares held(kMaxAllMessageBytes);
  Refusals refusals;
  {
    std::vector<int32_t> whole;
    GrpcSessionCalls calls;
    calls.admit = [](const GrpcCall& call) -> std::optional<GrpcAnswer> {
      if (call.path != "/refused") return std::nullopt;
      GrpcAnswer refused;
      refused.code = GrpcCode::kUnauthenticated;
      return refused;
    };
    calls.submit = [&](int32_t stream, GrpcCall call, size_t, const std::stop_token&) {
      require(call.message.size() <= options.message_bytes);
      whole.push_back(stream);
    };
    GrpcSession session(options, std::move(calls), held, refusals, "a");
    auto now = GrpcSession::Time();
    while (!bytes.empty()) {
      const std::string_view some = bytes.substr(0, part);
      bytes.remove_prefix(some.size());
      now += std::chrono::seconds(1);
      if (!session.receive(some, now) || !session.expire(now, now - std::chrono::seconds(10))) break;
      for (const int32_t stream : whole) session.answer(stream, {.body = "answer", .metadata = {{"x", "y"}}}, now);
      whole.clear();
      std::string out;
      while (true) {
        out.clear();
        if (!session.produce(out) || out.empty()) break;
      }
      if (session.is_over()) break;
    }
  }
  require(held.held() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t part = data[0] == 0 ? SIZE_MAX : data[0];
  run(bytes, part);
  std::string behind = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  behind += bytes;
  run(behind, part);
  return 0;
}
