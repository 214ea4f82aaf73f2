// Creates OpenSSL contexts from PEM files, or with a self-signed certificate so that TLS needs no setup.
#include "serve/http/tls.h"

#include <openssl/pem.h>

#include "serve/net/tls_context.h"

namespace ingero::serve::http {
namespace {

Result<TlsContext> make_context(int version) {
  TlsContext made(SSL_CTX_new(TLS_server_method()));
  if (made == nullptr || SSL_CTX_set_min_proto_version(made.get(), version) != 1) {
    return Error(Errc::kIo, "TLS: cannot create a context: " + net::tls_reason());
  }
  SSL_CTX_set_options(made.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(made.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
  // A client that sends one key update after the other holds no thread: each ends a read.
  SSL_CTX_clear_mode(made.get(), SSL_MODE_AUTO_RETRY);
  return made;
}

}  // namespace

Result<TlsContext> make_tls(const std::string& certificate, const std::string& key, std::string_view key_pem,
                            int version) {
  auto made = make_context(version);
  INGERO_TRY(made);
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, FreeCertificate> parsed(
      PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
  if (parsed == nullptr || SSL_CTX_use_certificate_chain_file(made->get(), certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey(made->get(), parsed.get()) != 1) {
    return Error(Errc::kInvalid,
                 fmt::format("cannot load certificate {} and key {}: {}", certificate, key, net::tls_reason()),
                 "both must be in PEM format and belong together");
  }
  return made;
}

Result<TlsContext> make_tls(const Certificate& certificate, int version) {
  auto made = make_context(version);
  INGERO_TRY(made);
  if (SSL_CTX_use_certificate(made->get(), certificate.certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(made->get(), certificate.key.get()) != 1) {
    return Error(Errc::kIo, "TLS: OpenSSL rejects the generated certificate: " + net::tls_reason());
  }
  return made;
}

}  // namespace ingero::serve::http
