// Headers that go with every request: what a receiver asks for, secrets among them. They come from a file that is its
// owner's alone, or from OTEL_EXPORTER_OTLP_HEADERS; never from the command line, which every process can read.
//
// Pure but for the file; any thread. Failure: kInvalid with file and line or entry, kPermission where others can read
// the file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ingero::serve::otlp {

using Headers = std::vector<std::pair<std::string, std::string>>;  // names in lower case

// Lines "Name: value"; blank lines and '#' lines are skipped. Errors name the line, never its text.
Result<Headers> read_headers_file(const std::string& path);
// "name=value,name2=value2", values percent-encoded, as the OpenTelemetry specification has it. `from` names the
// variable in errors.
Result<Headers> parse_headers_variable(std::string_view text, std::string_view from);
// The same list where it is not of headers (OTEL_RESOURCE_ATTRIBUTES): names as they are written.
Result<Headers> parse_pairs(std::string_view text, std::string_view from);
// Those of `more` win.
void merge_headers(Headers& into, const Headers& more);

}  // namespace ingero::serve::otlp
