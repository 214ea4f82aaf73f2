// The loader's configuration, bounded: a few files, each small.
#include "kernelside/library_folders.h"

#include <system_error>

#include <algorithm>
#include <filesystem>

#include <glob.h>

#include "base/folder.h"
#include "base/text.h"
#include "hal/bounded.h"
#include "hal/resolve.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxConfiguration = 64 << 10;
constexpr size_t kMaxEntries = 1 << 20;  // of one folder
constexpr size_t kMaxFiles = 256;        // of one include
constexpr int kMaxIncludes = 4;          // of a file that includes a file

void add(std::vector<std::string>& folders, std::string folder, hal::LossLedger& ledger) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (folder.empty() || folder[0] != '/') return;
  if (std::find(folders.begin(), folders.end(), folder) != folders.end()) return;
  if (hal::has_room(folders, kMaxLibraryFolders, hal::Loss::library_unlisted, ledger)) {
    folders.push_back(std::move(folder));
  }
}

void read_configuration(const std::string& root, const std::string& path, int depth, std::vector<std::string>& folders,
                        hal::LossLedger& ledger) {
  const auto text = read_file(path, kMaxConfiguration);
  const bool is_too_long = !text.ok() && text.error().code() == Errc::kFull;
  if (is_too_long || (text.ok() && depth > kMaxIncludes)) ledger.add(hal::Loss::library_unlisted);
  if (!text.ok() || depth > kMaxIncludes) return;
  for (std::string_view line : split(*text, '\n')) {
    line = trim(line.substr(0, line.find('#')));
    constexpr std::string_view kInclude = "include ";
    if (!line.starts_with(kInclude)) {
      add(folders, std::string(line), ledger);
      continue;
    }
    std::string pattern(trim(line.substr(kInclude.size())));
    pattern = pattern.starts_with('/') ? root + pattern : path.substr(0, path.rfind('/') + 1) + pattern;
    glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      const size_t n_files = std::min<size_t>(found.gl_pathc, kMaxFiles);
      ledger.add(hal::Loss::library_unlisted, found.gl_pathc - n_files);
      for (size_t i = 0; i < n_files; ++i) read_configuration(root, found.gl_pathv[i], depth + 1, folders, ledger);
    }
    ::globfree(&found);
  }
}

}  // namespace

std::vector<std::string> library_folders(hal::LossLedger& ledger, const std::string& root) {
  std::vector<std::string> folders;
  read_configuration(root, root + "/etc/ld.so.conf", 0, folders, ledger);
  for (const char* built_in : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) add(folders, built_in, ledger);
  return folders;
}

std::vector<std::string> installed_libraries(std::span<const std::string> folders,
                                             std::span<const hal::Backend* const> backends, hal::LossLedger& ledger) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    const auto names = list_folder(folder, kMaxEntries);
    if (!names.ok()) continue;
    if (names->size() >= kMaxEntries) ledger.add(hal::Loss::library_unlisted);
    for (const std::string& name : *names) {
      const bool described = std::any_of(backends.begin(), backends.end(), [&](const hal::Backend* backend) {
        return std::any_of(backend->libraries.begin(), backend->libraries.end(),
                           [&](const hal::Library& library) { return hal::soname_matches(library, name); });
      });
      std::error_code broken;
      const std::string file =
          described ? std::filesystem::canonical(std::filesystem::path(folder) / name, broken).string() : "";
      if (file.empty() || broken || std::find(files.begin(), files.end(), file) != files.end()) continue;
      if (hal::has_room(files, kMaxInstalledLibraries, hal::Loss::library_unlisted, ledger)) files.push_back(file);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace ingero::kernelside
