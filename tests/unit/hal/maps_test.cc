// /proc/PID/maps: what the kernel writes is read back, what it never writes is refused.
#include "hal/maps.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <random>

#include "fixture.h"

namespace ingero::hal {
namespace {

TEST(Maps, ReadsEveryFieldOfALibraryLine) {
  Mapping mapping;
  ASSERT_TRUE(parse_maps_line(
      "7f1c2a000000-7f1c2a0b5000 r-xp 00022000 fe:1a 131094                     /usr/lib/libx.so.1", mapping));
  EXPECT_EQ(mapping.start, 0x7f1c2a000000U);
  EXPECT_EQ(mapping.end, 0x7f1c2a0b5000U);
  EXPECT_EQ(mapping.file_offset, 0x22000U);
  EXPECT_TRUE(mapping.executable);
  EXPECT_FALSE(mapping.deleted);
  EXPECT_EQ(mapping.file.device, makedev(0xfe, 0x1a));
  EXPECT_EQ(mapping.file.inode, 131094U);
  EXPECT_EQ(mapping.untrusted_path, "/usr/lib/libx.so.1");
}

TEST(Maps, ReportsDeletedFilesAndKeepsTheirName) {
  Mapping mapping;
  ASSERT_TRUE(parse_maps_line("1000-2000 r-xp 00000000 00:1d 77 /tmp/a (deleted)", mapping));
  EXPECT_TRUE(mapping.deleted);
  EXPECT_EQ(mapping.untrusted_path, "/tmp/a");
}

TEST(Maps, UndoesTheEscapedNewlineAndKeepsSpacesAndBackslashes) {
  Mapping mapping;
  ASSERT_TRUE(parse_maps_line("1000-2000 r-xp 00000000 08:01 77 /tmp/a\\012b c\\d", mapping));
  EXPECT_EQ(mapping.untrusted_path, "/tmp/a\nb c\\d");
}

TEST(Maps, AnonymousAndSpecialMappingsHaveNoFile) {
  Mapping mapping;
  ASSERT_TRUE(parse_maps_line("1000-2000 rw-p 00000000 00:00 0 ", mapping));
  EXPECT_EQ(mapping.file.inode, 0U);
  EXPECT_EQ(mapping.untrusted_path, "");
  ASSERT_TRUE(parse_maps_line("1000-2000 rw-p 00000000 00:00 0", mapping));
  ASSERT_TRUE(parse_maps_line("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]", mapping));
  EXPECT_EQ(mapping.untrusted_path, "[vsyscall]");
  EXPECT_TRUE(mapping.executable);
}

TEST(Maps, RefusesLinesTheKernelDoesNotWrite) {
  Mapping mapping;
  for (const char* line : {
           "",
           "\n",
           "x",
           "1000",
           "1000-",
           "1000-2000",
           "1000-2000 ",
           "1000-2000 r-xp",
           "1000-2000 r-xp ",
           "1000-2000 r-xp 0 08:01",
           "1000-2000 r-xp 0 08:01 ",
           "1000-2000 r-xp 0 0801 5 /a",
           "1000-2000 r-xq 0 08:01 5 /a",
           "1000-2000 rxxp 0 08:01 5 /a",
           "2000-1000 r-xp 0 08:01 5 /a",
           "1000-1000 r-xp 0 08:01 5 /a",
           "-1000-2000 r-xp 0 08:01 5 /a",
           "1000-2000 r-xp -1 08:01 5 /a",
           "1000-2000 r-xp 0 08:01 5x /a",
           "1000-2000 r-xp 0 08:01 -5 /a",
           "10000000000000000-20000000000000000 r-xp 0 08:01 5 /a",
           "1000-2000 r-xp 0 100000000:01 5 /a",
           "1000-2000 r-xp 0 08:01 99999999999999999999 /a",
           "1000-2000r-xp 0 08:01 5 /a",
       }) {
    EXPECT_FALSE(parse_maps_line(line, mapping)) << '"' << line << '"';
  }
}

TEST(Maps, KeepsExecutableFileMappingsAloneAndSkipsDamagedLines) {
  const auto mappings = executable_mappings(
      "1000-2000 r--p 00000000 08:01 5 /a\n"
      "2000-3000 r-xp 00001000 08:01 5 /a\n"
      "garbage\n"
      "3000-4000 r-xp 00000000 00:00 0 [vdso]\n"
      "5000-6000 r-xp 00000000 08:02 5 /b");
  ASSERT_EQ(mappings.size(), 2U);
  EXPECT_EQ(mappings[0].untrusted_path, "/a");
  EXPECT_EQ(mappings[0].start, 0x2000U);
  EXPECT_EQ(mappings[1].untrusted_path, "/b");
  EXPECT_NE(mappings[0].file, mappings[1].file);
}

TEST(Maps, EveryPrefixOfALineIsHandled) {
  const std::string line = "7f1c2a000000-7f1c2a0b5000 r-xp 00022000 fe:00 131094       /usr/lib/libx.so (deleted)";
  for (size_t length = 0; length <= line.size(); ++length) {
    Mapping mapping;
    const bool ok = parse_maps_line(std::string(line, 0, length), mapping);
    // A line is whole once an inode digit is there; before that it must be refused.
    EXPECT_EQ(ok, length > line.find("131094")) << length;
  }
}

TEST(Maps, FindsThisProgramByItsInode) {
  const std::string text = fixture::contents("/proc/self/maps");
  struct stat self {};
  ASSERT_EQ(stat("/proc/self/exe", &self), 0);
  const auto mappings = executable_mappings(text);
  const bool found = std::any_of(mappings.begin(), mappings.end(), [&](const Mapping& mapping) {
    return mapping.file.inode == self.st_ino && mapping.end > mapping.start;
  });
  EXPECT_TRUE(found) << text;
}

}  // namespace
}  // namespace ingero::hal
