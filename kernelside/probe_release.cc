// Holds numbers back while open calls or records in the rings may have them.
#include "kernelside/probe_release.h"

namespace ingero::kernelside {

void ProbeRelease::look(std::span<const wire_call_record> open, const Drain::Position& position) {
  if (removed_.empty()) return;
  std::set<uint32_t> used;
  for (const wire_call_record& record : open) {
    used.insert(record.call.probe);
    if (record.call.depth > 0) used.insert(record.call.parent_probe);
  }
  std::vector<uint32_t> unused;
  std::erase_if(removed_, [&](uint32_t probe) {
    if (used.contains(probe)) return false;
    unused.push_back(probe);
    return true;
  });
  if (!unused.empty()) passing_.emplace_back(std::move(unused), position);
}

std::vector<uint32_t> ProbeRelease::take() {
  std::vector<uint32_t> passed;
  for (; !passing_.empty() && Drain::is_past(passing_.front().second); passing_.pop_front()) {
    passed.insert(passed.end(), passing_.front().first.begin(), passing_.front().first.end());
  }
  return passed;
}

}  // namespace ingero::kernelside
