// Follows direct calls: see python_collector.h.
#include "symbols/python_collector.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace ingero::symbols {
namespace {

constexpr uint64_t kMaxBytes = 16 << 10;  // of a function whose calls are followed; gc_collect_main has 5 KiB
constexpr uint64_t kLargeBytes = 1024;    // those that only pass a call on, or report an error, have a few hundred
constexpr size_t kMaxFollowed = 16;

// Where calls and jumps in these bytes lead, by what looks like one: what is none seldom leads to a function's begin,
// which is for the caller to ask.
std::vector<uint64_t> targets_in(const CodeFile& file, CodeRange range) {
  std::vector<uint64_t> targets;
  const auto bytes = file.code_at(range.begin, std::min(range.bytes, kMaxBytes));
  const std::vector<std::byte> code(bytes.begin(), bytes.end());  // a copy: the file may change
  const auto number_at = [&](size_t at) {
    uint32_t number = 0;
    std::memcpy(&number, code.data() + at, sizeof number);
    return number;
  };
  if (file.parts().machine == EM_X86_64) {
    // CALL rel32 and JMP rel32 (Intel SDM, volume 2).
    constexpr std::byte kCall{0xe8}, kJump{0xe9};
    constexpr size_t kBytes = 5;
    for (size_t at = 0; at + kBytes <= code.size(); ++at) {
      if (code[at] != kCall && code[at] != kJump) continue;
      const auto distance = static_cast<int64_t>(static_cast<int32_t>(number_at(at + 1)));
      targets.push_back(range.begin + at + kBytes + static_cast<uint64_t>(distance));
    }
  } else if (file.parts().machine == EM_AARCH64) {
    // B and BL imm26 (Arm ARM, C6.2).
    constexpr uint32_t kMask = 0x7c000000, kBranch = 0x14000000;
    for (size_t at = 0; at + sizeof(uint32_t) <= code.size(); at += sizeof(uint32_t)) {
      const uint32_t word = number_at(at);
      if ((word & kMask) != kBranch) continue;
      const int64_t distance = static_cast<int64_t>(static_cast<int32_t>(word << 6) >> 6) * 4;
      targets.push_back(range.begin + at + static_cast<uint64_t>(distance));
    }
  }
  return targets;
}

// The functions that it calls and that have no name.
std::vector<CodeRange> nameless_in(const CodeFile& file, const SymbolTable& table, CodeRange range) {
  std::vector<CodeRange> found;
  for (const uint64_t target : targets_in(file, range)) {
    if (found.size() >= kMaxFollowed) break;
    if (range.holds(target) || table.find(target)) continue;
    const auto entry = find_frame_entry(file, target);
    if (entry && entry->code.begin == target) found.push_back(entry->code);
  }
  return found;
}

std::optional<CodeRange> largest(const std::vector<CodeRange>& ranges) {
  const auto most = std::ranges::max_element(ranges, {}, &CodeRange::bytes);
  return most != ranges.end() && most->bytes >= kLargeBytes ? std::optional(*most) : std::nullopt;
}

}  // namespace

std::optional<CodeRange> find_python_collector(const CodeFile& file, const SymbolTable& table) {
  if (table.has_local()) return std::nullopt;
  const auto exported = table.address_of("PyGC_Collect");
  const auto entry = exported ? find_frame_entry(file, *exported) : std::nullopt;
  if (!entry || entry->code.begin != *exported) return std::nullopt;
  const std::vector<CodeRange> called = nameless_in(file, table, entry->code);
  if (const auto own = largest(called)) return own;
  std::vector<CodeRange> further;
  for (const CodeRange& one : called) {
    for (const CodeRange& next : nameless_in(file, table, one)) further.push_back(next);
  }
  return largest(further);
}

}  // namespace ingero::symbols
