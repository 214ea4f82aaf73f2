// libcurl as the clients of this room use it: found when the first of them is made, not when the program starts.
//
// Debian's libcurl brings some twenty libraries (LDAP, SSH, Kerberos, ...) that no request of ours uses. Linked, they
// would make every start of the program half as long again, and be in every agent that sends nothing. So the header is
// Debian's, and the library is opened by its name when it is wanted, as a vendor's library is.
//
// Thread-safe; the library stays loaded. Private to serve/net.
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace ingero::serve::net {

struct Curl {
  decltype(&::curl_version_info) version_info = nullptr;
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;

  bool has_our_tls = false;  // its TLS is the OpenSSL that this program uses, so that an SSL_CTX means the same to both
  bool has_http2 = false;
};

// kNotSupported: there is none, it is too old, or it resolves names without a thread, so that nothing could end that.
Result<const Curl*> load_curl();

}  // namespace ingero::serve::net
