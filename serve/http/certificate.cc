// Creates a self-signed certificate with OpenSSL, so that the server can use TLS without any setup.
#include "serve/http/certificate.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/text.h"
#include "serve/net/tls_context.h"

namespace ingero::serve::http {
namespace {

constexpr long kHour = 3600;

bool add_extension(X509* certificate, int which, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, which, value);
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool fill(X509* certificate, EVP_PKEY* key, time_t now) {
  uint8_t serial[16];
  if (RAND_bytes(serial, sizeof(serial)) != 1) return false;
  serial[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(serial, sizeof(serial), nullptr);
  const bool numbered = number != nullptr && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  X509_NAME* name = X509_get_subject_name(certificate);
  time_t begin = now - kHour, end = now + 24 * kHour;
  return numbered && X509_set_version(certificate, 2) == 1 &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const uint8_t*>("ingero"), -1, -1, 0) ==
             1 &&
         X509_set_issuer_name(certificate, name) == 1 &&
         X509_time_adj(X509_getm_notBefore(certificate), 0, &begin) != nullptr &&
         X509_time_adj(X509_getm_notAfter(certificate), 0, &end) != nullptr && X509_set_pubkey(certificate, key) == 1 &&
         add_extension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1") &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") && X509_sign(certificate, key, EVP_sha256()) > 0;
}

}  // namespace

Result<Certificate> make_certificate(uint64_t wall_ns) {
  Certificate made;
  made.key.reset(EVP_EC_gen("P-256"));
  made.certificate.reset(X509_new());
  uint8_t digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (made.key == nullptr || made.certificate == nullptr ||
      !fill(made.certificate.get(), made.key.get(), static_cast<time_t>(wall_ns / 1'000'000'000)) ||
      X509_digest(made.certificate.get(), EVP_sha256(), digest, &size) != 1) {
    return Error(Errc::kIo, "create a certificate: " + net::tls_reason(), "give --tls-cert and --tls-key");
  }
  for (unsigned i = 0; i < size; ++i) made.fingerprint += (i == 0 ? "" : ":") + to_hex(digest + i, 1);
  return made;
}

}  // namespace ingero::serve::http
