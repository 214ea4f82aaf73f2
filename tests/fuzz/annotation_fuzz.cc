// Any bytes as an annotation: refused with a sentence, or taken within its limits. Nothing may crash, hang or throw.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "agent/annotations/annotation.h"

using namespace ingero;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using Limits = agent::AnnotationLimits;
  const auto line = agent::parse_annotation({reinterpret_cast<const char*>(data), size}, 1'795'228'000'000'000'000);
  if (!line.ok()) {
    for (const char c : line.error().text()) require(static_cast<unsigned char>(c) >= ' ');
    return 0;
  }
  const auto labels = nlohmann::json::parse(line->labels_json);
  require(labels.is_object() && !labels.empty() && labels.size() <= Limits::kLabels);
  for (const auto& [key, value] : labels.items()) require(key.size() <= Limits::kKeyBytes && value.is_string());
  return 0;
}
