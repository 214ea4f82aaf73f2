// Symbol tables and DWARF, the file's own or a separate debug file's.
#include "symbols/symboliser.h"

#include <gelf.h>

#include <cstdlib>
#include <cstring>

#include <cxxabi.h>

#include "symbols/debug_sections.h"
#include "symbols/owned_elf.h"
#include "symbols/source_lines.h"
#include "symbols/symbol_table.h"

namespace ingero::symbols {
namespace {

constexpr size_t kLongestSymbol = 4096;
constexpr size_t kLongestName = 512;

// What .gnu_debuglink names, a bare file name.
std::string debug_link(Elf* elf) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || std::strcmp(name, ".gnu_debuglink") != 0) continue;
    const Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    const char* text = static_cast<const char*>(data->d_buf);
    const std::string link(text, strnlen(text, data->d_size));
    return link.find('/') == std::string::npos ? link : "";
  }
  return {};
}

}  // namespace

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z") || symbol.size() > kLongestSymbol) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

struct Symboliser::File {
  std::shared_ptr<const CodeFile> code;  // whose bytes the others read: goes last
  OwnedElf elf;
  std::shared_ptr<const CodeFile> debug_file;
  OwnedElf debug_elf;
  std::unique_ptr<SymbolTable> table, debug_table;
  const MappedFile* with_lines = nullptr;  // this file or its debug file; null: there are none to be read
  uint64_t debug_bytes = 0;
  OwnedElf lines_elf;  // of its own: what libelf decompresses for it goes with it
  std::unique_ptr<SourceLines> lines;
  std::unordered_map<uint64_t, std::vector<Named>> names;

  std::optional<FoundSymbol> find(uint64_t address) const {
    if (debug_table) {
      if (auto found = debug_table->find(address)) return found;
    }
    return table ? table->find(address) : std::nullopt;
  }
};

Symboliser::Symboliser(OpenNamed open, std::string root) : open_(std::move(open)), root_(std::move(root)) {
  elf_version(EV_CURRENT);
}
Symboliser::~Symboliser() = default;

Symboliser::File& Symboliser::open(const CodeFile& code) {
  auto& file = files_[&code];
  if (file) return *file;
  file = std::make_unique<File>();
  file->code = code.shared_from_this();
  file->elf = elf_of(code.scratch());
  if (!file->elf) return *file;
  file->table = std::make_unique<SymbolTable>(file->elf.get());
  file->with_lines = &code.scratch();
  // A separate debug file is this one's only if it has the same build id.
  const std::string& id = code.build_id();
  if (id.size() > 2) {
    const std::string by_id = "/usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
    std::vector<std::string> candidates = {code.root() + by_id, root_ + by_id};
    if (const std::string link = debug_link(file->elf.get()); !link.empty()) {
      const std::string folder = code.path().substr(0, code.path().rfind('/') + 1);
      for (const std::string& root : {code.root(), root_}) {
        for (const std::string& name : {folder + link, folder + ".debug/" + link, "/usr/lib/debug" + folder + link}) {
          candidates.push_back(root + name);
        }
      }
    }
    for (const std::string& name : candidates) {
      const auto fd = open_(name);
      if (!fd.ok()) continue;
      auto opened = CodeFile::open(*fd, name, {});
      if (!opened.ok() || (*opened)->build_id() != id) continue;
      file->debug_file = *opened;
      file->debug_elf = elf_of(file->debug_file->scratch());
      if (!file->debug_elf) continue;
      file->debug_table = std::make_unique<SymbolTable>(file->debug_elf.get());
      file->with_lines = &file->debug_file->scratch();
      break;
    }
  }
  Elf* const with_lines = file->debug_elf ? file->debug_elf.get() : file->elf.get();
  file->debug_bytes = section_bytes(with_lines, ".debug_");
  if (file->debug_bytes == 0 || !may_follow_links(with_lines) || file->debug_bytes > kMaxDebugBytes)
    file->with_lines = nullptr;
  return *file;
}

SourceLines* Symboliser::lines_of(File& file) {
  if (file.with_lines == nullptr) return nullptr;
  std::erase(with_lines_, &file);
  if (!file.lines) {
    uint64_t kept = file.debug_bytes;
    for (const File* other : with_lines_) kept += other->debug_bytes;
    for (; kept > kKeptDebugBytes && !with_lines_.empty(); with_lines_.pop_front()) {
      kept -= with_lines_.front()->debug_bytes;
      with_lines_.front()->lines.reset();
      with_lines_.front()->lines_elf.reset();
    }
    file.lines_elf = elf_of(*file.with_lines);
    if (file.lines_elf) file.lines = std::make_unique<SourceLines>(file.lines_elf.get());
  }
  with_lines_.push_back(&file);
  return file.lines.get();
}

void Symboliser::forget() {
  with_lines_.clear();
  for (auto& [key, file] : files_) {
    const std::shared_ptr<const CodeFile> code = file->code;
    file.reset();
    code->scratch().release();  // what was read of it counts as this process's memory until then
  }
  files_.clear();
  names_ = 0;
}

std::vector<Named> Symboliser::name(const CodeFile& code, uint64_t address) {
  if (names_ >= kMaxNames) forget();
  File& file = open(code);
  const auto known = file.names.find(address);
  if (known != file.names.end()) return known->second;
  ++names_;
  std::vector<Named>& names = file.names[address];
  const auto found = file.find(address);
  if (SourceLines* lines = lines_of(file)) {
    for (SourcePlace& place : lines->find(address)) {
      Named named;
      named.function = demangled(place.function).substr(0, kLongestName);
      named.source = std::move(place.source);
      named.line = place.line;
      named.is_inlined = place.is_inlined;
      names.push_back(std::move(named));
    }
  }
  if (names.empty()) names.emplace_back();
  // The symbol table has the linker's word for the function that is there, and where it starts.
  if (found) {
    if (!names.back().is_inlined) {
      names.back().function = demangled(std::string(found->name)).substr(0, kLongestName);
      names.back().offset = address - found->address;
    } else {
      Named named;
      named.function = demangled(std::string(found->name)).substr(0, kLongestName);
      named.offset = address - found->address;
      names.push_back(std::move(named));
    }
  }
  return names;
}

std::string Symboliser::function_at(const CodeFile& code, uint64_t address) {
  const auto found = open(code).find(address);
  return found && found->address == address ? std::string(found->name) : std::string();
}

std::string Symboliser::symbol(const CodeFile& code, uint64_t address) {
  const auto found = open(code).find(address);
  return found ? std::string(found->name) : std::string();
}

}  // namespace ingero::symbols
