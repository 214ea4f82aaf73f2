// How a thread that reads and writes connections begins. Owns nothing: both belong to the calling thread. Failure:
// none; a name that is refused is left as it was.
#pragma once

namespace ingero::serve::net {

// Names the calling thread (15 characters), and blocks SIGPIPE in it: TLS may write to a connection that it finds
// closed.
void begin_thread(const char* name);

}  // namespace ingero::serve::net
