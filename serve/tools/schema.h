// JSON Schema as far as tools use it: one validator for what comes in, and for what the tests say may go out.
//
// Understood: type (one or a list of names), properties, required, additionalProperties (false or absent), enum,
// minimum, maximum, minLength, maxLength, items, maxItems, default. A schema that says anything else is our bug and
// aborts; title, description and examples are for readers. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace ingero::serve::tools {

// kInvalid with a sentence that names the place: `"top_n" must be an integer, not a string`.
Status check_schema(const Json& schema, const Json& value);
// `value` (which passed) with the defaults of the properties it does not have.
Json with_defaults(const Json& schema, Json value);

// Shorthand for the tables of tools. A member is "name:type", "name:type?" (may be null): "op:string count:integer
// p50_ns:integer?". All are required; more may be there.
Json object_of(std::string_view members);
Json list_of(Json items);
// A property of an input.
Json property(std::string_view type, std::string_view description, const Json& more = Json::object());

}  // namespace ingero::serve::tools
