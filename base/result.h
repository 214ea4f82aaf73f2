// Errors as values. A fallible function returns Result<T>; an Error without a sentence cannot be built.
//
// An Error's message names the object, the operation and the errno; its hint, where there is one, names the remedy.
// kNotSupported is an error of its own: "not here" degrades a feature and skips a test, it is not a failure.
// Thread-compatible; owns its strings. No exception crosses a room: functions that call throwing libraries catch.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace ingero {

enum class Errc : uint8_t {
  kInvalid,       // the caller's input is wrong (exit 2 at the command line)
  kNotFound,      // the named thing does not exist
  kNotSupported,  // this kernel, library or machine cannot do it
  kPermission,    // more privilege is needed
  kIo,            // the system refused or broke
  kCorrupt,       // data does not hold what its format promises
  kBusy,          // in use by another process or thread
  kFull,          // disk, quota or table is full
};

class [[nodiscard]] Error {
 public:
  Error(Errc code, std::string message, std::string hint = {})
      : code_(code), message_(std::move(message)), hint_(std::move(hint)) {
    if (message_.empty()) std::abort();  // a wordless error is our bug
  }
  Errc code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  // "message (hint)", one line.
  std::string text() const { return hint_.empty() ? message_ : message_ + " (" + hint_ + ")"; }
  // The same error with `prefix: ` before its sentence.
  Error in(std::string_view prefix) const { return {code_, fmt::format("{}: {}", prefix, message_), hint_}; }

 private:
  Errc code_;
  std::string message_;
  std::string hint_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::move(error)) {}
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<std::monostate, Error> state_;
};
using Status = Result<void>;

// "open(/x): No such file or directory", from errno as it is now. The code follows the errno.
Error errno_error(std::string_view what);
// The same about a file that a user named, by errno: with what to do about it.
Error file_error(std::string_view what);
// What a library threw, for a user: where memory or threads ran out, with what to do.
std::string text_of_exception(const std::exception& error);

Error errno_error(std::string_view what, int error_number);

}  // namespace ingero

// Evaluates a Result-valued expression; returns its error from the enclosing function.
#define INGERO_TRY(expression)                                  \
  do {                                                          \
    if (auto&& ingero_try_ = (expression); !ingero_try_.ok()) { \
      return ingero_try_.error();                               \
    }                                                           \
  } while (false)
