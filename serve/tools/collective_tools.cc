// The tool get_collectives: collectives by communicator and by rank.
#include "serve/tools/tool_list.h"
#include "store/read/selection_sql.h"

namespace ingero::serve::tools {
namespace {

constexpr uint64_t kMaxRanks = 1024;

Result<Json> collectives(Question& question) {
  const auto selection = rows_selection(question, question.input, *question.reader, kViewedRows, "the collectives");
  if (!selection.ok()) return selection.error();
  report::ReportOptions parts = report::ReportOptions::nothing();
  parts.collectives = true;
  auto found = report_of(question, *question.reader, *selection, parts);
  if (!found.ok()) return found.error();
  Json communicators = (*found)["collectives"];
  if (communicators.is_null()) {
    return Error(Errc::kBusy, "listing the collectives exceeded the time limit",
                 "select a shorter time range: since, from, to");
  }
  Json ranks = Json::array();
  if (question.reader->holds().collectives) {
    store::Conditions conditions;
    conditions.add("NOT is_part");
    conditions.add_range(*selection, "timestamp", "timestamp + coalesce(duration, 0)");
    auto rows = rows_of(
        question,
        "SELECT comm_id_hash, rank, global_rank, pid, count(*) AS calls, " + store::sum_of_sizes("bytes") +
            " AS bytes, count(barrier_wait_ns) AS waited, CAST(avg(barrier_wait_ns) AS INTEGER) AS average_wait_ns, "
            "max(barrier_wait_ns) AS max_wait_ns, max(seq) AS last_number FROM collectives" +
            conditions.where() + " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 4",
        conditions.bound(), kMaxRanks, "ranks");
    if (!rows.ok()) return rows.error();
    ranks = std::move(*rows);
    for (Json& row : ranks) {  // SQL has signed numbers only; the communicators above are spelt unsigned
      if (!row["comm_id_hash"].is_null())
        row["comm_id_hash"] = static_cast<uint64_t>(row["comm_id_hash"].get<int64_t>());
    }
  }
  return Json{{"communicators", std::move(communicators)}, {"ranks", std::move(ranks)}};
}

}  // namespace

std::vector<Tool> collective_tools() {
  Json output = object_of("");
  output["properties"] = {
      {"communicators",
       list_of(object_of("comm_id_hash:integer? nranks:integer? ranks_seen:integer ops:array rounds:integer "
                         "max_skew_ns:integer? last:array hangs:array"))},
      {"ranks", list_of(object_of("comm_id_hash:integer? rank:integer? global_rank:integer? pid:integer? calls:integer "
                                  "bytes:integer? waited:integer average_wait_ns:integer? max_wait_ns:integer? "
                                  "last_number:integer?"))}};
  output["required"] = {"communicators", "ranks"};
  return {{"get_collectives", "Collectives by rank",
           "Per communicator: what was called, how long ranks waited, which rank came last and by how much, which "
           "ranks are "
           "missing from a hanging collective; and a table by rank: calls, bytes, waits, the last collective it "
           "entered. Times are of the "
           "host: when a rank called, not when its device got there.",
           input_of(range_properties()), std::move(output), true, true, collectives, nullptr}};
}

}  // namespace ingero::serve::tools
