// The document of `ingero check --json` and of the tool get_check.
#include <algorithm>

#include "agent/check/readiness.h"

namespace ingero::agent {
namespace {

Json file_json(const kernelside::FileReport& file) {
  Json out;
  const FunctionCounts counts = counts_of(file);
  out["backend"] = file.backend;
  out["library"] = file.library;
  out["path"] = file.path;
  out["version"] = file.version.empty() ? Json(nullptr) : Json(file.version);
  out["note"] = file.note.empty() ? Json(nullptr) : Json(file.note);
  out["pids"] = file.pids;
  out["resolved"] = counts.resolved;
  out["absent"] = counts.absent;
  out["refused"] = counts.refused;
  out["single_stepped"] = counts.stepped;
  out["rows"] = Json::array();
  for (const auto& row : file.rows) {
    Json entry;
    entry["call"] = row.row->name;
    entry["kind"] = hal::name_of(row.row->kind);
    entry["symbol"] = row.symbol.empty() ? Json(nullptr) : Json(row.symbol);
    entry["state"] = state_name(row.state);
    if (!row.reason.empty()) entry["reason"] = row.reason;
    if (const std::string remedy = remedy_of(row); !remedy.empty()) entry["remedy"] = remedy;
    if (!row.instruction.empty()) entry["instruction"] = row.instruction;
    if (row.single_stepped) entry["single_stepped"] = true;
    out["rows"].push_back(std::move(entry));
  }
  return out;
}

Json backend_json(const Readiness& readiness, const Readiness::BackendFile& one) {
  Json out;
  out["name"] = one.backend->name;
  out["vendor"] = one.backend->vendor;
  out["file"] = json_or_null(one.file);
  out["libraries"] = Json::array();
  for (const auto& library : one.backend->libraries) {
    Json entry;
    entry["name"] = library.name;
    entry["layer"] = library.layer;
    entry["sonames"] = library.sonames;
    entry["rows"] = library.rows.size();
    entry["files"] = std::count_if(readiness.files.begin(), readiness.files.end(), [&](const auto& found) {
      return found.backend == one.backend->name && found.library == library.name;
    });
    out["libraries"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace

Json readiness_json(const Readiness& readiness) {
  constexpr std::string_view kStatus[] = {"ready", "not ready", "could not tell"};
  const int status = readiness.status();
  Json out;
  out["all_passed"] = status == 0;
  out["status"] = kStatus[status];
  out["checks"] = Json::array();
  for (const ReadinessCheck& check : readiness.checks) {
    Json entry;
    entry["name"] = check.name;
    entry["pass"] = check.result == CheckResult::kUnknown ? Json(nullptr) : Json(check.result != CheckResult::kFail);
    entry["optional"] = check.optional;
    entry["value"] = check.value;
    entry["detail"] = check.detail;
    entry["recommendation"] = check.recommendation;
    out["checks"].push_back(std::move(entry));
  }
  out["backends"] = Json::array();
  for (const auto& backend : readiness.backends) out["backends"].push_back(backend_json(readiness, backend));
  out["libraries"] = Json::array();
  for (const auto& file : readiness.files) out["libraries"].push_back(file_json(file));
  return out;
}

}  // namespace ingero::agent
