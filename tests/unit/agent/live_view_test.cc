// The tables of a running trace: which rows come where, and which shares can be read as shares.
#include "agent/view/live_view.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/registry.h"

namespace ingero::agent {
namespace {

class LiveViewTest : public ::testing::Test {
 protected:
  LiveRow row_of(bool is_host, uint64_t total_ns) const {
    LiveRow row;
    row.call = 0;
    while ((calls_[row.call].kind == hal::Kind::kHost) != is_host) ++row.call;
    row.count = 10;
    row.is_timed = true;
    row.total_ns = total_ns;
    row.off_ns = total_ns / 2;
    return row;
  }
  std::string render(const std::vector<LiveRow>& rows) const {
    return render_rows(rows, calls_, 1'000'000'000, 0, false);
  }
  // The line of a table that names the row's call.
  std::string line_of(const std::string& text, const LiveRow& row) const {
    const size_t at = text.find("\n" + std::string(calls_[row.call].op_name));
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }

  const hal::CallTable calls_{backends::all_backends()};
};

TEST_F(LiveViewTest, ACallsTimeIsAShareOfTheWall) {
  const LiveRow row = row_of(false, 250'000'000);
  const std::string line = line_of(render({row}), row);
  EXPECT_NE(line.find("25.0%"), std::string::npos) << line;
  EXPECT_NE(line.find("50.0%"), std::string::npos) << "of which off the CPU: " << line;
}

TEST_F(LiveViewTest, WhatTheHostDidToAllThreadsIsNoShareOfTheWall) {
  const LiveRow row = row_of(true, 40'000'000'000);
  const std::string line = line_of(render({row}), row);
  EXPECT_EQ(line.find("4000"), std::string::npos) << line;
  EXPECT_NE(line.find(" - "), std::string::npos) << line;
  EXPECT_NE(line.find("50.0%"), std::string::npos) << "off the CPU: " << line;
}

// Reported: process_exit had "0ns" in every column.
TEST_F(LiveViewTest, WhatHasNoDurationShowsNone) {
  LiveRow row = row_of(true, 0);
  row.is_timed = false;
  const std::string line = line_of(render({row}), row);
  EXPECT_EQ(line.find("0ns"), std::string::npos) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '-'), 6) << line;
}

TEST_F(LiveViewTest, ACallHasTheNameThatReportsGiveIt) {
  LiveRow row = row_of(false, 5);
  while (calls_[row.call].name != "cudaStreamSynchronize") ++row.call;
  const std::string text = render({row});
  EXPECT_NE(text.find("\ncudaStreamSync "), std::string::npos) << text;
}

TEST_F(LiveViewTest, HostEventsHaveATableOfTheirOwn) {
  const LiveRow call = row_of(false, 1), host = row_of(true, 1);
  const std::string text = render({host, call});
  EXPECT_LT(text.find(calls_[call.call].name), text.find("HOST"));
  EXPECT_LT(text.find("HOST"), text.find(calls_[host.call].name));
  EXPECT_NE(render({host}).find("No calls yet."), std::string::npos);
  EXPECT_EQ(render({call}).find("HOST"), std::string::npos);
}

}  // namespace
}  // namespace ingero::agent
