// A header, a Bloom filter of words, the first symbol of each bucket, and the hash of each symbol, whose low bit ends
// its bucket.
#include "hal/gnu_hash.h"

#include <algorithm>
#include <array>
#include <span>

namespace ingero::hal {
namespace {

constexpr size_t kMaxText = 4096;
constexpr size_t kMaxSameBucket = 4096;

uint32_t gnu_hash_of(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

std::string text_at(const ElfFile& file, const SymbolTable& table, uint64_t offset) {
  if (offset >= table.strings_bytes) return {};
  std::array<char, kMaxText> bytes;
  const size_t wanted = static_cast<size_t>(std::min<uint64_t>(bytes.size(), table.strings_bytes - offset));
  const size_t got = file.read_some(table.strings_offset + offset, bytes.data(), wanted);
  return std::string(string_at({bytes.data(), got}, 0));
}

GnuHash::GnuHash(const ElfFile& file, const SymbolTable& table, uint64_t offset) : file_(file), table_(table) {
  Header head{};
  if (offset == 0 || file.read_some(offset, &head, sizeof head) != sizeof head) return;
  if (head.buckets == 0 || head.filter_words == 0) return;
  head_ = head;
  filter_at_ = offset + sizeof head;
  buckets_at_ = filter_at_ + uint64_t{head.filter_words} * file.word_bytes();
  chains_at_ = buckets_at_ + uint64_t{head.buckets} * sizeof(uint32_t);
}

uint32_t GnuHash::word_at(uint64_t offset) const {
  uint32_t word = 0;
  return file_.read_some(offset, &word, sizeof word) == sizeof word ? word : 0;
}

bool GnuHash::passes_filter(uint32_t hash) const {
  const auto bits = static_cast<uint32_t>(file_.word_bytes() * 8);
  const uint64_t at = filter_at_ + uint64_t{hash / bits % head_.filter_words} * file_.word_bytes();
  uint64_t word = 0;
  if (file_.read_some(at, &word, file_.word_bytes()) != file_.word_bytes()) return false;
  const uint32_t second = head_.filter_shift < 32 ? hash >> head_.filter_shift : 0;
  return (word >> hash % bits & word >> second % bits & 1) != 0;
}

std::optional<Elf64_Sym> GnuHash::find(std::string_view name,
                                       const std::function<bool(const Elf64_Sym&)>& is_wanted) const {
  const uint32_t hash = gnu_hash_of(name);
  if (!is_there() || name.size() >= kMaxText || !passes_filter(hash)) return std::nullopt;
  uint64_t index = word_at(buckets_at_ + uint64_t{hash % head_.buckets} * sizeof(uint32_t));
  if (index < head_.first_symbol || index == 0) return std::nullopt;
  for (size_t seen = 0; seen < kMaxSameBucket && index < table_.symbol_count; ++seen, ++index) {
    const uint32_t chained = word_at(chains_at_ + (index - head_.first_symbol) * sizeof(uint32_t));
    Elf64_Sym symbol{};
    if ((chained | 1) == (hash | 1) &&
        file_.read_symbols(table_.symbols_offset + index * file_.symbol_bytes(), std::span(&symbol, 1)) == 1 &&
        is_wanted(symbol) && text_at(file_, table_, symbol.st_name) == name) {
      return symbol;
    }
    if ((chained & 1) != 0) break;
  }
  return std::nullopt;
}

}  // namespace ingero::hal
