// Both instruction sets are unwound on every machine: arm64 here from a library that the cross compiler made and a
// stack written by hand, with signed return addresses as a processor with pointer authentication leaves them.
#include "symbols/machine.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

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

class Arm64Stack : public testing::Test {
 protected:
  // A process that maps the library's code at kBase.
  void SetUp() override {
    folder_ = fmt::format("{}/tests/machine.{}", INGERO_BINARY_DIR, getpid());
    std::filesystem::create_directories(folder_ + "/1/root");
    const std::string library = folder_ + "/1/root/lib.so";
    std::ofstream(folder_ + "/source.s") << kSource;
    const std::string command =
        fmt::format("aarch64-linux-gnu-gcc -shared -nostdlib -Wl,-Ttext={:#x} {}/source.s -o {} 2>{}/log", kText,
                    folder_, library, folder_);
    if (std::system("command -v aarch64-linux-gnu-gcc >/dev/null") != 0) GTEST_SKIP() << "no aarch64-linux-gnu-gcc";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    struct stat status {};
    ASSERT_EQ(stat(library.c_str(), &status), 0);
    const Fd fd(::open(library.c_str(), O_RDONLY | O_CLOEXEC));
    const auto file = CodeFile::open(fd, library, {1, 2});
    ASSERT_TRUE(file.ok());
    uint64_t offset = 0;
    while (offset < 1 << 20 && (*file)->address_of(offset) != kText) offset += 0x1000;
    std::ofstream(folder_ + "/1/maps") << fmt::format("{:x}-{:x} r-xp {:08x} 00:01 {} /lib.so\n", kBase, kBase + 0x1000,
                                                      offset, status.st_ino);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void put(uint64_t at, uint64_t word) { std::memcpy(stack_.data() + (at - kStack), &word, sizeof word); }
  static uint64_t signed_address(uint64_t offset) { return (kBase + offset) | kSignature; }

  // inner's frame at `at`, outer's above it; the registers stand in inner, leaf called or returned.
  void calls_of_inner(uint64_t at = kStack) {
    head_.registers[WIRE_STACK_SP] = at;
    head_.registers[WIRE_STACK_BP] = at;
    put(at, at + 48);
    put(at + 8, signed_address(kInnerReturns));
    put(at + 48, 0);
    put(at + 56, signed_address(kOuterReturns));
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
        folder_);
    AddressSpace space(files, 1, folder_);
    Unwinder unwinder(Arch::kArm64);
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

  std::string folder_;
  wire_stack head_{};
  Bytes stack_ = Bytes(1024);
};

using Names = std::vector<std::string>;

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

}  // namespace
}  // namespace ingero::symbols
