// Small ELF files for the discovery tests: compiled once per build tree with the system's C compiler, then read into
// memory, whole, cut or changed. Tests skip, saying so, where there is no compiler.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/fd.h"

namespace ingero::hal::fixture {

inline constexpr const char* kSource = R"C(
#ifdef STATIC_COPY
#define API static __attribute__((used, noinline))
#else
#define API __attribute__((visibility("default"), noinline))
#endif
extern volatile int sink;
volatile int sink;
API int exported(int x) { sink = x * 3; return x; }
API __attribute__((weak_or_not)) int weak_one(int x) { sink = x - 7; return x; }
static __attribute__((noinline, used)) int local_one(int x) { sink = x ^ 0x55; return x; }
API int calls_local(int x) { sink = 1; return local_one(x) + 1; }
API int copy(int x) { sink = x + 10; return x; }
API int copy_ptsz(int x) { sink = x + 11; return x; }
API int copy_v2(int x) { sink = x + 12; return x; }
API int copy_v2_ptds(int x) { sink = x + 13; return x; }
API int twined(int x) { sink = x + 20; return x; }
API int _Z6twinedi(int x) { sink = x + 21; return x; }
API int _ZN5inner6twinedEi(int x) { sink = x + 22; return x; }
API int target(int x) { sink = x + 30; return x; }
API int wrapper(int x) { return target(x); }
API int target_ptsz(int x) { sink = x + 31; return x; }
API int wrapper_ptsz(int x) { return target_ptsz(x); }
#ifndef STATIC_COPY
API int aliased(int) __attribute__((alias("exported")));
API int versioned_old(int x) { sink = x + 1; return x; }
API int versioned_new(int x) { sink = x + 2; return x; }
API int retired_old(int x) { sink = x + 3; return x; }
__asm__(".symver versioned_old, versioned@V1");
__asm__(".symver versioned_new, versioned@@V2");
__asm__(".symver retired_old, retired@V1");
__attribute__((visibility("default"))) int a_variable = 4;
#else
int main(void) { return exported(1) + weak_one(2) + calls_local(3); }
#endif
)C";

inline constexpr const char* kVersionScript = R"(
V1 { global: exported; aliased; weak_one; calls_local; copy*; twined; _Z*; target*; wrapper*; a_variable; versioned; retired; local: *; };
V2 { } V1;
)";

// A finished file of this name, made by `command` (with {dir} the folder and {out} the file to write) unless it is
// there already. Renamed into place, so that tests running at once do not see half a file.
inline std::optional<std::string> build(const std::string& name, const std::string& command) {
  namespace fs = std::filesystem;
  const std::string text = std::string(kSource) + kVersionScript + command;
  const std::string dir = fmt::format("{}/fixtures/hal-{:x}", INGERO_BINARY_DIR, std::hash<std::string>{}(text));
  const std::string file = dir + "/" + name;
  if (fs::exists(file)) return file;
  fs::create_directories(dir);
  std::string source = kSource;
  const std::string placeholder = "weak_or_not";
  source.replace(source.find(placeholder), placeholder.size(),
                 command.find("STATIC_COPY") == std::string::npos ? "weak" : "noinline");
  const std::string mine = fmt::format("{}/{}.{}", dir, name, getpid());
  std::ofstream(mine + ".c") << source;
  std::ofstream(mine + ".map") << kVersionScript;
  const std::string line = fmt::format(fmt::runtime(command), fmt::arg("source", mine + ".c"),
                                       fmt::arg("map", mine + ".map"), fmt::arg("out", mine));
  const int status = std::system((line + " >/dev/null 2>&1").c_str());
  const bool made = status == 0 && fs::exists(mine);
  std::error_code ignored;
  if (made) fs::rename(mine, file, ignored);
  fs::remove(mine + ".c", ignored);
  fs::remove(mine + ".map", ignored);
  if (!fs::exists(file)) return std::nullopt;
  return file;
}

inline constexpr const char* kLibraryCommand =
    "{0} -O2 -shared -fPIC {1} -Wl,--version-script={{map}} -Wl,-soname,libfixture.so.7 -Wl,--build-id=sha1 -o {{out}} "
    "{{source}}";

inline std::optional<std::string> library(const std::string& compiler = "cc", const std::string& flags = "") {
  return build(fmt::format("libfixture-{}.so", compiler), fmt::format(fmt::runtime(kLibraryCommand), compiler, flags));
}

// Of a 32-bit library that needs no other.
inline constexpr const char* kNarrow = "-m32 -nostdlib -ffreestanding -fno-stack-protector -fcf-protection=none";

inline std::optional<std::string> program() { return build("program", "cc -O2 -DSTATIC_COPY -o {out} {source}"); }
inline std::optional<std::string> stripped_program() {
  return build("program-stripped", "cc -O2 -DSTATIC_COPY -s -o {out} {source}");
}

inline std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A file in memory that holds exactly these bytes.
inline Fd file_of(std::string_view bytes) {
  Fd fd(memfd_create("fixture", MFD_CLOEXEC));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (wrote <= 0) break;
    done += static_cast<size_t>(wrote);
  }
  EXPECT_EQ(done, bytes.size());
  return fd;
}

// Lines a command prints; empty where it cannot be run.
inline std::vector<std::string> output_of(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return lines;
  char* line = nullptr;
  size_t capacity = 0;
  for (ssize_t length; (length = getline(&line, &capacity, pipe)) > 0;) {
    lines.emplace_back(line, static_cast<size_t>(length) - (line[length - 1] == '\n' ? 1 : 0));
  }
  std::free(line);
  pclose(pipe);
  return lines;
}

// The first of these files that exists, symlinks resolved.
inline std::optional<std::string> first_of(std::initializer_list<const char*> paths) {
  for (const char* path : paths) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    if (!error) return real.string();
  }
  return std::nullopt;
}

}  // namespace ingero::hal::fixture
