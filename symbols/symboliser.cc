// Symbol tables and DWARF, the file's own or a separate debug file's.
#include "symbols/symboliser.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

#include "base/demangle.h"
#include "base/text.h"
#include "symbols/debug_sections.h"
#include "symbols/elf_image.h"
#include "symbols/python_collector.h"
#include "symbols/source_lines.h"
#include "symbols/symbol_table.h"

namespace ingero::symbols {
namespace {

constexpr size_t kLongestName = 512;

ReadBytes reader_of(const CodeFile& code) {
  return [&code](uint64_t offset, void* out, size_t size) { return code.read(offset, out, size); };
}

// What .gnu_debuglink names, a bare file name.
std::string debug_link(const CodeFile& code) {
  const auto& section = code.parts().debug_link;
  if (!section) return {};
  std::array<char, NAME_MAX + 1> text{};
  const size_t read = code.read(section->offset, text.data(), std::min<uint64_t>(section->bytes, text.size()));
  const std::string link(text.data(), strnlen(text.data(), read));
  return link.find('/') == std::string::npos ? link : "";
}

// By its name: the search is not made in each library.
bool is_interpreter(const CodeFile& code) {
  const std::string_view name = file_name(code.path());
  return name.starts_with("python") || name.starts_with("libpython");
}

}  // namespace

struct Symboliser::File {
  std::shared_ptr<const CodeFile> code;  // whose bytes the others read: goes last
  std::shared_ptr<const CodeFile> debug_file;
  std::unique_ptr<SymbolTable> table, debug_table;
  const CodeFile* with_lines = nullptr;  // this file or its debug file; null: there are none to be read
  uint64_t debug_bytes = 0;              // decompressed; 0: not known yet
  std::optional<ElfImage> debug;         // a copy, and what libelf decompresses of it
  std::unique_ptr<SourceLines> lines;
  std::optional<CodeRange> collector;  // of an interpreter that does not name it
  std::unordered_map<uint64_t, std::vector<Named>> names;

  std::optional<FoundSymbol> find(uint64_t address) const {
    if (debug_table) {
      if (auto found = debug_table->find(address)) return found;
    }
    auto found = table ? table->find(address) : std::nullopt;
    if (!found && collector && collector->holds(address)) found = FoundSymbol{kCollectorName, collector->begin};
    return found;
  }
};

Symboliser::Symboliser(OpenNamed open, std::string root) : open_(std::move(open)), root_(std::move(root)) {}
Symboliser::~Symboliser() = default;

Symboliser::File& Symboliser::open(const CodeFile& code) {
  auto& file = files_[&code];
  if (file) return *file;
  file = std::make_unique<File>();
  file->code = code.shared_from_this();
  file->table = std::make_unique<SymbolTable>(code);
  file->with_lines = &code;
  // A separate debug file is this one's only if it has the same build id.
  const std::string& id = code.build_id();
  if (id.size() > 2) {
    const std::string by_id = "/usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
    std::vector<std::string> candidates = {code.root() + by_id, root_ + by_id};
    if (const std::string link = debug_link(code); !link.empty()) {
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
      file->debug_table = std::make_unique<SymbolTable>(**opened);
      file->with_lines = opened->get();
      break;
    }
  }
  if (!file->debug_table && is_interpreter(code)) file->collector = find_python_collector(code, *file->table);
  if (file->with_lines->parts().debug.empty()) file->with_lines = nullptr;
  return *file;
}

// Copies a file's debug information, if it is not too large.
bool Symboliser::read_debug(File& file) {
  const CodeFile& code = *file.with_lines;
  file.debug = ElfImage::of(code.parts(), code.parts().debug, kMaxDebugBytes, reader_of(code));
  if (file.debug) file.debug_bytes = section_bytes(file.debug->elf(), ".debug_");
  const bool is_read =
      file.debug && file.debug_bytes > 0 && file.debug_bytes <= kMaxDebugBytes && may_follow_links(file.debug->elf());
  if (!is_read) {
    file.debug.reset();
    file.with_lines = nullptr;
  }
  return is_read;
}

SourceLines* Symboliser::lines_of(File& file) {
  if (file.with_lines == nullptr) return nullptr;
  std::erase(with_lines_, &file);
  if (!file.lines) {
    if (!read_debug(file)) return nullptr;
    uint64_t kept = file.debug_bytes;
    for (const File* other : with_lines_) kept += other->debug_bytes;
    for (; kept > kKeptDebugBytes && !with_lines_.empty(); with_lines_.pop_front()) {
      kept -= with_lines_.front()->debug_bytes;
      with_lines_.front()->lines.reset();
      with_lines_.front()->debug.reset();
    }
    file.lines = std::make_unique<SourceLines>(file.debug->elf());
  }
  with_lines_.push_back(&file);
  return file.lines.get();
}

void Symboliser::forget() {
  with_lines_.clear();
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
      names.back().function = demangled(found->name).substr(0, kLongestName);
      names.back().offset = address - found->address;
    } else {
      Named named;
      named.function = demangled(found->name).substr(0, kLongestName);
      named.offset = address - found->address;
      names.push_back(std::move(named));
    }
  }
  return names;
}

std::string Symboliser::function_at(const CodeFile& code, uint64_t address) {
  const auto found = open(code).find(address);
  return found && found->address == address ? found->name : std::string();
}

std::string Symboliser::symbol(const CodeFile& code, uint64_t address) {
  const auto found = open(code).find(address);
  return found ? found->name : std::string();
}

}  // namespace ingero::symbols
