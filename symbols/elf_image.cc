// Header, sections, their names, section headers: in this order.
#include "symbols/elf_image.h"

#include <cstring>
#include <new>
#include <string>

namespace ingero::symbols {
namespace {

constexpr uint64_t kAlignment = 16;

uint64_t aligned(uint64_t at) { return (at + kAlignment - 1) & ~(kAlignment - 1); }

}  // namespace

std::optional<ElfImage> ElfImage::of(const ElfParts& parts, std::span<const Section> sections, uint64_t most,
                                     const ReadBytes& read) {
  uint64_t total = 0;
  for (const Section& section : sections) {
    if (section.bytes > most - total) return std::nullopt;
    total += section.bytes;
  }
  elf_version(EV_CURRENT);
  ElfImage image;
  const bool is_whole = parts.is_narrow ? image.fill<Elf32_Ehdr, Elf32_Shdr>(parts, sections, read)
                                        : image.fill<Elf64_Ehdr, Elf64_Shdr>(parts, sections, read);
  return is_whole ? std::optional(std::move(image)) : std::nullopt;
}

template <typename Header, typename SectionHeader>
bool ElfImage::fill(const ElfParts& parts, std::span<const Section> sections, const ReadBytes& read) {
  std::string names(1, '\0');
  std::vector<SectionHeader> headers(1);
  uint64_t at = aligned(sizeof(Header));
  const auto add = [&](const Section& section, uint64_t bytes) {
    SectionHeader& header = headers.emplace_back();
    header.sh_name = static_cast<uint32_t>(names.size());
    names += section.name + '\0';
    header.sh_type = section.type;
    header.sh_flags = static_cast<decltype(header.sh_flags)>(section.flags);
    header.sh_addr = static_cast<decltype(header.sh_addr)>(section.address);
    header.sh_offset = static_cast<decltype(header.sh_offset)>(at);
    header.sh_size = static_cast<decltype(header.sh_size)>(bytes);
    header.sh_addralign = static_cast<decltype(header.sh_addralign)>(section.alignment);
    at = aligned(at + bytes);
  };
  for (const Section& section : sections) add(section, section.bytes);
  const std::string own = ".shstrtab";
  add({own, SHT_STRTAB}, names.size() + own.size() + 1);

  const size_t size = at + headers.size() * sizeof(SectionHeader);
  bytes_.reset(new (std::nothrow) std::byte[size]);
  if (!bytes_) return false;
  Header header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = sizeof(Header) == sizeof(Elf32_Ehdr) ? ELFCLASS32 : ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = parts.machine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shoff = static_cast<decltype(header.e_shoff)>(at);
  header.e_shentsize = sizeof(SectionHeader);
  header.e_shnum = static_cast<uint16_t>(headers.size());
  header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
  std::memcpy(bytes_.get(), &header, sizeof header);
  for (size_t i = 0; i < sections.size(); ++i) {
    if (read(sections[i].offset, bytes_.get() + headers[i + 1].sh_offset, sections[i].bytes) != sections[i].bytes)
      return false;
  }
  std::memcpy(bytes_.get() + headers.back().sh_offset, names.data(), names.size());
  std::memcpy(bytes_.get() + at, headers.data(), headers.size() * sizeof(SectionHeader));
  elf_.reset(elf_memory(reinterpret_cast<char*>(bytes_.get()), size));
  return elf_ != nullptr;
}

}  // namespace ingero::symbols
