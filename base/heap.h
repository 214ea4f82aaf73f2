// The heap of the process, where jemalloc serves it (cli/main.cc has its options); elsewhere nothing happens, nor where
// it refuses. Thread-safe. Owns nothing.
#pragma once

#include <chrono>

namespace ingero {

// Pages that are freed stay for about this long, for what is allocated next; the default is that the kernel has them
// back at once. For a server that takes and forgets megabytes many times a second: its page faults cost more than the
// pages.
void keep_freed_pages(std::chrono::milliseconds time);

}  // namespace ingero
