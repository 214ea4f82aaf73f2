// In assembly: a compiler may put another instruction in front.
#include "kernelside/probed_functions.h"

#include <link.h>

#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .hidden ingero_stepped
  .globl ingero_stepped
  .type ingero_stepped, @function
ingero_stepped:
  mov %rdi, %rax
  ret
  .p2align 4
  .hidden ingero_emulated
  .globl ingero_emulated
  .type ingero_emulated, @function
ingero_emulated:
  push %rbp
  pop %rbp
  ret
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .p2align 4
  .hidden ingero_stepped
  .globl ingero_stepped
  .type ingero_stepped, %function
ingero_stepped:
  mov x0, x0
  ret
  .p2align 4
  .hidden ingero_emulated
  .globl ingero_emulated
  .type ingero_emulated, %function
ingero_emulated:
  b 1f
1:
  ret
)");
#endif

namespace ingero::kernelside {
namespace {

struct Place {
  uintptr_t address;
  uint64_t file_offset;
};

// The main program is the first that is listed.
int find_offset(dl_phdr_info* program, size_t /*size*/, void* data) {
  auto& place = *static_cast<Place*>(data);
  for (size_t i = 0; i < program->dlpi_phnum; ++i) {
    const auto& segment = program->dlpi_phdr[i];
    const uintptr_t start = program->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || place.address < start || place.address - start >= segment.p_filesz) continue;
    place.file_offset = place.address - start + segment.p_offset;
  }
  return 1;
}

}  // namespace

uint64_t own_file_offset(void (*function)()) {
  Place place{reinterpret_cast<uintptr_t>(function), 0};
  dl_iterate_phdr(find_offset, &place);
  return place.file_offset;
}

}  // namespace ingero::kernelside
