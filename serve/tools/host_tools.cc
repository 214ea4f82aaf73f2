// Questions about this machine rather than about the recording.
#include "base/text.h"
#include "serve/tools/tool_list.h"

namespace ingero::serve::tools {
namespace {

constexpr size_t kMaxReportBytes = 512 << 10;
constexpr size_t kMaxRows = 10;  // of one library

// Of the rows only those that need a word, unless all are asked for: there are hundreds in each library.
Result<Json> check(Question& question) {
  auto answer = question.machine.check();
  if (!answer.ok() || question.input["rows"].get<bool>() || !answer->contains("libraries")) return answer;
  size_t left_out = 0;
  for (Json& library : (*answer)["libraries"]) {
    Json kept = Json::array();
    for (Json& row : library["rows"]) {
      const bool needs_word = row["state"] == "refused" || row.value("single_stepped", false);
      if (needs_word && kept.size() < kMaxRows) {
        kept.push_back(std::move(row));
      } else {
        ++left_out;
      }
    }
    library["rows"] = std::move(kept);
  }
  if (left_out > 0) {
    question.cuts.push_back(
        fmt::format("{} functions that were found or are absent (\"rows\": true lists all)", left_out));
  }
  return answer;
}

Result<Json> demo(Question& question) {
  auto report = question.machine.demo(question.input["scenario"].get<std::string>());
  if (!report.ok()) return report.error();
  return Json{{"scenario", question.input["scenario"]}, {"report", std::move(*report)}};
}

Result<Json> test_report(Question&) {
  constexpr const char* kPath = "logs/test-report.json";
  const auto text = read_file(kPath, kMaxReportBytes);
  if (!text.ok()) {
    return Error(Errc::kNotFound, text.error().message(),
                 "it is the report of a test run, read from the directory in which the server was started");
  }
  Json report = Json::parse(*text, nullptr, false);
  if (report.is_discarded()) return Error(Errc::kCorrupt, fmt::format("{}: not JSON", kPath));
  return Json{{"report", std::move(report)}};
}

}  // namespace

std::vector<Tool> host_tools() {
  Json checked = object_of("all_passed:boolean status:string backends:array libraries:array");
  checked["properties"]["checks"] =
      list_of(object_of("name:string pass:boolean? optional:boolean value:string detail:string recommendation:string"));
  checked["required"].push_back("checks");
  return {
      {"get_check", "Can this machine be traced?",
       "Whether this machine can be traced, which GPU libraries are installed or in use, and what to do about what is "
       "missing. Attaches nothing.",
       input_of({{"rows", property("boolean", "Also each function of each library", {{"default", false}})}}),
       std::move(checked), false, false, check, nullptr, Requirement::kCheck},
      {"run_demo", "Demonstration",
       "A planted cause as made-up events through the real store and engine, and the report on it. It says nothing "
       "about the recording. An unknown scenario is answered with the names of those there are.",
       input_of({{"scenario",
                  property("string", "Which one", {{"default", "incident"}, {"minLength", 1}, {"maxLength", 64}})}}),
       object_of("scenario:string report:object"), false, false, demo, nullptr, Requirement::kDemo},
      {"get_test_report", "Report of a test run", "The report that a test run left at logs/test-report.json, as it is.",
       input_of(Json::object()), object_of("report:object"), false, false, test_report, nullptr}};
}

}  // namespace ingero::serve::tools
