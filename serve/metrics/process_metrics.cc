// Reads /proc/self/stat; proc(5) numbers its fields.
#include "serve/metrics/process_metrics.h"

#include <unistd.h>

#include <cstdint>

#include "base/folder.h"
#include "base/text.h"
#include "serve/metrics/metric_names.h"

namespace ingero::serve::metrics {

void write_process(MetricSet& page, const std::string& proc_root) {
  const auto stat = read_file(proc_root + "/self/stat", 4096);
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (stat.ok()) {
    // The name in brackets may hold blanks: count from behind it. The next word is field 3.
    const auto words = split(trim(std::string_view(*stat).substr(stat->rfind(')') + 1)), ' ');
    const auto field = [&](size_t number) {
      return number - 3 < words.size() ? parse_u64(words[number - 3]) : std::nullopt;
    };
    if (const auto user = field(14), system = field(15); user && system) {
      page.add(kAgentCpu, {}, static_cast<double>(*user + *system) / ticks);
    }
    if (const auto threads = field(20)) page.add(kAgentThreads, {}, static_cast<double>(*threads));
    if (const auto bytes = field(23)) page.add(kAgentVirtual, {}, static_cast<double>(*bytes));
    if (const auto pages = field(24)) {
      page.add(kAgentResident, {}, static_cast<double>(*pages) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    }
    const auto boot = read_file(proc_root + "/stat", 1 << 20);
    const size_t at = boot.ok() ? boot->find("\nbtime ") : std::string::npos;
    if (const auto start = field(22); start && at != std::string::npos) {
      const std::string_view rest = std::string_view(*boot).substr(at + 7);
      if (const auto seconds = parse_u64(trim(rest.substr(0, rest.find('\n'))))) {
        page.add(kAgentStart, {}, static_cast<double>(*seconds) + static_cast<double>(*start) / ticks);
      }
    }
  }
  const auto files = list_folder(proc_root + "/self/fd", SIZE_MAX);
  if (files.ok()) page.add(kAgentFiles, {}, static_cast<double>(files->size()));
}

}  // namespace ingero::serve::metrics
