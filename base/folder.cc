// opendir(3) and readdir(3), whose failures are errors and never exceptions.
#include "base/folder.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <dirent.h>

#include "base/text.h"

namespace ingero {

Result<std::vector<std::string>> list_folder(const std::string& path, size_t most) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return errno_error(fmt::format("list {}", printable(path)));
  std::vector<std::string> names;
  while (names.size() < most) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) {
      if (errno != 0) return errno_error(fmt::format("list {}", printable(path)));
      break;
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ingero
