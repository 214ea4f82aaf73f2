// A call as words, of which those are kept that differ from the words of the call before.
#include "correlate/pending_calls.h"

#include <algorithm>
#include <string_view>

#include "base/varint.h"

namespace ingero::correlate {
namespace {

constexpr size_t kMaxBytes = 2 + 10 * 10;  // of a call

// A small difference is a small number, whichever way it goes.
uint64_t difference(uint64_t from, uint64_t to) {
  const uint64_t up = to - from;
  return up << 1 ^ (up >> 63 != 0 ? ~uint64_t{0} : 0);
}
uint64_t behind(uint64_t from, uint64_t difference) {
  return from + (difference >> 1 ^ ((difference & 1) != 0 ? ~uint64_t{0} : 0));
}

// Of bytes that add() wrote: they are whole.
uint64_t take_varint(std::string_view& from) {
  uint64_t value = 0;
  (void)get_varint(from, value);
  return value;
}

}  // namespace

// Those that differ most often come first.
PendingCalls::Words PendingCalls::words_of(const BudgetCall& call) {
  const uint64_t flags = uint64_t{call.is_per_thread} | uint64_t{call.failed} << 1 | uint64_t{call.is_zero} << 2 |
                         uint64_t{call.stream.has_value()} << 3 | uint64_t{call.handle.has_value()} << 4;
  return {call.start_ns,
          call.end_ns - call.start_ns,
          uint64_t{call.call} << 16 | static_cast<uint64_t>(call.direction) << 8 | flags,
          call.bytes,
          call.stream.value_or(0),
          call.function,
          call.handle.value_or(0),
          call.stack_id,
          call.tid,
          call.device_ref};
}

BudgetCall PendingCalls::call_of(const Words& words) {
  BudgetCall call;
  call.start_ns = words[0];
  call.end_ns = words[0] + words[1];
  call.call = static_cast<hal::CallId>(words[2] >> 16);
  call.direction = static_cast<hal::Direction>(words[2] >> 8 & 0xff);
  call.is_per_thread = (words[2] & 1) != 0;
  call.failed = (words[2] & 2) != 0;
  call.is_zero = (words[2] & 4) != 0;
  call.bytes = words[3];
  if ((words[2] & 8) != 0) call.stream = words[4];
  call.function = words[5];
  if ((words[2] & 16) != 0) call.handle = words[6];
  call.stack_id = words[7];
  call.tid = static_cast<uint32_t>(words[8]);
  call.device_ref = static_cast<uint32_t>(words[9]);
  return call;
}

void PendingCalls::add(const BudgetCall& call) {
  const uint64_t number = call.end_ns / window_ns_;
  auto window =
      std::find_if(windows_.rbegin(), windows_.rend(), [&](const Window& one) { return one.number == number; });
  if (window == windows_.rend()) {
    windows_.push_back({number, {}, {}});
    window = windows_.rbegin();
  }
  std::string& packed = window->packed;
  // Most processes that there are many of are short: a quarter more at a time leaves little unused.
  if (packed.size() + kMaxBytes > packed.capacity()) packed.reserve(packed.size() + packed.size() / 4 + 2 * kMaxBytes);
  const Words words = words_of(call);
  uint64_t differ = 0;
  for (size_t i = 0; i < words.size(); ++i) differ |= uint64_t{words[i] != window->last[i]} << i;
  put_varint(packed, differ);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != window->last[i]) put_varint(packed, difference(window->last[i], words[i]));
  }
  window->last = words;
}

uint64_t PendingCalls::first_window_ns() const {
  uint64_t first = ~uint64_t{0};
  for (const Window& window : windows_) first = std::min(first, window.number * window_ns_);
  return first;
}

void PendingCalls::take(uint64_t mono_ns, std::vector<BudgetCall>& into) {
  const auto is_later = [&](const Window& one) { return one.number * window_ns_ >= mono_ns; };
  const auto over = std::stable_partition(windows_.begin(), windows_.end(), is_later);
  for (auto window = over; window != windows_.end(); ++window) {
    Words words{};
    for (std::string_view rest = window->packed; !rest.empty();) {
      const uint64_t differ = take_varint(rest);
      for (size_t i = 0; i < words.size(); ++i) {
        if ((differ >> i & 1) != 0) words[i] = behind(words[i], take_varint(rest));
      }
      into.push_back(call_of(words));
    }
  }
  windows_.erase(over, windows_.end());
  if (windows_.empty()) windows_ = std::vector<Window>();  // `= {}` would keep its room
}

}  // namespace ingero::correlate
