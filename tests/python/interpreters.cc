// Looks where interpreters are installed; a version is in the file's name.
#include "interpreters.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <glob.h>

namespace ingero::python_test {

void PrintTo(const Interpreter& interpreter, std::ostream* out) { *out << interpreter.path; }

std::vector<Interpreter> interpreters() {
  std::vector<std::string> patterns = {"/usr/bin/python3.[0-9]*", "/usr/local/bin/python3.[0-9]*",
                                       "/opt/*/bin/python3.[0-9]*", "/usr/lib/*/*/*/bin/python3.[0-9]*"};
  if (const char* home = std::getenv("HOME")) {
    patterns.push_back(std::string(home) + "/.pyenv/versions/3.*/bin/python3.[0-9]*");
  }
  if (const char* more = std::getenv("INGERO_PYTHONS")) {
    std::string list = more;
    for (size_t at = 0; at <= list.size();) {
      const size_t colon = std::min(list.find(':', at), list.size());
      if (colon > at) patterns.push_back(list.substr(at, colon - at));
      at = colon + 1;
    }
  }
  std::vector<Interpreter> found;
  std::set<std::string> seen;
  for (const std::string& pattern : patterns) {
    glob_t matches{};
    if (::glob(pattern.c_str(), 0, nullptr, &matches) != 0) continue;
    for (size_t i = 0; i < matches.gl_pathc; ++i) {
      std::error_code ignored;
      const std::string path = std::filesystem::canonical(matches.gl_pathv[i], ignored).string();
      const size_t at = path.rfind("python3.");
      if (path.empty() || at == std::string::npos) continue;
      const std::string digits = path.substr(at + 8);
      if (digits.empty() || digits.size() > 2 || !std::all_of(digits.begin(), digits.end(), ::isdigit)) continue;
      Interpreter interpreter{path, std::atoi(digits.c_str()), path.substr(1)};
      if (interpreter.minor < 9 || !seen.insert(path).second) continue;
      for (char& c : interpreter.name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      found.push_back(interpreter);
    }
    ::globfree(&matches);
  }
  return found;
}

}  // namespace ingero::python_test
