// TLS as a server speaks it: its context, from PEM files or from a certificate made here. For this folder only.
#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "base/result.h"
#include "serve/http/certificate.h"

namespace ingero::serve::http {

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* tls) const { SSL_free(tls); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;

// `version` is the lowest that is spoken. An error names the files.
Result<TlsContext> make_tls(const std::string& certificate, const std::string& key, int version);
Result<TlsContext> make_tls(const Certificate& certificate, int version);

}  // namespace ingero::serve::http
