// Validates input against a JSON Schema, with an error that names the member and what it must be.
//
// Our own because its sentences ("`top_n` must be an integer, not a string") are part of what tools answer, and because
// what it checks is hostile: two hundred lines of the standard that are used can be read and bounded. A library for it
// (valijson) knows the rest of the standard as well, and words its errors for developers.
#include "serve/tools/schema.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "base/json.h"
#include "base/text.h"

namespace ingero::serve::tools {
namespace {

std::string_view type_name(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "a boolean";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return "an integer";
    case Json::value_t::number_float:
      return "a number";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return "an object";
    default:
      return "nothing JSON knows";
  }
}

std::string_view with_article(std::string_view type) {
  constexpr std::string_view kNames[][2] = {{"null", "null"},       {"boolean", "a boolean"}, {"integer", "an integer"},
                                            {"number", "a number"}, {"string", "a string"},   {"array", "an array"},
                                            {"object", "an object"}};
  for (const auto& [name, text] : kNames) {
    if (name == type) return text;
  }
  std::abort();  // a schema of ours names a type that JSON does not have
}

bool has_type(const Json& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "number") return value.is_number();
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::floor(value.get<double>()) == value.get<double>();  // 5.0 is an integer
}

std::string in_quotes(std::string_view name) { return "\"" + printable(name, 64) + "\""; }

Error wrong(const std::string& where, std::string_view what) {
  return {Errc::kInvalid, fmt::format("{} {}", where.empty() ? "the input" : in_quotes(where), what)};
}

Status check_at(const Json& schema, const Json& value, const std::string& where);

Status check_type(const Json& type, const Json& value, const std::string& where) {
  std::string wanted;
  for (const Json& one : type.is_array() ? type : Json::array({type})) {
    const auto name = one.get<std::string>();
    if (has_type(value, name)) return {};
    wanted += std::string(wanted.empty() ? "" : " or ") + std::string(with_article(name));
  }
  return wrong(where, fmt::format("must be {}, not {}", wanted, type_name(value)));
}

Status check_object(const Json& schema, const Json& value, const std::string& where) {
  const std::string prefix = where.empty() ? "" : where + ".";
  static const Json none = Json::object();
  const Json& properties = schema.contains("properties") ? schema["properties"] : none;
  if (schema.contains("required")) {
    for (const Json& name : schema["required"]) {
      if (!value.contains(name.get<std::string>())) return wrong(prefix + name.get<std::string>(), "is required");
    }
  }
  const bool closed = schema.contains("additionalProperties") && schema["additionalProperties"] == false;
  for (const auto& [name, member] : value.items()) {
    if (properties.contains(name)) {
      INGERO_TRY(check_at(properties[name], member, prefix + name));
    } else if (closed) {
      std::string known;
      for (const auto& [one, ignored] : properties.items()) known += (known.empty() ? "" : ", ") + one;
      return wrong(prefix + name, known.empty() ? "is not known: nothing may be given here"
                                                : fmt::format("is not known: there are {}", known));
    }
  }
  return {};
}

// Whole numbers as they are: a double has no room for nanoseconds.
bool is_less(const Json& a, const Json& b) {
  if (!a.is_number_integer() || !b.is_number_integer()) return a.get<double>() < b.get<double>();
  __extension__ using Wide = __int128;
  const auto whole = [](const Json& one) {
    return one.is_number_unsigned() ? Wide{one.get<uint64_t>()} : Wide{one.get<int64_t>()};
  };
  return whole(a) < whole(b);
}

Status check_at(const Json& schema, const Json& value, const std::string& where) {
  static const std::set<std::string> known = {"type",      "properties",  "required", "additionalProperties",
                                              "enum",      "minimum",     "maximum",  "minLength",
                                              "maxLength", "items",       "maxItems", "default",
                                              "title",     "description", "examples"};
  for (const auto& [word, ignored] : schema.items()) {
    if (known.count(word) == 0) std::abort();
  }
  if (schema.contains("type")) INGERO_TRY(check_type(schema["type"], value, where));
  if (schema.contains("enum")) {
    const Json& choices = schema["enum"];
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      std::string names;
      for (const Json& one : choices) names += (names.empty() ? "" : ", ") + one.get<std::string>();
      return wrong(where, "must be one of " + names);
    }
  }
  if (value.is_number()) {
    if (schema.contains("minimum") && is_less(value, schema["minimum"])) {
      return wrong(where, fmt::format("must be at least {}", schema["minimum"].dump()));
    }
    if (schema.contains("maximum") && is_less(schema["maximum"], value)) {
      return wrong(where, fmt::format("must be at most {}", schema["maximum"].dump()));
    }
  }
  if (value.is_string()) {
    const size_t size = value.get_ref<const std::string&>().size();
    if (schema.contains("minLength") && size < schema["minLength"].get<size_t>()) {
      return wrong(where, "must not be empty");
    }
    if (schema.contains("maxLength") && size > schema["maxLength"].get<size_t>()) {
      return wrong(where, fmt::format("must be at most {} bytes long", schema["maxLength"].get<size_t>()));
    }
  }
  if (value.is_array()) {
    if (schema.contains("maxItems") && value.size() > schema["maxItems"].get<size_t>()) {
      return wrong(where, fmt::format("must have at most {} items", schema["maxItems"].get<size_t>()));
    }
    if (schema.contains("items")) {
      for (size_t i = 0; i < value.size(); ++i) {
        INGERO_TRY(check_at(schema["items"], value[i], fmt::format("{}[{}]", where, i)));
      }
    }
  }
  return value.is_object() ? check_object(schema, value, where) : Status{};
}

}  // namespace

Status check_schema(const Json& schema, const Json& value) { return check_at(schema, value, ""); }

Json with_defaults(const Json& schema, Json value) {
  if (!value.is_object() || !schema.contains("properties")) return value;
  for (const auto& [name, property] : schema["properties"].items()) {
    if (!value.contains(name) && property.contains("default")) value[name] = property["default"];
    if (!value.contains(name)) continue;
    if (property.contains("type") && property["type"] == "integer" && value[name].is_number_float()) {
      value[name] = static_cast<int64_t>(value[name].get<double>());
    }
    if (value[name].is_object()) value[name] = with_defaults(property, std::move(value[name]));
  }
  return value;
}

Json object_of(std::string_view members) {
  Json schema{{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  for (std::string_view member : split(members, ' ')) {
    if (member.empty()) continue;
    const bool may_be_null = member.ends_with('?');
    if (may_be_null) member.remove_suffix(1);
    const size_t colon = member.find(':');
    const std::string name(member.substr(0, colon)), type(member.substr(colon + 1));
    schema["properties"][name] = {{"type", may_be_null ? Json::array({type, "null"}) : Json(type)}};
    schema["required"].push_back(name);
  }
  return schema;
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json property(std::string_view type, std::string_view description, const Json& more) {
  Json made{{"type", type}, {"description", description}};
  made.update(more);
  return made;
}

}  // namespace ingero::serve::tools
