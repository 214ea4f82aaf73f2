// Another program's page of metrics, over plain HTTP on this machine.
//
// One GET, no redirect followed, nothing sent but the request. The answer is untrusted: bounded in bytes and in time,
// both as given. Errors name the address. Blocks for at most `timeout_ns`. Thread-safe. Owns its connection until it
// returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace ingero::serve::prometheus {

// kInvalid: `host` is not this machine, or the status is not 200. kIo: no answer. kBusy: timeout. kFull: more than
// `max_bytes`. kCorrupt: invalid HTTP, or an incomplete answer.
Result<std::string> fetch_page(const std::string& host, uint16_t port, const std::string& path, uint64_t timeout_ns,
                               size_t max_bytes);

}  // namespace ingero::serve::prometheus
