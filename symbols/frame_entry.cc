// Finds the two entries, reads their heads, and goes over their instructions without executing them.
#include "symbols/frame_entry.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include <dwarf.h>

#include "symbols/byte_cursor.h"

namespace ingero::symbols {
namespace {

constexpr uint64_t kMaxEntryBytes = 256 << 10;  // of Debian's libraries the longest has 12 KiB
constexpr uint64_t kMaxRegister = 255;          // arm64's scalable vectors end at 127, x86-64's masks at 125
constexpr int kMaxRemembered = 64;              // one within the other; compilers write one

// Of a pointer in an entry; 0: of a kind that linkers write nowhere here.
size_t pointer_bytes(uint64_t encoding, size_t word_bytes) {
  switch (encoding & 0x0f) {
    case DW_EH_PE_absptr:
      return word_bytes;
    case DW_EH_PE_udata2:
    case DW_EH_PE_sdata2:
      return 2;
    case DW_EH_PE_udata4:
    case DW_EH_PE_sdata4:
      return 4;
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
      return 8;
    default:
      return 0;
  }
}

bool is_register(uint64_t number) { return number <= kMaxRegister; }

// Passes over an instruction's operands (DWARF 5, 6.4.2). False: one that compilers do not write, or a register that no
// machine has.
bool pass_operands(ByteCursor& cursor, uint64_t code) {
  switch (code) {
    case DW_CFA_nop:
    case DW_CFA_GNU_window_save:  // arm64's DW_CFA_AARCH64_negate_ra_state, too
      return true;
    case DW_CFA_advance_loc1:
      return cursor.take(1).size() == 1;
    case DW_CFA_advance_loc2:
      return cursor.take(2).size() == 2;
    case DW_CFA_advance_loc4:
      return cursor.take(4).size() == 4;
    case DW_CFA_restore_extended:
    case DW_CFA_undefined:
    case DW_CFA_same_value:
    case DW_CFA_def_cfa_register:
      return is_register(cursor.leb128());
    case DW_CFA_register:
      return is_register(cursor.leb128()) && is_register(cursor.leb128());
    case DW_CFA_def_cfa_offset:
    case DW_CFA_def_cfa_offset_sf:
    case DW_CFA_GNU_args_size:
      (void)cursor.leb128();
      return true;
    case DW_CFA_offset_extended:
    case DW_CFA_offset_extended_sf:
    case DW_CFA_def_cfa:
    case DW_CFA_def_cfa_sf:
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
    case DW_CFA_GNU_negative_offset_extended: {
      const bool known = is_register(cursor.leb128());
      (void)cursor.leb128();
      return known;
    }
    case DW_CFA_expression:
    case DW_CFA_val_expression:
      if (!is_register(cursor.leb128())) return false;
      [[fallthrough]];
    case DW_CFA_def_cfa_expression:
      (void)cursor.take(cursor.leb128());
      return true;
    default:
      return false;
  }
}

bool are_modest(ByteCursor instructions) {
  int remembered = 0;
  while (!instructions.rest().empty()) {
    const uint64_t code = instructions.number(1);
    switch (code & 0xc0) {
      case DW_CFA_advance_loc:
      case DW_CFA_restore:
        continue;
      case DW_CFA_offset:
        (void)instructions.leb128();
        continue;
      default:
        break;
    }
    if (code == DW_CFA_remember_state) {
      if (++remembered > kMaxRemembered) return false;
    } else if (code == DW_CFA_restore_state) {
      if (--remembered < 0) return false;
    } else if (!pass_operands(instructions, code)) {
      return false;
    }
  }
  return instructions.is_good();
}

// What the head of a common entry says of those that refer to it.
struct Common {
  uint64_t pointer_encoding = DW_EH_PE_absptr;
  bool has_augmentation = false;  // with its size
};

std::optional<Common> common_of(std::span<const std::byte> entry, size_t word_bytes) {
  ByteCursor cursor(entry);
  (void)cursor.take(8);  // its size, and 0 for what it is
  const uint64_t version = cursor.number(1);
  if (version != 1 && version != 3) return std::nullopt;
  const std::string_view augmentation = cursor.text();
  (void)cursor.leb128();  // alignment of code
  (void)cursor.leb128();  // of data
  if (!is_register(version == 1 ? cursor.number(1) : cursor.leb128())) return std::nullopt;
  Common common;
  if (augmentation.starts_with('z')) {
    common.has_augmentation = true;
    ByteCursor data(cursor.take(cursor.leb128()));
    for (const char kind : augmentation.substr(1)) {
      if (kind == 'L') {
        (void)data.take(1);
      } else if (kind == 'P') {
        const size_t bytes = pointer_bytes(data.number(1), word_bytes);
        if (bytes == 0 || data.take(bytes).empty()) return std::nullopt;
      } else if (kind == 'R') {
        common.pointer_encoding = data.number(1);
      } else if (kind != 'S' && kind != 'B' && kind != 'G') {
        return std::nullopt;
      }
    }
    if (!data.is_good()) return std::nullopt;
  } else if (!augmentation.empty()) {
    return std::nullopt;
  }
  if (!are_modest(cursor)) return std::nullopt;
  return common;
}

// The code that an entry is for.
std::optional<CodeRange> range_of(std::span<const std::byte> entry, uint64_t address, const Common& common,
                                  size_t word_bytes) {
  constexpr uint64_t kFirst = 8;  // behind its size and its reference
  const size_t bytes = pointer_bytes(common.pointer_encoding, word_bytes);
  const uint64_t base = common.pointer_encoding & 0xf0;
  if (bytes == 0 || (base != DW_EH_PE_absptr && base != DW_EH_PE_pcrel)) return std::nullopt;
  ByteCursor cursor(entry);
  (void)cursor.take(kFirst);
  CodeRange range;
  range.begin = cursor.number(bytes);
  range.bytes = cursor.number(bytes);
  if ((common.pointer_encoding & DW_EH_PE_signed) != 0 && bytes < 8) {
    const unsigned shift = 64 - 8 * static_cast<unsigned>(bytes);
    range.begin = static_cast<uint64_t>(static_cast<int64_t>(range.begin << shift) >> shift);
  }
  if (base == DW_EH_PE_pcrel) range.begin += address + kFirst;
  if (word_bytes == sizeof(uint32_t)) range.begin &= UINT32_MAX;
  if (common.has_augmentation) (void)cursor.take(cursor.leb128());
  if (!cursor.is_good() || !are_modest(cursor)) return std::nullopt;
  return range;
}

class Entries {
 public:
  explicit Entries(const CodeFile& file) : file_(file), word_bytes_(file.is_narrow() ? 4 : 8) {}

  // The entry for code at `code`, if it is the one that is loaded at `address`.
  std::optional<FrameEntry> at(uint64_t address, uint64_t code) const {
    auto own = read(address);
    if (own.size() < 8) return std::nullopt;
    uint32_t distance = 0;
    std::memcpy(&distance, own.data() + 4, sizeof distance);
    if (distance == 0) return std::nullopt;  // a common one
    FrameEntry found{read(address + 4 - distance), 0, {}};
    const auto common = found.bytes.size() < 8 ? std::nullopt : common_of(found.bytes, word_bytes_);
    const auto range = common ? range_of(own, address, *common, word_bytes_) : std::nullopt;
    if (!range || !range->holds(code)) return std::nullopt;
    found.code = *range;
    const auto reference = static_cast<uint32_t>(found.bytes.size() + 4);
    std::memcpy(own.data() + 4, &reference, sizeof reference);
    found.address = address - found.bytes.size();
    found.bytes.insert(found.bytes.end(), own.begin(), own.end());
    return found;
  }

  // Bytes of the entry loaded there, its size included; 0: none, or one of the 64-bit format, which no compiler writes.
  uint64_t size_at(uint64_t address) const {
    uint32_t bytes = 0;
    const auto offset = file_.parts().offset_of(address);
    if (!offset || file_.read(*offset, &bytes, sizeof bytes) != sizeof bytes || bytes == 0 || bytes > kMaxEntryBytes)
      return 0;
    return uint64_t{bytes} + sizeof bytes;
  }

 private:
  std::vector<std::byte> read(uint64_t address) const {
    std::vector<std::byte> bytes(size_at(address));
    if (bytes.empty() || file_.read(*file_.parts().offset_of(address), bytes.data(), bytes.size()) != bytes.size())
      return {};
    const auto size = static_cast<uint32_t>(bytes.size() - sizeof(uint32_t));  // that may have changed meanwhile
    std::memcpy(bytes.data(), &size, sizeof size);
    return bytes;
  }

  const CodeFile& file_;
  size_t word_bytes_;
};

// The linker's search table, as all linkers write it (LSB 5.0, 10.6.2): sorted pairs of the code's begin and its entry,
// both as their distance from the table.
struct SearchTable {
  const CodeFile& file;
  Segment segment;
  uint32_t count = 0;

  static std::optional<SearchTable> of(const CodeFile& file) {
    constexpr std::array kEncodings = {std::byte{1}, std::byte{DW_EH_PE_pcrel | DW_EH_PE_sdata4},
                                       std::byte{DW_EH_PE_udata4}, std::byte{DW_EH_PE_datarel | DW_EH_PE_sdata4}};
    const auto& segment = file.parts().frame_table;
    std::array<std::byte, kHeadBytes> head{};
    if (!segment || segment->bytes < kHeadBytes || file.read(segment->offset, head.data(), kHeadBytes) != kHeadBytes ||
        !std::equal(kEncodings.begin(), kEncodings.end(), head.begin())) {
      return std::nullopt;
    }
    SearchTable table{file, *segment};
    std::memcpy(&table.count, head.data() + kHeadBytes - sizeof table.count, sizeof table.count);
    const bool is_inside = (segment->bytes - kHeadBytes) / kPairBytes >= table.count;
    return is_inside && table.count > 0 ? std::optional(table) : std::nullopt;
  }

  // The address of the last entry for code that begins at or before `code`.
  std::optional<uint64_t> find(uint64_t code) const {
    uint32_t first = 0, behind = count;
    while (first < behind) {
      const uint32_t middle = first + (behind - first) / 2;
      if (address(pair(middle)[0]) <= code)
        first = middle + 1;
      else
        behind = middle;
    }
    return first == 0 ? std::nullopt : std::optional(address(pair(first - 1)[1]));
  }

 private:
  static constexpr size_t kHeadBytes = 12, kPairBytes = 8;
  std::array<int32_t, 2> pair(uint32_t index) const {
    std::array<int32_t, 2> pair{};
    (void)file.read(segment.offset + kHeadBytes + uint64_t{index} * kPairBytes, pair.data(), kPairBytes);
    return pair;
  }
  uint64_t address(int32_t distance) const {
    const uint64_t address = segment.address + static_cast<uint64_t>(int64_t{distance});
    return file.is_narrow() ? address & UINT32_MAX : address;
  }
};

}  // namespace

std::optional<FrameEntry> find_frame_entry(const CodeFile& file, uint64_t address) {
  const Entries entries(file);
  if (const auto table = SearchTable::of(file)) {
    const auto at = table->find(address);
    return at ? entries.at(*at, address) : std::nullopt;
  }
  const auto& frames = file.parts().frames;
  if (!frames || frames->bytes > kMaxUnsorted) return std::nullopt;
  for (uint64_t at = frames->address; at - frames->address < frames->bytes;) {
    const uint64_t size = entries.size_at(at);
    if (size == 0) break;
    if (auto found = entries.at(at, address)) return found;
    at += size;
  }
  return std::nullopt;
}

}  // namespace ingero::symbols
