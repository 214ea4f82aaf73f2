// Line tables and layouts of the real interpreters of this machine: what they say themselves is what we read.
#include <fcntl.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "interpreters.h"
#include "symbols/python_dwarf.h"
#include "symbols/python_layout.h"
#include "symbols/python_lines.h"

namespace ingero::symbols {
namespace {

using python_test::Interpreter;

class PythonTables : public testing::TestWithParam<Interpreter> {};
INSTANTIATE_TEST_SUITE_P(Of, PythonTables, testing::ValuesIn(python_test::interpreters()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PythonTables);

std::string output_of(const std::string& command) {
  std::string all;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  char bytes[65536];
  while (pipe) {
    const size_t got = std::fread(bytes, 1, sizeof bytes, pipe.get());
    if (got == 0) break;
    all.append(bytes, got);
  }
  return all;
}

std::vector<uint8_t> from_hex(const std::string& text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST_P(PythonTables, EveryInstructionHasTheLineTheInterpreterReports) {
  const auto json =
      nlohmann::json::parse(output_of(fmt::format("{} -B {}", GetParam().path, INGERO_LINE_TABLES)), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  const auto format = GetParam().minor >= 11   ? WIRE_PYTHON_LOCATIONS
                      : GetParam().minor == 10 ? WIRE_PYTHON_LINES
                                               : WIRE_PYTHON_LNOTAB;
  size_t checked = 0;
  size_t wrong = 0;
  for (const auto& code : json) {
    const int32_t first_line = code[0];
    const auto table = from_hex(code[1]);
    for (const auto& part : code[2]) {
      const int32_t expected = part[2].is_null() ? -1 : part[2].get<int32_t>();  // -1: none
      for (uint32_t offset = part[0]; offset < part[1].get<uint32_t>(); offset += 2, ++checked) {
        const int32_t line = executing_line(format, table, first_line, offset, false).value_or(-1);
        if (line != expected && ++wrong <= 5) {
          ADD_FAILURE() << "code at line " << first_line << ", offset " << offset << ": " << line << " instead of "
                        << expected << ", table " << code[1];
        }
        // of a table cut anywhere before, the line is right or absent
        const auto cut = executing_line(format, std::span(table).first(table.size() / 2), first_line, offset, true);
        if (cut && *cut != expected && ++wrong <= 5) ADD_FAILURE() << "cut table at offset " << offset;
      }
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(checked, 10000U);
}

TEST_P(PythonTables, TheTableIsWhatDebugInformationSays) {
  const std::filesystem::path program = GetParam().path;
  const auto library =
      program.parent_path().parent_path() / "lib" / fmt::format("libpython3.{}.so.1.0", GetParam().minor);
  for (const auto& path : {library, program}) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) continue;
    for (const auto identity : {ThreadIdentity::kPthread, ThreadIdentity::kNative}) {
      const auto table = table_layout({3, static_cast<uint8_t>(GetParam().minor), 0}, 0x1000, identity);
      if (!table) {
        EXPECT_LT(GetParam().minor, identity == ThreadIdentity::kNative ? 11 : 9) << table.error().text();
        continue;
      }
      wire_python_layout said = *table;
      // wrong on purpose: what is not read from the debug information stays wrong
      said.frame_code = said.thread_id = said.code_file = said.text_data = 1;
      said.interpreters = 0;
      if (!use_dwarf(fd, static_cast<uint8_t>(GetParam().minor), 0x1000, said).ok()) break;
      EXPECT_EQ(std::memcmp(&said, &*table, sizeof said), 0) << path;
      if (identity == ThreadIdentity::kNative) return;
      if (GetParam().minor < 11) return;
    }
  }
  GTEST_SKIP() << GetParam().path << " has no debug information";
}

}  // namespace
}  // namespace ingero::symbols
