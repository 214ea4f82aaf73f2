// JSON as every room reads and writes it: keys stay in the order in which they were added.
//
// Pure; thread-safe. What comes from outside is parsed by parse_json() and never throws; what is written is valid UTF-8
// whatever the text came from. The type is instantiated once, in json.cc: that is most of what it costs to compile.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace ingero {

using Json = nlohmann::ordered_json;

// On one line; invalid UTF-8 becomes U+FFFD.
std::string dump(const Json& json);
// For people: indented by two, with a newline at the end.
std::string dump_indented(const Json& json);
// `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

// JSON from outside, nested at most 64 deep (what prints it recurses); is_discarded() where it is not JSON.
Json parse_json(std::string_view text);
// The text member `name` of JSON from outside; empty where it is another type or missing, or `json` is not an object.
std::string text_member(const Json& json, const char* name);

// Unknown is null, never 0.
template <typename T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json json_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace ingero
