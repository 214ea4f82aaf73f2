// Looking for _PyRuntime in the mapped files, finding the version, and checking the layout on the process itself.
#include "symbols/python_process.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "hal/elf_file.h"
#include "hal/elf_tables.h"
#include "symbols/process_variable.h"
#include "symbols/python_dwarf.h"

namespace ingero::symbols {
namespace {

constexpr int kMaxInterpreters = 64;
constexpr size_t kMaxCandidates = 8;  // files of a process that are looked into; an interpreter is one, or two

// "libpython3.9.so.1.0", "python3.10": 3.9, 3.10; the micro version is not known and does not matter.
std::optional<PythonVersion> version_in_name(std::string_view name) {
  const size_t at = name.find("python3.");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(at + 8);
  PythonVersion version{3, 0, 0};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version.minor);
  return error == std::errc{} ? std::optional(version) : std::nullopt;
}

std::string_view soname_of(const hal::ElfFile& file, std::string& holder) {
  const hal::DynamicTags tags = hal::dynamic_tags(file);
  if (!tags.soname || tags.strings_bytes > kMaxStringBytes) return {};
  const auto strings = file.read(tags.strings_offset, tags.strings_bytes, "dynamic string table");
  if (!strings) return {};
  holder = hal::string_at(strings->view(), *tags.soname);
  return holder;
}

std::optional<PythonVersion> version_of(const hal::ElfFile& file, std::string_view path) {
  if (const auto address = variable(file, "Py_Version")) {  // 3.11 and later
    uint64_t hex = 0;
    const auto offset = file.offset_of(*address, false);
    if (offset && file.read_some(*offset, &hex, sizeof hex) == sizeof hex && hex >> 24 == 3) {
      return version_of_hex(hex);
    }
  }
  std::string holder;
  if (const auto version = version_in_name(soname_of(file, holder))) return version;
  return version_in_name(file_name(path));
}

// Is the process's memory what the layout says? Any thread's state must name its interpreter, and the first one has
// nothing before it. What does not fit may fit soon: the loader maps a library's data after its code, an interpreter
// fills its structures in, a thread comes or goes while we look.
Status check_layout(const ProcessView& process, const wire_python_layout& layout, PythonVersion version) {
  const auto word = [&](uint64_t address) {
    uint64_t value = 0;
    return process.read_memory(address, &value, sizeof value) ? std::optional(value) : std::nullopt;
  };
  const auto wrong = [&](std::string_view what) {
    return Error{Errc::kBusy, fmt::format("CPython {}: not started, or not laid out as in a stock build ({})",
                                          text_of(version), what)};
  };
  uint64_t interpreter = word(layout.interpreters).value_or(0);
  for (int i = 0; i < kMaxInterpreters && interpreter != 0; ++i) {
    const auto state = word(interpreter + layout.interpreter_threads);
    const auto next = word(interpreter + layout.interpreter_next);
    if (!state || !next) return wrong("an interpreter");
    if (*state != 0) {
      const auto previous = word(*state + layout.thread_previous);
      const auto owner = word(*state + layout.thread_interpreter);
      const auto id = word(*state + layout.thread_id);
      if (!previous || !owner || !id || *previous != 0 || *owner != interpreter || *id == 0) {
        return wrong("a thread's state");
      }
      return {};
    }
    interpreter = *next;
  }
  return wrong("no interpreter");
}

// The offset table in the file; the process's memory holds the same, but only after the loader has run.
bool read_debug_offsets(const hal::ElfFile& file, uint64_t runtime, std::span<std::byte> bytes) {
  const auto offset = file.offset_of(runtime, false);
  return offset && file.read_some(*offset, bytes.data(), bytes.size()) == bytes.size();
}

Result<PythonProcess> python_in(const ProcessView& process, const hal::Mapping& mapping, uint32_t generation,
                                PythonDebugLayout& debug) {
  const Error none{Errc::kNotFound, "no Python in it"};
  auto fd = process.open_file(mapping);
  if (!fd) return fd.error();
  auto file = hal::ElfFile::open(*std::move(fd), mapping.untrusted_path);
  if (!file) return none;
  const auto placed = placed_variable(*file, "_PyRuntime");
  const auto bias = bias_of(*file, mapping);
  if (!placed || !bias) return none;
  if (file->word_bytes() != sizeof(uint64_t)) {
    return Error{Errc::kNotSupported,
                 fmt::format("{}: a 32-bit Python, whose frames are not read", printable(mapping.untrusted_path))};
  }
  const uint64_t runtime = placed->address, address = *bias + runtime;
  const uint16_t machine = file->header().e_machine;
  const ThreadIdentity identity = machine == EM_X86_64 ? ThreadIdentity::kPthread : ThreadIdentity::kNative;

  PythonProcess found;
  found.file = mapping.file;
  found.runtime_address = address;
  found.runtime_bytes = placed->bytes;
  found.untrusted_path = mapping.untrusted_path;
  const auto version = version_of(*file, mapping.untrusted_path);
  if (!version) {
    return Error{Errc::kNotSupported,
                 fmt::format("{}: a Python interpreter of unknown version", printable(mapping.untrusted_path))};
  }
  found.version = *version;
  std::array<std::byte, kDebugOffsetsBytes> bytes{};
  const bool says_itself = version->minor >= 13 && read_debug_offsets(*file, runtime, bytes);
  auto layout = says_itself ? debug_offsets_layout(bytes, *version, address, identity)
                            : table_layout(*version, address, identity);
  if (!layout) return layout.error();
  Status checked = check_layout(process, *layout, found.version);
  uint64_t interpreter = 0;
  const bool is_there = process.read_memory(layout->interpreters, &interpreter, sizeof interpreter) && interpreter != 0;
  if (!says_itself && is_there) {
    // A build that is not a stock one may have debug information with the offsets; most have none, and need none.
    if (!std::exchange(debug.is_read, true)) {
      const auto again = process.open_file(mapping);
      if (again && use_dwarf(*again, version->minor, address, *layout).ok()) debug.layout = *layout;
    }
    if (debug.layout) {
      *layout = *debug.layout;
      checked = check_layout(process, *layout, found.version);
    }
  }
  if (!checked.ok()) return checked.error();
  found.layout = *layout;
  found.layout.generation = generation;
  return found;
}

}  // namespace

bool may_be_python(std::string_view untrusted_path) {
  const std::string_view name = file_name(untrusted_path);
  return name.starts_with("libpython3") || name.starts_with("python3") || name == "python";
}

bool is_python_eval(std::string_view function) {
  constexpr std::string_view kEval = "_PyEval_EvalFrameDefault";
  if (!function.starts_with(kEval)) return false;
  const std::string_view rest = function.substr(kEval.size());
  return rest.empty() || rest.front() == '.' || rest.front() == ' ' || rest.front() == '@';
}

Result<PythonProcess> find_python(const ProcessView& process, uint32_t generation, PythonDebugLayout& debug) {
  Error none{Errc::kNotFound, "no Python in this process"};
  if (process.mappings.empty()) return none;
  // A program that has Python built in need not be called so: its own file, the lowest, is looked into as well. An
  // interpreter's file without the runtime uses a library's.
  std::vector<const hal::Mapping*> candidates;
  for (const hal::Mapping& mapping : process.mappings) {
    const auto is_known = [&](const hal::Mapping* other) { return other->file == mapping.file; };
    if (mapping.file.inode == 0 || candidates.size() == kMaxCandidates || std::ranges::any_of(candidates, is_known))
      continue;
    if (&mapping == &process.mappings.front() || may_be_python(mapping.untrusted_path)) candidates.push_back(&mapping);
  }
  for (const hal::Mapping* mapping : candidates) {
    auto found = python_in(process, *mapping, generation, debug);
    if (found) return found;
    if (found.error().code() == Errc::kBusy || found.error().code() == Errc::kNotSupported) return found.error();
    if (found.error().code() != Errc::kNotFound) none = found.error();
  }
  return none;
}

}  // namespace ingero::symbols
