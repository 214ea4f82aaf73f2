// Code objects sent by the kernel side: text of every width, versions of one address, the limit, and records made up.
#include "symbols/python_names.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::symbols {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Record {
  wire_code head{};
  std::vector<uint8_t> table = {2, 0, 2, 1};  // two instructions on lines 7 and 8

  Record() {
    head.type = WIRE_CODE;
    head.table_format = WIRE_PYTHON_LINES;
    head.pid = 5;
    head.generation = 3;
    head.code = 0x7000;
    head.identity = 0x1111'2222'3333'4444;
    head.first_line = 7;
    file(std::string_view("a.py"), 1);
    name(std::string_view("f"), 1);
  }
  template <typename Character>
  Record& file(std::basic_string_view<Character> text, uint8_t width) {
    head.file_bytes = static_cast<uint16_t>(text.size() * sizeof(Character));
    head.file_width = width;
    std::memcpy(head.file, text.data(), head.file_bytes);
    return *this;
  }
  template <typename Character>
  Record& name(std::basic_string_view<Character> text, uint8_t width) {
    head.name_bytes = static_cast<uint16_t>(text.size() * sizeof(Character));
    head.name_width = width;
    std::memcpy(head.name, text.data(), head.name_bytes);
    return *this;
  }
  std::vector<std::byte> bytes(size_t room = 64) {
    head.table_kept = static_cast<uint32_t>(table.size());
    head.table_bytes = head.table_kept;
    std::vector<std::byte> all(sizeof head + room);
    std::memcpy(all.data(), &head, sizeof head);
    std::memcpy(all.data() + sizeof head, table.data(), std::min(table.size(), room));
    return all;
  }
};

wire_python_frame frame(uint32_t offset, uint64_t code = 0x7000, uint32_t identity = 0x3333'4444) {
  return {code, identity, offset | static_cast<uint32_t>(WIRE_PYTHON_ENTRY)};
}

TEST(PythonNames, NamesAFrameAndItsExecutingLine) {
  PythonNames names;
  ASSERT_TRUE(names.add(Record().bytes()));
  const auto named = names.name(5, frame(2));
  ASSERT_TRUE(named);
  EXPECT_EQ(named->untrusted_file, "a.py");
  EXPECT_EQ(named->untrusted_function, "f");
  EXPECT_EQ(named->line, 8);
  EXPECT_EQ(named->first_line, 7);
  EXPECT_EQ(names.name(5, frame(4))->line, std::nullopt);
}

TEST(PythonNames, TextOfEveryWidthBecomesUtf8) {
  PythonNames names;
  const std::string latin = "na\xefve";
  ASSERT_TRUE(names.add(Record().file(std::string_view(latin), 1).name(std::u16string_view(u"漢字"), 2).bytes()));
  EXPECT_EQ(names.name(5, frame(0))->untrusted_file, "naïve");
  EXPECT_EQ(names.name(5, frame(0))->untrusted_function, "漢字");
  ASSERT_TRUE(names.add(Record().name(std::u32string_view(U"𐊀ü"), 4).bytes()));
  EXPECT_EQ(names.name(5, frame(0))->untrusted_function, "𐊀ü");
}

TEST(PythonNames, WhatIsNoCharacterIsReplaced) {
  PythonNames names;
  const char16_t surrogate[] = {0xdcff, u'a'};
  const char32_t requirement[] = {0x110000, U'b'};
  ASSERT_TRUE(names.add(
      Record().file(std::u16string_view(surrogate, 2), 2).name(std::u32string_view(requirement, 2), 4).bytes()));
  EXPECT_EQ(names.name(5, frame(0))->untrusted_file,
            "\xef\xbf\xbd"
            "a");
  EXPECT_EQ(names.name(5, frame(0))->untrusted_function,
            "\xef\xbf\xbd"
            "b");
}

TEST(PythonNames, SaysWhatWasCut) {
  Record record;
  record.head.flags = WIRE_CODE_FILE_CUT | WIRE_CODE_NAME_CUT;
  PythonNames names;
  ASSERT_TRUE(names.add(record.bytes()));
  EXPECT_EQ(names.name(5, frame(0))->untrusted_file, "...a.py");
  EXPECT_EQ(names.name(5, frame(0))->untrusted_function, "f...");
}

TEST(PythonNames, KeepsApartThoseThatLivedAtOneAddress) {
  PythonNames names;
  Record later;
  later.head.identity = 9;
  later.name(std::string_view("g"), 1);
  ASSERT_TRUE(names.add(Record().bytes()));
  ASSERT_TRUE(names.add(later.bytes()));
  EXPECT_EQ(names.name(5, frame(0))->untrusted_function, "f");
  EXPECT_EQ(names.name(5, frame(0, 0x7000, 9))->untrusted_function, "g");
  EXPECT_FALSE(names.name(5, frame(0, 0x7000, 10)));
  EXPECT_FALSE(names.name(6, frame(0)));
  EXPECT_FALSE(names.name(5, frame(0, 0x7001)));
}

TEST(PythonNames, AWorseRecordDoesNotReplaceABetterOne) {
  PythonNames names;
  Record worse;
  worse.head.flags = WIRE_CODE_TABLE_UNREADABLE;
  worse.table.clear();
  ASSERT_TRUE(names.add(worse.bytes()));
  EXPECT_EQ(names.name(5, frame(0))->line, std::nullopt);
  ASSERT_TRUE(names.add(Record().bytes()));
  EXPECT_EQ(names.name(5, frame(0))->line, 7);
  ASSERT_TRUE(names.add(worse.bytes()));
  EXPECT_EQ(names.name(5, frame(0))->line, 7);
}

TEST(PythonNames, ForgetsTheOldestPastItsLimitAndSaysWhich) {
  PythonNames names(4096);
  for (uint64_t i = 0; i < 100; ++i) {
    Record record;
    record.head.code = 0x1000 + i;
    ASSERT_TRUE(names.add(record.bytes()));
    EXPECT_LE(names.bytes(), 4096U);
  }
  const auto forgotten = names.take_forgotten();
  EXPECT_EQ(forgotten.size(), names.forgotten());
  ASSERT_GT(forgotten.size(), 50U);
  EXPECT_EQ(forgotten.front(), (PythonCodeKey{0x1000, 5, 3}));
  EXPECT_THAT(names.take_forgotten(), IsEmpty());
  EXPECT_FALSE(names.name(5, frame(0, 0x1000)));
  EXPECT_TRUE(names.name(5, frame(0, 0x1000 + 99)));
}

TEST(PythonNames, ForgetsAProcessWhole) {
  PythonNames names;
  Record other;
  other.head.pid = 6;
  ASSERT_TRUE(names.add(Record().bytes()));
  ASSERT_TRUE(names.add(other.bytes()));
  const size_t both = names.bytes();
  names.forget(5);
  names.forget(5);
  EXPECT_FALSE(names.name(5, frame(0)));
  EXPECT_TRUE(names.name(6, frame(0)));
  EXPECT_EQ(names.bytes(), both / 2);
}

TEST(PythonNames, RefusesRecordsOfAWrongShape) {
  PythonNames names;
  const auto refused = [&](auto change) {
    Record record;
    change(record);
    return !names.add(record.bytes());
  };
  EXPECT_TRUE(refused([](Record& r) { r.head.type = WIRE_STACK; }));
  EXPECT_TRUE(refused([](Record& r) { r.table.resize(65); }));  // longer than the record
  EXPECT_TRUE(refused([](Record& r) { r.head.file_bytes = sizeof(r.head.file) + 1; }));
  EXPECT_TRUE(refused([](Record& r) { r.head.name_bytes = sizeof(r.head.name) + 1; }));
  EXPECT_TRUE(refused([](Record& r) { r.head.table_format = 9; }));
  const auto bytes = Record().bytes();
  for (size_t size = 0; size < sizeof(wire_code); ++size) {
    EXPECT_FALSE(names.add(std::span(bytes).first(size))) << size;
  }
  EXPECT_EQ(names.bytes(), 0U);
}

}  // namespace
}  // namespace ingero::symbols
