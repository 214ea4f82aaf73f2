// What a folder holds. std::filesystem's iterators end the program where memory runs out: they allocate in a function
// that may not throw (_Dir::advance of libstdc++ 12).
//
// Returns copies; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace ingero {

// The names in `path`, sorted, without "." and "..": the first `most` that the system gives. The error is errno's.
Result<std::vector<std::string>> list_folder(const std::string& path, size_t most);

}  // namespace ingero
