// Files of code that were made to harm who reads them; most are among the fuzzers' inputs.
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "symbols/cfi.h"
#include "symbols/debug_sections.h"
#include "symbols/elf_image.h"
#include "symbols/frame_entry.h"
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
  Registers registers;
  EXPECT_EQ(step_at(input("register_in_expression"), 0x1b3, registers), Step::kCaller);
  EXPECT_FALSE(registers.has(3));
  EXPECT_EQ(step_at(input("register_in_register"), 0x1b3, registers), Step::kNoRules);
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
  EXPECT_EQ(step_at(without_search_table(folder.path(), kMaxUnsorted + 1), 0x1f2, registers), Step::kNoRules);
}

// The file with the instructions of its only entry replaced; 0 (a nop) fills up.
std::string with_instructions(const std::string& folder, const std::string& instructions, size_t repeated) {
  std::string bytes = read_file(input("register_in_register")).value();
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
  const char* names = bytes.data() + sections[header->e_shstrndx].sh_offset;
  const auto* frames = std::find_if(sections, sections + header->e_shnum, [&](const Elf64_Shdr& section) {
    return std::strcmp(names + section.sh_name, ".eh_frame") == 0;
  });
  // The common entry stays where it is; the other one goes behind the file, where a new last segment has it.
  constexpr uint64_t kAddress = 0x400000;
  constexpr size_t kCommonBytes = 24, kHeadBytes = 17;
  const uint64_t common = frames->sh_addr;
  std::string entry(bytes, frames->sh_offset + kCommonBytes, kHeadBytes);
  for (size_t i = 0; i < repeated; ++i) entry += instructions;
  const auto put = [&entry](size_t at, uint64_t value) {
    const auto word = static_cast<uint32_t>(value);
    std::memcpy(entry.data() + at, &word, sizeof word);
  };
  put(0, entry.size() - 4);
  put(4, kAddress + 4 - common);
  put(8, 0x1b3 - (kAddress + 8));
  auto* segments = reinterpret_cast<Elf64_Phdr*>(bytes.data() + header->e_phoff);
  for (auto* segment = segments; segment < segments + header->e_phnum; ++segment) {
    if (segment->p_type == PT_GNU_RELRO)
      *segment = {PT_LOAD, PF_R, bytes.size(), kAddress, kAddress, entry.size(), entry.size(), 1};
  }
  const auto* table = std::find_if(segments, segments + header->e_phnum,
                                   [](const Elf64_Phdr& one) { return one.p_type == PT_GNU_EH_FRAME; });
  const auto place = static_cast<int32_t>(kAddress - table->p_vaddr);
  std::memcpy(bytes.data() + table->p_offset + 16, &place, sizeof place);
  bytes += entry;
  const std::string path = folder + "/" + std::to_string(bytes.size());
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return path;
}

// libdw makes room for 134,217,727 registers where one is named, and again where it shall remember them.
TEST(UntrustedCode, AnEntryThatSwellsHasNoRules) {
  const TempFolder folder;
  const std::string far = "\x05\xff\xff\xff\x3f\x01", remember = "\x0a", offset = "\x83\x02";
  Registers registers;
  EXPECT_EQ(step_at(with_instructions(folder.path(), offset, 3), 0x1b4, registers), Step::kCaller);
  EXPECT_EQ(step_at(with_instructions(folder.path(), far, 1), 0x1b4, registers), Step::kNoRules);
  EXPECT_EQ(step_at(with_instructions(folder.path(), remember, 60), 0x1b4, registers), Step::kCaller);
  EXPECT_EQ(step_at(with_instructions(folder.path(), remember, 1000), 0x1b4, registers), Step::kNoRules);
}

// As its search table has them.
TEST(UntrustedCode, TheEntryOfEachFunctionOfTheCLibraryIsFound) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::strtol), &info), 0);
  const auto code = code_of(info.dli_fname);
  ASSERT_NE(code, nullptr);
  const auto table = code->parts().frame_table;
  ASSERT_TRUE(table.has_value());
  uint32_t count = 0;
  ASSERT_EQ(code->read(table->offset + 8, &count, sizeof count), sizeof count);
  EXPECT_GT(count, 1000U);
  for (uint32_t i = 0; i < count; ++i) {
    int32_t distance = 0;
    ASSERT_EQ(code->read(table->offset + 12 + uint64_t{i} * 8, &distance, sizeof distance), sizeof distance);
    const uint64_t begin = table->address + static_cast<uint64_t>(int64_t{distance});
    EXPECT_TRUE(find_frame_entry(*code, begin).has_value()) << std::hex << begin;
  }
  EXPECT_FALSE(find_frame_entry(*code, 0).has_value());
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
  const auto image =
      ElfImage::of(code->parts(), code->parts().debug, 1 << 20,
                   [&](uint64_t offset, void* out, size_t size) { return code->read(offset, out, size); });
  ASSERT_TRUE(image.has_value());
  EXPECT_GT(section_bytes(image->elf(), ".debug_"), 3000000U);
}

// Each number of the file is now this, now that.
TEST(UntrustedCode, AFileThatChangesWhileItIsReadEndsNothing) {
  const TempFolder folder;
  const std::string path = folder.path() + "/library.so";
  const std::string bytes = read_file(input("inlined")).value();
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  std::atomic<bool> is_done = false;
  std::thread owner([&] {
    for (uint32_t seed = 1; !is_done; seed = seed * 1664525 + 1013904223) {
      const size_t at = 64 + (seed >> 8) % (bytes.size() - 72);
      const uint64_t other = seed % 3 == 0 ? UINT64_MAX : seed % 3 == 1 ? 0 : 0x7fffffff;
      EXPECT_EQ(::pwrite(file.get(), &other, 1 + seed % 8, static_cast<off_t>(at)), 1 + seed % 8);
      const size_t whole = seed % 64 == 0 ? bytes.size() : 0;
      EXPECT_EQ(::pwrite(file.get(), bytes.data(), whole, 0), static_cast<ssize_t>(whole));
      EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(seed % 1024 == 0 ? 4096 : bytes.size())), 0);
    }
  });
  size_t opened = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) {
    Registers registers;
    (void)step_at(path, 0x1f2, registers);
    if (const auto code = code_of(path)) {
      ++opened;
      Symboliser symboliser([](const std::string&) -> Result<Fd> { return Error(Errc::kNotFound, "none"); });
      EXPECT_FALSE(symboliser.name(*code, 0x1f2).empty());
    }
  }
  is_done = true;
  owner.join();
  EXPECT_GT(opened, 0U);
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
