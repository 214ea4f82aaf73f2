// Replaces libbpf's print function by one that collects messages per thread, to be the reason in an Error.
#include "kernelside/libbpf_log.h"

#include <bpf/libbpf.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string_view>

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxWords = 64 << 10;  // a verifier log can be megabytes; its end says why

thread_local std::string* collecting = nullptr;
std::atomic<bool> is_printed{false};

[[gnu::format(printf, 2, 0)]] int print(libbpf_print_level level, const char* format, va_list arguments) {
  if (level == LIBBPF_DEBUG) return 0;
  va_list copy;
  va_copy(copy, arguments);
  if (is_printed) std::vfprintf(stderr, format, copy);
  va_end(copy);
  if (collecting == nullptr) return 0;
  va_copy(copy, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  if (size <= 0) return 0;
  std::string message(static_cast<size_t>(size), '\0');  // the verifier's log is one, and its end says why
  std::vsnprintf(message.data(), message.size() + 1, format, arguments);
  collecting->append(message);
  if (collecting->size() > kMaxWords) collecting->erase(0, collecting->size() - kMaxWords);
  return size;
}

}  // namespace

void print_libbpf_messages(bool is_wanted) { is_printed = is_wanted; }

LibbpfLog::LibbpfLog() : previous_(collecting) {
  static std::once_flag once;
  std::call_once(once, [] { libbpf_set_print(print); });
  collecting = &words_;
}

LibbpfLog::~LibbpfLog() { collecting = previous_; }

bool LibbpfLog::is_of_verifier() const { return words_.find("\nprocessed ") != std::string::npos; }

std::string LibbpfLog::reason(const std::string& otherwise) const {
  // libbpf frames the verifier's log with BEGIN/END lines; the line before END's statistics says what was refused.
  std::string_view words(words_);
  const auto end = words.rfind("\nprocessed ");
  if (end != std::string_view::npos) {
    const auto start = words.rfind('\n', end - 1);
    return std::string(words.substr(start + 1, end - start - 1));
  }
  const auto last = words.find_last_not_of('\n');
  if (last == std::string_view::npos) return otherwise;
  const auto start = words.rfind('\n', last);
  return std::string(words.substr(start + 1, last - start));
}

}  // namespace ingero::kernelside
