// A folder of a test's own, deleted with the object, and everything in it.
#pragma once

#include <system_error>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace ingero {

class TempFolder {
 public:
  // Throws where none can be made: the test fails with the reason.
  TempFolder() : path_((std::filesystem::temp_directory_path() / "ingero_test_XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path_);
  }
  // What a test took from the folder's permissions is given back, and what is left behind fails no test.
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ingero
