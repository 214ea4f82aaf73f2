// The tools that show samples: fabric adapters and devices.
#include "serve/tools/tool_list.h"
#include "store/read/selection_sql.h"

namespace ingero::serve::tools {
namespace {

constexpr uint64_t kMaxSamples = 500;

// Over a column `timestamp`.
Result<store::Conditions> samples_part(Question& question) {
  const auto selection = selection_of(question.input, *question.reader, question.clock);
  if (!selection.ok()) return selection.error();
  store::Conditions part;
  part.add_range(*selection, "timestamp", "timestamp");
  return part;
}

// Of a view or table with `session`: its rows by node and by `columns`, with `figures` of each. Adapters, and devices
// without a number of their own, have one name on several nodes.
Result<Json> by_node(Question& question, const store::Conditions& part, std::string_view table,
                     std::string_view columns, std::string_view figures, std::string_view order, const char* what) {
  return rows_of(question,
                 fmt::format("SELECT (SELECT node FROM sessions WHERE id = session) AS node, {0}, {1} FROM {2}{3} "
                             "GROUP BY node, {0} ORDER BY {4}",
                             columns, figures, table, part.where(), order),
                 part.bound(), kMaxSamples, what);
}

Result<Json> fabric(Question& question) {
  if (!question.reader->holds().devices)
    return Json{{"known", false}, {"links", Json::array()}, {"counters", Json::array()}};
  const auto part = samples_part(question);
  if (!part.ok()) return part.error();
  // A run writes each link first as it is, and then when it changes. The bare columns are those of the row with the
  // latest time: SQLite's rule for max().
  auto links = by_node(question, *part, "fabric_links", "device, port",
                       "link_layer, state, physical_state, rate_bits_per_second, driver, firmware, netdev, "
                       "pci_address, numa_node, count(*) - count(DISTINCT session) AS changes, max(timestamp) AS "
                       "timestamp",
                       "node, device, port", "links");
  if (!links.ok()) return links.error();
  auto counters = by_node(question, *part, "fabric_samples", "device, port, name, unit, origin",
                          "coalesce(sum(delta), 0) AS grew_by, value, sum(change = 'reset') AS resets, sum(change = "
                          "'wrapped') AS wraps, sum(change = 'stuck') AS stuck, max(timestamp) AS timestamp",
                          "grew_by = 0, node, device, port, name", "counters");
  if (!counters.ok()) return counters.error();
  return Json{{"known", true}, {"links", std::move(*links)}, {"counters", std::move(*counters)}};
}

Result<Json> devices(Question& question) {
  if (!question.reader->holds().devices) {
    auto models = rows_of(question,
                          "SELECT gpu_model AS name, gpu_driver AS driver, started_at AS timestamp FROM sessions "
                          "WHERE gpu_model <> ''",
                          {}, kMaxSamples, "devices");
    if (!models.ok()) return models.error();
    return Json{{"known", false},
                {"devices", std::move(*models)},
                {"readings", Json::array()},
                {"processes", Json::array()},
                {"errors", Json::array()}};
  }
  const auto part = samples_part(question);
  if (!part.ok()) return part.error();
  auto list = rows_of(question,
                      "SELECT id, vendor, uuid, pci_address, name, driver, position, parent_uuid, session FROM "
                      "devices ORDER BY id",
                      {}, kMaxSamples, "devices");
  if (!list.ok()) return list.error();
  constexpr std::string_view kReadings = "uuid, pci_address, name, part",
                             kOrder = "node, uuid, pci_address, name, part";
  auto readings =
      by_node(question, *part, "device_samples", kReadings,
              "count(*) AS samples, min(value) AS min, avg(value) AS avg, max(value) AS max", kOrder, "readings");
  if (!readings.ok()) return readings.error();
  // With one max() alone the bare column is that of its row: the last value. The same groups, in the same order.
  const size_t said = question.cuts.size();
  auto last = by_node(question, *part, "device_samples", kReadings, "value, max(timestamp) AS timestamp", kOrder, "");
  if (!last.ok()) return last.error();
  question.cuts.resize(said);
  for (size_t i = 0; i < readings->size(); ++i) {
    (*readings)[i]["last"] = i < last->size() ? (*last)[i]["value"] : Json(nullptr);
  }
  auto processes = rows_of(question,
                           "SELECT device, pid, memory_bytes, max(timestamp) AS timestamp FROM device_processes" +
                               part->where() + " GROUP BY device, pid ORDER BY memory_bytes DESC, pid",
                           part->bound(), kMaxSamples, "processes");
  if (!processes.ok()) return processes.error();
  auto errors =
      rows_of(question,
              "SELECT timestamp, vendor, pci_address, kind, code, meaning, pid, process, message FROM device_errors" +
                  part->where() + " ORDER BY timestamp DESC",
              part->bound(), 100, "errors");
  if (!errors.ok()) return errors.error();
  return Json{{"known", true},
              {"devices", std::move(*list)},
              {"readings", std::move(*readings)},
              {"processes", std::move(*processes)},
              {"errors", std::move(*errors)}};
}

Json lists_of(std::initializer_list<std::pair<const char*, Json>> lists) {
  Json schema = object_of("known:boolean");
  for (const auto& [name, items] : lists) {
    schema["properties"][name] = list_of(items);
    schema["required"].push_back(name);
  }
  return schema;
}

}  // namespace

std::vector<Tool> sample_tools() {
  return {
      {"get_fabric", "Fabric health",
       "RDMA adapters: links as last seen and how often they changed, and by how much each counter grew (errors and "
       "congestion included), those that moved first. \"known\" is false where the recording has no such samples.",
       input_of(range_properties()),
       lists_of(
           {{"links",
             object_of("node:string? device:string port:integer link_layer:string? state:integer? changes:integer")},
            {"counters", object_of("node:string? device:string port:integer? name:string unit:string origin:string "
                                   "grew_by:integer value:integer resets:integer wraps:integer stuck:integer")}}),
       true, true, fabric, nullptr},
      {"get_devices", "Device health",
       "Devices, their readings (lowest, average, highest, last), who uses their memory, and the errors their drivers "
       "reported. \"known\" is false where the recording has no such samples.",
       input_of(range_properties()),
       lists_of({{"devices", object_of("name:string? driver:string?")},
                 {"readings",
                  object_of("node:string? uuid:string? pci_address:string? name:string part:string samples:integer "
                            "min:number avg:number max:number last:number?")},
                 {"processes", object_of("device:integer pid:integer memory_bytes:integer?")},
                 {"errors", object_of("timestamp:integer vendor:string kind:string code:integer? message:string")}}),
       true, true, devices, nullptr}};
}

}  // namespace ingero::serve::tools
