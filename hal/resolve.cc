// Resolves function rows to offsets in a library file: variants, symbol versions, aliases; and says why a row has none.
#include "hal/resolve.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.h"

namespace ingero::hal {
namespace {

constexpr size_t kMaxCode = 64 << 10;  // of one function, read to look for branches to its start
constexpr size_t kUnsizedCode = 256;   // where the symbol gives no size
constexpr size_t kHashDigits = 8;      // wheel tools rename libx.so.1 to libx-0a1b2c3d.so.1
constexpr size_t kMaxVersionText = 64;

bool machine_matches(uint16_t machine, Arch arch) {
  switch (arch) {
    case Arch::kX86_64:
      return machine == EM_X86_64;
    case Arch::kArm64:
      return machine == EM_AARCH64;
    case Arch::kX86_32:
      return machine == EM_386;
  }
  return false;
}

// What a caller of `name` can reach: the exported default version; old versions only if no default exists; local
// functions only if nothing is exported (a static copy).
std::vector<Symbol> reachable(std::vector<Symbol> definitions) {
  const auto keep = [&](auto wanted) {
    if (std::any_of(definitions.begin(), definitions.end(), wanted)) {
      std::erase_if(definitions, [&](const Symbol& symbol) { return !wanted(symbol); });
    }
  };
  keep([](const Symbol& symbol) { return !symbol.is_local; });
  keep([](const Symbol& symbol) { return symbol.is_default; });
  return definitions;
}

class Resolver {
 public:
  Resolver(const ElfImage& image, Arch arch) : image_(image), arch_(arch) {}

  void add(const Row& row) {
    const size_t first = rows_.size();
    std::string same_as;
    for (const std::string& spelling : spellings(row)) {
      const std::vector<Symbol> all = image_.find(spelling);
      const bool versions = std::any_of(all.begin(), all.end(), [&](const Symbol& symbol) {
        return symbol.version != all.front().version && !symbol.is_local;
      });
      if (!all.empty() && refuse_wrapper(row, spelling)) continue;
      for (const Symbol& symbol : reachable(all)) {
        const bool emit = versions && !symbol.version.empty();
        place(row, symbol, emit ? fmt::format("{}@{}", spelling, symbol.version) : spelling, same_as);
      }
    }
    if ((row.flags & kMangledVariants) != 0) {
      for (const Symbol& symbol : image_.find_mangled(row.name)) place(row, symbol, std::string(symbol.name), same_as);
    }
    if (rows_.size() != first) return;
    if (!same_as.empty()) {
      rows_.push_back({&row,
                       RowState::kRefused,
                       std::string(row.name),
                       0,
                       {},
                       fmt::format("is the same code as {}, which is probed", same_as),
                       {}});
    } else {
      const bool hidden = image_.outline().is_stripped() && image_.outline().soname().empty();
      rows_.push_back({&row,
                       RowState::kAbsent,
                       std::string(row.name),
                       0,
                       {},
                       absent_reason(hidden),
                       hidden ? "keep the file's symbol table (do not strip it)" : ""});
    }
  }

  std::vector<ResolvedRow> take() { return std::move(rows_); }

 private:
  // A wrapper that jumps to its target would make two events of one call. The target of a variant is the same variant
  // of the target, or the target itself.
  bool refuse_wrapper(const Row& row, const std::string& spelling) {
    if ((row.flags & kNotWhereTarget) == 0) return false;
    std::string target = fmt::format("{}{}", row.instead, spelling.substr(row.name.size()));
    if (image_.find(target).empty()) target = row.instead;
    if (image_.find(target).empty()) return false;
    rows_.push_back({&row, RowState::kRefused, spelling, 0, {}, fmt::format("calls {}, which is probed", target), {}});
    return true;
  }

  void place(const Row& row, const Symbol& symbol, std::string spelling, std::string& same_as) {
    const ProbePoint point = probe_point(row, symbol);
    const uint64_t offset = symbol.file_offset + point.delta;
    const auto [known, is_new] = by_offset_.try_emplace(offset, spelling);
    if (!is_new) {
      if (same_as.empty()) same_as = known->second;
      return;
    }
    if (point.refused) {
      rows_.push_back({&row,
                       RowState::kRefused,
                       std::move(spelling),
                       offset,
                       point,
                       fmt::format("the kernel cannot probe its first instruction ({})", point.instruction),
                       {}});
      return;
    }
    rows_.push_back({&row, RowState::kResolved, std::move(spelling), offset, point, {}, {}});
  }

  ProbePoint probe_point(const Row& row, const Symbol& symbol) const {
    const size_t size =
        symbol.size == 0 ? kUnsizedCode : static_cast<size_t>(std::min<uint64_t>(symbol.size, kMaxCode));
    const std::vector<uint8_t> code = image_.bytes_at(symbol.file_offset, size);
    const auto lowered = lower(row, arch_);  // what cannot be lowered is not probed, and says so elsewhere
    const ProbePoint moved =
        choose_probe_point(code, arch_, lowered.ok() ? captured_registers(lowered->recipe) : kAllArguments);
    if (moved.delta == 0) return moved;
    // Another function that starts in the bytes moved over can be called there.
    const Symbol* there = image_.covering(symbol.file_offset + moved.delta);
    const bool alone = there == nullptr || there->file_offset <= symbol.file_offset;
    return alone ? moved : probe_point_at_symbol(code, arch_);
  }

  static std::string absent_reason(bool hidden) {
    return hidden ? "no such function in this file, which is stripped of local symbols"
                  : "no such function in this file";
  }

  const ElfImage& image_;
  const Arch arch_;
  std::vector<ResolvedRow> rows_;
  std::map<uint64_t, std::string> by_offset_;  // probe offset to the spelling that took it
};

// "libx-0a1b2c3d.so.1" to "libx.so.1"; empty when the name carries no such hash.
std::string without_hash(std::string_view name) {
  const size_t end = name.find(".so");
  if (end == std::string_view::npos || end < kHashDigits + 2 || name[end - kHashDigits - 1] != '-') return {};
  const std::string_view hash = name.substr(end - kHashDigits, kHashDigits);
  if (hash.find_first_not_of("0123456789abcdef") != std::string_view::npos) return {};
  return std::string(name.substr(0, end - kHashDigits - 1)).append(name.substr(end));
}

// The version after ".so.", up to the first part that is not a number: "13.0.96".
std::string_view version_suffix(std::string_view name) {
  constexpr std::string_view kMark = ".so.";
  name = file_name(name);
  const size_t mark = name.find(kMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view rest = name.substr(mark + kMark.size(), kMaxVersionText);
  size_t end = 0;
  for (size_t at = 0; at < rest.size(); at = end + 1) {
    const size_t stop = std::min(rest.find('.', at), rest.size());
    const std::string_view part = rest.substr(at, stop - at);
    if (part.empty() || part.find_first_not_of("0123456789") != std::string_view::npos) break;
    end = stop;
  }
  return rest.substr(0, end);
}

// Of a name whose prototype changed between versions: is this row's the one of this file?
bool holds_here(const Row& row, const ElfImage& image) {
  if ((row.flags & (kNotWhereTarget | kOnlyWhereTarget)) == 0) return true;
  const bool has_mark = !image.find(row.instead).empty();
  return has_mark == ((row.flags & kOnlyWhereTarget) != 0);
}

}  // namespace

Arch arch_of(const ElfImage& image, Arch host) {
  return host == Arch::kX86_64 && image.outline().machine() == EM_386 ? Arch::kX86_32 : host;
}

std::vector<ResolvedRow> resolve(const Library& library, const ElfImage& image, Arch arch) {
  if (!machine_matches(image.outline().machine(), arch)) {
    std::vector<ResolvedRow> rows;
    for (const Row& row : library.rows) {
      rows.push_back({&row,
                      RowState::kRefused,
                      std::string(row.name),
                      0,
                      {},
                      fmt::format("the file is for another processor (ELF machine {})", image.outline().machine()),
                      "trace it on a machine of that architecture"});
    }
    return rows;
  }
  Resolver resolver(image, arch);
  std::map<std::string_view, size_t> prototypes;  // of a name
  for (const Row& row : library.rows) ++prototypes[row.name];
  for (const Row& row : library.rows) {
    if (prototypes[row.name] == 1 || holds_here(row, image)) resolver.add(row);
  }
  std::vector<ResolvedRow> rows = resolver.take();
  // A name with several prototypes is absent once, and only where no row found it.
  std::set<std::string_view> seen;
  for (const ResolvedRow& found : rows) {
    if (found.state != RowState::kAbsent) seen.insert(found.row->name);
  }
  std::erase_if(rows, [&](const ResolvedRow& found) {
    return found.state == RowState::kAbsent && !seen.insert(found.row->name).second;
  });
  return rows;
}

bool soname_matches(const Library& library, std::string_view file_name) {
  const std::string name(ingero::file_name(file_name));
  const std::string plain = without_hash(name);
  return std::any_of(library.sonames.begin(), library.sonames.end(), [&](std::string_view pattern) {
    const std::string terminated(pattern);
    return fnmatch(terminated.c_str(), name.c_str(), 0) == 0 ||
           (!plain.empty() && fnmatch(terminated.c_str(), plain.c_str(), 0) == 0);
  });
}

Result<bool> holds_static_copy(const Library& library, const ElfOutline& file) {
  return file.defines_any(library.anchors);
}

bool hides_static_copy(const Library& library, const ElfOutline& file) {
  if (!file.is_stripped()) return false;
  for (const std::string_view needed : file.needed()) {
    if (soname_matches(library, needed)) return false;
  }
  return std::any_of(library.sections.begin(), library.sections.end(),
                     [&](std::string_view section) { return file.has_section(section); });
}

std::string library_version(std::string_view resolved_file_name, std::string_view soname) {
  const std::string_view by_file = version_suffix(resolved_file_name);
  const std::string_view by_soname = version_suffix(soname);
  // A file may be installed under a shorter name than its own.
  return std::string(by_soname.size() > by_file.size() && by_soname.starts_with(by_file) ? by_soname : by_file);
}

}  // namespace ingero::hal
