// A backend from a file: the columns of a compiled table (hal/prototype.h), as YAML. docs/formats/backend_manifest.md
// is the format.
//
// The file is hostile input: bounded in size, depth and rows; anchors, aliases, tags and unknown keys are refused;
// names and patterns are checked character by character; and the table keeps the rules of hal/conformance.h or is not
// made. Every problem names its line. Thread-safe apart from the object itself, which is constant once made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hal/prototype.h"

namespace ingero::backends {

inline constexpr size_t kMaxManifestBytes = 1 << 20;
// Source ids (docs/formats/store.md) of backends from files; lower ones belong to compiled backends.
inline constexpr uint16_t kFirstManifestSource = 64;
inline constexpr uint16_t kLastManifestSource = 255;

// What is wrong and where; lines and columns count from 1, line 0 is the file as a whole.
struct ManifestProblem {
  size_t line = 0;
  size_t column = 0;
  std::string sentence;
  // "opencl.yaml:12:5: unknown key 'knd'"
  std::string text(std::string_view file) const;
};

// Owns every string, row and table that backend() points to.
class Manifest {
 public:
  // `file` is for messages. On failure the error says the first problem and how many more there are; `problems`, when
  // given, gets them all (20 at most), in the order of lines.
  static Result<std::unique_ptr<Manifest>> parse(std::string_view untrusted_text, std::string_view file,
                                                 std::vector<ManifestProblem>* problems = nullptr);
  // The file at `path`, as parse() does.
  static Result<std::unique_ptr<Manifest>> read(const std::string& path,
                                                std::vector<ManifestProblem>* problems = nullptr);
  ~Manifest();
  Manifest(const Manifest&) = delete;
  Manifest& operator=(const Manifest&) = delete;

  // Lives as long as the manifest.
  const hal::Backend& backend() const;
  const std::string& file() const;

 private:
  friend class ManifestReader;
  Manifest();
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

}  // namespace ingero::backends
