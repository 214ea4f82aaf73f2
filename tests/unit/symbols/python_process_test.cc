// Whether there is a Python in a process, where there is none or it cannot be looked at. Real ones:
// tests/python.
#include "symbols/python_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/text.h"

namespace ingero::symbols {
namespace {

struct Self {
  std::vector<hal::Mapping> mappings = hal::executable_mappings(read_file("/proc/self/maps").value());
  ProcessView view() const {
    return {mappings,
            [](const hal::Mapping& mapping) -> Result<Fd> {
              Fd fd(::open(mapping.untrusted_path.c_str(), O_RDONLY | O_CLOEXEC));
              if (!fd.valid()) return errno_error(mapping.untrusted_path);
              return fd;
            },
            [](uint64_t, void*, size_t) { return false; }};
  }
};

Result<PythonProcess> find(const ProcessView& view) {
  PythonDebugLayout debug;
  return find_python(view, 1, debug);
}

TEST(PythonProcess, AProgramWithoutPythonHasNone) {
  const Self self;
  const auto found = find(self.view());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::kNotFound) << found.error().text();
  EXPECT_EQ(find({}).error().code(), Errc::kNotFound);
}

TEST(PythonProcess, AFileThatOnlyBearsTheNameIsNone) {
  Self self;
  for (hal::Mapping& mapping : self.mappings) mapping.untrusted_path = "/proc/self/exe";
  ProcessView view = self.view();
  for (hal::Mapping& mapping : self.mappings) mapping.untrusted_path = "/usr/lib/libpython3.11.so.1.0";
  view.open_file = [](const hal::Mapping&) -> Result<Fd> { return Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)); };
  EXPECT_EQ(find(view).error().code(), Errc::kNotFound);
  view.open_file = [](const hal::Mapping&) -> Result<Fd> { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); };
  EXPECT_EQ(find(view).error().code(), Errc::kNotFound);
}

// One that is mapped again and again would be read as often; so would hundreds of files.
TEST(PythonProcess, FewFilesOfAProcessAreLookedInto) {
  std::vector<hal::Mapping> mappings(1000);
  size_t opened = 0;
  ProcessView view;
  for (size_t i = 0; i < mappings.size(); ++i) {
    mappings[i].file = {1, 1 + i / 500};
    mappings[i].untrusted_path = "/libpython3.99.so";
  }
  view.mappings = mappings;
  view.open_file = [&](const hal::Mapping&) -> Result<Fd> {
    ++opened;
    return Error(Errc::kNotFound, "gone");
  };
  view.read_memory = [](uint64_t, void*, size_t) { return false; };
  EXPECT_FALSE(find(view).ok());
  EXPECT_EQ(opened, 2U);
  for (size_t i = 0; i < mappings.size(); ++i) mappings[i].file = {1, i + 1};
  opened = 0;
  EXPECT_FALSE(find(view).ok());
  EXPECT_LE(opened, 8U);
}

TEST(PythonProcess, AFileThatCannotBeOpenedIsAnError) {
  Self self;
  ProcessView view = self.view();
  view.open_file = [](const hal::Mapping&) -> Result<Fd> { return Error{Errc::kPermission, "open: no"}; };
  EXPECT_EQ(find(view).error().code(), Errc::kPermission);
}

TEST(PythonProcess, NamesOfInterpreters) {
  EXPECT_TRUE(may_be_python("/usr/bin/python3.11"));
  EXPECT_TRUE(may_be_python("/x/libpython3.9.so.1.0"));
  EXPECT_TRUE(may_be_python("python"));
  // every extension module has a version in its path
  EXPECT_FALSE(may_be_python("/usr/lib/python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so"));
  EXPECT_FALSE(may_be_python("/x/site-packages/torch/lib/libtorch_python.so"));
}

TEST(PythonProcess, NamesOfTheFunctionThatRunsPython) {
  EXPECT_TRUE(is_python_eval("_PyEval_EvalFrameDefault"));
  EXPECT_TRUE(is_python_eval("_PyEval_EvalFrameDefault.cold"));
  EXPECT_TRUE(is_python_eval("_PyEval_EvalFrameDefault [clone .cold]"));
  EXPECT_FALSE(is_python_eval("_PyEval_EvalFrame"));
  EXPECT_FALSE(is_python_eval("_PyEval_EvalFrameDefaults"));
  EXPECT_FALSE(is_python_eval("PyEval_EvalCode"));
}

}  // namespace
}  // namespace ingero::symbols
