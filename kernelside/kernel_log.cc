// Reads and parses /dev/kmsg, where each read() returns one record; errors of device drivers are found there.
#include "kernelside/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kRecordBytes = 8192;  // the kernel's own limit (CONSOLE_EXT_LOG_MAX)
constexpr size_t kMaxAtOnce = 10'000;  // a flood must not hold the reader for ever

}  // namespace

bool parse_kernel_message(std::string_view record, KernelMessage& out) {
  const size_t semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return false;
  const auto fields = split(record.substr(0, semicolon), ',');
  if (fields.size() < 3) return false;
  const auto sequence = parse_u64(fields[1]);
  const auto microseconds = parse_u64(fields[2]);
  if (!sequence || !microseconds || *microseconds > UINT64_MAX / 1000) return false;
  out.sequence = *sequence;
  out.mono_ns = *microseconds * 1000;
  out.text = record.substr(semicolon + 1);
  out.text = out.text.substr(0, out.text.find('\n'));
  return true;
}

Result<KernelLog> KernelLog::open(const std::string& path, const Clock& clock) {
  const uint64_t opened_mono_ns = clock.mono_ns();
  Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return errno_error(path);
  if (::lseek(fd.get(), 0, SEEK_END) < 0 && errno != ESPIPE) return errno_error(path);
  return KernelLog(std::move(fd), clock, opened_mono_ns);
}

uint64_t KernelLog::read(const std::function<void(uint64_t, std::string_view)>& each) {
  uint64_t lost = 0;
  const uint64_t began_mono_ns = clock_->mono_ns();
  std::array<char, kRecordBytes> buffer;
  for (size_t i = 0; i < kMaxAtOnce; ++i) {
    const ssize_t size = ::read(fd_.get(), buffer.data(), buffer.size());
    if (size < 0 && (errno == EPIPE || errno == EINTR || errno == EINVAL))
      continue;  // EPIPE: overwritten; the sequence number shows it
    if (size <= 0) {
      since_mono_ns_ = began_mono_ns;
      break;
    }
    KernelMessage message;
    if (!parse_kernel_message({buffer.data(), static_cast<size_t>(size)}, message)) continue;
    if (next_sequence_ != 0 && message.sequence > next_sequence_) lost += message.sequence - next_sequence_;
    next_sequence_ = message.sequence + 1;
    each(std::clamp(message.mono_ns, since_mono_ns_, clock_->mono_ns()), message.text);
  }
  return lost;
}

}  // namespace ingero::kernelside
