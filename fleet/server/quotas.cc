// Charges bytes before they are decoded, so that what is refused costs little; points and series after.
#include "fleet/server/quotas.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "fleet/server/node_reports.h"
#include "fleet/store/cluster_store.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kHour_ns = 3'600'000'000'000;
constexpr double kNsPerSecond = 1e9;
constexpr const char* kManySeries = "the node has more than 4096 time series in this hour";

std::string node_of(const wire::Point& point) { return point.sender.cluster + "\n" + point.sender.node; }
uint64_t series_of(const wire::Point& point) { return fnv1a(point.metric) * 31 + point.hash; }

}  // namespace

Quotas::Token& Quotas::token_of(const std::string& authorization, uint64_t mono_ns) {
  const auto full = [&](uint64_t per_second) { return serve::http::Bucket(static_cast<double>(per_second), mono_ns); };
  const uint64_t key = options_.has_tokens ? fnv1a(authorization) : 0;
  Token& token =
      tokens_.try_emplace(key, Token{full(options_.bytes_per_second), full(options_.points_per_second)}).first->second;
  if (const uint64_t hour = mono_ns / kHour_ns; token.hour != hour) {
    token.hour = hour;
    token.series.clear();
    token.series_count = 0;
  }
  return token;
}

std::optional<Quotas::Refusal> Quotas::take(serve::http::Bucket& bucket, Kind kind, uint64_t per_second, uint64_t count,
                                            uint64_t mono_ns) {
  if (per_second == 0) return std::nullopt;
  const auto rate = static_cast<double>(per_second);
  const double left = bucket.fill(rate, mono_ns);
  if (left >= 1) {
    bucket.take(static_cast<double>(count));
    return std::nullopt;
  }
  ++refused_[static_cast<size_t>(kind)];
  return Refusal{kind,
                 fmt::format("the token's {} {} a second are used up", per_second, kNames[static_cast<size_t>(kind)]),
                 static_cast<uint64_t>((1 - left) / rate * kNsPerSecond)};
}

std::optional<Quotas::Refusal> Quotas::take_bytes(const std::string& authorization, uint64_t bytes, uint64_t mono_ns) {
  const std::lock_guard guard(mutex_);
  return take(token_of(authorization, mono_ns).bytes, Kind::kBytes, options_.bytes_per_second, bytes, mono_ns);
}

std::optional<Quotas::Refusal> Quotas::take_points(const std::string& authorization, wire::Batch& batch,
                                                   uint64_t mono_ns) {
  const std::lock_guard guard(mutex_);
  Token& token = token_of(authorization, mono_ns);
  if (auto refusal = take(token.points, Kind::kPoints, options_.points_per_second, batch.received, mono_ns)) {
    return refusal;
  }
  return take_series(token, batch, mono_ns);
}

// The token's limit refuses the batch whole and unchanged: the same may be sent again when the hour is over.
std::optional<Quotas::Refusal> Quotas::take_series(Token& token, wire::Batch& batch, uint64_t mono_ns) {
  std::vector<bool> is_over(batch.points.size());
  std::map<std::string, std::unordered_set<uint64_t>> found;
  size_t added = 0;
  for (size_t i = 0; i < batch.points.size(); ++i) {
    if (batch.points[i].metric == kChainMetric) continue;
    const std::string node = node_of(batch.points[i]);
    const uint64_t series = series_of(batch.points[i]);
    const auto known = token.series.find(node);
    if (known != token.series.end() && known->second.count(series) != 0) continue;
    if (known == token.series.end() && token.series.size() + found.size() >= store::kMaxNodes)
      continue;  // the store's to refuse
    auto& fresh = found[node];
    const size_t known_count = known == token.series.end() ? 0 : known->second.size();
    if (fresh.count(series) != 0) continue;
    is_over[i] = known_count + fresh.size() >= kMaxNodeSeries;
    if (is_over[i]) continue;
    fresh.insert(series);
    ++added;
  }
  if (added > 0 && options_.series_per_hour != 0 && token.series_count >= options_.series_per_hour) {
    ++refused_[static_cast<size_t>(Kind::kSeries)];
    return Refusal{Kind::kSeries,
                   fmt::format("the token's {} time series of this hour are used up", options_.series_per_hour),
                   (token.hour + 1) * kHour_ns - mono_ns};
  }
  for (auto& [node, fresh] : found) {
    if (!fresh.empty()) token.series[node].merge(fresh);
  }
  token.series_count += added;
  size_t index = 0;
  const size_t removed = std::erase_if(batch.points, [&](const wire::Point&) { return is_over[index++]; });
  if (removed > 0) batch.refused[kManySeries] += removed;
  return std::nullopt;
}

std::array<uint64_t, Quotas::kNames.size()> Quotas::refused() const {
  const std::lock_guard guard(mutex_);
  return refused_;
}

}  // namespace ingero::fleet::server
