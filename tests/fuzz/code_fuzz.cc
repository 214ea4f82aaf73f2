// Any bytes as a file that code and Python come from: a step up the stack in it, the names of its code, CPython's
// layout by its debug information. Nothing may crash or take long.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "symbols/cfi.h"
#include "symbols/python_dwarf.h"
#include "symbols/symboliser.h"

using namespace ingero;
using namespace ingero::symbols;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Up from each of these addresses.
void step(const CodeFile& code, std::span<const uint64_t> addresses) {
  const ReadStack read = [](uint64_t at) { return std::optional(at + 16); };
  for (const hal::Arch arch : {hal::Arch::kX86_64, hal::Arch::kArm64, hal::Arch::kX86_32}) {
    const Machine& machine = machine_of(arch);
    Cfi cfi(machine);
    for (const uint64_t address : addresses) {
      Registers registers;
      registers.pc = address;
      registers.set(machine.stack_pointer, 0x7000);
      registers.set(machine.frame_pointer, 0x7100);
      bool is_signal_frame = false;
      (void)cfi.step(code, address, read, registers, is_signal_frame);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Fd file(memfd_create("fuzz", MFD_CLOEXEC));
  require(ftruncate(file.get(), 0) == 0 && pwrite(file.get(), data, size, 0) == static_cast<ssize_t>(size));
  wire_python_layout layout{};
  (void)use_dwarf(file, 12, 0x1000, layout);
  const auto code = CodeFile::open(file, "/library.so", {1, 2});
  if (!code.ok()) return 0;
  Symboliser symboliser([](const std::string&) -> Result<Fd> { return Error(Errc::kNotFound, "none"); });
  std::vector<uint64_t> addresses;  // the last code in it, behind the headers
  for (uint64_t offset = size; offset-- > 0 && addresses.size() < 128;) {
    const auto address = (*code)->address_of(offset);
    if (address && !(*code)->code_at(*address, 1).empty()) addresses.push_back(*address);
  }
  step(**code, addresses);
  for (const uint64_t address : addresses) require(!symboliser.name(**code, address).empty());
  return 0;
}
