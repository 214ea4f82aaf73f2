// Turns code addresses into function names, files and lines.
//
// Functions by the file's symbol table, else its dynamic one, or those of a separate debug file found by build id or
// debug link; lines and inlined functions where there is DWARF. An address gets a name only if it is inside the
// symbol: in a stripped library the nearest function before it is usually another one. Text is untrusted. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/code_file.h"

namespace ingero::symbols {

class SourceLines;

struct Named {
  std::string function;  // demangled; empty: unknown
  uint64_t offset = 0;   // from the function's start; of inlined ones 0
  std::string source;    // path as the compiler had it, or empty
  uint32_t line = 0;
  bool is_inlined = false;
};

class Symboliser {
 public:
  // Opens a separate debug file by name; `root` is where our own names begin.
  using OpenNamed = std::function<Result<Fd>(const std::string& path)>;
  explicit Symboliser(OpenNamed open, std::string root = "");
  ~Symboliser();
  Symboliser(const Symboliser&) = delete;
  Symboliser& operator=(const Symboliser&) = delete;

  // The functions at an address, innermost first: the inlined ones, then the one they are in. Never empty.
  std::vector<Named> name(const CodeFile& code, uint64_t address);
  // The symbol that holds the address, as the linker spells it; empty when none does.
  std::string symbol(const CodeFile& code, uint64_t address);

  // The function that begins at the address, as the linker spells it; empty when none does.
  std::string function_at(const CodeFile& code, uint64_t address);

  // Gives back all that was kept; what is asked for next is read again.
  void forget();

  static constexpr size_t kMaxNames = 1 << 17;
  // Debug information larger than this is not read: libdw keeps what it has parsed.
  static constexpr uint64_t kMaxDebugBytes = uint64_t{512} << 20;
  // Of several files no more than this is kept open at a time, decompressed: what was found in them is remembered.
  static constexpr uint64_t kKeptDebugBytes = uint64_t{8} << 20;

 private:
  struct File;
  File& open(const CodeFile& code);
  static bool read_debug(File& file);
  SourceLines* lines_of(File& file);
  OpenNamed open_;
  std::string root_;
  std::unordered_map<const CodeFile*, std::unique_ptr<File>> files_;
  size_t names_ = 0;
  std::deque<File*> with_lines_;  // of those with their debug information open, the last used last
};

}  // namespace ingero::symbols
