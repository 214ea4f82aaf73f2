// New messages of the kernel log, from /dev/kmsg (Linux Documentation/ABI/testing/dev-kmsg).
//
// open() needs CAP_SYSLOG where the kernel restricts the log; reading does not. Only messages that come after open()
// are reported. The kernel's stamps are of a clock that is not kept in step with CLOCK_MONOTONIC, seconds apart after
// days: of them a message's time is known to lie between the read before it and this one. Not thread-safe. Messages
// that were overwritten before they were read are counted. Failure: kPermission or kNotFound at open(), with the path.
// Owns the descriptor; the clock must outlive this.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace ingero::kernelside {

class KernelLog {
 public:
  static Result<KernelLog> open(const std::string& path = "/dev/kmsg", const Clock& clock = system_clock());
  // Everything there is now, one call a message; `mono_ns` is the kernel's stamp, or the nearest time that can be.
  // Returns how many were lost.
  uint64_t read(const std::function<void(uint64_t mono_ns, std::string_view untrusted_message)>& each);

 private:
  KernelLog(Fd fd, const Clock& clock, uint64_t opened_mono_ns)
      : fd_(std::move(fd)), clock_(&clock), since_mono_ns_(opened_mono_ns) {}
  Fd fd_;
  const Clock* clock_;
  uint64_t since_mono_ns_;      // what is read next was written behind it
  uint64_t next_sequence_ = 0;  // 0: none read yet
};

// One record: "6,1234,5678901,-;message\n KEY=value". False when it is none.
struct KernelMessage {
  uint64_t sequence = 0;
  uint64_t mono_ns = 0;
  std::string_view text;  // of the record's first line
};
bool parse_kernel_message(std::string_view record, KernelMessage& out);

}  // namespace ingero::kernelside
