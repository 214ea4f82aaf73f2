// A body as gzip packs it (RFC 1952). Pure; thread-safe. Failure: none; where memory runs out, the program ends.
#pragma once

#include <string>
#include <string_view>

namespace ingero::serve::net {

std::string gzip(std::string_view text);

// Whether a header Accept-Encoding has gzip, not with the weight 0.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace ingero::serve::net
