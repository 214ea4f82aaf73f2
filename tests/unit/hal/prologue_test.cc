// Probe placement: the first instruction the kernel emulates, and never past anything a tracer must still see.
#include "hal/prologue.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ingero::hal {
namespace {

using Code = std::vector<uint8_t>;

struct Case {
  const char* what;
  Code code;
  uint32_t delta;
  bool single_stepped;
  const char* instruction;
};

void check(const std::vector<Case>& cases, Arch arch) {
  for (const Case& one : cases) {
    const ProbePoint point = choose_probe_point(one.code, arch);
    EXPECT_EQ(point.delta, one.delta) << one.what;
    EXPECT_EQ(point.single_stepped, one.single_stepped) << one.what;
    EXPECT_EQ(point.instruction, one.instruction) << one.what;
  }
}

Code operator+(Code left, const Code& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const Code kEndbr{0xf3, 0x0f, 0x1e, 0xfa};
const Code kPushRbp{0x55};
const Code kPushR12{0x41, 0x54};
const Code kSubRsp{0x48, 0x83, 0xec, 0x18};
const Code kRet{0xc3};
const Code kJe{0x74, 0x10};

TEST(PrologueX86, StaysOnInstructionsTheKernelEmulates) {
  check(
      {
          {"push rbp", kPushRbp + kRet, 0, false, "push"},
          {"push r12", kPushR12 + kRet, 0, false, "push"},
          {"nop", {0x90, 0xc3}, 0, false, "nop"},
          {"jmp rel8", {0xeb, 0x10}, 0, false, "jmp"},
          {"jmp rel32", {0xe9, 0, 1, 0, 0}, 0, false, "jmp"},
          {"call rel32", {0xe8, 0, 1, 0, 0}, 0, false, "call"},
          {"je rel8", kJe, 0, false, "jcc"},
          {"jne rel32", {0x0f, 0x85, 0, 1, 0, 0}, 0, false, "jcc"},
          {"five-byte nop alone", {0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3}, 0, false, "nop"},
      },
      Arch::kX86_64);
}

TEST(PrologueX86, MovesPastWhatLeavesArgumentsStackAndFlowAlone) {
  const Code cmp_global{0x83, 0x3d, 0x10, 0x20, 0x30, 0x00, 0x00};   // cmpl $0,x(%rip)
  const Code cmpb_global{0x80, 0x3d, 0x10, 0x20, 0x30, 0x00, 0x00};  // cmpb $0,x(%rip)
  const Code nop5{0x0f, 0x1f, 0x44, 0x00, 0x00};
  const Code nopw{0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
  const Code mov_global{0x48, 0x8b, 0x05, 0x81, 0x7c, 0x00, 0x00};  // mov x(%rip),%rax
  const Code test_rax{0x48, 0x85, 0xc0};
  const Code kJne{0x75, 0x10};
  check(
      {
          {"endbr64; push", kEndbr + kPushRbp + kRet, 4, false, "push"},
          {"endbr64; push r12", kEndbr + kPushR12 + kRet, 4, false, "push"},
          {"endbr64; jmp", kEndbr + Code{0xe9, 0, 1, 0, 0}, 4, false, "jmp"},
          {"cmpl global; je", cmp_global + kJe, 7, false, "jcc"},
          {"cmpb global; je", cmpb_global + kJe, 7, false, "jcc"},
          {"endbr64; cmpl global; je", kEndbr + cmp_global + kJe, 11, false, "jcc"},
          {"test rdi,rdi; je", Code{0x48, 0x85, 0xff} + kJe, 3, false, "jcc"},
          {"cmp edi,4; je", Code{0x83, 0xff, 0x04} + kJe, 3, false, "jcc"},
          {"mov rax,rsp; push", Code{0x48, 0x89, 0xe0} + kPushRbp, 3, false, "push"},
          {"lea r10,[rsp+8]; push", Code{0x4c, 0x8d, 0x54, 0x24, 0x08} + kPushRbp, 5, false, "push"},
          {"xor eax,eax; jmp", Code{0x31, 0xc0, 0xeb, 0x20}, 2, false, "jmp"},
          {"mov eax,1; push", Code{0xb8, 1, 0, 0, 0} + kPushRbp, 5, false, "push"},
          {"nop5; push: emulated on older kernels too", nop5 + kPushRbp, 5, false, "push"},
          {"odd nop; push", nopw + kPushRbp, 10, false, "push"},
          {"mov rax,x(rip); test rax,rax; jne: libOpenCL's dispatch", mov_global + test_rax + kJne, 10, false, "jcc"},
          {"mov rax,x(rip); mov r10,[rax]; mov rax,N[r10]; test; je: libze_loader's",
           mov_global + Code{0x4c, 0x8b, 0x10, 0x49, 0x8b, 0x82, 0xb8, 0x07, 0, 0} + test_rax + kJe, 20, false, "jcc"},
          {"mov rax,x(rip); cmp dword [rax+8],0; je", mov_global + Code{0x83, 0x78, 0x08, 0x00} + kJe, 11, false,
           "jcc"},
          {"movzx eax,byte x(rip); test al,al; je", Code{0x0f, 0xb6, 0x05, 0, 1, 0, 0, 0x84, 0xc0} + kJe, 9, false,
           "jcc"},
          {"mov rax,x(rip); mov r10,[rsp+8]; test; je: an argument on the stack",
           mov_global + Code{0x4c, 0x8b, 0x54, 0x24, 0x08} + test_rax + kJe, 15, false, "jcc"},
          {"lea rax,x(rip); mov r11,[rax]; push", Code{0x48, 0x8d, 0x05, 0, 1, 0, 0, 0x4c, 0x8b, 0x18} + kPushRbp, 10,
           false, "push"},
          {"movsxd rax,x(rip); push", Code{0x48, 0x63, 0x05, 0, 1, 0, 0} + kPushRbp, 7, false, "push"},
      },
      Arch::kX86_64);
}

// (L1)
TEST(PrologueX86, MovesPastWhatWritesArgumentsThatAreNotCaptured) {
  // libze_loader's dispatch of a function with few parameters: mov rax,x(rip); mov rdx,[rax]; mov rax,N[rdx]; test; je
  const Code dispatch = Code{0x48, 0x8b, 0x05, 0, 1, 0, 0} + Code{0x48, 0x8b, 0x10} +
                        Code{0x48, 0x8b, 0x82, 0x50, 0x05, 0, 0} + Code{0x48, 0x85, 0xc0} + kJe;
  constexpr ArgumentRegisters kFirst = 1, kThird = 4;
  EXPECT_EQ(choose_probe_point(dispatch, Arch::kX86_64, kFirst).delta, 20U);
  EXPECT_EQ(choose_probe_point(dispatch, Arch::kX86_64, 0).delta, 20U);
  EXPECT_EQ(choose_probe_point(dispatch, Arch::kX86_64, kThird).delta, 0U);
  EXPECT_EQ(choose_probe_point(dispatch, Arch::kX86_64, kAllArguments).delta, 0U);

  // Each argument register: mov reg,1; push. Free when it is not captured, kept when it is.
  const Code move_immediate[] = {{0xbf, 1, 0, 0, 0}, {0xbe, 1, 0, 0, 0},       {0xba, 1, 0, 0, 0},
                                 {0xb9, 1, 0, 0, 0}, {0x41, 0xb8, 1, 0, 0, 0}, {0x41, 0xb9, 1, 0, 0, 0}};
  for (size_t i = 0; i < std::size(move_immediate); ++i) {
    const Code code = move_immediate[i] + kPushRbp;
    EXPECT_EQ(choose_probe_point(code, Arch::kX86_64, kAllArguments & ~(1U << i)).delta, move_immediate[i].size()) << i;
    EXPECT_EQ(choose_probe_point(code, Arch::kX86_64, 1U << i).delta, 0U) << i;
  }

  // What came from anywhere but the library's own data is not read through: mov rdx,rdi; mov rax,[rdx]; push.
  EXPECT_EQ(choose_probe_point(Code{0x48, 0x89, 0xfa, 0x48, 0x8b, 0x02} + kPushRbp, Arch::kX86_64, 0).delta, 0U);
  // Nor what the stack holds: mov rax,[rsp+8]; mov rcx,[rax]; push.
  EXPECT_EQ(choose_probe_point(Code{0x48, 0x8b, 0x44, 0x24, 0x08, 0x48, 0x8b, 0x08} + kPushRbp, Arch::kX86_64, 0).delta,
            0U);
  // The callee's registers and the stack pointer are not written: mov rbx,rdi; mov r12,rdi; mov rsp,rdi.
  for (const Code& code : {Code{0x48, 0x89, 0xfb}, Code{0x49, 0x89, 0xfc}, Code{0x48, 0x89, 0xfc}}) {
    EXPECT_EQ(choose_probe_point(code + kPushRbp, Arch::kX86_64, 0).delta, 0U);
  }
}

TEST(Prologue, CapturedRegistersAreThoseThatTheRecipeReads) {
  wire_recipe recipe{};
  EXPECT_EQ(captured_registers(recipe), 0U);
  // Words: register 2, stack slot 0, register 0; the fourth is the result.
  const std::array<unsigned, 4> inputs = {WIRE_IN_REGISTER + 2, WIRE_IN_STACK + 0, WIRE_IN_REGISTER + 0, 0};
  for (size_t word = 0; word < inputs.size(); ++word) {
    recipe.inputs |= uint64_t{inputs[word]} << (word * WIRE_INPUT_BITS);
  }
  recipe.n_words = 4;
  recipe.result_word = 4;
  EXPECT_EQ(captured_registers(recipe), 0b101U);
}

// (L1, L2)
TEST(PrologueX86, NeverMovesPastStackArgumentsMemoryOrFlow) {
  check(
      {
          {"sub rsp; push", kSubRsp + kPushRbp, 0, true, "sub"},
          {"endbr64; sub rsp; push", kEndbr + kSubRsp + kPushRbp, 0, true, "endbr64"},
          {"mov rdi,rsi; push", Code{0x48, 0x89, 0xf7} + kPushRbp, 0, true, "mov"},
          {"mov esi,1; push", Code{0xbe, 1, 0, 0, 0} + kPushRbp, 0, true, "mov"},
          {"mov r8d,ecx; push", Code{0x41, 0x89, 0xc8} + kPushRbp, 0, true, "mov"},
          {"mov r9,rdi; push", Code{0x49, 0x89, 0xf9} + kPushRbp, 0, true, "mov"},
          {"xor edx,edx; push", Code{0x31, 0xd2} + kPushRbp, 0, true, "xor"},
          {"xor eax,edi; push", Code{0x31, 0xf8} + kPushRbp, 0, true, "xor"},
          {"lea rdi,[rsp+8]; push", Code{0x48, 0x8d, 0x7c, 0x24, 0x08} + kPushRbp, 0, true, "lea"},
          {"lea rsp,[rsp-8]; push", Code{0x48, 0x8d, 0x64, 0x24, 0xf8} + kPushRbp, 0, true, "lea"},
          {"mov rsp,rax; push", Code{0x48, 0x89, 0xc4} + kPushRbp, 0, true, "mov"},
          {"mov rax,[rdi]; push: may fault", Code{0x48, 0x8b, 0x07} + kPushRbp, 0, true, "mov"},
          {"cmp [rdi],0; je: may fault", Code{0x83, 0x3f, 0x00} + kJe, 0, true, "cmp"},
          {"mov rax,[rsi+8]; push: may fault", Code{0x48, 0x8b, 0x46, 0x08} + kPushRbp, 0, true, "mov"},
          {"mov rdi,x(rip); push: an argument", Code{0x48, 0x8b, 0x3d, 0, 1, 0, 0} + kPushRbp, 0, true, "mov"},
          {"mov rbx,x(rip); push: kept for the caller", Code{0x48, 0x8b, 0x1d, 0, 1, 0, 0} + kPushRbp, 0, true, "mov"},
          {"mov x(rip),rax; push: a store", Code{0x48, 0x89, 0x05, 0, 1, 0, 0} + kPushRbp, 0, true, "mov"},
          {"mov rax,[rax]; push: nothing was put into it", Code{0x48, 0x8b, 0x00} + kPushRbp, 0, true, "mov"},
          {"mov rax,[rsp+rdi*8+8]; push: an index", Code{0x48, 0x8b, 0x44, 0xfc, 0x08} + kPushRbp, 0, true, "mov"},
          {"mov rax,[r12+8]; push: not the stack", Code{0x49, 0x8b, 0x44, 0x24, 0x08} + kPushRbp, 0, true, "mov"},
          {"mov [rsp+8],r10; push: a store", Code{0x4c, 0x89, 0x54, 0x24, 0x08} + kPushRbp, 0, true, "mov"},
          {"mov rax,[rax+rdi*8]; push: an index", Code{0x48, 0x8b, 0x04, 0xf8} + kPushRbp, 0, true, "mov"},
          {"mov rax,[disp32]; push: absolute", Code{0x48, 0x8b, 0x04, 0x25, 0, 1, 0, 0} + kPushRbp, 0, true, "mov"},
          {"mov rax,fs:[0x28]; push", Code{0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0} + kPushRbp, 0, true, "mov"},
          {"mov rax,fs:x(rip); push", Code{0x64, 0x48, 0x8b, 0x05, 0, 1, 0, 0} + kPushRbp, 0, true, "mov"},
          {"movzx edi,byte x(rip); push", Code{0x0f, 0xb6, 0x3d, 0, 1, 0, 0} + kPushRbp, 0, true, "other"},
          {"test byte fs:x(rip)", Code{0x64, 0xf6, 0x05, 0, 0, 0, 0, 1} + kJe, 0, true, "test"},
          {"add eax,1 (no compare); push", Code{0x83, 0xc0, 0x01} + kPushRbp, 0, true, "add"},
          {"neg eax (f7 /3); push", Code{0xf7, 0xd8} + kPushRbp, 0, true, "other"},
          {"mov rbp,rsp; push", Code{0x48, 0x89, 0xe5} + kPushRbp, 0, true, "mov"},
          {"mov rbx,rdi; push", Code{0x48, 0x89, 0xfb} + kPushRbp, 0, true, "mov"},
          {"ret", kRet + kPushRbp, 0, true, "ret"},
          {"push imm", {0x6a, 0x01, 0xc3}, 0, true, "push"},
          {"push with a needless prefix", {0x48, 0x55, 0xc3}, 0, true, "push"},
          {"xchg r8,rax is no nop", {0x49, 0x90, 0xc3}, 0, true, "other"},
          {"jmp through memory", {0xff, 0x25, 0, 0, 0, 0}, 0, true, "jmp"},
          {"compare and nothing emulated behind it", Code{0x48, 0x85, 0xff} + kRet, 0, true, "test"},
      },
      Arch::kX86_64);
}

// (L3)
TEST(PrologueX86, StaysWhereTheFunctionBranchesBackBehindItsStart) {
  // endbr64; push rbp; nop...; then a branch to the push: a loop would hit the moved probe once a round.
  for (const int target : {1, 2, 3, 4}) {
    Code code = kEndbr + kPushRbp + Code(20, 0x90);
    const auto here = static_cast<int>(code.size());
    const Code with_short = code + Code{0x75, static_cast<uint8_t>(target - (here + 2))} + kRet;
    EXPECT_EQ(choose_probe_point(with_short, Arch::kX86_64).delta, 0U) << target;
    const int32_t relative = target - (here + 5);
    Code with_near = code + Code{0xe9};
    for (int byte = 0; byte < 4; ++byte) with_near.push_back(static_cast<uint8_t>(relative >> (8 * byte)));
    EXPECT_EQ(choose_probe_point(with_near, Arch::kX86_64).delta, 0U) << target;
  }
  for (const int target : {0, 5, 6}) {  // to the symbol itself, or behind the probe: no harm
    Code code = kEndbr + kPushRbp + Code(20, 0x90);
    code = code + Code{0x75, static_cast<uint8_t>(target - (static_cast<int>(code.size()) + 2))} + kRet;
    EXPECT_EQ(choose_probe_point(code, Arch::kX86_64).delta, 4U) << target;
  }
}

TEST(PrologueX86, TakesABranchForRealInCodeItCannotDecode) {
  const Code unknown{0x06};  // no instruction in 64-bit mode
  Code code = kEndbr + kPushRbp + unknown + Code{0x90, 0xeb};
  code.push_back(static_cast<uint8_t>(4 - (static_cast<int>(code.size()) + 1)));
  EXPECT_EQ(choose_probe_point(code, Arch::kX86_64).delta, 0U);
}

TEST(PrologueX86, DoesNotTakeAnImmediateForABranch) {
  // mov $imm32,%eax whose bytes would read as a backward jump to the push.
  Code code = kEndbr + kPushRbp + Code{0xb8, 0xeb, 0xfd, 0xeb, 0xfb} + kRet;
  EXPECT_EQ(choose_probe_point(code, Arch::kX86_64).delta, 4U);
}

TEST(PrologueX86, DoesNotMoveWhenReported) {
  const ProbePoint point = probe_point_at_symbol(kEndbr + kPushRbp, Arch::kX86_64);
  EXPECT_EQ(point.delta, 0U);
  EXPECT_TRUE(point.single_stepped);
  EXPECT_EQ(point.instruction, "endbr64");
}

TEST(PrologueX86, UnknownAndMissingCodeIsProbedAtTheSymbolAndSaysSo) {
  for (const Code& code : {Code{}, Code{0x06, 0x55}, Code{0xf3}, Code{0x66, 0x66, 0x66}}) {
    const ProbePoint point = choose_probe_point(code, Arch::kX86_64);
    EXPECT_EQ(point.delta, 0U);
    EXPECT_TRUE(point.single_stepped);
    EXPECT_EQ(point.instruction, "unknown");
  }
  // The function ends before the instruction behind endbr64: nothing beyond it is looked at.
  EXPECT_EQ(choose_probe_point(kEndbr, Arch::kX86_64).delta, 0U);
}

TEST(PrologueX86, SaysWhereTheKernelTakesNoProbe) {
  // Each was refused by a 6.18 kernel; the ones below were taken.
  for (const Code& code : {Code{0xf0, 0x0f, 0xc1, 0x07}, Code{0x3e, 0xeb, 0x00}, Code{0xcc}, Code{0xf4}, Code{0xec},
                           Code{0xcd, 0x80}, Code{0xc5, 0xf9, 0x6f, 0x07}, Code{0xc5, 0xf9, 0x6e, 0xc7},
                           Code{0x62, 0xf1, 0x7d, 0x48, 0x6f, 0x07}, Code{0xc4, 0xe2, 0x79, 0x06, 0xc0}}) {
    const ProbePoint point = choose_probe_point(code + kRet, Arch::kX86_64);
    EXPECT_TRUE(point.refused) << fmt::format("{:02x}", fmt::join(code, " "));
    EXPECT_EQ(point.delta, 0U);
  }
  for (const Code& code :
       {Code{0xc5, 0xf9, 0x7f, 0x07}, Code{0xc5, 0xf8, 0x77}, Code{0xf2, 0xe9, 0, 0, 0, 0}, Code{0x0f, 0x0b},
        Code{0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}, Code{0xf3, 0x90}, kEndbr, kSubRsp, kPushRbp}) {
    EXPECT_FALSE(choose_probe_point(code + kRet, Arch::kX86_64).refused) << fmt::format("{:02x}", fmt::join(code, " "));
  }
  // Moved over, it does no harm.
  EXPECT_FALSE(choose_probe_point(Code{0x2e, 0x0f, 0x1f, 0x40, 0x00} + kPushRbp, Arch::kX86_64).refused);
}

TEST(PrologueX86Of32Bits, StaysAtTheSymbolAndSaysWhatIsThere) {
  struct Case {
    Code code;
    std::string_view instruction;
    bool single_stepped, refused;
  };
  const Case cases[] = {
      {Code{0x55, 0x89, 0xe5}, "push", false, false},
      {Code{0xf3, 0x0f, 0x1e, 0xfb, 0x55}, "endbr32", true, false},
      {Code{0x83, 0xec, 0x1c}, "sub", true, false},
      {Code{0xe9, 0, 0, 0, 0}, "jmp", false, false},
      {Code{0x40}, "inc", true, false},  // REX in 64-bit code
      {Code{0x48}, "dec", true, false},
      {Code{0x8b, 0x44, 0x24, 0x04}, "mov", true, false},
      {Code{0x65, 0xa1, 0x14, 0, 0, 0}, "unknown", true, false},  // in 64-bit code eight bytes of address
      {Code{0x60}, "unknown", true, false},                       // pusha
      {Code{0x06}, "unknown", true, true},                        // push %es
      {Code{0xcc}, "other", true, true},
      {Code{0x2e, 0x90}, "nop", true, true},
      {Code{}, "unknown", true, false},
  };
  for (const Case& one : cases) {
    const ProbePoint point = choose_probe_point(one.code, Arch::kX86_32, 0);
    EXPECT_EQ(point.delta, 0U);
    EXPECT_EQ(point.instruction, one.instruction);
    EXPECT_EQ(point.single_stepped, one.single_stepped) << one.instruction;
    EXPECT_EQ(point.refused, one.refused) << one.instruction;
  }
}

TEST(PrologueArm64, SaysWhereTheKernelTakesNoProbe) {
  const auto refused = [](uint32_t word) {
    Code code;
    for (int byte = 0; byte < 4; ++byte) code.push_back(static_cast<uint8_t>(word >> (8 * byte)));
    return choose_probe_point(code, Arch::kArm64).refused;
  };
  for (const uint32_t word : {0x58000050U /* ldr literal */, 0x98000041U /* ldrsw literal */, 0x1c000040U /* ldr s0 */,
                              0x885f7c00U /* ldxr */, 0xd4000001U /* svc */, 0xd4200000U /* brk */,
                              0xd51b4200U /* msr nzcv */, 0xd503205fU /* wfe */}) {
    EXPECT_TRUE(refused(word)) << fmt::format("{:08x}", word);
  }
  for (const uint32_t word : {0xd503201fU /* nop */, 0xd503233fU /* paciasp */, 0xd503245fU /* bti c */,
                              0xd53bd040U /* mrs tpidr_el0 */, 0xa9bf7bfdU /* stp */, 0x14000010U /* b */,
                              0xb8200020U /* ldadd */, 0xf9400000U /* ldr */, 0x90000010U /* adrp */}) {
    EXPECT_FALSE(refused(word)) << fmt::format("{:08x}", word);
  }
}

Code words(std::initializer_list<uint32_t> list) {
  Code code;
  for (const uint32_t word : list) {
    for (int byte = 0; byte < 4; ++byte) code.push_back(static_cast<uint8_t>(word >> (8 * byte)));
  }
  return code;
}

TEST(PrologueArm64, MovesPastLandingPadsToSimulatedInstructionsOnly) {
  constexpr uint32_t kBtiC = 0xd503245f, kNop = 0xd503201f, kPaciasp = 0xd503233f;
  constexpr uint32_t kStp = 0xa9bf7bfd, kAdrp = 0x90000010, kB = 0x14000010, kCbz = 0xb4000080, kSub = 0xd10083ff;
  constexpr uint32_t kLdrLiteral = 0x58000050, kBackTo4 = 0x17ffffff;  // b . - 4
  check(
      {
          {"adrp", words({kAdrp, kB}), 0, false, "adr"},
          {"b", words({kB}), 0, false, "branch"},
          {"cbz x0", words({kCbz}), 0, false, "branch"},
          {"bti c; ldr literal", words({kBtiC, kLdrLiteral}), 0, true, "bti"},
          {"nop", words({kNop, kStp}), 0, false, "nop"},
          {"bti c; cbz", words({kBtiC, kCbz}), 4, false, "branch"},
          {"bti c; adrp", words({kBtiC, kAdrp}), 4, false, "adr"},
          {"bti c; nop; b", words({kBtiC, kNop, kB}), 8, false, "branch"},
          {"bti c; stp", words({kBtiC, kStp, kAdrp}), 0, true, "bti"},
          {"stp", words({kStp, kAdrp}), 0, true, "stp"},
          {"sub sp", words({kSub, kAdrp}), 0, true, "sub"},
          {"paciasp; adrp", words({kPaciasp, kAdrp}), 0, true, "paciasp"},
          {"bti c; paciasp; adrp", words({kBtiC, kPaciasp, kAdrp}), 0, true, "bti"},
          {"bti c; adrp; b to the adrp", words({kBtiC, kAdrp, kBackTo4}), 0, true, "bti"},
          {"nothing", {}, 0, true, "unknown"},
          {"half a word", {0x1f, 0x20}, 0, true, "unknown"},
      },
      Arch::kArm64);
}

}  // namespace
}  // namespace ingero::hal
