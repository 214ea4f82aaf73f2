// The one instantiation of the JSON type, and what all rooms do with it.
#include "base/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace ingero {
namespace {

constexpr size_t kMaxDepth = 64;

// Counted before parsing: the parser itself has no bound.
bool is_too_deep(std::string_view text) {
  size_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string dump_indented(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }
std::string json_string(std::string_view text) { return dump(Json(std::string(text))); }

Json parse_json(std::string_view text) {
  return is_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

std::string text_member(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace ingero
