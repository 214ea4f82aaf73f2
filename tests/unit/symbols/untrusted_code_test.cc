// Files of code that were made to harm who reads them; most are among the fuzzers' inputs.
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "base/text.h"
#include "symbols/cfi.h"
#include "symbols/debug_sections.h"
#include "symbols/owned_elf.h"
#include "symbols/python_dwarf.h"
#include "symbols/symboliser.h"
#include "temp_folder.h"

namespace ingero::symbols {
namespace {

std::string input(const std::string& name) { return INGERO_SOURCE_DIR "/tests/fuzz/corpus/code/" + name; }

std::shared_ptr<const CodeFile> code_of(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  auto code = CodeFile::open(fd, path, {1, 2});
  return code.ok() ? *code : nullptr;
}

std::vector<Named> named(const std::string& name, uint64_t address) {
  const auto code = code_of(input(name));
  if (!code) return std::vector<Named>(1);
  return Symboliser([](const std::string&) -> Result<Fd> { return Error(Errc::kNotFound, "none"); })
      .name(*code, address);
}

Step step_at(const std::string& path, uint64_t address, Registers& registers) {
  const auto code = code_of(path);
  if (!code) return Step::kUnread;
  const Machine& machine = machine_of(hal::Arch::kX86_64);
  registers.pc = address;
  registers.set(machine.stack_pointer, 0x7000);
  registers.set(3, 1);
  bool is_signal_frame = false;
  return Cfi(machine).step(
      *code, address, [](uint64_t) { return std::optional<uint64_t>(0x1234); }, registers, is_signal_frame);
}

// 2^32 + 7: the low half is the stack pointer's number.
TEST(UntrustedCode, ARegisterThatNoMachineHasIsUnknown) {
  for (const char* name : {"register_in_expression", "register_in_register"}) {
    Registers registers;
    EXPECT_EQ(step_at(input(name), 0x1b3, registers), Step::kCaller) << name;
    EXPECT_FALSE(registers.has(3)) << name;
  }
}

TEST(UntrustedCode, ScopesNestedFortyThousandDeepAreNotFollowed) {
  EXPECT_EQ(named("nested_scopes", 0x17e).back().function, "evil");
}

TEST(UntrustedCode, LineTablesThatSwellAreNotRead) {
  for (const char* name : {"line_rows", "file_names"}) {
    const auto names = named(name, 0x17e);
    EXPECT_EQ(names.back().function, "evil") << name;
    EXPECT_EQ(names.back().line, 0U) << name;
  }
}

TEST(UntrustedCode, WhatCompilersWriteIsRead) {
  const auto names = named("inlined", 0x1f2);
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].function, "inner");
  EXPECT_EQ(names[0].line, 2U);
  EXPECT_TRUE(names[0].is_inlined);
  EXPECT_EQ(names[1].function, "outer");
  EXPECT_EQ(names[1].line, 6U);
  EXPECT_EQ(names[1].source, "/src/good.c");
}

// The file without the segment that says where its search table is, and with this size of .eh_frame.
std::string without_search_table(const std::string& folder, uint64_t frame_bytes) {
  std::string bytes = read_file(input("inlined")).value();
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  auto* segments = reinterpret_cast<Elf64_Phdr*>(bytes.data() + header->e_phoff);
  for (auto* segment = segments; segment < segments + header->e_phnum; ++segment) {
    if (segment->p_type == PT_GNU_EH_FRAME) segment->p_type = PT_NULL;
  }
  auto* sections = reinterpret_cast<Elf64_Shdr*>(bytes.data() + header->e_shoff);
  const char* names = bytes.data() + sections[header->e_shstrndx].sh_offset;
  for (auto* section = sections; section < sections + header->e_shnum; ++section) {
    if (std::strcmp(names + section->sh_name, ".eh_frame") == 0) section->sh_size = frame_bytes;
  }
  bytes.resize(1 << 20);
  const std::string path = folder + "/" + std::to_string(frame_bytes);
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return path;
}

TEST(UntrustedCode, LongCallFrameInformationIsSearchedOnlyWithASearchTable) {
  const TempFolder folder;
  Registers registers;
  EXPECT_EQ(step_at(without_search_table(folder.path(), 88), 0x1f2, registers), Step::kCaller);
  EXPECT_EQ(step_at(without_search_table(folder.path(), Cfi::kMaxUnsorted + 1), 0x1f2, registers), Step::kNoRules);
}

// It is a FIFO that nothing writes to: opening it would never end.
TEST(UntrustedCode, TheFileThatALinkNamesIsNotOpened) {
  const TempFolder folder;
  std::string bytes = read_file(input("shared_debug")).value();
  const std::string fifo = folder.path() + "/f";
  const size_t at = bytes.find("/nowhere/");
  ASSERT_NE(at, bytes.npos);
  ASSERT_LT(fifo.size(), 100U);
  bytes.replace(at, fifo.size() + 1, fifo + std::string(1, '\0'));
  const std::string path = folder.path() + "/library.so";
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto code = code_of(path);
  ASSERT_NE(code, nullptr);
  Symboliser symboliser([](const std::string&) -> Result<Fd> { return Error(Errc::kNotFound, "none"); });
  EXPECT_EQ(symboliser.name(*code, 0x17e).back().function, "evil");
  wire_python_layout layout{};
  EXPECT_FALSE(use_dwarf(file, 11, 0, layout).ok());
}

TEST(UntrustedCode, ASectionsSizeIsTheDecompressedOne) {
  const auto code = code_of(input("line_rows"));
  ASSERT_NE(code, nullptr);
  elf_version(EV_CURRENT);
  EXPECT_GT(section_bytes(elf_of(code->scratch()).get(), ".debug_"), 3000000U);
}

TEST(UntrustedCode, AnInterpreterThatShrinksWhileItIsReadEndsNothing) {
  const TempFolder folder;
  const std::string path = folder.path() + "/python3";
  const std::string bytes = read_file(input("entries")).value();
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  std::atomic<bool> is_done = false;
  std::thread owner([&] {
    while (!is_done) {
      EXPECT_EQ(::pwrite(file.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      EXPECT_EQ(::ftruncate(file.get(), 4096), 0);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  for (int i = 0; i < 2000; ++i) {
    wire_python_layout layout{};
    EXPECT_FALSE(use_dwarf(file, 11, 0, layout).ok());
  }
  is_done = true;
  owner.join();
}

}  // namespace
}  // namespace ingero::symbols
