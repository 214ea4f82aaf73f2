// Counts the bytes of each row before it is kept: see json_rows.h.
#include "store/db/json_rows.h"

#include "base/text.h"

namespace ingero::store {
namespace {

constexpr size_t kMaxBytes = 900 << 10;

size_t bytes_of(std::span<const Value> values) {
  size_t bytes = 0;
  for (const Value& value : values) bytes += 24 + value.text.size() * (value.type == Value::Type::kBlob ? 2 : 1);
  return bytes;
}

}  // namespace

Json json_of(const Value& value) {
  switch (value.type) {
    case Value::Type::kNull:
      return nullptr;
    case Value::Type::kInteger:
      return value.integer;
    case Value::Type::kReal:
      return value.real;
    case Value::Type::kText:
      return std::string(value.text);
    case Value::Type::kBlob:
      return to_hex(reinterpret_cast<const uint8_t*>(value.text.data()), value.text.size());
  }
  return nullptr;
}

Json JsonRows::answer(uint64_t duration_ns) && {
  return {{"meta", {{"rows", data.size()}, {"truncated", !cuts.empty()}, {"duration_ms", duration_ns / 1'000'000}}},
          {"columns", std::move(columns)},
          {"data", std::move(data)}};
}

Result<JsonRows> collect_json(const std::function<Result<QueryOutcome>(const OnRow&, const OnColumns&)>& run) {
  JsonRows rows;
  size_t bytes = 0;
  const auto outcome = run(
      [&](std::span<const Value> values) {
        bytes += bytes_of(values);
        if (bytes > kMaxBytes) return false;
        Json row = Json::array();
        for (const Value& value : values) row.push_back(json_of(value));
        rows.data.push_back(std::move(row));
        return true;
      },
      [&](std::span<const std::string_view> names) {
        for (const std::string_view name : names) rows.columns.push_back(std::string(name));
      });
  if (!outcome.ok()) return outcome.error();
  if (outcome->truncated) {
    rows.cuts.push_back(fmt::format("the first {} rows are given; there are more (limit)", rows.data.size()));
  }
  if (bytes > kMaxBytes) {
    rows.cuts.push_back(
        fmt::format("the first {} rows are given: more are longer than an answer may be", rows.data.size()));
  }
  return rows;
}

}  // namespace ingero::store
