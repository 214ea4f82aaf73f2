// Opens libcurl once and says why it cannot be used: see curl.h.
#include "serve/net/curl.h"

#include <string_view>

#include <dlfcn.h>
#include <openssl/crypto.h>

#include "base/text.h"

namespace ingero::serve::net {
namespace {

constexpr const char* kLibrary = "libcurl.so.4";
constexpr unsigned kMinVersion = 0x075700;  // 7.87.0: CURLOPT_QUICK_EXIT, CURLOPT_PROTOCOLS_STR

Error unusable(std::string_view why) {
  return {Errc::kNotSupported, fmt::format("{}: {}", kLibrary, why), "install libcurl4 (7.87 or newer, with OpenSSL)"};
}

Result<Curl> open() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* error = ::dlerror();
    return unusable(fmt::format("cannot be loaded: {}", printable(error != nullptr ? error : "no reason is given")));
  }
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto& out) {
    void* address = ::dlsym(library, name);
    if (address == nullptr) missing = name;
    out = reinterpret_cast<std::remove_reference_t<decltype(out)>>(address);
  };
  Curl out;
  find("curl_version_info", out.version_info);
  find("curl_global_init", out.global_init);
  find("curl_slist_append", out.slist_append);
  find("curl_slist_free_all", out.slist_free_all);
  find("curl_easy_init", out.easy_init);
  find("curl_easy_cleanup", out.easy_cleanup);
  find("curl_easy_setopt", out.easy_setopt);
  find("curl_easy_getinfo", out.easy_getinfo);
  find("curl_easy_strerror", out.easy_strerror);
  find("curl_multi_init", out.multi_init);
  find("curl_multi_cleanup", out.multi_cleanup);
  find("curl_multi_add_handle", out.multi_add_handle);
  find("curl_multi_remove_handle", out.multi_remove_handle);
  find("curl_multi_perform", out.multi_perform);
  find("curl_multi_poll", out.multi_poll);
  find("curl_multi_info_read", out.multi_info_read);
  if (missing != nullptr) return unusable(fmt::format("it has no {}", missing));
  const curl_version_info_data* info = out.version_info(CURLVERSION_NOW);
  if (info->version_num < kMinVersion) return unusable(fmt::format("version {} is too old", printable(info->version)));
  if ((info->features & CURL_VERSION_ASYNCHDNS) == 0) return unusable("it resolves names without a thread");
  if (const CURLcode code = out.global_init(CURL_GLOBAL_DEFAULT); code != CURLE_OK) {
    return unusable(fmt::format("it cannot be initialised: {}", out.easy_strerror(code)));
  }
  const std::string ours = fmt::format("OpenSSL/{}.", OPENSSL_version_major());
  out.has_our_tls = info->ssl_version != nullptr && std::string_view(info->ssl_version).starts_with(ours);
  out.has_http2 = (info->features & CURL_VERSION_HTTP2) != 0;
  return out;
}

}  // namespace

Result<const Curl*> load_curl() {
  static const Result<Curl> loaded = open();
  INGERO_TRY(loaded);
  return &*loaded;
}

}  // namespace ingero::serve::net
