// A certificate for a server that was given none: self-signed, P-256, for this machine's own names.
#pragma once

#include <memory>
#include <string>

#include <openssl/x509.h>

#include "base/result.h"

namespace ingero::serve::http {

struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

struct Certificate {
  std::unique_ptr<X509, FreeCertificate> certificate;
  std::unique_ptr<EVP_PKEY, FreeCertificate> key;
  std::string fingerprint;  // SHA-256 of the certificate, in pairs of digits: what a user compares
};

// Valid from an hour ago for a day (`wall_ns` is now); names localhost, 127.0.0.1, ::1.
Result<Certificate> make_certificate(uint64_t wall_ns);

}  // namespace ingero::serve::http
