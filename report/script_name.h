// Which program an interpreter runs: all Python programs of a machine are called "python3", and only their command line
// tells them apart.
//
// Pure; any thread. Failure: an empty name.
#pragma once

#include <string>
#include <string_view>

namespace ingero::report {

// "train.py" of "/usr/bin/python3 -u /srv/train.py --port 1", "http.server" of "python3 -m http.server"; empty: it
// runs no script, or that is not known. `untrusted_command_line`: arguments joined by spaces; the name is printable.
std::string script_name(std::string_view untrusted_command_line);

}  // namespace ingero::report
