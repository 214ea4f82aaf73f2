// Adds labels to causes and calls: what the programs had announced they were doing at that time.
#include "store/read/labels.h"

#include "base/json.h"
#include "base/text.h"
#include "report/chains.h"
#include "report/report.h"

namespace ingero::report {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs owned(const std::vector<std::pair<std::string_view, std::string_view>>& labels) {
  return {labels.begin(), labels.end()};
}

void label(const store::Labels& labels, std::vector<ReportedChain>& chains) {
  for (ReportedChain& chain : chains) {
    chain.labels =
        owned(labels.at(chain.node, chain.pid.value_or(0), chain.onset_wall_ns.value_or(chain.detected_wall_ns)));
  }
}

}  // namespace

Status add_labels(const store::Reader& reader, std::vector<ReportedChain>& chains) {
  const auto labels = store::Labels::load(reader);
  if (!labels.ok()) return labels.error();
  label(*labels, chains);
  return {};
}

Status add_labels(const store::Reader& reader, Report& report) {
  const auto labels = store::Labels::load(reader);
  if (!labels.ok()) return labels.error();
  label(*labels, report.diagnosis.chains);
  for (auto* list : {&report.slowest, &report.unfinished}) {
    for (store::CallInstance& call : *list) call.labels = owned(labels->at(call.node, call.pid, call.start_wall_ns));
  }
  return {};
}

std::string labels_text(const Pairs& labels) {
  std::string text;
  for (const auto& [key, value] : labels) {
    text += (text.empty() ? "" : " ") + printable(key, 64) + "=" + printable(value);
  }
  return text;
}

Json labels_json(const Pairs& labels) {
  auto json = Json::object();
  for (const auto& [key, value] : labels) json[printable(key, 64)] = printable(value);
  return json;
}

}  // namespace ingero::report
