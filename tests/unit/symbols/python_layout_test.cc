// Layouts: the table agrees with what 3.13 says of itself; offsets made up are refused; what cannot be read says why.
// The table against real interpreters: tests/python.
#include "symbols/python_layout.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::symbols {
namespace {

using testing::HasSubstr;

// _Py_DebugOffsets as words; the numbers are those of the real 3.13.0.
struct Offsets {
  std::array<uint64_t, kDebugOffsetsBytes / 8> words{};

  static Offsets of_3_13() {
    Offsets offsets;
    auto& w = offsets.words;
    std::memcpy(w.data(), "xdebugpy", 8);
    w[1] = 0x030d00f0;
    w[5] = 632;                // interpreters_head
    w[8] = 7264, w[9] = 7344;  // next, threads_head
    w[19] = 304, w[20] = 0, w[21] = 8, w[22] = 16, w[23] = 72, w[24] = 152, w[25] = 160, w[27] = 32;  // thread state
    w[28] = 88, w[29] = 8, w[30] = 0, w[31] = 56, w[32] = 72, w[33] = 70;                             // frame
    w[34] = 208, w[35] = 112, w[36] = 120, w[37] = 128, w[38] = 136, w[39] = 68, w[43] = 200;         // code
    return offsets;
  }
  // 3.14: three words more for the interpreter, two for the frame
  static Offsets of_3_14() {
    const Offsets old = of_3_13();
    Offsets offsets = old;
    auto& w = offsets.words;
    w[1] = 0x030e00f0;
    for (size_t i = 0; i < 9; ++i) w[22 + i] = old.words[19 + i];
    for (size_t i = 0; i < 6; ++i) w[31 + i] = old.words[28 + i];
    w[37] = 64, w[38] = 0;
    for (size_t i = 0; i < 10; ++i) w[39 + i] = old.words[34 + i];
    return offsets;
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words)); }
};

constexpr PythonVersion k313{3, 13, 0};
constexpr PythonVersion k314{3, 14, 0};

TEST(PythonLayout, TheTableIsWhat313SaysOfItself) {
  const auto said = debug_offsets_layout(Offsets::of_3_13().bytes(), k313, 0x1000, ThreadIdentity::kPthread);
  const auto table = table_layout(k313, 0x1000, ThreadIdentity::kPthread);
  ASSERT_TRUE(said) << said.error().text();
  ASSERT_TRUE(table);
  EXPECT_EQ(std::memcmp(&*said, &*table, sizeof *said), 0);
  const auto native = debug_offsets_layout(Offsets::of_3_13().bytes(), k313, 0x1000, ThreadIdentity::kNative);
  const auto native_table = table_layout(k313, 0x1000, ThreadIdentity::kNative);
  EXPECT_EQ(std::memcmp(&*native, &*native_table, sizeof *native), 0);
  EXPECT_EQ(native->thread_id, 160);
}

TEST(PythonLayout, Reads314WhereItPutThings) {
  auto offsets = Offsets::of_3_14();
  offsets.words[5] = 808;
  const auto said = debug_offsets_layout(offsets.bytes(), k314, 0x1000, ThreadIdentity::kPthread);
  ASSERT_TRUE(said) << said.error().text();
  EXPECT_EQ(said->interpreters, 0x1000U + 808);
  EXPECT_EQ(said->thread_frame, 72);
  EXPECT_EQ(said->thread_id, 152);
  EXPECT_EQ(said->frame_owner, 70);
  EXPECT_EQ(said->code_table, 136);
  EXPECT_EQ(said->code_bytecode, 200);
  EXPECT_EQ(said->shims, 3);
}

TEST(PythonLayout, Reads315WhereItPutThings) {
  // The words of the real 3.15.2, up to the code object's.
  Offsets offsets{{0,   0x030f02f0, 0,   346568, 912,  936,  226240, 7272, 7264, 7336, 7352, 7400, 7592, 7576, 7584,
                   16,  7736,       0,   7752,   7744, 7944, 0,      888,  0,    8,    16,   72,   80,   88,   96,
                   176, 184,        256, 32,     36,   40,   136,    288,  0,    88,   8,    0,    56,   80,   74,
                   64,  0,          216, 112,    120,  128,  136,    68,   52,   96,   104,  208}};
  std::memcpy(offsets.words.data(), "xdebugpy", 8);
  const auto said = debug_offsets_layout(offsets.bytes(), {3, 15, 2}, 0x1000, ThreadIdentity::kPthread);
  ASSERT_TRUE(said) << said.error().text();
  EXPECT_EQ(said->interpreters, 0x1000U + 936);
  EXPECT_EQ(said->interpreter_next, 7264U);
  EXPECT_EQ(said->interpreter_threads, 7336U);
  EXPECT_EQ(said->thread_frame, 72);
  EXPECT_EQ(said->thread_id, 176);
  EXPECT_EQ(said->thread_status, 32);
  EXPECT_EQ(said->frame_previous, 8);
  EXPECT_EQ(said->frame_instruction, 56);
  EXPECT_EQ(said->frame_owner, 74);
  EXPECT_EQ(said->code_file, 112);
  EXPECT_EQ(said->code_name, 128);
  EXPECT_EQ(said->code_bytecode, 208);
  const auto native = debug_offsets_layout(offsets.bytes(), {3, 15, 2}, 0x1000, ThreadIdentity::kNative);
  ASSERT_TRUE(native);
  EXPECT_EQ(native->thread_id, 184);
}

TEST(PythonLayout, AFreeThreadedBuildIsRefusedWithItsReason) {
  auto offsets = Offsets::of_3_13();
  offsets.words[2] = 1;
  const auto said = debug_offsets_layout(offsets.bytes(), k313, 0, ThreadIdentity::kPthread);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code(), Errc::kNotSupported);
  EXPECT_THAT(said.error().text(), HasSubstr("free-threaded"));
}

TEST(PythonLayout, OffsetsThatMakeNoSenseAreRefused) {
  const auto refused = [](size_t word, uint64_t value) {
    auto offsets = Offsets::of_3_13();
    offsets.words[word] = value;
    const auto said = debug_offsets_layout(offsets.bytes(), k313, 0, ThreadIdentity::kPthread);
    return !said && said.error().code() == Errc::kCorrupt;
  };
  EXPECT_TRUE(refused(0, 0));                  // the cookie
  EXPECT_TRUE(refused(1, 0x030c0000));         // another version
  EXPECT_TRUE(refused(9, uint64_t{1} << 40));  // beyond any interpreter
  EXPECT_TRUE(refused(23, 4096));              // beyond what is read of a thread's state
  EXPECT_TRUE(refused(23, 0));                 // a frame where the list is linked
  EXPECT_TRUE(refused(33, uint64_t{0} - 1));
  EXPECT_TRUE(refused(35, 0));
  EXPECT_FALSE(debug_offsets_layout(Offsets::of_3_13().bytes().first(200), k313, 0, ThreadIdentity::kPthread));
  EXPECT_FALSE(debug_offsets_layout({}, k313, 0, ThreadIdentity::kPthread));
}

TEST(PythonLayout, EveryOffsetLiesInItsWindow) {
  for (uint8_t minor = 9; minor <= 13; ++minor) {
    const auto layout = table_layout({3, minor, 0}, 0, ThreadIdentity::kPthread);
    ASSERT_TRUE(layout) << int{minor};
    EXPECT_LT(layout->thread_bytes, WIRE_PYTHON_WINDOW);
    EXPECT_LT(layout->frame_bytes, WIRE_PYTHON_WINDOW);
    EXPECT_LT(layout->code_bytes, WIRE_PYTHON_WINDOW);
    for (const int offset : {layout->thread_previous, layout->thread_next, layout->thread_interpreter,
                             layout->thread_id, layout->thread_frame, layout->thread_cframe}) {
      EXPECT_LE(offset + 8, layout->thread_bytes) << int{minor};
    }
    for (const int offset : {layout->frame_previous, layout->frame_code, layout->frame_instruction}) {
      EXPECT_LE(offset + 8, layout->frame_bytes) << int{minor};
    }
    EXPECT_LT(layout->frame_owner, layout->frame_bytes);
    for (const int offset : {layout->code_file, layout->code_name, layout->code_table}) {
      EXPECT_LE(offset + 8, layout->code_bytes) << int{minor};
    }
  }
}

TEST(PythonLayout, WhatIsNotInTheTableSaysSo) {
  for (const PythonVersion version : {PythonVersion{3, 8, 0}, PythonVersion{3, 16, 0}, PythonVersion{2, 7, 18}}) {
    const auto layout = table_layout(version, 0, ThreadIdentity::kPthread);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code(), Errc::kNotSupported);
    EXPECT_EQ(debug_offsets_layout({}, version, 0, ThreadIdentity::kPthread).error().code(), Errc::kNotSupported);
  }
  // by the kernel's number for the thread: not kept before 3.11
  EXPECT_EQ(table_layout({3, 10, 0}, 0, ThreadIdentity::kNative).error().code(), Errc::kNotSupported);
  EXPECT_TRUE(table_layout({3, 11, 0}, 0, ThreadIdentity::kNative));
}

TEST(PythonLayout, VersionsFromTheirHexadecimalForm) {
  EXPECT_EQ(version_of_hex(0x030b07f0), (PythonVersion{3, 11, 7}));
  EXPECT_EQ(text_of({3, 9, 18}), "3.9.18");
}

}  // namespace
}  // namespace ingero::symbols
