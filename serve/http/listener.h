// The library's server with this folder's connections, which end when the server stops. For this folder only.
#pragma once

#include <httplib.h>

#include "serve/http/tls.h"
#include "serve/net/stop.h"

namespace ingero::serve::http {

struct ListenerOptions {
  int seconds = 0;       // of a wait for the other side within a request or an answer
  int idle_seconds = 0;  // ... between them
  int requests = 1;      // on one connection
};

class Listener final : public httplib::Server {
 public:
  // `tls` null: plain.
  Listener(TlsContext tls, const ListenerOptions& options);

  // Nothing is accepted or read any more; the thread that listens returns when the open answers are written.
  void end();
  // Called within a request: its connection ends after the answer, since not all of the request is read.
  static void refused() { is_refused_ = true; }

 private:
  bool process_and_close_socket(socket_t socket) override;

  static thread_local bool is_refused_;
  TlsContext tls_;
  ListenerOptions options_;
  net::Stop stop_;
};

}  // namespace ingero::serve::http
