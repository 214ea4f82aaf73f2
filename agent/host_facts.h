// What the session's row says about the machine: kernel, distribution, CPU, memory, this program's version.
//
// Reads /proc, /etc and uname(2) when it is called; what cannot be read is empty. Any thread. Returns copies.
#pragma once

#include <string>

#include "store/write/writer.h"

namespace ingero::agent {

// Reads /proc and /etc/os-release; what cannot be read stays unknown. Node and filters are the caller's.
store::Session session_facts();

// This machine's; "localhost" where it has none.
std::string host_name();

// The first line of a small file, made safe to print; empty where there is none.
std::string first_line(const std::string& path);

}  // namespace ingero::agent
