// Whether an incident is transient, periodic or persistent.
#include "fleet/server/incident_rows.h"

#include <gtest/gtest.h>

namespace ingero::fleet::server {
namespace {

store::IncidentRow row_of(uint32_t rank, uint64_t from_s, uint64_t to_s, const std::string& state = "over") {
  store::IncidentRow row;
  row.cluster = "c";
  row.kind = "straggler";
  row.what = "host";
  row.node = "n";
  row.state = state;
  row.rank = rank;
  row.from_ns = from_s * 1'000'000'000;
  row.to_ns = to_s * 1'000'000'000;
  return row;
}

std::string persistence(const store::IncidentRow& row, const std::vector<store::IncidentRow>& known = {}) {
  return std::string(Onsets(known).persistence_of(row).value_or("unknown"));
}

TEST(Persistence, OverWithinAMinuteIsTransient) {
  EXPECT_EQ(persistence(row_of(5, 1000, 1059)), "transient");
  EXPECT_EQ(persistence(row_of(5, 1000, 1060)), "persistent");
}

TEST(Persistence, WhatIsYoungOrWasCutOffIsUnknown) {
  EXPECT_EQ(persistence(row_of(5, 1000, 1030, "open")), "unknown");
  EXPECT_EQ(persistence(row_of(5, 1000, 1030, "silent")), "unknown");
  EXPECT_EQ(persistence(row_of(5, 1000, 1300, "open")), "persistent");
}

TEST(Persistence, TheThirdTimeAtEvenGapsIsPeriodic) {
  const std::vector<store::IncidentRow> known{row_of(5, 1000, 1030), row_of(5, 1600, 1640), row_of(5, 2210, 2250)};
  EXPECT_EQ(persistence(known[0], known), "transient") << "what comes later does not count";
  EXPECT_EQ(persistence(known[1], known), "transient");
  EXPECT_EQ(persistence(known[2], known), "periodic");
  EXPECT_EQ(persistence(row_of(5, 2820, 2830, "open"), known), "periodic") << "it need not be stored";
}

TEST(Persistence, GapsThatDifferAreNoPeriod) {
  EXPECT_EQ(persistence(row_of(5, 2000, 2030), {row_of(5, 1000, 1030), row_of(5, 1200, 1240)}), "transient");
  EXPECT_EQ(persistence(row_of(5, 2000, 2030), {row_of(5, 1000, 1030), row_of(5, 1560, 1590)}), "transient");
}

TEST(Persistence, OthersDoNotCount) {
  auto other_kind = row_of(5, 1600, 1640), other_job = row_of(5, 1600, 1640);
  other_kind.kind = "low_health_score";
  other_job.job = "j";
  const auto row = row_of(5, 2200, 2230), first = row_of(5, 1000, 1030);
  EXPECT_EQ(persistence(row, {first, row_of(6, 1600, 1640)}), "transient");
  EXPECT_EQ(persistence(row, {first, other_kind}), "transient");
  EXPECT_EQ(persistence(row, {first, other_job}), "transient");
  EXPECT_EQ(persistence(row, {first, row_of(5, 1600, 1640)}), "periodic");
}

TEST(Persistence, OfLongHistoriesTheLastOnsetsCount) {
  std::vector<store::IncidentRow> known{row_of(5, 10, 20)};
  for (uint64_t i = 0; i < 10; ++i) known.push_back(row_of(5, 10'000 + 600 * i, 10'030 + 600 * i));
  EXPECT_EQ(persistence(known.back(), known), "periodic");
}

}  // namespace
}  // namespace ingero::fleet::server
