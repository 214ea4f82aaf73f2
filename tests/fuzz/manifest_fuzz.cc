// Any bytes as a backend's manifest: read within bounds, and what is accepted keeps the rules and lowers. Nothing may
// crash, hang, throw, or be refused without a sentence and a place.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/manifest.h"
#include "hal/conformance.h"

using namespace ingero;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<backends::ManifestProblem> problems;
  const auto manifest = backends::Manifest::parse(text, "fuzz", &problems);
  if (!manifest.ok()) {
    require(!problems.empty() && problems.size() <= 20);
    for (const auto& problem : problems) {
      require(!problem.sentence.empty());
      for (const char c : problem.text("fuzz")) require(static_cast<unsigned char>(c) >= ' ');
    }
    return 0;
  }
  require(problems.empty() && hal::nonconformities((*manifest)->backend()).empty());
  for (const hal::Library& library : (*manifest)->backend().libraries) {
    for (const hal::Row& row : library.rows) require(!row.name.empty() && !hal::spellings(row).empty());
  }
  return 0;
}
