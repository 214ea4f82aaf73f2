// /proc/PID/maps lines, strictly: a line that is not exactly of the kernel's form is refused.
#include "hal/maps.h"

#include <sys/sysmacros.h>

#include <charconv>
#include <optional>

namespace ingero::hal {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

// Takes a number up to `end`, which must follow it.
std::optional<uint64_t> take(std::string_view& rest, int base, char end) {
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  const auto length = static_cast<size_t>(stop - rest.data());
  if (error != std::errc{} || length == rest.size() || *stop != end) return std::nullopt;
  rest.remove_prefix(length + 1);
  return value;
}

// The kernel writes a newline in a path as "\012" and leaves everything else, backslashes too, as it is. A file whose
// name holds those four characters reads the same, so callers that open the path must compare its FileId.
std::string with_newlines(std::string_view path) {
  constexpr std::string_view kNewline = "\\012";
  std::string text;
  text.reserve(path.size());
  for (size_t at; (at = path.find(kNewline)) != std::string_view::npos; path.remove_prefix(at + kNewline.size())) {
    text += path.substr(0, at);
    text += '\n';
  }
  text += path;
  return text;
}

}  // namespace

bool parse_maps_line(std::string_view line, Mapping& out) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  const auto start = take(line, 16, '-');
  if (!start) return false;
  const auto end = take(line, 16, ' ');
  if (!end || *end <= *start) return false;
  if (line.size() < 5 || line[4] != ' ') return false;
  const std::string_view permissions = line.substr(0, 4);
  constexpr std::string_view kAllowed[] = {"r-", "w-", "x-", "ps"};
  for (size_t i = 0; i < permissions.size(); ++i) {
    if (kAllowed[i].find(permissions[i]) == std::string_view::npos) return false;
  }
  line.remove_prefix(5);
  const auto offset = take(line, 16, ' ');
  if (!offset) return false;
  const auto major = take(line, 16, ':');
  if (!major || *major > UINT32_MAX) return false;
  const auto minor = take(line, 16, ' ');
  if (!minor || *minor > UINT32_MAX) return false;
  // The inode ends the line of an anonymous mapping; the kernel may or may not leave a space behind it.
  std::string_view inode_text = line.substr(0, line.find(' '));
  uint64_t inode = 0;
  const auto [stop, error] = std::from_chars(inode_text.data(), inode_text.data() + inode_text.size(), inode);
  if (error != std::errc{} || stop != inode_text.data() + inode_text.size()) return false;
  line.remove_prefix(inode_text.size());
  const size_t path_at = line.find_first_not_of(' ');
  std::string_view path = path_at == std::string_view::npos ? std::string_view{} : line.substr(path_at);

  out.start = *start;
  out.end = *end;
  out.file_offset = *offset;
  out.executable = permissions[2] == 'x';
  out.file = {makedev(static_cast<unsigned>(*major), static_cast<unsigned>(*minor)), inode};
  out.deleted = inode != 0 && path.ends_with(kDeleted);
  if (out.deleted) path.remove_suffix(kDeleted.size());
  out.untrusted_path = with_newlines(path);
  return true;
}

std::vector<Mapping> executable_mappings(std::string_view maps_text) {
  std::vector<Mapping> mappings;
  while (!maps_text.empty()) {
    const size_t end = maps_text.find('\n');
    const std::string_view line = maps_text.substr(0, end);
    maps_text.remove_prefix(end == std::string_view::npos ? maps_text.size() : end + 1);
    Mapping mapping;
    if (parse_maps_line(line, mapping) && mapping.executable && mapping.file.inode != 0) {
      mappings.push_back(std::move(mapping));
    }
  }
  return mappings;
}

}  // namespace ingero::hal
