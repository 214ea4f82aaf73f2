// Any bytes as what a client of HTTP sends, in parts of any size: read by the request reader, and sent to the real
// server over a socket. The reader keeps its bounds and takes the same whatever the parts; the server answers or ends
// the connection, and goes on.
//
// The first byte says how large the parts are, and which server takes them: one that is guarded, an open one, or, as a
// connection takes a hundred times as long as reading, mostly none.
#include "serve/http/request_reader.h"
#include "served.h"

using namespace ingero;
using namespace ingero::fuzz;
using serve::http::RequestReader;

namespace {

struct Taken {
  RequestReader::State state;
  int status;
  std::string method, path, query, body, reason;
  size_t used, fields;
  bool operator==(const Taken&) const = default;
};

Taken read(std::string_view bytes, size_t part, bool takes_packed) {
  using State = RequestReader::State;
  RequestReader reader(kBodyBytes, takes_packed);
  size_t used = 0;
  while (used < bytes.size() && reader.state() != State::kDone && reader.state() != State::kRefused) {
    const std::string_view some = bytes.substr(used, part);
    const size_t taken = reader.feed(some);
    require(taken <= some.size());
    used += taken;
    require(reader.held_bytes() <= 2 * (serve::http::kMaxHeadBytes + kBodyBytes + 64));
    if (reader.state() == State::kHeadRead) {
      reader.read_body();
    } else {
      require(taken == some.size() || reader.state() == State::kDone || reader.state() == State::kRefused);
    }
  }
  require((reader.state() == State::kRefused) == (reader.status() >= 400) &&
          reader.reason().empty() == (reader.status() == 0));
  require(reader.body().size() <= kBodyBytes && reader.head().fields.size() <= serve::http::kMaxHeaderLines);
  // Of a refused request it matters only that it is.
  if (reader.state() == State::kRefused)
    return {State::kRefused, reader.status(), "", "", "", "", reader.reason(), 0, 0};
  const serve::http::Head& head = reader.head();
  for (const char* name : {"Host", "Content-Type", "Authorization", "Origin"}) (void)head.header(name);
  (void)head.parameter("query");
  return {reader.state(), 0, head.method, head.path, head.query, reader.body(), "", used, head.fields.size()};
}

void send(const serve::http::Server& server, std::string_view bytes, size_t part) {
  const Fd client = connected(server);
  std::string got;
  char buffer[16384];
  const auto receive = [&](int flags) {
    const ssize_t count = ::recv(client.get(), buffer, sizeof(buffer), flags);
    if (count > 0) got.append(buffer, static_cast<size_t>(count));
    return count > 0;
  };
  while (!bytes.empty()) {
    const ssize_t sent = ::send(client.get(), bytes.data(), std::min(part, bytes.size()), MSG_NOSIGNAL);
    if (sent <= 0) break;  // the server has ended the connection
    bytes.remove_prefix(static_cast<size_t>(sent));
    receive(MSG_DONTWAIT);
  }
  ::shutdown(client.get(), SHUT_WR);
  do {
    await(client);
  } while (receive(0));
  check_answers(got);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto guarded = serve_here(false, true), open = serve_here(false, false);
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t part = data[0] < 8 ? SIZE_MAX : data[0] / 8;
  for (const bool takes_packed : {false, true}) {
    const Taken whole = read(bytes, SIZE_MAX, takes_packed);
    require(read(bytes, part, takes_packed) == whole);
    require(read(bytes, 1, takes_packed) == whole);
  }
  if (data[0] % 8 < 2) send(data[0] % 2 == 0 ? *open : *guarded, bytes, part);
  return 0;
}
