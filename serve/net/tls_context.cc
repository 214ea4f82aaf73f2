// Reads the files of a client's TLS: see tls_context.h.
#include "serve/net/tls_context.h"

#include <unistd.h>

#include <memory>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/private_file.h"

namespace ingero::serve::net {
namespace {

// OpenSSL's own words for what happened last; its queue is empty afterwards.
}  // namespace

std::string tls_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "OpenSSL gives no reason" : reason;
}

Result<TlsContext> TlsContext::make(const TlsFiles& files) {
  TlsContext out;
  out.context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = out.context_.get();
  if (context == nullptr) return Error(Errc::kIo, "TLS: cannot create a context: " + tls_reason());
  SSL_CTX_set_min_proto_version(context, files.only_newest ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (files.authorities.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (::access(files.authorities.c_str(), R_OK) != 0) {
    return file_error(fmt::format("{}: read certificate authorities", files.authorities));
  } else if (SSL_CTX_load_verify_locations(context, files.authorities.c_str(), nullptr) != 1) {
    return Error(Errc::kInvalid,
                 fmt::format("{}: cannot read certificate authorities: {}", files.authorities, tls_reason()),
                 "name a file of certificates in PEM form");
  }
  if (files.certificate.empty() != files.key.empty()) {
    return Error(Errc::kInvalid, "a client certificate needs its key, and a key its certificate",
                 fmt::format("give both {}", files.flags));
  }
  if (files.certificate.empty()) return out;
  const auto key_pem = read_private(files.key);
  INGERO_TRY(key_pem);
  if (::access(files.certificate.c_str(), R_OK) != 0) {
    return file_error(fmt::format("{}: read the certificate", files.certificate));
  }
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return Error(Errc::kInvalid, fmt::format("{}: not a usable certificate: {}", files.certificate, tls_reason()));
  }
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(key_pem->data(), static_cast<int>(key_pem->size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return Error(Errc::kInvalid, fmt::format("{}: not the key of {}: {}", files.key, files.certificate, tls_reason()));
  }
  return out;
}

}  // namespace ingero::serve::net
