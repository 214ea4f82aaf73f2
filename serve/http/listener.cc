// Serves connections request by request until the server stops: see listener.h.
#include "serve/http/listener.h"

#include "serve/http/request_stream.h"

namespace ingero::serve::http {

thread_local bool Listener::is_refused_ = false;

Listener::Listener(TlsContext tls, const ListenerOptions& options) : tls_(std::move(tls)), options_(options) {
  set_keep_alive_timeout(options.idle_seconds);  // these two are only sent to the client
  set_keep_alive_max_count(static_cast<size_t>(options.requests));
}

void Listener::end() {
  stop_.signal();
  stop();
}

bool Listener::process_and_close_socket(socket_t socket) {
  Connection connection(socket, stop_, options_.seconds);
  if (tls_ != nullptr && !connection.begin_tls(tls_.get())) return false;
  is_refused_ = false;
  bool goes_on = true;
  for (int left = options_.requests; goes_on && connection.is_readable_within(options_.idle_seconds); --left) {
    bool is_closed = false;
    goes_on = process_request(connection, left == 1, is_closed, nullptr) && !is_closed && !is_refused_ && left > 1;
  }
  connection.end(is_refused_);
  return true;
}

}  // namespace ingero::serve::http
