// The sending end of the annotation socket (annotation_socket.h), as `ingero annotate` uses it.
//
// The caller owns what it is given. Any thread. Failure: with the socket's path, and how to get at one.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace ingero::agent {

// Connects to the socket that was chosen; empty: the first of the usual ones that answers.
Result<Fd> dial_annotations(const std::string& chosen);

Status send_annotations(const Fd& fd, std::string_view text);
// What comes from this descriptor until its end, each time as much as there is: of a line without a time the agent
// takes the one at which it arrives.
Status send_annotations(const Fd& fd, int from);

}  // namespace ingero::agent
