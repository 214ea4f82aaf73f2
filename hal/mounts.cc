// proc(5), /proc/pid/mountinfo: "36 35 98:0 /root /point options tags - type source super-options".
#include "hal/mounts.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace ingero::hal {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kDisks = {"ext2"sv,     "ext3"sv,     "ext4"sv,     "xfs"sv,     "btrfs"sv,  "f2fs"sv, "zfs"sv,
                               "bcachefs"sv, "squashfs"sv, "erofs"sv,    "iso9660"sv, "udf"sv,    "vfat"sv, "exfat"sv,
                               "ntfs3"sv,    "jfs"sv,      "reiserfs"sv, "nilfs2"sv,  "cramfs"sv, "romfs"sv};
// Not hugetlbfs: who maps such a file reserves huge pages that others want, and who has it mapped when its owner cuts
// it ends by SIGBUS, as no page of the usual size can take the place of a huge one (symbols/mapped_file.cc).
constexpr std::array kMemory = {"tmpfs"sv, "ramfs"sv, "rootfs"sv, "devtmpfs"sv};

std::string_view next_word(std::string_view& rest) {
  const size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// The kernel writes blank, tab, newline, backslash and what else would part words as \ooo.
std::string unescaped(std::string_view text) {
  std::string out;
  const auto is_octal = [](char digit) { return digit >= '0' && digit <= '7'; };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// "lowerdir=A:B,upperdir=C,workdir=D": A, B and C. A comma or a colon in a path is escaped by a backslash, which the
// kernel escapes once more.
std::vector<std::string> layers_of(std::string_view super_options) {
  std::vector<std::string> layers;
  const std::string options = unescaped(super_options);
  for (size_t at = 0; at < options.size();) {
    std::vector<std::string> values(1);
    const size_t equals = options.find('=', at);
    const size_t comma = options.find(',', at);
    if (equals == std::string::npos || (comma != std::string::npos && comma < equals)) {
      at = comma == std::string::npos ? options.size() : comma + 1;
      continue;
    }
    const std::string_view key = std::string_view(options).substr(at, equals - at);
    for (at = equals + 1; at < options.size() && options[at] != ','; ++at) {
      if (options[at] == '\\' && at + 1 < options.size()) {
        values.back() += options[++at];
      } else if (options[at] == ':' && key.starts_with("lowerdir")) {
        values.emplace_back();
      } else {
        values.back() += options[at];
      }
    }
    ++at;
    if (!key.starts_with("lowerdir") && !key.starts_with("datadir") && key != "upperdir") continue;
    for (std::string& value : values) {
      if (!value.empty()) layers.push_back(std::move(value));
    }
  }
  return layers;
}

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const size_t end = std::min(options.find(','), options.size());
    if (options.substr(0, end) == wanted) return true;
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return false;
}

bool is_fuse(std::string_view type) { return type == "fuse" || type == "fuseblk" || type.starts_with("fuse."); }

bool parse_line(std::string_view rest, Mount& mount) {
  const auto id = parse_digits(next_word(rest));
  next_word(rest);  // its parent
  const std::string_view device = next_word(rest);
  const size_t colon = device.find(':');
  if (!id || colon == std::string_view::npos) return false;
  const auto major = parse_digits(device.substr(0, colon));
  const auto minor = parse_digits(device.substr(colon + 1));
  if (!major || !minor) return false;
  next_word(rest);  // the folder of it that is mounted
  const std::string_view point = next_word(rest);
  next_word(rest);  // the mount's own options
  while (!rest.empty() && next_word(rest) != "-") {
  }
  const std::string_view type = next_word(rest);
  next_word(rest);  // its source
  const std::string_view options = next_word(rest);
  if (type.empty()) return false;
  mount.id = *id;
  mount.device = makedev(static_cast<unsigned>(*major), static_cast<unsigned>(*minor));
  mount.type = unescaped(type);
  mount.untrusted_point = unescaped(point);
  if (mount.type == "overlay") mount.untrusted_layers = layers_of(options);
  mount.is_of_a_user = is_fuse(mount.type) && !has_option(options, "user_id=0");
  return true;
}

}  // namespace

Mounts::Mounts(std::string_view mountinfo_text) {
  while (!mountinfo_text.empty()) {
    const size_t end = std::min(mountinfo_text.find('\n'), mountinfo_text.size());
    Mount mount;
    if (parse_line(mountinfo_text.substr(0, end), mount)) mounts_.push_back(std::move(mount));
    mountinfo_text.remove_prefix(std::min(end + 1, mountinfo_text.size()));
  }
}

const Mount* Mounts::by_id(uint64_t id) const {
  const auto found = std::find_if(mounts_.begin(), mounts_.end(), [&](const Mount& one) { return one.id == id; });
  return found == mounts_.end() ? nullptr : &*found;
}

const Mount* Mounts::by_device(uint64_t device) const {
  const auto found =
      std::find_if(mounts_.begin(), mounts_.end(), [&](const Mount& one) { return one.device == device; });
  return found == mounts_.end() ? nullptr : &*found;
}

const Mount* Mounts::holding(std::string_view path) const {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts_) {
    const std::string_view point = mount.untrusted_point;
    const bool holds = point == "/" || path == point ||
                       (path.starts_with(point) && path.size() > point.size() && path[point.size()] == '/');
    // Of two mounts at one point the later one covers the other.
    if (holds && (best == nullptr || point.size() >= best->untrusted_point.size())) best = &mount;
  }
  return best;
}

bool is_disk_type(std::string_view type) { return std::find(kDisks.begin(), kDisks.end(), type) != kDisks.end(); }

bool is_local_type(std::string_view type) {
  return is_disk_type(type) || std::find(kMemory.begin(), kMemory.end(), type) != kMemory.end();
}

Reach reach_of(const Mount& mount, const Mounts& own, bool is_ours) {
  if (is_local_type(mount.type)) return Reach::kLocal;
  // Of file systems whose files wait for others, users may mount these two, in a namespace of their own.
  const bool is_overlay = mount.type == "overlay";
  const bool is_of_a_user = mount.is_of_a_user || (!is_ours && (is_overlay || is_fuse(mount.type)));
  const Reach elsewhere = is_of_a_user ? Reach::kUser : Reach::kRemote;
  if (!is_overlay || !is_ours || mount.untrusted_layers.empty()) return elsewhere;
  for (const std::string& layer : mount.untrusted_layers) {
    const Mount* below = layer.starts_with('/') ? own.holding(layer) : nullptr;
    if (below == nullptr) return Reach::kRemote;
    if (!is_local_type(below->type)) return below->is_of_a_user ? Reach::kUser : Reach::kRemote;
  }
  return Reach::kLocal;
}

}  // namespace ingero::hal
