// Instruction lengths and branch targets, against a disassembler over a whole real library.
#include "hal/x86_code.h"

#include <cstdlib>
#include <map>
#include <sstream>

#include "fixture.h"
#include "hal/maps.h"

namespace ingero::hal {
namespace {

TEST(X86Code, LengthsAndTargetsAreThoseOfObjdump) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "this machine's libraries are not x86-64";
#endif
  std::string library;
  for (const Mapping& mapping : executable_mappings(fixture::contents("/proc/self/maps"))) {
    if (mapping.untrusted_path.find("libstdc++.so") != std::string::npos) library = mapping.untrusted_path;
  }
  if (library.empty()) GTEST_SKIP() << "libstdc++ is linked statically";
  size_t instructions = 0, branches = 0;
  std::map<std::string, size_t> wrong;
  for (const std::string& line : fixture::output_of("objdump -d -w -j .text " + library)) {
    const size_t bytes_at = line.find('\t'), text_at = line.find('\t', bytes_at + 1);
    if (bytes_at == std::string::npos || text_at == std::string::npos) continue;
    std::vector<uint8_t> code;
    std::istringstream bytes(line.substr(bytes_at + 1, text_at - bytes_at - 1));
    for (unsigned byte; bytes >> std::hex >> byte;) code.push_back(static_cast<uint8_t>(byte));
    const std::string text = line.substr(text_at + 1);
    // Objdump writes fwait and the instruction behind it as one.
    if (code.empty() || code[0] == 0x9b || text.find("(bad)") != std::string::npos) continue;
    ++instructions;
    const size_t length = code.size();
    code.resize(length + 20, 0xcc);
    const auto insn = decode_x86(code);
    if (!insn || insn->length != length) {
      ++wrong[text];
      continue;
    }
    // A prefix of it is never taken for the whole.
    EXPECT_FALSE(decode_x86(std::span(code).first(length - 1)).has_value() &&
                 decode_x86(std::span(code).first(length - 1))->length >= length);
    if (!insn->direct_branch) continue;
    ++branches;
    const size_t symbol_at = text.rfind(" <");
    const std::string operands = text.substr(0, symbol_at);
    const uint64_t target = std::strtoull(operands.c_str() + operands.rfind(' ') + 1, nullptr, 16);
    const uint64_t address = std::strtoull(line.c_str(), nullptr, 16);
    if (address + length + static_cast<uint64_t>(int64_t{insn->relative}) != target) ++wrong[text];
  }
  if (instructions == 0) GTEST_SKIP() << "no objdump";
  EXPECT_GT(instructions, 100'000U);
  EXPECT_GT(branches, 10'000U);
  for (const auto& [text, count] : wrong) ADD_FAILURE() << count << " times: " << text;
}

TEST(X86Code, CutInstructionsDecodeToNothing) {
  const std::vector<std::vector<uint8_t>> whole = {
      {0xf3, 0x0f, 0x1e, 0xfa},                          // endbr64
      {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8},              // movabs
      {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},     // nopw
      {0xc7, 0x44, 0x24, 0x08, 1, 2, 3, 4},              // movl $imm,8(%rsp)
      {0x62, 0xf1, 0x7c, 0x48, 0x28, 0x44, 0x24, 0x01},  // vmovaps (EVEX)
      {0xc4, 0xe3, 0x7d, 0x39, 0x44, 0x24, 0x10, 0x01},  // vextracti128 (VEX3)
      {0xf7, 0x05, 0, 0, 0, 0, 1, 0, 0, 0},              // testl $1,0(%rip)
      {0xe8, 1, 2, 3, 4},
  };
  for (const auto& code : whole) {
    const auto insn = decode_x86(code);
    ASSERT_TRUE(insn.has_value());
    EXPECT_EQ(insn->length, code.size());
    for (size_t length = 0; length < code.size(); ++length) {
      EXPECT_FALSE(decode_x86(std::span(code).first(length)).has_value()) << length;
    }
  }
}

// A prefix behind REX ends its effect: REX, the prefix, and what follows are one instruction, never two.
TEST(X86Code, APrefixBehindRexIsNotAnOpcode) {
  for (const uint8_t prefix : {0x26, 0x2e, 0x36, 0x3e, 0x40, 0x47, 0x4f, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3}) {
    const std::vector<uint8_t> code = {0x48, prefix, 0x89, 0xc8, 0x90, 0x90};
    EXPECT_FALSE(decode_x86(code).has_value()) << int{prefix};
  }
}

}  // namespace
}  // namespace ingero::hal
