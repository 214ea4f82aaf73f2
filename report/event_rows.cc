// Writes rows of SQLite as CSV or JSON lines without conversion.
#include "report/event_rows.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "store/read/selection_sql.h"

namespace ingero::report {
namespace {

using store::Value;

constexpr size_t kHeldBytes = 1 << 20;
constexpr uint64_t kProgressEvery = 1 << 14;

constexpr const char* kColumns =
    "id, timestamp, pid, tid, comm, source, op, duration, gpu_id, arg0, arg1, ret_code, stack_hash, node, rank, "
    "local_rank, world_size, cgroup_id, kind, vendor, backend, layer, call, op_name, symbol, library, library_version, "
    "outcome, failed, direction, stream, bytes, address, source_address, function, kernel, grid_x, grid_y, grid_z, "
    "block_x, block_y, block_z, shared_bytes, handle, handle2, peer_device, flags, start_mono_ns, depth, parent_call, "
    "parent_timestamp, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_pid, culprit_comm, culprit_ns, weight, "
    "session, process, seq, gpu_uuid, gpu_pci_address, device_ordinal";

// Text of traced processes may not be UTF-8; readers of these formats accept only UTF-8.
void append_json(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : printable(text, text.size())) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void append_csv(std::string& out, std::string_view raw) {
  const std::string text = (is_formula(raw) ? "'" : "") + printable(raw, raw.size());
  // The quotes distinguish empty text from NULL.
  if (!text.empty() && text.find_first_of(",\"") == std::string::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_value(std::string& out, const Value& value, RowFormat format) {
  const bool is_json = format == RowFormat::kJsonl;
  switch (value.type) {
    case Value::Type::kInteger:
      fmt::format_to(std::back_inserter(out), "{}", value.integer);
      return;
    case Value::Type::kReal:
      fmt::format_to(std::back_inserter(out), "{}", value.real);  // never NaN: SQLite turns it into NULL
      return;
    case Value::Type::kText:
    case Value::Type::kBlob:
      is_json ? append_json(out, value.text) : append_csv(out, value.text);
      return;
    case Value::Type::kNull:
      return;
  }
}

}  // namespace

bool is_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

Result<uint64_t> export_rows(const store::Reader& reader, const store::Selection& selection, RowFormat format,
                             const std::function<Status(std::string_view)>& sink,
                             const std::function<void(uint64_t)>& progress) {
  store::Conditions conditions;
  conditions.add_events(selection);
  const std::string sql = std::string("SELECT ") + kColumns + " FROM events e" + conditions.where() + " ORDER BY e.seq";
  std::string held;
  std::vector<std::string> names;
  uint64_t rows = 0;
  Status status;
  store::QueryLimits limits;
  limits.time_ns = 0;
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const Value> values) {
        for (size_t i = 0; i < values.size(); ++i) {
          if (format == RowFormat::kCsv) {
            if (i > 0) held += ',';
          } else {
            if (values[i].is_null()) continue;  // unknown is absent; the first column never is
            held += names[i];
          }
          append_value(held, values[i], format);
        }
        held += format == RowFormat::kJsonl ? "}\n" : "\r\n";
        if (++rows % kProgressEvery == 0 && progress) progress(rows);
        if (held.size() < kHeldBytes) return true;
        status = sink(held);
        held.clear();
        return status.ok();
      },
      [&](std::span<const std::string_view> columns) {
        for (const std::string_view column : columns) {
          if (format == RowFormat::kCsv) held += (names.empty() ? "" : ",") + std::string(column);
          names.push_back(fmt::format("{}\"{}\":", names.empty() ? "{" : ",", column));
        }
        if (format == RowFormat::kCsv) held += "\r\n";
      },
      conditions.bound());
  if (!outcome.ok()) return outcome.error();
  if (!status.ok()) return status.error();
  INGERO_TRY(sink(held));
  return rows;
}

}  // namespace ingero::report
