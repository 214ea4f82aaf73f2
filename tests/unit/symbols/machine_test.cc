// All instruction sets are unwound on every machine, here from libraries that compilers for them made and stacks
// written by hand: arm64 with signed return addresses as a processor with pointer authentication leaves them, and
// 32-bit x86.
#include "symbols/machine.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "symbols/symboliser.h"
#include "symbols/unwind.h"

namespace ingero::symbols {
namespace {

using hal::Arch;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) bytes.push_back(std::byte(value));
  return bytes;
}

Bytes word_of(uint32_t word) {
  Bytes bytes(sizeof word);
  std::memcpy(bytes.data(), &word, sizeof word);
  return bytes;
}

TEST(Machine, KnowsX86InstructionsThatCall) {
  const Machine& x86 = machine_of(Arch::kX86_64);
  EXPECT_TRUE(x86.ends_in_call(bytes_of({0x90, 0x90, 0xe8, 1, 2, 3, 4})));               // call rel32
  EXPECT_TRUE(x86.ends_in_call(bytes_of({0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0})));   // call *%rax
  EXPECT_TRUE(x86.ends_in_call(bytes_of({0x90, 0xff, 0x15, 1, 2, 3, 4})));               // call *x(%rip)
  EXPECT_FALSE(x86.ends_in_call(bytes_of({0x90, 0x90, 0xe9, 1, 2, 3, 4})));              // jmp
  EXPECT_FALSE(x86.ends_in_call(bytes_of({0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0})));  // jmp *%rax
}

TEST(Machine, KnowsArm64InstructionsThatCall) {
  const Machine& arm64 = machine_of(Arch::kArm64);
  // bl; blr x3; blraaz x3; blrab x3, x4
  for (const uint32_t word : {0x94000010U, 0x97ffffb5U, 0xd63f0060U, 0xd63f087fU, 0xd73f0c64U}) {
    EXPECT_TRUE(arm64.ends_in_call(word_of(word))) << fmt::format("{:x}", word);
  }
  // b; br x3; ret; retaa; nop; braaz x3
  for (const uint32_t word : {0x14000010U, 0xd61f0060U, 0xd65f03c0U, 0xd65f0bffU, 0xd503201fU, 0xd61f087fU}) {
    EXPECT_FALSE(arm64.ends_in_call(word_of(word))) << fmt::format("{:x}", word);
  }
}

constexpr uint64_t kSignature = 0x7f5aULL << 48;  // bit 55 says which half of the address space, and is not signed

TEST(Machine, ReturnAddressesLoseTheirSignatureOnArm64) {
  EXPECT_EQ(machine_of(Arch::kArm64).code_address(0xaaaadeadbee0 | kSignature), 0xaaaadeadbee0U);
  EXPECT_EQ(machine_of(Arch::kX86_64).code_address(0x7fffdeadbee0), 0x7fffdeadbee0U);
}

// Each function at its own offset, so that addresses are known. start calls outer, outer inner, inner leaf.
constexpr const char* kSource = R"(
  .text
start:                          // 0x000
  .cfi_startproc
  .cfi_undefined x30
  bl outer
after_outer:
  nop
  .cfi_endproc
  .size start, .-start
  .org 0x100
outer:
  .cfi_startproc
  hint #25                      // paciasp
  .cfi_negate_ra_state
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa_offset 32
  .cfi_offset x29, -32
  .cfi_offset x30, -24
  mov x29, sp
  bl inner                      // 0x10c
  ldp x29, x30, [sp], #32
  hint #29
  ret
  .cfi_endproc
  .size outer, .-outer
  .org 0x200
inner:
  .cfi_startproc
  hint #25
  .cfi_negate_ra_state
  stp x29, x30, [sp, #-48]!
  .cfi_def_cfa_offset 48
  .cfi_offset x29, -48
  .cfi_offset x30, -40
  mov x29, sp
  bl leaf                       // 0x20c
  ldp x29, x30, [sp], #48
  hint #29
  ret
  .cfi_endproc
  .size inner, .-inner
  .org 0x300
leaf:
  .cfi_startproc
  nop
  nop
  ret
  .cfi_endproc
  .size leaf, .-leaf
  .org 0x400
unknown:                        // of which the tables say nothing
  nop
  bl leaf                       // 0x404
  nop
  .size unknown, .-unknown
  .org 0x500
signal_return:
  mov x8, #139
  svc #0
  .size signal_return, .-signal_return
  .globl start, outer, inner, leaf, unknown
  .type start, %function
  .type outer, %function
  .type inner, %function
  .type leaf, %function
  .type unknown, %function
  .globl signal_return
  .type signal_return, %function
)";

constexpr uint64_t kBase = 0xaaaac0000000, kText = 0x10000, kStack = 0xffffe0000000;
constexpr uint64_t kOuterReturns = 0x004, kInnerReturns = 0x110, kLeafReturns = 0x210, kLeafToUnknown = 0x408;

// What a library is made of, and where a process has its code and the stack.
struct MadeOf {
  Arch arch;
  std::string compiler;
  const char* source;
  uint64_t base, stack;
};

class MadeStack : public testing::Test {
 protected:
  explicit MadeStack(MadeOf made) : made_(std::move(made)) {}
  // A process that maps the library's code.
  void SetUp() override {
    folder_ = fmt::format("{}/tests/machine.{}", INGERO_BINARY_DIR, getpid());
    std::filesystem::create_directories(folder_ + "/1/root");
    const std::string library = folder_ + "/1/root/lib.so";
    std::ofstream(folder_ + "/source.s") << made_.source;
    const std::string command = fmt::format("{} -shared -nostdlib -Wl,-Ttext={:#x} {}/source.s -o {} 2>{}/log",
                                            made_.compiler, kText, folder_, library, folder_);
    const std::string nothing = fmt::format("echo | {} -c -x assembler - -o /dev/null 2>/dev/null", made_.compiler);
    if (std::system(nothing.c_str()) != 0) GTEST_SKIP() << made_.compiler << " does not work here";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    struct stat status {};
    ASSERT_EQ(stat(library.c_str(), &status), 0);
    const Fd fd(::open(library.c_str(), O_RDONLY | O_CLOEXEC));
    const auto file = CodeFile::open(fd, library, {1, 2});
    ASSERT_TRUE(file.ok());
    uint64_t offset = 0;
    while (offset < 1 << 20 && (*file)->address_of(offset) != kText) offset += 0x1000;
    std::ofstream(folder_ + "/1/maps") << fmt::format("{:x}-{:x} r-xp {:08x} 00:01 {} /lib.so\n", made_.base,
                                                      made_.base + 0x1000, offset, status.st_ino);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  template <typename Word>
  void put(uint64_t at, Word word) {
    std::memcpy(stack_.data() + (at - made_.stack), &word, sizeof word);
  }

  static Result<Fd> opened(const std::string& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return errno_error(path);
    return fd;
  }

  std::vector<std::string> names(bool* is_whole = nullptr) {
    CodeFiles files(
        [this](uint32_t pid, const hal::Mapping& mapping) {
          return opened(fmt::format("{}/{}/root{}", folder_, pid, mapping.untrusted_path));
        },
        [this](uint32_t pid) { return read_file(fmt::format("{}/{}/maps", folder_, pid), 1 << 20); }, folder_);
    AddressSpace space(files, 1);
    Unwinder unwinder(made_.arch);
    Symboliser symboliser(opened);
    const NativeStack stack = unwinder.unwind(head_, stack_, space);
    if (is_whole != nullptr) *is_whole = stack.is_whole;
    std::vector<std::string> found;
    for (const NativeFrame& frame : stack.frames) {
      found.push_back(frame.code.file ? symboliser.name(*frame.code.file, frame.lookup_address()).back().function
                                      : "?");
    }
    return found;
  }

  const MadeOf made_;
  std::string folder_;
  wire_stack head_{};
  Bytes stack_ = Bytes(1024);
};

using Names = std::vector<std::string>;

class Arm64Stack : public MadeStack {
 protected:
  Arm64Stack() : MadeStack({Arch::kArm64, "aarch64-linux-gnu-gcc", kSource, kBase, kStack}) {}
  static uint64_t signed_address(uint64_t offset) { return (kBase + offset) | kSignature; }

  // inner's frame at `at`, outer's above it; the registers stand in inner, leaf called or returned.
  void calls_of_inner(uint64_t at = kStack) {
    head_.registers[WIRE_STACK_SP] = at;
    head_.registers[WIRE_STACK_BP] = at;
    put(at, at + 48);
    put(at + 8, signed_address(kInnerReturns));
    put(at + 48, uint64_t{0});
    put(at + 56, signed_address(kOuterReturns));
  }
};

TEST_F(Arm64Stack, OfACallThatReturnedIsWholeThroughSignedReturnAddresses) {
  calls_of_inner();
  head_.reason = WIRE_STACK_EVERY;
  head_.registers[WIRE_STACK_IP] = kBase + kLeafReturns;
  bool is_whole = false;
  EXPECT_EQ(names(&is_whole), (Names{"inner", "outer", "start"}));
  EXPECT_TRUE(is_whole);
}

TEST_F(Arm64Stack, OfAThreadThatWaitsInAFunctionWithoutAFrameTakesTheLinkRegister) {
  calls_of_inner();
  head_.reason = WIRE_STACK_WAITING;
  head_.registers[WIRE_STACK_IP] = kBase + 0x304;
  head_.registers[WIRE_STACK_LINK] = kBase + kLeafReturns;
  EXPECT_EQ(names(), (Names{"leaf", "inner", "outer", "start"}));
  // Of a call that has returned the register is whatever was left there.
  head_.reason = WIRE_STACK_EVERY;
  EXPECT_EQ(names(), (Names{"leaf"}));
}

TEST_F(Arm64Stack, PutsBackReturnAddressesThatTheKernelReplaced) {
  calls_of_inner();
  head_.reason = WIRE_STACK_EVERY;
  head_.registers[WIRE_STACK_IP] = kBase + kLeafReturns;
  // outer was entered with the stack pointer at kStack + 80, and signed the trampoline.
  put(kStack + 56, 0xfffff7ff0000ULL | kSignature);
  EXPECT_EQ(names(), (Names{"inner", "outer", "?"}));
  head_.n_returns = 1;
  head_.returns[0] = {kStack + 80, kBase + kOuterReturns};
  EXPECT_EQ(names(), (Names{"inner", "outer", "start"}));
}

TEST_F(Arm64Stack, GoesOnByFrameRecordsBehindCodeWithoutTablesAndSaysWhatItDoesNotKnow) {
  calls_of_inner();
  // `unknown` called leaf, and keeps no frame of its own: the record is that of what called it, inner.
  head_.reason = WIRE_STACK_EVERY;
  head_.registers[WIRE_STACK_IP] = kBase + kLeafToUnknown;
  bool is_whole = false;
  EXPECT_EQ(names(&is_whole), (Names{"unknown", "?", "outer", "?", "start"}));
  EXPECT_TRUE(is_whole);
}

TEST_F(Arm64Stack, GoesOnWhereASignalInterrupted) {
  // As the kernel lays it out above the handler's frame: the registers from 312 on, sp at 560, pc at 568.
  constexpr uint64_t kInterrupted = kStack + 640;
  calls_of_inner(kInterrupted);
  put(kStack + 312 + 29 * 8, kInterrupted);
  put(kStack + 312 + 30 * 8, kBase + kLeafReturns);
  put(kStack + 560, kInterrupted);
  put(kStack + 568, kBase + 0x304);
  head_.reason = WIRE_STACK_EVERY;
  head_.registers[WIRE_STACK_SP] = kStack;
  head_.registers[WIRE_STACK_IP] = kBase + 0x500;
  const Names found = names();
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(Names(found.begin() + 1, found.end()), (Names{"leaf", "inner", "outer", "start"}));
}

TEST_F(Arm64Stack, EndsWhereARecordLeadsToWhereNothingCalls) {
  calls_of_inner();
  head_.reason = WIRE_STACK_EVERY;
  head_.registers[WIRE_STACK_IP] = kBase + kLeafToUnknown;
  put(kStack + 8, signed_address(kInnerReturns + 4));  // behind ldp
  EXPECT_EQ(names(), (Names{"unknown"}));
}

// start calls outer, outer inner, inner leaf; unknown, which keeps a frame pointer, calls leaf too.
constexpr const char* kNarrowSource = R"(
  .text
start:                          # 0x000
  .cfi_startproc
  .cfi_undefined 8
  .skip 16, 0x90
  call outer                    # 0x010
  nop
  .cfi_endproc
  .size start, .-start
  .org 0x100
outer:
  .cfi_startproc
  push %ebp
  .cfi_def_cfa_offset 8
  .cfi_offset 5, -8
  mov %esp, %ebp
  .cfi_def_cfa_register 5
  push %ebx
  .cfi_offset 3, -12
  call inner                    # 0x104
  pop %ebx
  pop %ebp
  .cfi_def_cfa 4, 4
  ret
  .cfi_endproc
  .size outer, .-outer
  .org 0x200
inner:
  .cfi_startproc
  sub $28, %esp
  .cfi_def_cfa_offset 32
  call leaf                     # 0x203
  add $28, %esp
  .cfi_def_cfa_offset 4
  ret
  .cfi_endproc
  .size inner, .-inner
  .org 0x300
leaf:
  .cfi_startproc
  ret
  .cfi_endproc
  .size leaf, .-leaf
  .org 0x400
unknown:                        # of which the tables say nothing
  push %ebp
  mov %esp, %ebp
  call leaf                     # 0x403
  pop %ebp
  ret
  .size unknown, .-unknown
  .globl start, outer, inner, leaf, unknown
  .type start, %function
  .type outer, %function
  .type inner, %function
  .type leaf, %function
  .type unknown, %function
)";

constexpr uint32_t kNarrowBase = 0xf7a00000, kNarrowStack = 0xffe00000;
constexpr uint32_t kCalledOuter = 0x015, kCalledInner = 0x109, kCalledLeaf = 0x208, kUnknownCalledLeaf = 0x408;

class NarrowStack : public MadeStack {
 protected:
  NarrowStack() : MadeStack({Arch::kX86_64, "gcc -m32", kNarrowSource, kNarrowBase, kNarrowStack}) {
    head_.reason = WIRE_STACK_EVERY;
    head_.registers[WIRE_STACK_SP] = kNarrowStack;
    // What 32-bit code leaves in the upper half of a register is nothing.
    head_.registers[WIRE_STACK_BP] = 0xdead00000000 | (kNarrowStack + 36);
  }
  // outer's frame with the stack pointer at `at` where it has called.
  void calls_of_outer(uint32_t at) {
    put(at, uint32_t{0x1234});  // ebx
    put(at + 4, uint32_t{0});   // ebp
    put(at + 8, kNarrowBase + kCalledOuter);
  }
};

TEST_F(NarrowStack, IsUnwoundByTablesInWordsOfFourBytes) {
  head_.registers[WIRE_STACK_IP] = kNarrowBase + kCalledLeaf;
  put(kNarrowStack + 28, kNarrowBase + kCalledInner);
  calls_of_outer(kNarrowStack + 32);
  bool is_whole = false;
  EXPECT_EQ(names(&is_whole), (Names{"inner", "outer", "start"}));
  EXPECT_TRUE(is_whole);
}

TEST_F(NarrowStack, PutsBackReturnAddressesThatTheKernelReplaced) {
  head_.registers[WIRE_STACK_IP] = kNarrowBase + kCalledLeaf;
  put(kNarrowStack + 28, uint32_t{0xf7fb0000});
  calls_of_outer(kNarrowStack + 32);
  EXPECT_EQ(names(), (Names{"inner", "?", "start"})) << "by outer's frame pointer";
  head_.n_returns = 1;
  head_.returns[0] = {kNarrowStack + 28, kNarrowBase + kCalledInner};
  EXPECT_EQ(names(), (Names{"inner", "outer", "start"}));
}

TEST_F(NarrowStack, GoesOnByFramePointersBehindCodeWithoutTables) {
  head_.registers[WIRE_STACK_IP] = kNarrowBase + kUnknownCalledLeaf;
  head_.registers[WIRE_STACK_BP] = kNarrowStack;
  put(kNarrowStack, kNarrowStack + 12);  // outer's
  put(kNarrowStack + 4, kNarrowBase + kCalledInner);
  calls_of_outer(kNarrowStack + 8);
  EXPECT_EQ(names(), (Names{"unknown", "?", "outer", "start"}));
}

TEST_F(NarrowStack, OfMemoryThatWasNotCopiedItSaysNothing) {
  head_.registers[WIRE_STACK_IP] = kNarrowBase + kCalledLeaf;
  put(kNarrowStack + 28, kNarrowBase + kCalledInner);
  calls_of_outer(kNarrowStack + 32);
  for (size_t bytes = 0; bytes < 44; ++bytes) {
    stack_.resize(bytes);
    EXPECT_LT(names().size(), 3U) << bytes;
  }
}

}  // namespace
}  // namespace ingero::symbols
