// The dense numbering of calls.
#include "hal/call_table.h"

#include <gtest/gtest.h>

#include "hal/event.h"
#include "hal/shapes.h"

namespace ingero::hal {
namespace {

constexpr StatusName kLibraryStatuses[] = {{0, "SUCCESS"}, {2, "OUT_OF_MEMORY"}};
constexpr StatusName kBackendStatuses[] = {{0, "success"}, {2, "errorMemory"}};

constexpr Row kRows[] = {
    {.name = "alloc", .kind = Kind::kAlloc, .shape = shape::kAlloc, .op = 1, .op_name = "allocate"},
    {.name = "free", .kind = Kind::kFree, .shape = shape::kFree, .source = 8},
    {.name = "alloc", .kind = Kind::kAlloc, .shape = shape::kAllocFlags, .variants = kV2 | kNotBase},
};
constexpr Row kOther[] = {{.name = "alloc", .kind = Kind::kAlloc, .shape = shape::kAlloc}};
constexpr Library kLibraries[] = {
    {.name = "one", .sonames = {}, .rows = kRows, .layer = "UPPER", .source = 4},
    {.name = "two", .sonames = {}, .rows = kOther, .layer = "LOWER", .source = 5, .statuses = kLibraryStatuses},
};
const Backend kVendor{.name = "b", .vendor = "v", .libraries = kLibraries, .statuses = kBackendStatuses};
const Backend* const kBackends[] = {&kVendor};

TEST(CallTable, RowsOfOneNameInOneLibraryAreOneCallAndInTwoAreTwo) {
  const CallTable table(kBackends);
  EXPECT_EQ(table.id_of(kRows[0]), table.id_of(kRows[2]));
  EXPECT_NE(table.id_of(kRows[0]), table.id_of(kOther[0]));
  EXPECT_EQ(table.size(), 3 + static_cast<size_t>(HostOp::kCount));
}

TEST(CallTable, NamesSourcesAndLayersComeFromTheRowOrElseTheLibrary) {
  const CallTable table(kBackends);
  const Call& alloc = table[table.id_of(kRows[0])];
  EXPECT_EQ(alloc.op_name, "allocate");
  EXPECT_EQ(alloc.source, 4);
  EXPECT_EQ(alloc.layer, "UPPER");
  const Call& free = table[table.id_of(kRows[1])];
  EXPECT_EQ(free.op_name, "free");
  EXPECT_EQ(free.source, 8);
}

TEST(CallTable, AStrangersRowHasNoNumber) {
  const CallTable table(kBackends);
  const Row stranger{.name = "alloc", .kind = Kind::kAlloc, .shape = {}};
  EXPECT_EQ(table.id_of(stranger), kNoCall);
}

TEST(CallTable, HostOperationsFollowTheRowsUnderTheirPublishedNumbers) {
  const CallTable table(kBackends);
  const struct {
    HostOp op;
    std::string_view name;
    uint16_t source;
    uint16_t number;
  } kExpected[] = {{HostOp::kSchedSwitch, "sched_switch", 3, 1},   {HostOp::kPageAlloc, "mm_page_alloc_summary", 3, 20},
                   {HostOp::kOomKill, "oom_kill", 3, 4},           {HostOp::kExec, "process_exec", 3, 5},
                   {HostOp::kExit, "process_exit", 3, 6},          {HostOp::kFork, "process_fork", 3, 7},
                   {HostOp::kBlockRead, "block_read", 5, 1},       {HostOp::kBlockWrite, "block_write", 5, 2},
                   {HostOp::kBlockDiscard, "block_discard", 5, 3}, {HostOp::kTcpRetransmit, "tcp_retransmit", 6, 1},
                   {HostOp::kNetSend, "net_send_summary", 7, 0},   {HostOp::kNetReceive, "net_recv_summary", 7, 0}};
  for (const auto& expected : kExpected) {
    const CallId id = table.id_of(expected.op);
    EXPECT_EQ(table[id].name, expected.name);
    EXPECT_EQ(table[id].source, expected.source);
    EXPECT_EQ(table[id].op, expected.number);
    EXPECT_EQ(table[id].kind, Kind::kHost);
    EXPECT_EQ(table.host_op(id), expected.op);
  }
  EXPECT_FALSE(table.host_op(0).has_value());
  EXPECT_FALSE(table.host_op(static_cast<CallId>(table.size())).has_value());
}

TEST(CallTable, HostOperationsAreFoundByTheirNames) {
  const CallTable table({});
  for (size_t op = 0; op < static_cast<size_t>(HostOp::kCount); ++op) {
    const auto expected = static_cast<HostOp>(op);
    EXPECT_EQ(host_op_named(table[table.id_of(expected)].name), expected);
  }
  EXPECT_EQ(host_op_named("net_send"), HostOp::kNetSend);
  EXPECT_EQ(host_op_named("net_recv"), HostOp::kNetReceive);
  EXPECT_EQ(host_op_named("mm_page_alloc"), HostOp::kPageAlloc);
  for (const std::string_view name : {"", "_summary", "net", "net_send_", "sched_switch_summary", "cudaMalloc"}) {
    EXPECT_FALSE(host_op_named(name).has_value()) << name;
  }
}

TEST(CallTable, ALibrarysOwnStatusNamesGoFirst) {
  const CallTable table(kBackends);
  EXPECT_EQ(status_name(table[table.id_of(kRows[0])], 2), "errorMemory");
  EXPECT_EQ(status_name(table[table.id_of(kOther[0])], 2), "OUT_OF_MEMORY");
  EXPECT_EQ(status_name(table[table.id_of(HostOp::kExec)], 2), "");
}

TEST(Vocabulary, EveryWordHasItsOwnSpelling) {
  for (size_t i = 0; i < static_cast<size_t>(Kind::kCount); ++i) {
    const auto kind = static_cast<Kind>(i);
    EXPECT_EQ(kind_of(name_of(kind)), kind);
  }
  EXPECT_EQ(name_of(Kind::kHost), "host");
  EXPECT_EQ(name_of(Kind::kCollective), "collective");
  EXPECT_FALSE(kind_of("Launch").has_value());
  EXPECT_EQ(name_of(Field::kQueuePair), "queue_pair");
  EXPECT_EQ(name_of(Field::kAddress), "address");
  EXPECT_EQ(name_of(Field::kThreadsZ), "threads_z");
  EXPECT_EQ(name_of(Direction::kDefault), "default");
  EXPECT_EQ(name_of(Outcome::kNeverReturned), "never returned");
}

TEST(Spellings, VersionsAndStreamSuffixesCombine) {
  const Row row{.name = "f", .kind = Kind::kMemcpy, .shape = {}, .variants = kV2 | kPtsz | kPtds};
  EXPECT_EQ(spellings(row), (std::vector<std::string>{"f", "f_ptsz", "f_ptds", "f_v2", "f_v2_ptsz", "f_v2_ptds"}));
  const Row only_v2{.name = "f", .kind = Kind::kMemcpy, .shape = {}, .variants = kV2 | kNotBase | kPtds};
  EXPECT_EQ(spellings(only_v2), (std::vector<std::string>{"f_v2", "f_v2_ptds"}));
  const Row plain{.name = "f", .kind = Kind::kMemcpy, .shape = {}, .variants = kSpt};
  EXPECT_EQ(spellings(plain), (std::vector<std::string>{"f", "f_spt"}));
}

}  // namespace
}  // namespace ingero::hal
