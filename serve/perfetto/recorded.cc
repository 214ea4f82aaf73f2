// Processes are one where they have one key; names are found by the recording's ids.
#include "serve/perfetto/recorded.h"

#include <algorithm>

namespace ingero::serve::perfetto {

void RecordedNames::add_node(const std::string& node) {
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

size_t RecordedNames::add_process(RecordedProcess process, std::tuple<std::string, int64_t, int64_t> key) {
  const auto [found, is_new] = process_keys_.try_emplace(std::move(key), processes.size());
  if (is_new) {
    add_node(process.node);
    processes.push_back(std::move(process));
  }
  return found->second;
}

const RecordedCall* RecordedNames::call(int64_t id) const {
  const auto found = calls.find(id);
  return found == calls.end() ? nullptr : &found->second;
}

}  // namespace ingero::serve::perfetto
