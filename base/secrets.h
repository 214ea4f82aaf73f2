// Passwords, keys and tokens in command lines and variables: found by the names that they stand behind, by the shape of
// a URL with a user in it, and by the prefixes of well-known tokens. What is found is replaced by kRedacted.
//
// No rule finds every secret; these find those that programs document. Names that end in a word such as "file", "path"
// or "tokens" with a number are left alone: a recording needs them. Pure; thread-safe; linear in the text. Failure:
// none.
#pragma once

#include <string>
#include <string_view>

namespace ingero {

inline constexpr std::string_view kRedacted = "<redacted>";

// Is what stands behind this name a secret? "--api-key", "DB_PASSWORD", "clientSecret"; not "--token-file".
bool is_secret_name(std::string_view name);

// `text` without what looks like a secret: "password=X", "--token X", "Bearer X", "scheme://user:X@host", "ghp_X".
std::string without_secrets(std::string_view text);

// The arguments of a process, each ended by a NUL as /proc/PID/cmdline has them, joined by blanks.
std::string arguments_without_secrets(std::string_view arguments);

}  // namespace ingero
