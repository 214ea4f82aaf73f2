// The page keeps its rules, whatever fills it: no series twice, caps with an overflow label, values scrapers can read.
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "serve/metrics/metric_names.h"
#include "serve/metrics/metric_set.h"
#include "serve/metrics/process_metrics.h"

namespace ingero::serve::metrics {
namespace {

constexpr Metric kCount{"x_total", MetricType::kCounter, "a", "Help."};
constexpr Metric kLevel{"x_level", MetricType::kGauge, "a", "Help."};
constexpr Metric kTime{"x_seconds", MetricType::kHistogram, "a", "Help."};

size_t lines_with(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (const auto line : split(text, '\n')) count += line.find(part) != std::string_view::npos ? 1 : 0;
  return count;
}

TEST(MetricSet, WritesHelpTypeAndValueOncePerName) {
  MetricSet page;
  page.add(kCount, {{"a", "1"}}, 3);
  page.add(kCount, {{"a", "2"}}, 4);
  EXPECT_EQ(page.text(), "# HELP x_total Help.\n# TYPE x_total counter\nx_total{a=\"1\"} 3\nx_total{a=\"2\"} 4\n");
}

TEST(MetricSet, RefusesASeriesTwiceInAnyLabelOrder) {
  MetricSet page;
  page.add(kLevel, {{"a", "1"}, {"b", "2"}}, 1);
  page.add(kLevel, {{"b", "2"}, {"a", "1"}}, 9);
  EXPECT_EQ(page.folded(), 1U);
  EXPECT_EQ(lines_with(page.text(), "x_level{"), 1U);
  EXPECT_EQ(lines_with(page.text(), " 9"), 0U);
}

TEST(MetricSet, FoldsCountersPastTheCapAndLosesNoCount) {
  MetricSet page;
  const size_t extra = 7;
  for (size_t i = 0; i < MetricSet::kMaxSeries + extra; ++i) page.add(kCount, {{"a", std::to_string(i)}}, 2);
  EXPECT_EQ(page.folded(), extra);
  const std::string text = page.text();
  EXPECT_EQ(lines_with(text, "x_total{"), MetricSet::kMaxSeries + 1);
  EXPECT_EQ(lines_with(text, "x_total{a=\"other\"} 14"), 1U);
}

TEST(MetricSet, LeavesOutGaugesPastTheCap) {
  MetricSet page;
  for (size_t i = 0; i < MetricSet::kMaxSeries + 3; ++i) page.add(kLevel, {{"a", std::to_string(i)}}, 2);
  EXPECT_EQ(page.folded(), 3U);
  EXPECT_EQ(lines_with(page.text(), "x_level{"), MetricSet::kMaxSeries);
  EXPECT_EQ(lines_with(page.text(), "other"), 0U);
}

TEST(MetricSet, MakesHostileLabelValuesHarmless) {
  MetricSet page;
  page.add(kLevel, {{"a", "x\"} 1\nevil{b=\"\\\xff"}}, 1);
  page.add(kLevel, {{"a", std::string(5000, 'y')}}, 1);
  const std::string text = page.text();
  EXPECT_EQ(lines_with(text, "evil"), 1U) << text;
  EXPECT_EQ(text.find('\xff'), std::string::npos);
  EXPECT_LT(text.size(), 600U);
  EXPECT_EQ(split(text, '\n').size(), 5U) << text;  // help, type, two series, the end
}

TEST(MetricSet, LeavesUnknownValuesOut) {
  MetricSet page;
  page.add(kLevel, {}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(lines_with(page.text(), "x_level "), 0U);
}

TEST(MetricSet, WritesCumulativeBuckets) {
  MetricSet page;
  const double bounds[] = {1, 2};
  const uint64_t counts[] = {3, 0, 4};
  page.add(kTime, {}, Buckets{bounds, counts, 9.5});
  const std::string text = page.text();
  for (const char* line : {"x_seconds_count 7\n", "x_seconds_sum 9.5\n", "x_seconds_bucket{le=\"1\"} 3\n",
                           "x_seconds_bucket{le=\"2\"} 3\n", "x_seconds_bucket{le=\"+Inf\"} 7\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(MetricNames, AreUniqueAndExplained) {
  std::set<std::string_view> names;
  const Metric all[] = {
#define X(constant, name, type, labels, help) constant,
      INGERO_METRICS(X)
#undef X
  };
  for (const Metric& metric : all) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(metric.help.ends_with('.')) << metric.name;
    if (metric.type == MetricType::kUntyped) continue;  // an earlier name that says otherwise
    EXPECT_EQ(metric.type == MetricType::kCounter, metric.name.ends_with("_total")) << metric.name;
  }
}

TEST(MetricWord, KeepsWhatANameMayHold) {
  EXPECT_EQ(metric_word("port_rcv_errors"), "port_rcv_errors");
  EXPECT_EQ(metric_word("VL15_dropped"), "vl15_dropped");
  EXPECT_EQ(metric_word("RcvHdrOvr"), "rcv_hdr_ovr");
  EXPECT_EQ(metric_word("a-b c/d"), "a_b_c_d");
  EXPECT_EQ(metric_word("\xff\n{}"), "");
  EXPECT_LE(metric_word(std::string(1000, 'a')).size(), 64U);
}

TEST(ProcessMetrics, SayWhatThisProcessUses) {
  MetricSet page;
  write_process(page);
  const std::string text = page.text();
  for (const char* name : {"process_cpu_seconds_total ", "process_resident_memory_bytes ", "process_open_fds ",
                           "process_threads ", "process_start_time_seconds "}) {
    EXPECT_NE(text.find(std::string("\n") + name), std::string::npos) << name << text;
  }
  MetricSet empty;
  write_process(empty, "/nonexistent");
  EXPECT_EQ(empty.text(), "");
}

}  // namespace
}  // namespace ingero::serve::metrics
