// The Python interpreters of this machine that the tests can run.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace ingero::python_test {

struct Interpreter {
  std::string path;
  int minor = 0;
  std::string name;  // of a test: letters, digits and _
};

void PrintTo(const Interpreter& interpreter, std::ostream* out);

// CPython 3.9 and later: Debian's, pyenv's, those that programs bring along, and those of INGERO_PYTHONS (paths, by
// colons).
std::vector<Interpreter> interpreters();

}  // namespace ingero::python_test
