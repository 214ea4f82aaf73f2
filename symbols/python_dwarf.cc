// Members of a handful of structures, looked up by name in the compilation units until all are found.
#include "symbols/python_dwarf.h"

#include <elfutils/libdw.h>
#include <fcntl.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dwarf.h>

#include "hal/elf_file.h"
#include "symbols/debug_sections.h"
#include "symbols/elf_image.h"
#include "symbols/python_layout.h"

namespace ingero::symbols {
namespace {

// libpython 3.13 of gcc 12 -g has 24 MiB of debug information (3.9: 10 MiB), and 1.2 million entries.
constexpr uint64_t kMaxDebugBytes = 64 << 20;
constexpr size_t kMaxEntries = 4 << 20;
constexpr int kMaxDepth = 16;
constexpr int kMaxTypedefs = 16;

// The type behind typedefs and qualifiers.
std::optional<Dwarf_Die> bare_type(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &type) == nullptr) return std::nullopt;
  for (int i = 0; i < kMaxTypedefs; ++i) {
    const int tag = dwarf_tag(&type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_atomic_type) {
      return type;
    }
    if (dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type, &attribute), &type) == nullptr) return std::nullopt;
  }
  return std::nullopt;
}

bool is_complete_struct(Dwarf_Die* die) {
  return dwarf_tag(die) == DW_TAG_structure_type && dwarf_hasattr_integrate(die, DW_AT_declaration) == 0;
}

// The structures of these names, or behind typedefs of these names.
class Structures {
 public:
  explicit Structures(std::vector<std::string_view> names) : names_(std::move(names)) {}

  void find_in(Dwarf* dwarf) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die top;
    uint8_t unit_type = 0;
    while (found_.size() < names_.size() &&
           dwarf_get_units(dwarf, unit, &unit, nullptr, &unit_type, &top, nullptr) == 0) {
      Dwarf_Die child;
      if (dwarf_child(&top, &child) != 0) continue;
      do {
        look_at(child);
      } while (go_on(child));
      if (entries_ == 0) return;
    }
  }

  // The offset of "a.b.c" in a structure.
  std::optional<uint64_t> offset(std::string_view structure, std::string_view path) {
    const auto found = found_.find(structure);
    if (found == found_.end()) return std::nullopt;
    Dwarf_Die at = found->second;
    uint64_t total = 0;
    while (true) {
      const size_t dot = path.find('.');
      auto member = member_of(at, path.substr(0, dot));
      if (!member) return std::nullopt;
      Dwarf_Attribute attribute;
      Dwarf_Word place = 0;
      if (dwarf_formudata(dwarf_attr(&*member, DW_AT_data_member_location, &attribute), &place) != 0) {
        return std::nullopt;
      }
      total += place;
      if (dot == std::string_view::npos) return total;
      path.remove_prefix(dot + 1);
      const auto type = bare_type(&*member);
      if (!type) return std::nullopt;
      at = *type;
    }
  }

  std::optional<uint64_t> size(std::string_view structure) const {
    const auto found = found_.find(structure);
    if (found == found_.end()) return std::nullopt;
    Dwarf_Die die = found->second;
    const int bytes = dwarf_bytesize(&die);
    return bytes < 0 ? std::nullopt : std::optional<uint64_t>(static_cast<uint64_t>(bytes));
  }

 private:
  void look_at(Dwarf_Die& die) {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_structure_type && tag != DW_TAG_typedef) return;
    const char* name = dwarf_diename(&die);
    if (name == nullptr) return;
    for (const std::string_view wanted : names_) {
      if (wanted != name || found_.contains(wanted)) continue;
      if (tag == DW_TAG_structure_type) {
        if (is_complete_struct(&die)) found_.emplace(wanted, die);
      } else if (auto type = bare_type(&die); type && is_complete_struct(&*type)) {
        found_.emplace(wanted, *type);
      }
    }
  }

  std::optional<Dwarf_Die> member_of(Dwarf_Die structure, std::string_view name) {
    Dwarf_Die child;
    if (dwarf_child(&structure, &child) != 0) return std::nullopt;
    do {
      const char* own = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : nullptr;
      if (own != nullptr && name == own) return child;
    } while (go_on(child));
    return std::nullopt;
  }

  // To the next sibling. libdw passes over all that is within an entry without a bound: it is counted before.
  bool go_on(Dwarf_Die& die) { return count_within(die, 0) && go_to_sibling(die); }

  bool count_within(Dwarf_Die& die, int depth) {
    if (entries_ == 0 || depth == kMaxDepth) return false;
    --entries_;
    if (dwarf_hasattr(&die, DW_AT_sibling) != 0) return true;  // it is passed over in one step
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0) return true;
    do {
      if (!count_within(child, depth + 1)) return false;
    } while (go_to_sibling(child));
    return true;
  }

  std::vector<std::string_view> names_;
  std::map<std::string_view, Dwarf_Die> found_;
  size_t entries_ = kMaxEntries;  // that may still be looked at
};

// Sets members of a layout; remembers whether all were there.
class Setter {
 public:
  explicit Setter(Structures& structures) : structures_(structures) {}
  template <typename Field>
  void set(Field& field, std::string_view structure, std::string_view path) {
    put(field, structures_.offset(structure, path), static_cast<Field>(~Field{0}));
  }
  void set_in_window(uint16_t& field, std::string_view structure, std::string_view path) {
    put(field, structures_.offset(structure, path), uint16_t{WIRE_PYTHON_WINDOW - 16});
  }
  void set_size(uint16_t& field, std::string_view structure) {
    put(field, structures_.size(structure), uint16_t{0xffff});
  }
  bool good() const { return good_; }

 private:
  template <typename Field>
  void put(Field& field, std::optional<uint64_t> value, Field most) {
    if (!value || *value > most) {
      good_ = false;
    } else {
      field = static_cast<Field>(*value);
    }
  }
  Structures& structures_;
  bool good_ = true;
};

}  // namespace

Status use_dwarf(const Fd& fd, uint8_t minor, uint64_t runtime_address, wire_python_layout& layout) {
  const Error none{Errc::kNotFound, "the debug information does not describe Python's frames"};
  const auto file = hal::ElfFile::open(Fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)), "the interpreter");
  if (!file.ok()) return none;
  const ElfParts parts = ElfParts::of(*file);
  if (parts.debug.empty()) return none;
  const auto image = ElfImage::of(parts, parts.debug, kMaxDebugBytes, [&file](uint64_t offset, void* out, size_t size) {
    return file->read_some(offset, out, size);
  });
  if (!image || section_bytes(image->elf(), ".debug_") > kMaxDebugBytes || !may_follow_links(image->elf())) return none;
  const OwnedDwarf dwarf(dwarf_begin_elf(image->elf(), DWARF_C_READ, nullptr));
  if (!dwarf) return none;
  const bool has_frame_objects = minor <= 10;
  const std::string_view frame = has_frame_objects ? "PyFrameObject" : "_PyInterpreterFrame";
  const std::string_view cframe = minor == 10 ? "CFrame" : "_PyCFrame";
  const bool has_cframe = minor == 11 || minor == 12;
  std::vector<std::string_view> names = {
      "pyruntimestate", "PyInterpreterState", "PyThreadState",          "PyCodeObject",
      "PyBytesObject",  "PyASCIIObject",      "PyCompactUnicodeObject", frame};
  if (has_cframe) names.push_back(cframe);
  Structures structures(std::move(names));
  structures.find_in(dwarf.get());

  wire_python_layout said = layout;
  Setter setter(structures);
  setter.set(said.interpreters, "pyruntimestate", "interpreters.head");
  said.interpreters += runtime_address;
  setter.set(said.interpreter_next, "PyInterpreterState", "next");
  setter.set(said.interpreter_threads, "PyInterpreterState", has_frame_objects ? "tstate_head" : "threads.head");
  setter.set_in_window(said.thread_previous, "PyThreadState", "prev");
  setter.set_in_window(said.thread_next, "PyThreadState", "next");
  setter.set_in_window(said.thread_interpreter, "PyThreadState", "interp");
  const bool native = (said.flags & WIRE_PYTHON_NATIVE_ID) != 0;
  setter.set_in_window(said.thread_id, "PyThreadState", native ? "native_thread_id" : "thread_id");
  if (minor >= 12) setter.set_in_window(said.thread_status, "PyThreadState", "_status");
  if (has_frame_objects) setter.set_in_window(said.thread_frame, "PyThreadState", "frame");
  if (minor >= 13) setter.set_in_window(said.thread_frame, "PyThreadState", "current_frame");
  if (minor >= 10 && minor <= 12) setter.set_in_window(said.thread_cframe, "PyThreadState", "cframe");
  if (has_cframe) setter.set(said.cframe_frame, cframe, "current_frame");
  setter.set_in_window(said.frame_previous, frame, has_frame_objects ? "f_back" : "previous");
  setter.set_in_window(said.frame_code, frame, minor >= 13 ? "f_executable" : "f_code");
  setter.set_in_window(said.frame_instruction, frame,
                       has_frame_objects ? "f_lasti"
                       : minor >= 13     ? "instr_ptr"
                                         : "prev_instr");
  if (minor == 11) setter.set_in_window(said.frame_entry, frame, "is_entry");
  if (!has_frame_objects) setter.set_in_window(said.frame_owner, frame, "owner");
  setter.set_in_window(said.code_start, "PyCodeObject", has_frame_objects ? "co_argcount" : "ob_base.ob_size");
  if (minor == 11) {
    setter.set_in_window(said.code_changing, "PyCodeObject", "co_warmup");
    said.code_changing = static_cast<uint16_t>(said.code_changing / 8 * 8);
  }
  setter.set_in_window(said.code_first_line, "PyCodeObject", "co_firstlineno");
  setter.set_in_window(said.code_file, "PyCodeObject", "co_filename");
  setter.set_in_window(said.code_name, "PyCodeObject", has_frame_objects ? "co_name" : "co_qualname");
  setter.set_in_window(said.code_table, "PyCodeObject", minor == 9 ? "co_lnotab" : "co_linetable");
  if (!has_frame_objects) setter.set(said.code_bytecode, "PyCodeObject", "co_code_adaptive");
  setter.set(said.bytes_size, "PyBytesObject", "ob_base.ob_size");
  setter.set(said.bytes_data, "PyBytesObject", "ob_sval");
  setter.set(said.text_length, "PyASCIIObject", "length");
  setter.set(said.text_state, "PyASCIIObject", "state");
  setter.set_size(said.text_ascii_data, "PyASCIIObject");
  setter.set_size(said.text_data, "PyCompactUnicodeObject");
  if (!setter.good()) return none;
  set_windows(said);
  layout = said;
  return {};
}

}  // namespace ingero::symbols
