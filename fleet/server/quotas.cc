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
constexpr const char* kManySeries = "the node has more than 4096 time series in this hour";

std::string node_of(const wire::Point& point) { return point.sender.cluster + "\n" + point.sender.node; }
uint64_t series_of(const wire::Point& point) { return fnv1a(point.metric) * 31 + point.hash; }

}  // namespace

Quotas::Token& Quotas::token_of(const std::string& authorization, uint64_t mono_ns) {
  const auto full = [&](uint64_t per_second) { return SharedBucket(static_cast<double>(per_second), mono_ns); };
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

// All of the request or nothing.
std::optional<Quotas::Refusal> Quotas::take(SharedBucket& bucket, Kind kind, uint64_t per_second, const Parts& parts,
                                            uint64_t mono_ns) {
  if (per_second == 0) return std::nullopt;
  for (const auto& [member, part] : parts) {
    const uint64_t wait_ns = bucket.wait_ns(member, mono_ns);
    if (wait_ns == 0) continue;
    const auto at = static_cast<size_t>(kind);
    ++refused_[at];
    return Refusal{kind,
                   fmt::format("{}: of the token's {} {} a second its share is used up, and what the others leave",
                               part.name, per_second, kNames[at]),
                   wait_ns};
  }
  for (const auto& [member, part] : parts) bucket.take(member, part.count, mono_ns);
  return std::nullopt;
}

std::optional<Quotas::Refusal> Quotas::take_bytes(const std::string& authorization, const std::string& address,
                                                  uint64_t bytes, uint64_t mono_ns) {
  const std::lock_guard guard(mutex_);
  const Parts parts{{fnv1a(address), {printable(address, 64), static_cast<double>(bytes)}}};
  return take(token_of(authorization, mono_ns).bytes, Kind::kBytes, options_.bytes_per_second, parts, mono_ns);
}

std::optional<Quotas::Refusal> Quotas::take_points(const std::string& authorization, wire::Batch& batch,
                                                   uint64_t mono_ns) {
  const std::lock_guard guard(mutex_);
  Token& token = token_of(authorization, mono_ns);
  if (auto refusal = take(token.points, Kind::kPoints, options_.points_per_second, parts_of(batch), mono_ns)) {
    return refusal;
  }
  return take_series(token, batch, mono_ns);
}

// By node. A window was several points: what was received is divided by what it became.
Quotas::Parts Quotas::parts_of(const wire::Batch& batch) {
  constexpr double kOfWindow = 8;
  Parts parts;
  double sum = 0;
  const auto add = [&](const wire::Sender& sender, double count) {
    Part& part = parts[fnv1a(sender.cluster) * 31 + fnv1a(sender.node)];
    if (part.name.empty()) part.name = fmt::format("node {} of {}", sender.node, sender.cluster);
    part.count += count;
    sum += count;
  };
  for (const wire::Point& point : batch.points) add(point.sender, 1);
  for (const wire::Window& window : batch.windows) {
    add(window.sender, kOfWindow + static_cast<double>(window.arrivals.size()));
  }
  if (parts.empty()) parts[0] = {"points of no node", sum = 1};
  for (auto& [member, part] : parts) part.count *= static_cast<double>(batch.received) / sum;
  return parts;
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
