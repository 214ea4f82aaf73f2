// Unwinds a copy of a thread's stack into the return addresses of its frames.
//
// By call frame information if the file has it, else by the frame pointer if the function is seen to keep one. If
// neither is safe the walk ends, or continues after a frame that is reported as unknown: a frame is right or unknown,
// never guessed. One thread. Owns the call frame information it has read; the bytes and the address space are the
// caller's. Failure: none, a walk ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bpf/wire.h"
#include "symbols/address_space.h"
#include "symbols/cfi.h"

namespace ingero::symbols {

struct NativeFrame {
  Code code;  // of the executing instruction; for a caller the one behind its call
  bool is_return_address = true;
  // The address to look names up at: inside the call.
  uint64_t lookup_address() const { return code.address - (is_return_address ? 1 : 0); }
};

struct NativeStack {
  std::vector<NativeFrame> frames;  // innermost first; one without a file stands for one or more unknown frames
  bool is_whole = false;            // reached the outermost frame
};

class Unwinder {
 public:
  // For programs of `arch`; on x86-64 those of 32 bits as well.
  explicit Unwinder(hal::Arch arch = hal::kHostArch)
      : native_(arch), narrow_(hal::Arch::kX86_32), has_narrow_(arch == hal::Arch::kX86_64) {}
  // `stack.bytes` of the thread's stack are in `bytes`.
  NativeStack unwind(const wire_stack& stack, std::span<const std::byte> bytes, AddressSpace& space);
  // Gives back the call frame information, and with it the files it is of.
  void forget() {
    native_.cfi.forget();
    narrow_.cfi.forget();
  }
  static constexpr size_t kMaxFrames = 256;

 private:
  struct Rules {
    explicit Rules(hal::Arch arch) : machine(machine_of(arch)), cfi(machine) {}
    const Machine& machine;
    Cfi cfi;
  };
  bool is_narrow(const wire_stack& stack, AddressSpace& space) const;

  Rules native_, narrow_;
  const bool has_narrow_;
};

}  // namespace ingero::symbols
