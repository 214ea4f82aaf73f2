// The collector of interpreters without a symbol table: of a stripped copy of one that has it, and of the
// distribution's, by where its threads are found while it collects.
#include "symbols/python_collector.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/text.h"
#include "hal/maps.h"
#include "symbols/symboliser.h"
#include "temp_folder.h"

namespace ingero::symbols {
namespace {

std::shared_ptr<const CodeFile> python_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  auto code = fd.valid() ? CodeFile::open(fd, path, {1, 2}) : Result<std::shared_ptr<const CodeFile>>(nullptr);
  return code.ok() ? *code : nullptr;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = pipe == nullptr ? EOF : fgetc(pipe); c != EOF; c = fgetc(pipe)) text += static_cast<char>(c);
  if (pipe != nullptr) pclose(pipe);
  return std::string(trim(text));
}

// The file that holds the interpreter that `python` runs; empty: there is none.
std::string interpreter_of(const std::string& python) {
  return output_of(python +
                   " -c \"import os,re\n"
                   "names=[l.split()[-1] for l in open('/proc/self/maps') if 'r-xp' in l]\n"
                   "print(([n for n in names if 'libpython' in n] + [os.path.realpath('/proc/self/exe')])[0])\" "
                   "2>/dev/null");
}

class Traced {
 public:
  explicit Traced(const char* program) {
    pid_ = fork();
    if (pid_ == 0) {
      const char* code = "import gc\nkept = [[[]] for i in range(300000)]\nwhile True: gc.collect()";
      execl(program, program, "-c", code, nullptr);
      _exit(127);
    }
    is_seized_ = ptrace(PTRACE_SEIZE, pid_, nullptr, nullptr) == 0;
  }
  ~Traced() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  pid_t pid() const { return pid_; }
  bool is_seized() const { return is_seized_; }
  uint64_t where() const {
    int status = 0;
    if (ptrace(PTRACE_INTERRUPT, pid_, nullptr, nullptr) != 0 || waitpid(pid_, &status, 0) != pid_) return 0;
    user_regs_struct registers{};
    iovec into{&registers, sizeof registers};
    const bool is_read = ptrace(PTRACE_GETREGSET, pid_, NT_PRSTATUS, &into) == 0;
    ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
#ifdef __x86_64__
    return is_read ? registers.rip : 0;
#else
    return is_read ? registers.pc : 0;
#endif
  }

 private:
  pid_t pid_ = 0;
  bool is_seized_ = false;
};

TEST(PythonCollector, IsWhereTheDistributionsInterpreterCollects) {
  const std::string path = interpreter_of("/usr/bin/python3");
  const auto code = path.empty() ? nullptr : python_file(path);
  if (!code) GTEST_SKIP() << "no /usr/bin/python3";
  const SymbolTable table(*code);
  if (table.has_local()) GTEST_SKIP() << path << " has a symbol table";
  const auto collector = find_python_collector(*code, table);
  ASSERT_TRUE(collector.has_value());
  const Traced python("/usr/bin/python3");
  if (!python.is_seized()) GTEST_SKIP() << "no other process may be looked at";
  int inside = 0;
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const uint64_t at = python.where();
    const auto maps = read_file("/proc/" + std::to_string(python.pid()) + "/maps", 1 << 20);
    ASSERT_TRUE(maps.ok());
    for (const std::string_view line : split(*maps, '\n')) {
      hal::Mapping mapping;
      if (!hal::parse_maps_line(line, mapping) || at < mapping.start || at >= mapping.end) continue;
      if (mapping.untrusted_path != path) continue;
      const auto address = code->address_of(mapping.file_offset + at - mapping.start);
      inside += address && collector->holds(*address) ? 1 : 0;
    }
  }
  EXPECT_GE(inside, 20) << "of 100";  // the rest is in what it calls of each type, and in starting
  Symboliser symboliser([](const std::string&) -> Result<Fd> { return Error(Errc::kNotFound, "none"); });
  EXPECT_EQ(symboliser.symbol(*code, collector->begin + 100), kCollectorName);
}

TEST(PythonCollector, OfAStrippedCopyIsTheFunctionThatTheTableNames) {
  int compared = 0;
  for (const char* python :
       {"python3", "python3.8", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13"}) {
    const std::string path = interpreter_of(python);
    const auto whole = path.empty() ? nullptr : python_file(path);
    if (!whole || !SymbolTable(*whole).has_local()) continue;
    const TempFolder folder;
    const std::string copy = folder.path() + "/libpython.so";
    if (std::system(("strip -o " + copy + " " + path).c_str()) != 0) GTEST_SKIP() << "no strip(1)";
    const auto stripped = python_file(copy);
    ASSERT_TRUE(stripped);
    const auto collector = find_python_collector(*stripped, SymbolTable(*stripped));
    ASSERT_TRUE(collector.has_value()) << path;
    EXPECT_FALSE(find_python_collector(*whole, SymbolTable(*whole)).has_value()) << "it names it";
    EXPECT_EQ(SymbolTable(*whole).find(collector->begin)->name.substr(0, 15), kCollectorName) << path;
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no interpreter here has a symbol table";
}

TEST(PythonCollector, OtherFilesHaveNone) {
  const auto code = python_file("/proc/self/exe");
  ASSERT_TRUE(code);
  EXPECT_FALSE(find_python_collector(*code, SymbolTable(*code)).has_value());
}

}  // namespace
}  // namespace ingero::symbols
