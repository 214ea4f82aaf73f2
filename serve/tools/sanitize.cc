// Replaces characters of traced text that a terminal or a model could obey, and shortens long text and lists.
#include "serve/tools/sanitize.h"

#include <map>

#include "base/json.h"
#include "base/text.h"

namespace ingero::serve::tools {
namespace {

constexpr size_t kMaxNameBytes = 256;

bool is_plain(std::string_view text) {
  for (const char c : text) {
    if (c < 0x20 || c > 0x7e || c == '[') return false;
  }
  return true;
}

std::string harmless(const std::string& text, size_t most, size_t& cut) {
  if (text.size() <= most && is_plain(text)) return text;
  if (text.size() > most) ++cut;
  std::string out = printable(text, most);
  // A process that calls itself like the mark would end the marked part.
  for (const std::string_view mark : {kOpens, kCloses}) {
    for (size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at)) out[at] = '(';
  }
  return out;
}

void clean_at(Json& value, size_t most, size_t& cut) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    text = harmless(text, most, cut);
  } else if (value.is_array()) {
    for (Json& item : value) clean_at(item, most, cut);
  } else if (value.is_object()) {
    bool hostile_keys = false;
    for (auto& [key, member] : value.items()) {
      hostile_keys = hostile_keys || !is_plain(key) || key.size() > kMaxNameBytes;
      const bool is_name = key == "process" || key == "comm" || key == "culprit_comm";
      clean_at(member, is_name ? kMaxNameBytes : most, cut);
    }
    if (!hostile_keys) return;
    Json renamed = Json::object();
    for (auto& [key, member] : value.items()) renamed[harmless(key, kMaxNameBytes, cut)] = std::move(member);
    value = std::move(renamed);
  }
}

size_t size_of(const Json& value) { return dump(value).size(); }

}  // namespace

void clean(Json& answer, std::vector<std::string>& cuts, size_t text_bytes) {
  size_t cut = 0;
  clean_at(answer, text_bytes, cut);
  if (cut > 0) cuts.push_back(fmt::format("{} texts are cut at their greatest length", cut));
}

bool shorten(Json& answer, size_t bytes, std::vector<std::string>& cuts) {
  size_t size = size_of(answer);
  std::map<std::string, size_t> before;
  while (size > bytes) {
    std::string longest;
    size_t most = 0;
    for (auto& [key, member] : answer.items()) {
      const size_t length = member.is_array() && !member.empty() ? size_of(member) : 0;
      if (length > most) {
        most = length;
        longest = key;
      }
    }
    if (most == 0) return false;
    Json& list = answer[longest];
    before.emplace(longest, list.size());
    // By what is over, in items of average length; at least one.
    const size_t average = most / list.size() + 1;
    const size_t drop = std::min(list.size(), (size - bytes) / average + 1);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(list.size() - drop), list.end());
    size = size_of(answer);
  }
  for (const auto& [key, count] : before) {
    cuts.push_back(
        fmt::format("{} of {} {} are given: more are longer than an answer may be", answer[key].size(), count, key));
  }
  return true;
}

}  // namespace ingero::serve::tools
