// Where each convention puts parameters. Expected places are those of the psABI documents, written out by hand; that
// compilers agree is a test of its own.
#include "hal/lower.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "hal/prologue.h"
#include "hal/shapes.h"

namespace ingero::hal {
namespace {

Row row_of(Shape shape) { return {.name = "probe", .kind = Kind::kLaunch, .shape = shape}; }

// "r0", "s1" (stack slot), "r0->8:4" (peek), "r0->8:4!" (at return), by field.
std::string place(const wire_recipe& recipe, size_t word) {
  const Source source = source_of(recipe, word);
  std::string text = (source.on_stack ? "s" : "r") + std::to_string(source.index);
  if (source.peek != nullptr) {
    text += "->" + std::to_string(source.peek->offset) + ":" + std::to_string(source.peek->bytes);
    if (source.peek->at_return != 0) text += "!";
  }
  if (recipe.sleepable_word == word + 1) {
    text += recipe.sleepable_bytes == 0 ? "\"" : "#" + std::to_string(recipe.sleepable_bytes);
  }
  return text;
}

std::map<std::string, std::string> places(Shape shape, Arch arch) {
  const Result<Lowered> lowered = lower(row_of(shape), arch);
  if (!lowered.ok()) return {{"error", lowered.error().text()}};
  std::map<std::string, std::string> by_field;
  for (size_t i = 0; i < lowered->recipe.n_words; ++i) {
    by_field[std::string(name_of(lowered->words[i].field))] = place(lowered->recipe, i);
  }
  return by_field;
}

using Places = std::map<std::string, std::string>;

TEST(Lower, ALaunchWithTwoDim3SpillsOnX86AndFillsArm) {
  EXPECT_EQ(places(shape::kLaunch, Arch::kX86_64), (Places{{"function", "r0"},
                                                           {"grid_xy", "r1"},
                                                           {"grid_z", "r2"},
                                                           {"block_xy", "r3"},
                                                           {"block_z", "r4"},
                                                           {"shared_bytes", "s0"},
                                                           {"stream", "s1"}}));
  EXPECT_EQ(places(shape::kLaunch, Arch::kArm64), (Places{{"function", "r0"},
                                                          {"grid_xy", "r1"},
                                                          {"grid_z", "r2"},
                                                          {"block_xy", "r3"},
                                                          {"block_z", "r4"},
                                                          {"shared_bytes", "r6"},
                                                          {"stream", "r7"}}));
}

TEST(Lower, OnX86Of32BitsEverythingIsOnTheStackInSlotsOfFourBytes) {
  EXPECT_EQ(places(shape::kLaunch, Arch::kX86_32), (Places{{"function", "s0"},
                                                           {"grid_xy", "s1"},
                                                           {"grid_z", "s3"},
                                                           {"block_xy", "s4"},
                                                           {"block_z", "s6"},
                                                           {"shared_bytes", "s8"},
                                                           {"stream", "s9"}}));
  const Result<Lowered> lowered = lower(row_of(shape::kLaunch), Arch::kX86_32);
  ASSERT_TRUE(lowered.ok()) << lowered.error().text();
  EXPECT_EQ(lowered->recipe.is_narrow, 1);
  EXPECT_EQ(lowered->recipe.stack_slots, 10) << "up to the stream";
  EXPECT_EQ(lowered->recipe.wide_words, 0b01010) << "the two pairs of a dim3";
  EXPECT_EQ(captured_registers(lowered->recipe), 0U);
  const uint8_t bits[] = {32, 64, 32, 64, 32, 32, 32};
  for (size_t i = 0; i < std::size(bits); ++i) EXPECT_EQ(lowered->words[i].bits, bits[i]) << i;
  EXPECT_EQ(lower(row_of(shape::kLaunch), Arch::kX86_64)->recipe.is_narrow, 0);
}

TEST(Lower, OnX86Of32BitsAnIntegerOf64TakesTwoSlotsAndAlignsNothing) {
  static constexpr Param kShape[] = {param::kHandle, param::kFlags64, param::kBytes, param::kAddress};
  EXPECT_EQ(places(kShape, Arch::kX86_32),
            (Places{{"handle", "s0"}, {"flags", "s1"}, {"bytes", "s3"}, {"address", "s4"}}));
  EXPECT_EQ(lower(row_of(kShape), Arch::kX86_32)->recipe.wide_words, 0b0010);
}

TEST(Lower, OnX86Of32BitsWhatARowDoesNotSayIsLeftOut) {
  static constexpr Param kUnsized[] = {param::kHandle, {Abi::kI64}, param::kBytes};
  static constexpr Param kBehindFloat[] = {param::kHandle, {Abi::kFloat}, param::kBytes};
  static constexpr Param kBehindStruct[] = {param::kHandle, {.abi = Abi::kStruct, .bytes = 64}, param::kBytes};
  for (const Shape shape : {Shape(kUnsized), Shape(kBehindFloat), Shape(kBehindStruct)}) {
    EXPECT_EQ(places(shape, Arch::kX86_32), (Places{{"handle", "s0"}}));
    EXPECT_TRUE(lower(row_of(shape), Arch::kX86_32)->lacks_size);
    EXPECT_FALSE(lower(row_of(shape), Arch::kX86_64)->lacks_size);
  }
  // Behind a pointer only the first four bytes are the same there.
  static constexpr Peek kFields[] = {{Field::kHandle, 0, 4}, {Field::kWidth, 0, 8}, {Field::kHeight, 8, 4}};
  static constexpr Param kPeeks[] = {{Abi::kPtr, Field::kNone, kFields}, param::kOutDevice};
  EXPECT_EQ(places(kPeeks, Arch::kX86_32), (Places{{"handle", "s0->0:4"}, {"device", "s1->0:4!"}}));
  // No more slots are read than these.
  static constexpr Param kFar[] = {param::kFlags64, param::kSkipU64, param::kSkipU64, param::kSkipU64,
                                   param::kSkipU64, param::kSkipU64, param::kSkipU64, param::kSkip,
                                   param::kHandle,  param::kHandle2, param::kAddress};
  EXPECT_EQ(places(kFar, Arch::kX86_32), (Places{{"flags", "s0"}, {"handle", "s15"}}));
}

TEST(Lower, OnX86Of32BitsNamesAreReadBehindTheStack) {
  EXPECT_EQ(places(shape::kLookUpFunction, Arch::kX86_32), (Places{{"handle2", "s1"}, {"name", "s2\""}}));
}

TEST(Lower, ALaunchByHandleTakesThreeStackSlotsOnX86AndOneOnArm) {
  const Places x86 = places(shape::kLaunchHandle, Arch::kX86_64);
  EXPECT_EQ(x86.at("block_y"), "r5");
  EXPECT_EQ(x86.at("block_z"), "s0");
  EXPECT_EQ(x86.at("shared_bytes"), "s1");
  EXPECT_EQ(x86.at("stream"), "s2");
  const Places arm = places(shape::kLaunchHandle, Arch::kArm64);
  EXPECT_EQ(arm.at("block_z"), "r6");
  EXPECT_EQ(arm.at("shared_bytes"), "r7");
  EXPECT_EQ(arm.at("stream"), "s0");
}

TEST(Lower, ADim3ThatDoesNotFitLeavesItsRegisterToLaterScalarsOnX86Only) {
  static constexpr Param kShape[] = {param::kSkip, param::kSkip, param::kSkip,   param::kSkip,
                                     param::kSkip, param::kGrid, param::kStream, param::kHandle};
  EXPECT_EQ(places(kShape, Arch::kX86_64),
            (Places{{"grid_xy", "s0"}, {"grid_z", "s1"}, {"stream", "r5"}, {"handle", "s2"}}));
  static constexpr Param kArmShape[] = {param::kSkip, param::kSkip, param::kSkip, param::kSkip,   param::kSkip,
                                        param::kSkip, param::kSkip, param::kGrid, param::kStream, param::kHandle};
  EXPECT_EQ(places(kArmShape, Arch::kArm64),
            (Places{{"grid_xy", "s0"}, {"grid_z", "s1"}, {"stream", "s2"}, {"handle", "s3"}}));
}

// A 128-byte id by value: the stack on x86-64 (and rank in a register as if it were not there), a pointer on arm64.
TEST(Lower, AnIdOf128BytesTakesNoRegisterOnX86AndOneOnArm) {
  static constexpr Peek kIdWords[] = {{Field::kCommunicator, 0}, {Field::kCount, 56}};
  static constexpr Param kShape[] = {param::kOutHandle,
                                     {Abi::kI32, Field::kNRanks},
                                     {.abi = Abi::kStruct, .peeks = kIdWords, .bytes = 128},
                                     {Abi::kI32, Field::kRank},
                                     param::kStream};
  EXPECT_EQ(places(kShape, Arch::kX86_64), (Places{{"handle", "r0->0:8!"},
                                                   {"nranks", "r1"},
                                                   {"communicator", "s0"},
                                                   {"count", "s7"},
                                                   {"rank", "r2"},
                                                   {"stream", "r3"}}));
  EXPECT_EQ(places(kShape, Arch::kArm64), (Places{{"handle", "r0->0:8!"},
                                                  {"nranks", "r1"},
                                                  {"communicator", "r2->0:8"},
                                                  {"count", "r2->56:8"},
                                                  {"rank", "r3"},
                                                  {"stream", "r4"}}));
}

TEST(Lower, ABlockIsOnTheStackOrBehindItsPointer) {
  static constexpr Param kBlock{.abi = Abi::kStruct, .into = Field::kId, .bytes = 128};
  static constexpr Param kByValue[] = {param::kSkip, param::kSkip32, kBlock, param::kDevice};
  EXPECT_EQ(places(kByValue, Arch::kX86_64), (Places{{"id", "s0#128"}, {"device", "r2"}}));
  EXPECT_EQ(places(kByValue, Arch::kArm64), (Places{{"id", "r2#128"}, {"device", "r3"}}));
  static constexpr Param kList{.abi = Abi::kPtr, .into = Field::kExcluded, .bytes = 248};
  static constexpr Param kBehind[] = {param::kSkip, kList};
  EXPECT_EQ(places(kBehind, Arch::kX86_64), (Places{{"excluded", "r1#248"}}));
  EXPECT_EQ(places(kBehind, Arch::kArm64), (Places{{"excluded", "r1#248"}}));
  // Behind a pointer on the stack, or of no size, it cannot be read.
  static constexpr Param kFar[] = {param::kSkip, param::kSkip, param::kSkip, param::kSkip, param::kSkip,
                                   param::kSkip, param::kSkip, param::kSkip, kList};
  for (const Arch arch : {Arch::kX86_64, Arch::kArm64}) EXPECT_FALSE(lower(row_of(kFar), arch).ok());
  static constexpr Param kEmpty[] = {{Abi::kPtr, Field::kId}};
  EXPECT_FALSE(lower(row_of(kEmpty), Arch::kX86_64).ok());
}

TEST(Lower, AMemberOfASmallStructIsBitsOfItsWord) {
  static constexpr Peek kId[] = {{Field::kDevice, 4, 4, When::kEntry, true}};
  static constexpr Param kShape[] = {param::kAddress, {.abi = Abi::kStruct, .peeks = kId, .bytes = 8}};
  for (const Arch arch : {Arch::kX86_64, Arch::kArm64}) {
    const Result<Lowered> lowered = lower(row_of(kShape), arch);
    ASSERT_TRUE(lowered.ok());
    ASSERT_EQ(lowered->recipe.n_words, 2);
    EXPECT_EQ(place(lowered->recipe, 1), "r1");
    EXPECT_EQ(lowered->words[1].shift, 32);
    EXPECT_EQ(lowered->words[1].bits, 32);
    EXPECT_TRUE(lowered->words[1].is_signed);
  }
}

TEST(Lower, FloatsTakeNoIntegerRegisterUntilVectorRegistersEnd) {
  static constexpr Param kFloat{Abi::kFloat};
  static constexpr Param kShape[] = {
      kFloat, kFloat,         kFloat,       kFloat,       kFloat,       kFloat,       kFloat,       kFloat,
      kFloat, param::kStream, param::kSkip, param::kSkip, param::kSkip, param::kSkip, param::kSkip, param::kHandle};
  EXPECT_EQ(places(kShape, Arch::kX86_64), (Places{{"stream", "r0"}, {"handle", "s1"}}));
  EXPECT_EQ(places(kShape, Arch::kArm64), (Places{{"stream", "r0"}, {"handle", "r6"}}));
}

TEST(Lower, AStringIsLeftToTheNameProgram) {
  EXPECT_EQ(places(shape::kLookUpFunction, Arch::kX86_64),
            (Places{{"function", "r0->0:8!"}, {"handle2", "r1"}, {"name", "r2\""}}));
}

TEST(Lower, TheRecipeSaysWhatThePeeksAndTheStackNeed) {
  static constexpr Peek kBoth[] = {{Field::kBytes, 8}, {Field::kAddress, 0, 8, When::kReturn}};
  static constexpr Param kShape[] = {param::kSkip, param::kSkip, param::kSkip,   param::kSkip,
                                     param::kSkip, param::kSkip, param::kStream, {Abi::kPtr, Field::kNone, kBoth}};
  const Result<Lowered> lowered = lower(row_of(kShape), Arch::kX86_64);
  ASSERT_TRUE(lowered.ok());
  EXPECT_EQ(lowered->recipe.n_peeks, 2);
  EXPECT_EQ(lowered->recipe.n_return_peeks, 1);
  EXPECT_EQ(lowered->recipe.stack_slots, 2);
  EXPECT_EQ(lowered->recipe.use, WIRE_RECIPE_LIVE);
  const Result<Lowered> arm = lower(row_of(kShape), Arch::kArm64);
  ASSERT_TRUE(arm.ok());
  EXPECT_EQ(arm->recipe.n_peeks, 2);
  EXPECT_EQ(arm->recipe.n_return_peeks, 1);
  EXPECT_EQ(arm->recipe.stack_slots, 0);
}

TEST(Lower, WhatIsBehindTheReturnedPointerIsReadAtReturnAndComesLast) {
  static constexpr Param kShape[] = {param::kHandle, {Abi::kPtr, Field::kNone, peek::kAddress}};
  Row row = row_of(kShape);
  row.returns = Returns::kPointer;
  row.behind_result = {Field::kHandle2, 52, 4};
  for (const Arch arch : {Arch::kX86_64, Arch::kArm64}) {
    const Result<Lowered> lowered = lower(row, arch);
    ASSERT_TRUE(lowered.ok()) << lowered.error().text();
    const wire_recipe& recipe = lowered->recipe;
    ASSERT_EQ(recipe.n_words, 3);
    EXPECT_EQ(recipe.result_word, 3U);
    EXPECT_TRUE(source_of(recipe, 2).is_result);
    EXPECT_FALSE(source_of(recipe, 1).is_result);
    EXPECT_EQ(recipe.peeks[recipe.n_peeks - 1].word, 2);
    EXPECT_EQ(recipe.peeks[recipe.n_peeks - 1].offset, 52);
    EXPECT_EQ(recipe.peeks[recipe.n_peeks - 1].at_return, 1);
    EXPECT_EQ(lowered->words[2].field, Field::kHandle2);
    EXPECT_EQ(lowered->words[2].bits, 32);
    EXPECT_TRUE(lowered->words[2].at_return);
  }
  row.behind_result.bytes = 3;
  EXPECT_FALSE(lower(row, Arch::kX86_64).ok());
}

TEST(Lower, TheAnswerToWhoAsksForANameIsReadAtReturnWithoutAPeek) {
  static constexpr Param kShape[] = {
      param::kFunction, {Abi::kI32, Field::kAsked}, {Abi::kI64}, {Abi::kPtr, Field::kAnswer}, {Abi::kPtr}};
  Row row = row_of(kShape);
  for (const Arch arch : {Arch::kX86_64, Arch::kArm64}) {
    const Result<Lowered> other = lower(row, arch);
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(other->recipe.asked_word, 0) << "a row that is never asked for a name";
    row.name_asked = 0x1190;
    const Result<Lowered> lowered = lower(row, arch);
    row.name_asked = 0;
    ASSERT_TRUE(lowered.ok()) << lowered.error().text();
    const wire_recipe& recipe = lowered->recipe;
    ASSERT_EQ(recipe.n_words, 3);
    EXPECT_EQ(recipe.asked_word, 2);
    EXPECT_EQ(recipe.answer_word, 3);
    EXPECT_EQ(recipe.name_asked, 0x1190);
    EXPECT_EQ(recipe.n_peeks, 0);
    EXPECT_EQ(recipe.n_return_peeks, 1) << "or nothing is done at return";
    EXPECT_EQ(place(recipe, 2), "r3");
  }
  row = row_of(shape::kLaunch);
  row.name_asked = 7;
  EXPECT_FALSE(lower(row, Arch::kX86_64).ok());
}

void expect_refused(Shape shape, const std::string& why) {
  for (const Arch arch : {Arch::kX86_64, Arch::kArm64}) {
    const Result<Lowered> lowered = lower(row_of(shape), arch);
    ASSERT_FALSE(lowered.ok()) << why;
    EXPECT_EQ(lowered.error().code(), Errc::kInvalid);
    EXPECT_NE(lowered.error().message().find("row probe"), std::string::npos);
    EXPECT_NE(lowered.error().message().find(why), std::string::npos) << lowered.error().message();
  }
}

TEST(Lower, RefusesWhatCannotBeCaptured) {
  static constexpr Param kVector[] = {{Abi::kFloat, Field::kBytes}};
  expect_refused(kVector, "vector register");
  static constexpr Param kPeekThroughInteger[] = {{Abi::kI64, Field::kNone, peek::kAddress}};
  expect_refused(kPeekThroughInteger, "not a pointer");
  static constexpr Peek kThreeBytes[] = {{Field::kBytes, 0, 3}};
  static constexpr Param kOddPeek[] = {{Abi::kPtr, Field::kNone, kThreeBytes}};
  expect_refused(kOddPeek, "peeks 3 bytes");
  static constexpr Param kDim3Elsewhere[] = {{Abi::kDim3, Field::kBytes}};
  expect_refused(kDim3Elsewhere, "three-dimensional");
  static constexpr Peek kAcross[] = {{Field::kBytes, 4, 8}};
  static constexpr Param kStraddles[] = {{.abi = Abi::kStruct, .peeks = kAcross, .bytes = 16}};
  expect_refused(kStraddles, "struct passed by value");
  static constexpr Peek kBehind[] = {{Field::kBytes, 16, 8}};
  static constexpr Param kOutside[] = {{.abi = Abi::kStruct, .peeks = kBehind, .bytes = 16}};
  expect_refused(kOutside, "struct passed by value");
  static constexpr Param kSizeless[] = {{Abi::kStruct}};
  expect_refused(kSizeless, "unknown size");
}

TEST(Lower, RefusesMoreWordsThanARecordHoldsAndMoreStackThanIsRead) {
  static constexpr Param kEleven[] = {param::kGridX,   param::kGridY,  param::kGridZ,  param::kBlockX,
                                      param::kBlockY,  param::kBlockZ, param::kStream, param::kBytes,
                                      param::kAddress, param::kSource, param::kHandle};
  expect_refused(kEleven, "more than the 10 words");
  static constexpr Param kFar[] = {param::kSkip, param::kSkip, param::kSkip, param::kSkip, param::kSkip,  param::kSkip,
                                   param::kSkip, param::kSkip, param::kSkip, param::kSkip, param::kSkip,  param::kSkip,
                                   param::kSkip, param::kSkip, param::kSkip, param::kSkip, param::kStream};
  expect_refused(kFar, "stack slot");
}

}  // namespace
}  // namespace ingero::hal
