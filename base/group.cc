// getgrnam_r(3), with room for groups of many members.
#include "base/group.h"

#include <cerrno>
#include <cstdint>
#include <vector>

#include <grp.h>

#include "base/text.h"

namespace ingero {
namespace {

constexpr size_t kBuffer = 16 << 10, kMaxBuffer = 1 << 20;

}  // namespace

Result<gid_t> find_group(const std::string& name) {
  if (const auto number = parse_u64(name); number && *number < UINT32_MAX) return static_cast<gid_t>(*number);
  group entry{};
  group* found = nullptr;
  std::vector<char> buffer(kBuffer);
  int error = 0;
  while ((error = getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found)) == ERANGE &&
         buffer.size() < kMaxBuffer) {
    buffer.resize(buffer.size() * 4);  // a group has any number of members
  }
  if (error != 0) return errno_error(fmt::format("look up group {}", printable(name)), error);
  if (found == nullptr) {
    return Error{Errc::kNotFound, fmt::format("group {} does not exist on this machine", printable(name)),
                 "see 'getent group'"};
  }
  return found->gr_gid;
}

}  // namespace ingero
