// The table of layouts, and the reading of _Py_DebugOffsets.
#include "symbols/python_layout.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>

namespace ingero::symbols {
namespace {

// What differs between versions; the rest follows. Offsets in bytes, from the interpreters' own debug information.
struct Row {
  uint8_t minor;
  uint16_t interpreters_head;  // in _PyRuntime
  uint16_t interpreter_next, interpreter_threads;
  uint16_t thread_id, thread_native_id;  // native 0: not kept
  uint16_t thread_status;
  uint16_t thread_frame, thread_cframe, cframe_frame;
  uint16_t frame_previous, frame_code, frame_instruction, frame_entry, frame_owner;
  uint16_t code_start, code_changing, code_first_line, code_file, code_name, code_table, code_bytecode;
  uint16_t text_ascii_data, text_data;
};

// Debug builds and free-threaded ones differ; the check of what is found in the process decides.
constexpr Row kRows[] = {
    {.minor = 9,
     .interpreters_head = 32,
     .interpreter_next = 0,
     .interpreter_threads = 8,
     .thread_id = 176,
     .thread_native_id = 0,
     .thread_status = 0,
     .thread_frame = 24,
     .thread_cframe = 0,
     .cframe_frame = 0,
     .frame_previous = 24,
     .frame_code = 32,
     .frame_instruction = 104,
     .frame_entry = 0,
     .frame_owner = 0,
     .code_start = 16,
     .code_changing = 0,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_table = 120,
     .code_bytecode = 0,
     .text_ascii_data = 48,
     .text_data = 72},
    {.minor = 10,
     .interpreters_head = 32,
     .interpreter_next = 0,
     .interpreter_threads = 8,
     .thread_id = 176,
     .thread_native_id = 0,
     .thread_status = 0,
     .thread_frame = 24,
     .thread_cframe = 48,
     .cframe_frame = 0,
     .frame_previous = 24,
     .frame_code = 32,
     .frame_instruction = 96,
     .frame_entry = 0,
     .frame_owner = 0,
     .code_start = 16,
     .code_changing = 0,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_table = 120,
     .code_bytecode = 0,
     .text_ascii_data = 48,
     .text_data = 72},
    {.minor = 11,
     .interpreters_head = 40,
     .interpreter_next = 0,
     .interpreter_threads = 16,
     .thread_id = 152,
     .thread_native_id = 160,
     .thread_status = 0,
     .thread_frame = 0,
     .thread_cframe = 56,
     .cframe_frame = 8,
     .frame_previous = 48,
     .frame_code = 32,
     .frame_instruction = 56,
     .frame_entry = 68,
     .frame_owner = 69,
     .code_start = 16,
     .code_changing = 48,  // co_warmup, next to co_flags
     .code_first_line = 72,
     .code_file = 112,
     .code_name = 128,
     .code_table = 136,
     .code_bytecode = 184,
     .text_ascii_data = 48,
     .text_data = 72},
    {.minor = 12,
     .interpreters_head = 40,
     .interpreter_next = 0,
     .interpreter_threads = 72,
     .thread_id = 136,
     .thread_native_id = 144,
     .thread_status = 24,
     .thread_frame = 0,
     .thread_cframe = 56,
     .cframe_frame = 0,
     .frame_previous = 8,
     .frame_code = 0,
     .frame_instruction = 56,
     .frame_entry = 0,
     .frame_owner = 70,
     .code_start = 16,
     .code_changing = 0,
     .code_first_line = 68,
     .code_file = 112,
     .code_name = 128,
     .code_table = 136,
     .code_bytecode = 192,
     .text_ascii_data = 40,
     .text_data = 56},
    {.minor = 13,
     .interpreters_head = 632,
     .interpreter_next = 7264,
     .interpreter_threads = 7344,
     .thread_id = 152,
     .thread_native_id = 160,
     .thread_status = 32,
     .thread_frame = 72,
     .thread_cframe = 0,
     .cframe_frame = 0,
     .frame_previous = 8,
     .frame_code = 0,
     .frame_instruction = 56,
     .frame_entry = 0,
     .frame_owner = 70,
     .code_start = 16,
     .code_changing = 0,
     .code_first_line = 68,
     .code_file = 112,
     .code_name = 128,
     .code_table = 136,
     .code_bytecode = 200,
     .text_ascii_data = 40,
     .text_data = 56},
};

// FRAME_OWNED_BY_CSTACK of 3.12 and 3.13, FRAME_OWNED_BY_INTERPRETER of 3.14; the same number.
constexpr uint8_t kShimOwner = 3;

// The bytes of a structure that must be read to have all values at these offsets, each of eight bytes at most.
uint16_t window_of(std::initializer_list<uint16_t> offsets) {
  return static_cast<uint16_t>(std::max(offsets) / 8 * 8 + 8);
}

wire_python_layout layout_of(const Row& row, uint64_t runtime_address) {
  wire_python_layout layout{};
  layout.interpreters = runtime_address + row.interpreters_head;
  layout.interpreter_next = row.interpreter_next;
  layout.interpreter_threads = row.interpreter_threads;
  layout.flags = static_cast<uint8_t>((row.thread_frame == 0 ? WIRE_PYTHON_CFRAME : 0) |
                                      (row.minor <= 10 ? WIRE_PYTHON_ALL_ENTRIES : 0) |
                                      (row.minor >= 12 ? WIRE_PYTHON_VERSIONED : 0));
  layout.running = row.minor >= 13   ? WIRE_PYTHON_BY_STATUS
                   : row.minor >= 10 ? WIRE_PYTHON_BY_CFRAME
                                     : WIRE_PYTHON_BY_FRAME;
  layout.shims = row.minor >= 12 ? kShimOwner : 0;
  layout.instruction_shift = row.minor == 10 ? 1 : 0;
  layout.thread_previous = 0;
  layout.thread_next = 8;
  layout.thread_interpreter = 16;
  layout.thread_id = row.thread_id;
  layout.thread_status = row.thread_status;
  layout.thread_frame = row.thread_frame;
  layout.thread_cframe = row.thread_cframe;
  layout.cframe_frame = row.cframe_frame;
  layout.frame_previous = row.frame_previous;
  layout.frame_code = row.frame_code;
  layout.frame_instruction = row.frame_instruction;
  layout.frame_entry = row.frame_entry;
  layout.frame_owner = row.frame_owner;
  layout.code_start = row.code_start;
  layout.code_changing = row.code_changing;
  layout.code_first_line = row.code_first_line;
  layout.code_file = row.code_file;
  layout.code_name = row.code_name;
  layout.code_table = row.code_table;
  layout.code_bytecode = row.code_bytecode;
  layout.bytes_size = 16;
  layout.bytes_data = 32;
  layout.text_length = 16;
  layout.text_state = 32;
  layout.text_kind_shift = 2;
  layout.text_ascii_data = row.text_ascii_data;
  layout.text_data = row.text_data;
  layout.table_format = row.minor >= 11   ? WIRE_PYTHON_LOCATIONS
                        : row.minor == 10 ? WIRE_PYTHON_LINES
                                          : WIRE_PYTHON_LNOTAB;
  set_windows(layout);
  return layout;
}

const Row* row_of(uint8_t minor) {
  for (const Row& row : kRows) {
    if (row.minor == minor) return &row;
  }
  return nullptr;
}

// Offsets within _Py_DebugOffsets itself (Include/internal/pycore_debug_offsets.h of each version).
struct OwnOffsets {
  uint8_t minor;
  uint16_t thread, frame, code;                         // where these parts begin
  uint16_t thread_id, thread_native_id, thread_status;  // within the part
};
constexpr OwnOffsets kOwnOffsets[] = {
    {13, 152, 224, 272, 40, 48, 64},
    {14, 176, 248, 312, 40, 48, 64},
    {15, 176, 312, 376, 64, 72, 88},
};
constexpr uint16_t kInterpretersHead = 40, kInterpreterNext = 64, kInterpreterThreads = 72;
// Within the parts. Each begins with the structure's size.
constexpr uint16_t kThreadPrevious = 8, kThreadNext = 16, kThreadInterpreter = 24, kThreadFrame = 32;
constexpr uint16_t kFramePrevious = 8, kFrameCode = 16, kFrameInstruction = 24, kFrameOwner = 40;
constexpr uint16_t kCodeFile = 8, kCodeQualifiedName = 24, kCodeTable = 32, kCodeFirstLine = 40, kCodeBytecode = 72;

constexpr uint64_t kMaxAnywhere = 16 << 20;  // an interpreter state has some hundred kilobytes
constexpr uint64_t kMaxInWindow = WIRE_PYTHON_WINDOW - 16;

// Reads words out of the structure; remembers whether one was out of bounds.
class Words {
 public:
  explicit Words(std::span<const std::byte> bytes) : bytes_(bytes) {}
  uint64_t raw(size_t offset) {
    uint64_t word = 0;
    if (offset + sizeof word > bytes_.size()) {
      good_ = false;
      return 0;
    }
    std::memcpy(&word, bytes_.data() + offset, sizeof word);
    return word;
  }
  uint32_t anywhere(size_t offset) { return static_cast<uint32_t>(below(offset, kMaxAnywhere)); }
  uint16_t in_window(size_t offset) { return static_cast<uint16_t>(below(offset, kMaxInWindow)); }
  bool good() const { return good_; }

 private:
  uint64_t below(size_t offset, uint64_t most) {
    const uint64_t word = raw(offset);
    if (word > most) good_ = false;
    return word > most ? 0 : word;
  }
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

}  // namespace

void set_windows(wire_python_layout& layout) {
  layout.thread_bytes = window_of({layout.thread_previous, layout.thread_next, layout.thread_interpreter,
                                   layout.thread_id, layout.thread_status, layout.thread_frame, layout.thread_cframe});
  layout.frame_bytes = window_of(
      {layout.frame_previous, layout.frame_code, layout.frame_instruction, layout.frame_entry, layout.frame_owner});
  layout.code_bytes =
      window_of({layout.code_start, layout.code_first_line, layout.code_file, layout.code_name, layout.code_table});
}

std::string text_of(PythonVersion version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.micro);
}

PythonVersion version_of_hex(uint64_t hex) {
  return {static_cast<uint8_t>(hex >> 24), static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8)};
}

Result<wire_python_layout> table_layout(PythonVersion version, uint64_t runtime_address, ThreadIdentity identity) {
  const Row* row = version.major == 3 ? row_of(version.minor) : nullptr;
  if (row == nullptr) {
    return Error{Errc::kNotSupported, fmt::format("CPython {}.{}: its frames cannot be read; those of 3.9 to 3.14 can",
                                                  version.major, version.minor)};
  }
  wire_python_layout layout = layout_of(*row, runtime_address);
  if (identity == ThreadIdentity::kNative) {
    if (row->thread_native_id == 0) {
      return Error{Errc::kNotSupported,
                   fmt::format("CPython {}: its threads cannot be identified on this architecture", text_of(version))};
    }
    layout.flags |= WIRE_PYTHON_NATIVE_ID;
    layout.thread_id = row->thread_native_id;
    set_windows(layout);
  }
  return layout;
}

Result<wire_python_layout> debug_offsets_layout(std::span<const std::byte> bytes, PythonVersion version,
                                                uint64_t runtime_address, ThreadIdentity identity) {
  const auto* at = std::find_if(std::begin(kOwnOffsets), std::end(kOwnOffsets),
                                [&](const OwnOffsets& own) { return own.minor == version.minor; });
  if (version.major != 3 || at == std::end(kOwnOffsets)) {
    return Error{Errc::kNotSupported,
                 fmt::format("CPython {}.{}: this ingero cannot read its offset table", version.major, version.minor)};
  }
  Words words(bytes);
  constexpr char kCookie[] = "xdebugpy";
  if (bytes.size() < 24 || std::memcmp(bytes.data(), kCookie, 8) != 0) {
    return Error{Errc::kCorrupt,
                 fmt::format("CPython {}: its offset table was not found where it should be", text_of(version))};
  }
  const PythonVersion own = version_of_hex(words.raw(8));
  if (own.major != version.major || own.minor != version.minor) {
    return Error{Errc::kCorrupt,
                 fmt::format("CPython {}: its offset table is that of {}", text_of(version), text_of(own))};
  }
  if (words.raw(16) != 0) {
    return Error{Errc::kNotSupported,
                 fmt::format("CPython {}, free-threaded build: its frames are not read", text_of(version)),
                 "use a build with the global lock to see Python frames"};
  }
  // What the offsets leave out (strings, where a code object's constant part begins) has not changed since 3.13.
  wire_python_layout layout = layout_of(*row_of(13), runtime_address);
  layout.interpreters = runtime_address + words.anywhere(kInterpretersHead);
  layout.interpreter_next = words.anywhere(kInterpreterNext);
  layout.interpreter_threads = words.anywhere(kInterpreterThreads);
  layout.thread_previous = words.in_window(at->thread + kThreadPrevious);
  layout.thread_next = words.in_window(at->thread + kThreadNext);
  layout.thread_interpreter = words.in_window(at->thread + kThreadInterpreter);
  layout.thread_frame = words.in_window(at->thread + kThreadFrame);
  layout.thread_id =
      words.in_window(at->thread + (identity == ThreadIdentity::kNative ? at->thread_native_id : at->thread_id));
  if (identity == ThreadIdentity::kNative) layout.flags |= WIRE_PYTHON_NATIVE_ID;
  layout.thread_status = words.in_window(at->thread + at->thread_status);
  layout.frame_previous = words.in_window(at->frame + kFramePrevious);
  layout.frame_code = words.in_window(at->frame + kFrameCode);
  layout.frame_instruction = words.in_window(at->frame + kFrameInstruction);
  layout.frame_owner = words.in_window(at->frame + kFrameOwner);
  layout.code_file = words.in_window(at->code + kCodeFile);
  layout.code_name = words.in_window(at->code + kCodeQualifiedName);
  layout.code_table = words.in_window(at->code + kCodeTable);
  layout.code_first_line = words.in_window(at->code + kCodeFirstLine);
  layout.code_bytecode = words.in_window(at->code + kCodeBytecode);
  if (!words.good() || layout.thread_frame == 0 || layout.thread_id == 0 || layout.frame_owner == 0 ||
      layout.code_file == 0 || layout.code_bytecode == 0) {
    return Error{Errc::kCorrupt, fmt::format("CPython {}: its offset table has impossible values", text_of(version))};
  }
  set_windows(layout);
  return layout;
}

}  // namespace ingero::symbols
