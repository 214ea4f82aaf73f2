// Device memory by call site: what was obtained where, what was given back, what was held at most.
#include "base/text.h"
#include "report/device_memory.h"
#include "report/frame_text.h"
#include "serve/tools/tool_list.h"

namespace ingero::serve::tools {
namespace {

constexpr size_t kMaxDrawn = 16;  // call sites whose bytes are given over time

// Null: the call site has no stack, or the recording does not hold it.
Result<Json> frames_of(Question& question, const report::MemorySite& site) {
  if (!site.stack_hash) return Json(nullptr);
  const auto rows = rows_of(question, "SELECT frames FROM stack_traces WHERE hash = ?",
                            {store::Bound::of(*site.stack_hash)}, 1, "stacks");
  if (!rows.ok()) return rows.error();
  if (rows->empty() || !(*rows)[0]["frames"].is_string()) return Json(nullptr);
  return Json(report::frame_texts((*rows)[0]["frames"].get<std::string>()));
}

Result<Json> memory(Question& question) {
  const auto selection =
      rows_selection(question, question.input, *question.reader, kViewedRows, "allocations and releases");
  if (!selection.ok()) return selection.error();
  auto found =
      report::gather_device_memory(*question.reader, *selection, question.limits, question.input.value("bins", 0U));
  if (!found.ok()) return found.error();
  const auto most = question.input["limit"].get<size_t>();
  if (found->sites.size() > most) {
    question.cuts.push_back(fmt::format("the first {} of {} call sites are given (limit)", most, found->sites.size()));
    found->sites.resize(most);
  }
  Json list = Json::array(), held_over_time = Json::array();
  for (const report::MemorySite& site : found->sites) {
    if (found->bins > 0 && held_over_time.size() < kMaxDrawn)
      held_over_time.push_back(site.over_time.most(found->bins));
    auto frames = frames_of(question, site);
    if (!frames.ok()) return frames.error();
    list.push_back({{"node", site.node},
                    {"pid", site.pid},
                    {"op", site.op},
                    {"stack_hash", site.stack_hash ? Json(*site.stack_hash) : Json(nullptr)},
                    {"calls", site.calls},
                    {"failed", site.failed},
                    {"bytes", site.bytes},
                    {"freed_bytes", site.freed_bytes},
                    {"held_bytes", site.held_bytes},
                    {"peak_bytes", site.peak_bytes},
                    {"frames", std::move(*frames)}});
  }
  Json over_time = nullptr;
  if (found->bins > 0) {
    over_time = {{"from", format_wall(found->from_wall_ns)},
                 {"bin_ns", found->bin_ns},
                 {"total_bytes", found->over_time.most(found->bins)},
                 {"site_bytes", std::move(held_over_time)}};
  }
  Json totals = {{"held_bytes", found->held_bytes},
                 {"peak_bytes", found->peak_bytes},
                 {"held_allocations", found->held_allocations},
                 {"frees_of_unseen", found->frees_of_unseen},
                 {"address_unknown", found->address_unknown},
                 {"unfollowed", found->unfollowed}};
  return Json{{"totals", std::move(totals)}, {"sites", std::move(list)}, {"over_time", std::move(over_time)}};
}

}  // namespace

std::vector<Tool> memory_tools() {
  Json properties = range_properties();
  properties["pid"] = property("integer", "Only this process", {{"minimum", 1}, {"maximum", 4294967295U}});
  properties["limit"] =
      property("integer", "Maximum number of call sites", {{"default", 20}, {"minimum", 1}, {"maximum", 100}});
  properties["bins"] = property("integer", "Also what was held over time, in this many parts of equal length",
                                {{"minimum", 2}, {"maximum", 1000}});
  Json output = object_of("over_time:object?");
  output["properties"].update(
      {{"totals", object_of("held_bytes:integer peak_bytes:integer held_allocations:integer frees_of_unseen:integer "
                            "address_unknown:integer unfollowed:integer")},
       {"sites", list_of(object_of(
                     "node:string pid:integer op:string stack_hash:integer? calls:integer failed:integer bytes:integer "
                     "freed_bytes:integer held_bytes:integer peak_bytes:integer frames:array?"))}});
  output["properties"]["over_time"]["description"] =
      "With \"bins\": the most that was held in each, in total and by the first 16 call sites of the list";
  for (const char* name : {"totals", "sites"}) output["required"].push_back(name);
  return {
      {"get_memory", "Memory by call site",
       "Memory allocated by calls, by process, call and stack: allocated, freed, still held, peak. Allocations before "
       "the recording are not seen; blocks of a caching allocator are those it got from the driver.",
       input_of(std::move(properties)), std::move(output), true, true, memory, nullptr}};
}

}  // namespace ingero::serve::tools
