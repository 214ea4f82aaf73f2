// From captured words to fields: masks, signs, products, directions, and what must stay absent.
#include "hal/decode.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "hal/shapes.h"

namespace ingero::hal {
namespace {

// Codes of an invented vendor: 7 is host to device; places 1 host, 2 device, 3 either; 99 is "not ready".
constexpr Direction kDirections[] = {Direction::kUnknown, Direction::kUnknown,     Direction::kUnknown,
                                     Direction::kUnknown, Direction::kUnknown,     Direction::kUnknown,
                                     Direction::kUnknown, Direction::kHostToDevice};
constexpr Place kPlaces[] = {Place::kUnknown, Place::kHost, Place::kDevice, Place::kEither};
constexpr int64_t kNotReady[] = {99, 98};
constexpr int64_t kAccepted[] = {98};
constexpr DataType kTypes[] = {{}, {}, {}, {}, {}, {"float64", 8}};
const Backend kInvented{.name = "invented",
                        .vendor = "nobody",
                        .libraries = {},
                        .directions = kDirections,
                        .places = kPlaces,
                        .not_failures = kNotReady,
                        .accepted = kAccepted,
                        .datatypes = kTypes};

class Decoding {
 public:
  explicit Decoding(Row row, Arch arch = Arch::kX86_64) : row_(row), arch_(arch) {
    call_.row = &row_;
    call_.owner = &kInvented;
    call_.kind = row_.kind;
  }
  Event operator()(std::vector<uint64_t> words, uint64_t ret = 0, uint16_t valid = 0xffff,
                   Outcome outcome = Outcome::kReturned) const {
    const Result<Lowered> lowered = lower(row_, arch_);
    EXPECT_TRUE(lowered.ok());
    Event event;
    event.outcome = outcome;
    exchange_ = {};
    decode(call_, *lowered, words, valid, ret, event, &exchange_);
    return event;
  }
  // Of the last call.
  const Exchange& exchange() const { return exchange_; }

 private:
  Row row_;
  Arch arch_;
  Call call_;
  mutable Exchange exchange_;
};

constexpr uint64_t kGarbage = 0xdeadbeef00000000;

TEST(Decode, ALaunchFillsGridBlockSharedAndStream) {
  const Decoding decoding({.name = "launch", .kind = Kind::kLaunch, .shape = shape::kLaunch});
  const Event event =
      decoding({0x4000, (uint64_t{5} << 32) | 4, kGarbage | 6, (uint64_t{8} << 32) | 7, kGarbage | 9, 1024, 0xabc});
  EXPECT_EQ(event.function, 0x4000U);
  EXPECT_EQ(event.grid, (std::array<uint32_t, 3>{4, 5, 6}));
  EXPECT_EQ(event.block, (std::array<uint32_t, 3>{7, 8, 9}));
  EXPECT_EQ(event.shared_bytes, 1024U);
  EXPECT_EQ(event.stream, 0xabcU);
  for (const Has has : {Has::kFunction, Has::kGrid, Has::kBlock, Has::kSharedBytes, Has::kStream, Has::kReturnCode}) {
    EXPECT_TRUE(event.has(has));
  }
  EXPECT_FALSE(event.has(Has::kBytes));
  EXPECT_FALSE(event.failed);
}

TEST(Decode, AWordThatCouldNotBeReadStaysAbsentAndTakesItsWholeWithIt) {
  const Decoding decoding({.name = "launch", .kind = Kind::kLaunch, .shape = shape::kLaunch});
  const Event event = decoding({1, 2, 3, 4, 5, 6, 7}, 0, 0b1111011);  // grid z is missing
  EXPECT_FALSE(event.has(Has::kGrid));
  EXPECT_TRUE(event.has(Has::kBlock));
  const Event few = decoding({1, 2});  // a record shorter than its recipe
  EXPECT_TRUE(few.has(Has::kFunction));
  EXPECT_FALSE(few.has(Has::kStream));
}

TEST(Decode, TheUpperHalfOfA32BitWordIsIgnoredAndSignsExtend) {
  const Decoding decoding({.name = "set", .kind = Kind::kDevice, .shape = shape::kDeviceOnly});
  EXPECT_EQ(decoding({kGarbage | 3}).device, 3);
  EXPECT_EQ(decoding({kGarbage | 0xffffffff}).device, -1);
}

TEST(Decode, OutPointersCountOnlyWhenTheCallSucceeded) {
  const Decoding decoding({.name = "alloc", .kind = Kind::kAlloc, .shape = shape::kAlloc});
  const Event good = decoding({0x7000, 64});
  EXPECT_TRUE(good.has(Has::kAddress));
  EXPECT_EQ(good.address, 0x7000U);
  EXPECT_EQ(good.bytes, 64U);
  const Event failed = decoding({0x7000, 64}, kGarbage | 2);
  EXPECT_TRUE(failed.failed);
  EXPECT_EQ(failed.return_code, 2);
  EXPECT_FALSE(failed.has(Has::kAddress));
  EXPECT_TRUE(failed.has(Has::kBytes));
  const Event unwound = decoding({0x7000, 64}, 0, 0xffff, Outcome::kUnwound);
  EXPECT_FALSE(unwound.has(Has::kAddress));
  EXPECT_FALSE(unwound.has(Has::kReturnCode));
  EXPECT_FALSE(unwound.failed);
}

TEST(Decode, NotReadyIsAnAnswerAndNoResult) {
  const Decoding decoding({.name = "query", .kind = Kind::kEvent, .shape = shape::kHandleCreate});
  const Event event = decoding({5}, 99);
  EXPECT_FALSE(event.failed);
  EXPECT_EQ(event.return_code, 99);
  EXPECT_FALSE(event.has(Has::kHandle));
}

TEST(Decode, NegativeStatusAndNullPointerAreFailuresAndVoidIsNot) {
  const Decoding status({.name = "s", .kind = Kind::kSync, .shape = {}});
  EXPECT_EQ(status({}, 0xffffffff).return_code, -1);
  EXPECT_TRUE(status({}, 0xffffffff).failed);
  const Decoding pointer({.name = "p", .kind = Kind::kModule, .shape = {}, .returns = Returns::kPointer});
  EXPECT_TRUE(pointer({}, 0).failed);
  EXPECT_FALSE(pointer({}, 0x1000).failed);
  EXPECT_FALSE(pointer({}, 0x1000).has(Has::kReturnCode));
  const Decoding nothing({.name = "v", .kind = Kind::kModule, .shape = {}, .returns = Returns::kVoid});
  EXPECT_FALSE(nothing({}, 77).failed);
  EXPECT_FALSE(nothing({}, 77).has(Has::kReturnCode));
}

TEST(Decode, AReturnedPointerIsWhatTheRowSaysUnlessItIsNull) {
  const Decoding decoding({.name = "make",
                           .kind = Kind::kAlloc,
                           .shape = shape::kNothing,
                           .returns = Returns::kPointer,
                           .result = Field::kAddress});
  const Event made = decoding({}, 0xffff'0000'1234);
  EXPECT_TRUE(made.has(Has::kAddress));
  EXPECT_EQ(made.address, 0xffff'0000'1234U);
  EXPECT_FALSE(decoding({}, 0).has(Has::kAddress));
  EXPECT_FALSE(decoding({}, 0x1234, 0, Outcome::kUnwound).has(Has::kAddress));
}

TEST(Decode, AreaCopiesMultiplyAndSaturate) {
  const Decoding decoding({.name = "copy2d", .kind = Kind::kMemcpy, .shape = shape::kCopy2D});
  const Event event = decoding({1, 2, 100, 20, 7});
  EXPECT_EQ(event.bytes, 2000U);
  EXPECT_EQ(event.direction, Direction::kHostToDevice);
  EXPECT_TRUE(event.has(Has::kDirection));
  const Event huge = decoding({1, 2, uint64_t{1} << 40, uint64_t{1} << 40, 7});
  EXPECT_EQ(huge.bytes, static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  const Event no_height = decoding({1, 2, 100, 20, 7}, 0, 0b10111);
  EXPECT_FALSE(no_height.has(Has::kBytes)) << "a missing factor must not shrink the product";
}

TEST(Decode, AnUnknownDirectionCodeIsAbsent) {
  const Decoding decoding({.name = "copy", .kind = Kind::kMemcpy, .shape = shape::kCopyDirected});
  const Event event = decoding({1, 2, 3, 1234});
  EXPECT_FALSE(event.has(Has::kDirection));
  EXPECT_EQ(event.direction, Direction::kUnknown);
}

TEST(Decode, ElementSizeOfTheRowMultiplies) {
  const Decoding wide({.name = "d32", .kind = Kind::kMemset, .shape = shape::kSet, .element_bytes = 4});
  EXPECT_EQ(wide({1, 10}).bytes, 40U);
  const Decoding area({.name = "d2d16", .kind = Kind::kMemset, .shape = shape::kSet2D, .element_bytes = 2});
  EXPECT_EQ(area({1, 10, 3}).bytes, 60U);
}

TEST(Decode, AWidthInElementsLeavesBytesUnknown) {
  static constexpr Peek kParms[] = {{Field::kInElements, 0}, {Field::kInElements, 8}, {Field::kWidth, 16}};
  static constexpr Param kShape[] = {{Abi::kPtr, Field::kNone, kParms}};
  const Decoding decoding({.name = "copy3d", .kind = Kind::kMemcpy, .shape = kShape});
  EXPECT_EQ(decoding({0, 0, 50}).bytes, 50U);
  EXPECT_FALSE(decoding({0, 0xa, 50}).has(Has::kBytes));
  EXPECT_FALSE(decoding({0xa, 0, 50}).has(Has::kBytes));
  EXPECT_FALSE(decoding({0, 0, 50}, 0, 0b101).has(Has::kBytes)) << "not known to be bytes";
}

TEST(Decode, TwoPlacesMakeADirection) {
  static constexpr Peek kParms[] = {{Field::kSourcePlace, 0, 4}, {Field::kDestinationPlace, 4, 4}};
  static constexpr Param kShape[] = {{Abi::kPtr, Field::kNone, kParms}};
  const Decoding decoding({.name = "copy", .kind = Kind::kMemcpy, .shape = kShape});
  EXPECT_EQ(decoding({1, 1}).direction, Direction::kHostToHost);
  EXPECT_EQ(decoding({1, 2}).direction, Direction::kHostToDevice);
  EXPECT_EQ(decoding({2, 1}).direction, Direction::kDeviceToHost);
  EXPECT_EQ(decoding({2, 2}).direction, Direction::kDeviceToDevice);
  EXPECT_EQ(decoding({3, 1}).direction, Direction::kDefault);
  EXPECT_FALSE(decoding({1, 55}).has(Has::kDirection));
  EXPECT_FALSE(decoding({1, 2}, 0, 0b01).has(Has::kDirection));
}

TEST(Decode, TheNameOfACallSaysItsDirection) {
  const Decoding decoding(
      {.name = "DtoH", .kind = Kind::kMemcpy, .shape = shape::kCopy, .direction = Direction::kDeviceToHost});
  EXPECT_EQ(decoding({1, 2, 3}).direction, Direction::kDeviceToHost);
}

TEST(Decode, WorkItemsBecomeBlocksRoundedUp) {
  static constexpr Param kShape[] = {{Abi::kI32, Field::kThreadsX},
                                     {Abi::kI32, Field::kThreadsY},
                                     {Abi::kI32, Field::kThreadsZ},
                                     param::kBlockX,
                                     param::kBlockY,
                                     param::kBlockZ};
  const Decoding decoding({.name = "launch", .kind = Kind::kLaunch, .shape = kShape});
  EXPECT_EQ(decoding({1000, 4, 1, 256, 4, 1}).grid, (std::array<uint32_t, 3>{4, 1, 1}));
  EXPECT_EQ(decoding({0xffffffff, 1, 1, 2, 1, 1}).grid[0], 0x80000000U);
  EXPECT_FALSE(decoding({1000, 4, 1, 0, 4, 1}).has(Has::kGrid)) << "a block of zero threads divides nothing";
}

TEST(Decode, AMemberOfAStructByValueIsShiftedOut) {
  static constexpr Peek kId[] = {{Field::kDevice, 4, 4, When::kEntry, true}};
  static constexpr Param kShape[] = {{.abi = Abi::kStruct, .peeks = kId, .bytes = 8}};
  const Decoding decoding({.name = "prefetch", .kind = Kind::kMemcpy, .shape = kShape});
  EXPECT_EQ(decoding({(uint64_t{3} << 32) | 1}).device, 3);
  EXPECT_EQ(decoding({(uint64_t{0xffffffff} << 32) | 1}).device, -1);
}

TEST(Decode, ASizeOfWhichA32BitCallDoesNotSayAPartIsUnknown) {
  static constexpr Peek kHeight[] = {{Field::kHeight, 8, 8}};  // in a structure of another layout there
  static constexpr Param kShape[] = {param::kWidth, {Abi::kPtr, Field::kNone, kHeight}, param::kAddress};
  const Row row{.name = "copy", .kind = Kind::kMemcpy, .shape = kShape};
  EXPECT_EQ(Decoding(row)({10, 20, 0x1000}).bytes, 200U);
  const Event narrow = Decoding(row, Arch::kX86_32)({10, 0x1000});
  EXPECT_FALSE(narrow.has(Has::kBytes)) << "not 10";
  EXPECT_EQ(narrow.address, 0x1000U);
}

constexpr Param kOnCommunicator[] = {{Abi::kPtr, Field::kCommunicator},
                                     {Abi::kI64, Field::kCount},
                                     {Abi::kI32, Field::kDatatype},
                                     {.abi = Abi::kI32, .into = Field::kPeer, .is_signed = true}};

TEST(Decode, ATypedCountIsBytesWhereTheTypesSizeIsKnown) {
  const Decoding decoding({.name = "send", .kind = Kind::kP2p, .shape = kOnCommunicator, .role = Role::kAsk});
  const Event event = decoding({0x1000, 10, kGarbage | 5, kGarbage});
  EXPECT_TRUE(event.has(Has::kBytes));
  EXPECT_EQ(event.bytes, 80U);
  EXPECT_EQ(decoding.exchange().role, Role::kAsk);
  EXPECT_EQ(decoding.exchange().communicator, 0x1000U);
  EXPECT_EQ(decoding.exchange().count, 10U);
  EXPECT_EQ(decoding.exchange().datatype, 5U);
  EXPECT_EQ(decoding.exchange().peer, 0) << "rank 0 is a rank";
  EXPECT_FALSE(decoding({0x1000, 10, 6, 0}).has(Has::kBytes)) << "a type of unknown size";
  EXPECT_EQ(decoding.exchange().count, 10U);
  EXPECT_FALSE(decoding({0x1000, 10, 5, 0}, 0, 0b1101).has(Has::kBytes)) << "a count that could not be read";
  EXPECT_FALSE(decoding.exchange().count);
  EXPECT_EQ(decoding({0x1000, UINT64_MAX, 5, 0}).bytes, uint64_t{INT64_MAX});
  decoding({0x1000, 10, 5, 0xffffffff});
  EXPECT_EQ(decoding.exchange().peer, -1);
}

TEST(Decode, WhatAnAcceptedCallGivesOutIsThere) {
  static constexpr Peek kNew[] = {{Field::kNewCommunicator, 0, 8, When::kReturn}};
  static constexpr Param kMake[] = {{Abi::kPtr, Field::kNone, kNew}};
  const Decoding decoding({.name = "make", .kind = Kind::kCommunicator, .shape = kMake});
  EXPECT_FALSE(decoding({0x77}, 98).failed);
  EXPECT_EQ(decoding.exchange().new_communicator, 0x77U);
  EXPECT_FALSE(decoding({0x77}, 99).failed);
  EXPECT_FALSE(decoding.exchange().new_communicator) << "not ready: nothing was written";
  EXPECT_TRUE(decoding({0x77}, 4).failed);
  EXPECT_FALSE(decoding.exchange().new_communicator);
}

}  // namespace
}  // namespace ingero::hal
