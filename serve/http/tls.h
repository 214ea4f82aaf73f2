// The server side of TLS: its context, from PEM files or with a self-signed certificate. Private to serve/http/.
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

// `certificate` is a file, `key_pem` what the file `key` holds: a key is opened once, where it is checked
// (base/private_file.h). `version` is the lowest that is spoken. An error names the files.
Result<TlsContext> make_tls(const std::string& certificate, const std::string& key, std::string_view key_pem,
                            int version);
Result<TlsContext> make_tls(const Certificate& certificate, int version);

}  // namespace ingero::serve::http
