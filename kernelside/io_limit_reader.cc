// Parses io.max and blkio.throttle.*.
#include "kernelside/io_limit_reader.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace ingero::kernelside {
namespace {

struct Setting {
  std::string_view file, key;  // no key: the line is a disk and a number
  bool is_write, is_bytes;
};
constexpr Setting kApart[] = {{"blkio.throttle.read_bps_device", "", false, true},
                              {"blkio.throttle.write_bps_device", "", true, true},
                              {"blkio.throttle.read_iops_device", "", false, false},
                              {"blkio.throttle.write_iops_device", "", true, false}};
constexpr Setting kTogether[] = {{"io.max", "rbps", false, true},
                                 {"io.max", "wbps", true, true},
                                 {"io.max", "riops", false, false},
                                 {"io.max", "wiops", true, false}};

// "254:0"
std::optional<uint32_t> disk_of(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  const auto major = parse_u64(text.substr(0, colon)), minor = parse_u64(text.substr(colon + 1));
  if (!major || !minor || *major >= 1U << 12 || *minor >= 1U << 20) return {};
  return static_cast<uint32_t>(*major << 20 | *minor);
}

// Of the fields of a line behind its disk; none: there is no limit.
std::optional<uint64_t> value_of(std::span<const std::string_view> fields, std::string_view key) {
  if (key.empty()) return fields.size() == 1 ? parse_u64(fields[0]) : std::nullopt;
  for (const std::string_view field : fields) {
    if (field.size() > key.size() && field.starts_with(key) && field[key.size()] == '=') {
      return parse_u64(field.substr(key.size() + 1));
    }
  }
  return {};
}

void add_limits(std::string_view text, const Setting& setting, const std::string& path,
                std::vector<hal::IoLimit>& found) {
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> fields = split(line, ' ');
    const auto disk = fields.size() < 2 ? std::nullopt : disk_of(fields[0]);
    const auto limit = disk ? value_of(std::span(fields).subspan(1), setting.key) : std::nullopt;
    if (!limit || *limit == 0 || *limit > INT64_MAX || found.size() >= IoLimitReader::kMaxLimits) continue;
    hal::IoLimit& one = found.emplace_back();
    one.device = *disk;
    one.path = path;
    one.limit_name = setting.key.empty() ? std::string(setting.file) : fmt::format("{} {}", setting.file, setting.key);
    one.is_write = setting.is_write;
    one.is_bytes = setting.is_bytes;
    one.limit = *limit;
  }
}

}  // namespace

std::vector<hal::IoLimit> IoLimitReader::limits_of(uint32_t pid) const {
  std::vector<hal::IoLimit> found;
  const auto lines = read_file(fmt::format("{}/{}/cgroup", proc_, pid), 1 << 16);
  if (!lines.ok()) return found;
  for (const std::string& at : cgroup_folders(*lines, "blkio")) {
    const std::span<const Setting> settings = at.starts_with("/blkio/") ? std::span(kApart) : std::span(kTogether);
    for (const Setting& setting : settings) {
      const auto text = read_file(fmt::format("{}{}/{}", root_, at, setting.file), 1 << 14);
      if (text.ok()) add_limits(*text, setting, at, found);
    }
  }
  return found;
}

std::vector<hal::IoLimit> IoLimitReader::read(std::span<const CgroupMember> members, uint64_t mono_ns) {
  std::vector<hal::IoLimit> news;
  std::map<uint32_t, Known> now;
  for (const CgroupMember& member : members.first(std::min(members.size(), kMaxProcesses))) {
    Known& its = now[member.pid];
    if (const auto before = known_.find(member.pid); before != known_.end()) its = std::move(before->second);
    if (its.looks >= kFirstLooks && mono_ns < its.looked_ns + kEvery_ns) continue;
    its.looked_ns = mono_ns;
    its.looks = std::min(its.looks + 1, kFirstLooks);
    const auto before = std::move(its.limits);
    its.limits.clear();
    for (hal::IoLimit& one : limits_of(member.pid)) {
      const std::tuple key(one.path, one.limit_name, one.device);
      its.limits[key] = one.limit;
      if (const auto same = before.find(key); same != before.end() && same->second == one.limit) continue;
      one.pid = member.pid;
      one.mono_ns = mono_ns;
      news.push_back(std::move(one));
    }
  }
  known_ = std::move(now);
  return news;
}

}  // namespace ingero::kernelside
