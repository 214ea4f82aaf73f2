// What this program serves to a browser is in it: no folder to install, and no file that another user can change.
#include "serve/page/page.h"

#include <algorithm>
#include <iterator>
#include <string_view>

// The assembler puts the files in; serve/CMakeLists.txt says where they are and that this depends on them.
#define INGERO_EMBED(name, file)                                  \
  __asm__(                                                        \
      ".section .rodata\n"                                        \
      ".global ingero_" #name "\n.global ingero_" #name           \
      "_end\n"                                                    \
      "ingero_" #name ":\n.incbin \"" INGERO_PAGE_BUNDLE "/" file \
      "\"\n"                                                      \
      "ingero_" #name "_end:\n.byte 0\n.previous\n");             \
  extern "C" const char ingero_##name[], ingero_##name##_end[];
INGERO_EMBED(page_html, "index.html")
INGERO_EMBED(page_js, "page.js")
INGERO_EMBED(cluster_html, "cluster.html")
INGERO_EMBED(cluster_js, "cluster.js")
INGERO_EMBED(page_css, "page.css")
INGERO_EMBED(page_icon, "icon.svg")
#undef INGERO_EMBED

namespace ingero::serve::page {
namespace {

struct File {
  std::optional<About> about;  // absent: of both pages
  const char* path;
  const char* type;
  const char *begin, *end;
};
constexpr const char *kHtml = "text/html; charset=utf-8", *kScript = "text/javascript; charset=utf-8";
const File kFiles[] = {{About::kRecording, "/", kHtml, ingero_page_html, ingero_page_html_end},
                       {About::kRecording, "/page.js", kScript, ingero_page_js, ingero_page_js_end},
                       {About::kCluster, "/", kHtml, ingero_cluster_html, ingero_cluster_html_end},
                       {About::kCluster, "/cluster.js", kScript, ingero_cluster_js, ingero_cluster_js_end},
                       {std::nullopt, "/page.css", "text/css; charset=utf-8", ingero_page_css, ingero_page_css_end},
                       {std::nullopt, "/icon.svg", "image/svg+xml", ingero_page_icon, ingero_page_icon_end}};
constexpr const char* kFacts = "/page.json";

bool is_of(const File& file, About about) { return file.about.value_or(about) == about; }

// Scripts and styles are the files above and nothing else; requests go to this server only.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace

std::vector<std::string> paths(About about) {
  std::vector<std::string> all{kFacts};
  for (const File& file : kFiles) {
    if (is_of(file, about)) all.emplace_back(file.path);
  }
  return all;
}

std::optional<http::Response> answer(About about, const http::Request& request, bool asks_token) {
  http::Response response;
  response.headers = {{"Content-Security-Policy", kPolicy},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}};
  const auto file = std::find_if(std::begin(kFiles), std::end(kFiles),
                                 [&](const File& one) { return is_of(one, about) && request.path == one.path; });
  if (file == std::end(kFiles) && request.path != kFacts) return std::nullopt;
  if (request.method != "GET" && request.method != "HEAD") {
    response.status = 405;
    response.headers.emplace_back("Allow", "GET, HEAD");
    response.body = R"({"error":"the page is only read","class":"bad_input"})";
    return response;
  }
  if (request.path == kFacts) {
    response.body = asks_token ? R"({"asks_token":true})" : R"({"asks_token":false})";
  } else {
    response.type = file->type;
    response.body.assign(file->begin, file->end);
  }
  return response;
}

}  // namespace ingero::serve::page
