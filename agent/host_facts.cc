// Reads the machine's CPU, memory, kernel and similar facts, which a recording keeps so that it can be read elsewhere.
#include "agent/host_facts.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <climits>

#include "base/text.h"

namespace ingero::agent {
namespace {

// The value of the first "key<separator> value" line.
std::string value_of(const std::string& path, std::string_view key, char separator) {
  const auto text = read_file(path, 1 << 20);
  if (!text.ok()) return {};
  for (const auto line : split(*text, '\n')) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find(separator);
    if (at == std::string_view::npos) continue;
    auto value = trim(line.substr(at + 1));
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return printable(value);
  }
  return {};
}

}  // namespace

store::Session session_facts() {
  store::Session session;
  utsname name{};
  if (uname(&name) == 0) session.kernel = name.release;
  session.os_release = value_of("/etc/os-release", "PRETTY_NAME", '=');
  session.cpu_model = value_of("/proc/cpuinfo", "model name", ':');
  session.cpu_cores = sysconf(_SC_NPROCESSORS_ONLN);
  struct sysinfo info {};
  if (sysinfo(&info) == 0) {
    session.mem_total_mb = static_cast<int64_t>(info.totalram / 1024 * info.mem_unit / 1024);
  }
  session.agent_version = INGERO_VERSION;
  return session;
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "localhost";
}

std::string first_line(const std::string& path) {
  const auto text = read_file(path, 64 << 10);
  return text.ok() ? printable(trim(split(*text, '\n')[0])) : std::string();
}

}  // namespace ingero::agent
