// Any bytes as a page of metrics: skipped, counted, or taken within the limits. Nothing may crash, hang or throw.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/inference/model_servers.h"
#include "serve/prometheus/exposition.h"

using namespace ingero;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  uint64_t seen = 0;
  const auto counts = serve::prometheus::read_exposition(text, [&](const serve::prometheus::Sample& sample) {
    ++seen;
    require(!sample.name.empty() && sample.labels.size() <= serve::prometheus::kMaxLabels);
    require(sample.name.data() >= text.data() && sample.name.data() + sample.name.size() <= text.data() + size);
  });
  require(seen == counts.samples && counts.samples + counts.refused <= size + 1);
  for (const std::string_view server : {"vllm", "tgi", "sglang", "triton"}) {
    const agent::ModelServerPage page = agent::read_model_server(server, text);
    for (const agent::ModelServerReading& reading : page.readings) {
      require(reading.row->server == server && std::isfinite(reading.sum) && std::isfinite(reading.value));
      require(reading.counts.size() <= agent::kMaxBounds);
      for (const char c : reading.model) require(static_cast<unsigned char>(c) >= ' ');
      uint64_t before = 0;
      for (const auto& [bound, count] : reading.counts) {
        require(count >= before && count <= reading.count);
        before = count;
      }
      (void)agent::between(reading, reading);
    }
  }
  (void)agent::find_model_server(text);
  return 0;
}
