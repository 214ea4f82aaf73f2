// The table of code objects, and CPython's strings as UTF-8.
#include "symbols/python_names.h"

#include <cstring>
#include <utility>

#include "symbols/python_lines.h"

namespace ingero::symbols {
namespace {

constexpr size_t kMaxForgotten = 65536;  // when they are not taken; the kernel side's own table is not larger

void append_utf8(std::string& out, uint32_t character) {
  constexpr uint32_t kReplacement = 0xfffd;
  const bool is_surrogate = character >= 0xd800 && character < 0xe000;  // a byte of a path that was not UTF-8
  if (character > 0x10ffff || is_surrogate) character = kReplacement;
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xc0U | character >> 6);
    out += static_cast<char>(0x80U | (character & 63U));
  } else if (character < 0x10000) {
    out += static_cast<char>(0xe0U | character >> 12);
    out += static_cast<char>(0x80U | (character >> 6 & 63U));
    out += static_cast<char>(0x80U | (character & 63U));
  } else {
    out += static_cast<char>(0xf0U | character >> 18);
    out += static_cast<char>(0x80U | (character >> 12 & 63U));
    out += static_cast<char>(0x80U | (character >> 6 & 63U));
    out += static_cast<char>(0x80U | (character & 63U));
  }
}

std::string utf8(const char* text, size_t bytes, size_t width) {
  std::string out;
  if (width != 1 && width != 2 && width != 4) return out;
  out.reserve(bytes);
  for (size_t at = 0; at + width <= bytes; at += width) {
    uint32_t character = 0;
    std::memcpy(&character, text + at, width);  // little-endian, as all that is traced
    append_utf8(out, character);
  }
  return out;
}

}  // namespace

bool PythonNames::add(std::span<const std::byte> record) {
  wire_code head{};
  if (record.size() < sizeof head) return false;
  std::memcpy(&head, record.data(), sizeof head);
  if (head.type != WIRE_CODE || head.table_kept > record.size() - sizeof head || head.file_bytes > sizeof head.file ||
      head.name_bytes > sizeof head.name || head.table_format > WIRE_PYTHON_LOCATIONS) {
    return false;
  }
  Code code;
  code.key = {head.code, head.pid, head.generation};
  code.identity = static_cast<uint32_t>(head.identity);
  code.format = static_cast<wire_python_table>(head.table_format);
  code.flags = head.flags;
  code.first_line = head.first_line;
  code.file = utf8(head.file, head.file_bytes, head.file_width);
  if ((head.flags & WIRE_CODE_FILE_CUT) != 0) code.file.insert(0, "...");
  code.function = utf8(head.name, head.name_bytes, head.name_width);
  if ((head.flags & WIRE_CODE_NAME_CUT) != 0) code.function += "...";
  const auto* table = reinterpret_cast<const uint8_t*>(record.data() + sizeof head);
  code.table.assign(table, table + head.table_kept);

  Process& process = processes_[head.pid];
  const Place place{head.code, code.identity};
  if (const auto known = process.find(place); known != process.end()) {
    // Sent again because something could not be read: keep the better one.
    if ((known->second->flags & WIRE_CODE_UNREADABLE) == 0 && (head.flags & WIRE_CODE_UNREADABLE) != 0) return true;
    bytes_ -= known->second->bytes();
    codes_.erase(known->second);
    process.erase(known);
  }
  bytes_ += code.bytes();
  codes_.push_back(std::move(code));
  process.emplace(place, std::prev(codes_.end()));
  while (bytes_ > max_bytes_ && codes_.size() > 1) {
    ++n_forgotten_;
    if (forgotten_.size() < kMaxForgotten) forgotten_.push_back(codes_.front().key);
    drop(codes_.begin());
  }
  return true;
}

const PythonNames::Code* PythonNames::find(uint32_t pid, const wire_python_frame& frame) const {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return nullptr;
  const auto found = process->second.find(Place{frame.code, frame.identity});
  return found == process->second.end() ? nullptr : &*found->second;
}

std::optional<PythonFrame> PythonNames::name(uint32_t pid, const wire_python_frame& frame) const {
  const Code* found = find(pid, frame);
  if (found == nullptr) return std::nullopt;
  const Code& code = *found;
  PythonFrame named;
  named.untrusted_file = code.file;
  named.untrusted_function = code.function;
  named.first_line = code.first_line;
  if ((code.flags & WIRE_CODE_TABLE_UNREADABLE) == 0) {
    named.line = executing_line(code.format, code.table, code.first_line, frame.place & WIRE_PYTHON_OFFSET,
                                (code.flags & WIRE_CODE_TABLE_CUT) != 0);
  }
  return named;
}

void PythonNames::forget(uint32_t pid) {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return;
  for (const auto& [place, code] : process->second) {
    bytes_ -= code->bytes();
    codes_.erase(code);
  }
  processes_.erase(process);
}

std::vector<PythonCodeKey> PythonNames::take_forgotten() { return std::exchange(forgotten_, {}); }

void PythonNames::drop(Codes::iterator code) {
  const auto process = processes_.find(code->key.pid);
  process->second.erase(Place{code->key.code, code->identity});
  if (process->second.empty()) processes_.erase(process);
  bytes_ -= code->bytes();
  codes_.erase(code);
}

}  // namespace ingero::symbols
