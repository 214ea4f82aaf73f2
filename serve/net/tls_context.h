// What a client trusts and shows under TLS: authorities, its own certificate, the versions it takes.
//
// The files are read once, by make(); its error says which cannot be used. Immutable afterwards: one may serve many
// exchanges, of many threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

#include "base/result.h"

namespace ingero::serve::net {

// OpenSSL's reason for the last failure in this thread, which it clears.
std::string tls_reason();

struct TlsFiles {
  std::string authorities;       // PEM; empty: the system's
  std::string certificate, key;  // PEM; both or none. The key must be its owner's alone
  bool only_newest = false;      // TLS 1.3; else 1.2 and newer
  std::string_view flags = {};   // what an error says about a certificate without its key
};

class TlsContext {
 public:
  // Reads the files; an error says which cannot be used.
  static Result<TlsContext> make(const TlsFiles& files);
  SSL_CTX* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
};

}  // namespace ingero::serve::net
