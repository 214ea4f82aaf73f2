// Finds the C library's symbol `environ` and reads the strings it points to from the process's memory.
#include "symbols/process_environment.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "hal/elf_file.h"
#include "symbols/process_variable.h"

namespace ingero::symbols {
namespace {

constexpr size_t kMaxVariables = 4096;
constexpr size_t kLongestValue = 4096;
constexpr size_t kStep = 64;
constexpr size_t kMaxSteps = 8192;  // for all values together: a process may repeat a name any number of times

// A C string of at most `most` bytes; nothing when it cannot be read whole, or `steps_left` is 0.
std::optional<std::string> string_at(const ProcessView& process, uint64_t address, size_t most, size_t& steps_left) {
  std::string text;
  std::array<char, kStep> chunk;
  while (text.size() < most && steps_left > 0) {
    --steps_left;
    const size_t wanted = kStep - address % kStep;  // never into the next page before this one is used up
    if (!process.read_memory(address, chunk.data(), wanted)) return std::nullopt;
    const size_t length = strnlen(chunk.data(), wanted);
    text.append(chunk.data(), length);
    if (length < wanted) return text;
    address += wanted;
  }
  return std::nullopt;
}

struct List {
  uint64_t address = 0;
  size_t word_bytes = 0;  // of each entry
};

// A pointer in the process's memory.
bool read_pointer(const ProcessView& process, uint64_t address, size_t word_bytes, uint64_t& pointer) {
  pointer = 0;
  return process.read_memory(address, &pointer, word_bytes);
}

// The list that one file's variable points to; an executable's copy of it comes before the library's own. The C library
// itself goes by __environ, of which a file need not copy the other names.
std::optional<List> list_in(const ProcessView& process, const hal::Mapping& mapping) {
  auto opened = process.open_file(mapping);
  if (!opened.ok()) return std::nullopt;
  const auto file = hal::ElfFile::open(std::move(*opened), "a file of the process");
  if (!file.ok()) return std::nullopt;
  const auto bias = bias_of(*file, mapping);
  if (!bias) return std::nullopt;
  auto address = shared_variable(*file, "__environ");
  if (!address) address = shared_variable(*file, "environ");
  if (!address) return std::nullopt;
  List list{0, file->word_bytes()};
  if (!read_pointer(process, *bias + *address, list.word_bytes, list.address) || list.address == 0) return std::nullopt;
  return list;
}

}  // namespace

Result<std::map<std::string, std::string, std::less<>>> environment_of(const ProcessView& process,
                                                                       std::span<const std::string_view> names) {
  std::optional<List> list;
  std::set<hal::FileId> seen;
  for (const hal::Mapping& mapping : process.mappings) {
    if (mapping.file.inode == 0 || !seen.insert(mapping.file).second) continue;
    // The program itself is the first file; then only the C library has the variable.
    const size_t slash = mapping.untrusted_path.rfind('/');
    const std::string_view name = std::string_view(mapping.untrusted_path).substr(slash + 1);
    if (seen.size() > 1 && !name.starts_with("libc.") && !name.starts_with("libc-") && !name.starts_with("ld-musl")) {
      continue;
    }
    list = list_in(process, mapping);
    if (list) break;
  }
  if (!list) return Error(Errc::kNotFound, "its C library's pointer to the environment was not found");
  std::map<std::string, std::string, std::less<>> found;
  size_t steps_left = kMaxSteps;
  for (size_t i = 0; i < kMaxVariables; ++i) {
    uint64_t entry = 0;
    if (!read_pointer(process, list->address + i * list->word_bytes, list->word_bytes, entry)) {
      return Error(Errc::kNotFound, "its environment could not be read");
    }
    if (entry == 0) return found;
    if (steps_left == 0)
      return Error(Errc::kNotFound, fmt::format("its environment has more than {} KiB", kMaxSteps * kStep / 1024));
    std::array<char, kStep> start{};
    const size_t wanted = kStep - entry % kStep;
    if (!process.read_memory(entry, start.data(), wanted)) continue;
    for (const std::string_view name : names) {
      const size_t compared = std::min(name.size(), wanted);
      if (std::memcmp(start.data(), name.data(), compared) != 0) continue;
      if (found.contains(name)) continue;  // the first counts, as for getenv
      auto text = string_at(process, entry, name.size() + 1 + kLongestValue, steps_left);
      if (text && text->size() > name.size() && text->starts_with(name) && (*text)[name.size()] == '=') {
        found.emplace(name, text->substr(name.size() + 1));
      }
    }
  }
  return Error(Errc::kNotFound, "the environment of the process is not terminated");
}

}  // namespace ingero::symbols
