// Checks the rows and figures that nodes answer and adds them up into one answer, so that a fleet reads like one node.
#include "fleet/merge.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "hal/chain.h"

namespace ingero::fleet {
namespace {

constexpr size_t kMaxColumns = 2000;  // SQLite's own bound

// A column is its name, and which one of that name: SELECT may give two the same.
using Column = std::pair<std::string, size_t>;

std::vector<Column> columns_of(const Json& names) {
  std::vector<Column> out;
  std::map<std::string, size_t> seen;
  for (const Json& name : names) {
    const auto text = name.get<std::string>();
    out.emplace_back(text, seen[text]++);
  }
  return out;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr size_t kMax = 5;
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), kMax); ++i) out += (i == 0 ? "" : ", ") + printable(names[i], 64);
  return names.size() > kMax ? fmt::format("{} and {} more", out, names.size() - kMax) : out;
}

bool is_count(const Json& value) {
  return value.is_null() || (value.is_number_integer() && (value.is_number_unsigned() || value.get<int64_t>() >= 0));
}

constexpr const char* kAdded[] = {"count", "errors", "unfinished", "total_ns", "bytes"};
constexpr const char* kOfEach[] = {"count", "errors", "avg_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns", "total_ns"};

Json sum(const Json& a, const Json& b) {
  if (a.is_null() || b.is_null()) return nullptr;
  const auto x = a.get<uint64_t>(), y = b.get<uint64_t>();
  return x > UINT64_MAX - y ? UINT64_MAX : x + y;
}

Json extreme(const Json& a, const Json& b, bool greatest) {
  if (a.is_null() || b.is_null()) return nullptr;
  const auto x = a.get<uint64_t>(), y = b.get<uint64_t>();
  return greatest ? std::max(x, y) : std::min(x, y);
}

void add(Json& row, const std::string& node, const Json& call) {
  Json one{{"node", node}};
  for (const char* name : kOfEach) one[name] = call.value(name, Json());
  const bool is_first = row["nodes"].empty();
  for (const char* name : kAdded)
    row[name] = is_first ? call.value(name, Json()) : sum(row[name], call.value(name, Json()));
  for (const auto& [name, greatest] : {std::pair{"min_ns", false}, {"max_ns", true}}) {
    row[name] = is_first ? call.value(name, Json()) : extreme(row[name], call.value(name, Json()), greatest);
  }
  row["nodes"].push_back(std::move(one));
}

}  // namespace

Status check_rows(const Json& columns, const Json& data, uint64_t most) {
  const auto wrong = [](const char* why) {
    return Error(Errc::kCorrupt, fmt::format("its rows are invalid: {}", why));
  };
  if (!columns.is_array() || columns.size() > kMaxColumns) return wrong("the columns are not a list, or too many");
  for (const Json& name : columns) {
    if (!name.is_string()) return wrong("a column without a name");
  }
  if (!data.is_array()) return wrong("the rows are not a list");
  if (data.size() > most) return wrong("more than were asked for");
  for (const Json& row : data) {
    if (!row.is_array() || row.size() != columns.size()) return wrong("not a cell for each column");
    for (const Json& cell : row) {
      if (!cell.is_null() && !cell.is_number() && !cell.is_string())
        return wrong("a cell that is neither null, a number nor text");
    }
  }
  return {};
}

MergedRows merge_rows(const std::vector<NodeRows>& parts) {
  std::vector<Column> all;
  for (const NodeRows& part : parts) {
    for (const Column& column : columns_of(part.columns)) {
      if (std::find(all.begin(), all.end(), column) == all.end()) all.push_back(column);
    }
  }
  MergedRows out{Json::array({"node"}), Json::array(), {}};
  for (const Column& column : all) out.columns.push_back(column.first);
  for (const NodeRows& part : parts) {
    const std::vector<Column> own = columns_of(part.columns);
    std::vector<std::optional<size_t>> places;
    std::vector<std::string> lacks;
    for (const Column& column : all) {
      const auto found = std::find(own.begin(), own.end(), column);
      places.push_back(found == own.end() ? std::nullopt : std::optional(static_cast<size_t>(found - own.begin())));
      if (found == own.end()) lacks.push_back(column.first);
    }
    if (!lacks.empty()) {
      out.notes.push_back(fmt::format("{} has no column {}: NULL there", part.node, list_of(lacks)));
    }
    for (const Json& row : part.data) {
      Json merged = Json::array({part.node});
      for (const auto& place : places) merged.push_back(place ? row[*place] : Json());
      out.data.push_back(std::move(merged));
    }
  }
  return out;
}

Status check_figures(const Json& calls) {
  for (const Json& call : calls) {
    for (const char* name : {"count", "errors", "unfinished", "total_ns", "bytes", "min_ns", "max_ns"}) {
      if (!is_count(call.value(name, Json()))) {
        return Error(Errc::kCorrupt, fmt::format("its figures are invalid: {} is not a count", name));
      }
    }
  }
  return {};
}

Json merge_figures(const std::vector<NodeFigures>& parts) {
  std::map<std::vector<std::string>, Json> rows;
  for (const NodeFigures& part : parts) {
    for (const Json* list : {&part.calls, &part.host}) {
      for (const Json& call : *list) {
        std::vector<std::string> key;
        Json row = Json::object();
        for (const char* name : {"op", "call", "layer", "vendor", "kind"}) {
          key.push_back(call[name].get<std::string>());
          row[name] = call[name];
        }
        row["nodes"] = Json::array();
        add(rows.emplace(std::move(key), std::move(row)).first->second, part.node, call);
      }
    }
  }
  std::vector<Json> sorted;
  for (auto& [key, row] : rows) {
    Json nodes = std::move(row["nodes"]);
    row.erase("nodes");
    row["nodes"] = std::move(nodes);  // last, where a reader looks for the parts
    sorted.push_back(std::move(row));
  }
  const auto time_of = [](const Json& row) { return row["total_ns"].is_null() ? 0 : row["total_ns"].get<uint64_t>(); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Json& a, const Json& b) { return time_of(a) > time_of(b); });
  return sorted;
}

Json merge_chains(const std::vector<NodeChains>& parts) {
  std::vector<Json> all;
  for (const NodeChains& part : parts) {
    for (const Json& chain : part.chains) {
      Json one{{"node", part.node}};
      for (const auto& [key, value] : chain.items()) one[key == "node" ? "recorded_node" : key] = value;
      all.push_back(std::move(one));
    }
  }
  const auto order = [](const Json& chain) { return hal::severity_order(chain["severity"].get<std::string>()); };
  std::stable_sort(all.begin(), all.end(), [&](const Json& a, const Json& b) { return order(a) < order(b); });
  return all;
}

}  // namespace ingero::fleet
