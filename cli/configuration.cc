// Finds ingero.yaml, checks who can write it, and reads its keys with the YAML reader of the manifests.
#include "cli/configuration.h"

#include <sys/stat.h>

#include <algorithm>

#include "backends/yaml_tree.h"
#include "base/log.h"
#include "base/text.h"

namespace ingero::cli {
namespace {

using backends::YamlNode;

constexpr size_t kMaxBytes = 1 << 20;

const YamlNode* member(const YamlNode* map, std::string_view key) {
  if (map == nullptr || map->is != YamlNode::Is::kMap) return nullptr;
  const auto found = std::find_if(map->members.begin(), map->members.end(),
                                  [&](const backends::YamlMember& one) { return one.key.text == key; });
  return found == map->members.end() ? nullptr : &found->value;
}

bool is_believed(const std::string& path, uint32_t user) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  if ((status.st_uid == 0 || status.st_uid == user) && (status.st_mode & 022) == 0) return true;
  log_warning("{}: passed over: others than you and root can write it (chmod go-w, chown)", printable(path));
  return false;
}

Error wrong(const std::string& path, const YamlNode& at, std::string_view why) {
  return {Errc::kInvalid, fmt::format("{}:{}:{}: {}", printable(path), at.line, at.column, why)};
}

// The document of a file; nothing in it is an empty one.
Result<YamlNode> document_of(const std::string& path) {
  const auto text = read_file(path, kMaxBytes);
  if (!text.ok()) return text.error();
  YamlNode root;
  if (trim(*text).empty()) return root;
  backends::ManifestProblem problem;
  if (!backends::read_yaml(*text, root, problem)) return Error(Errc::kInvalid, problem.text(printable(path)));
  return root;
}

// Empty: the file does not have the key.
Result<std::vector<std::string>> nodes_in(const std::string& path, const YamlNode& root) {
  std::vector<std::string> nodes;
  const YamlNode* list = member(member(&root, "fleet"), "nodes");
  if (list == nullptr || list->is == YamlNode::Is::kNothing) return nodes;
  if (list->is != YamlNode::Is::kList) return wrong(path, *list, "fleet.nodes must be a list of HOST:PORT");
  for (const YamlNode& item : list->items) {
    if (item.is != YamlNode::Is::kText) return wrong(path, item, "an entry of fleet.nodes must be HOST:PORT");
    nodes.push_back(item.text);
  }
  return nodes;
}

Result<std::vector<FlagSetting>> flags_in(const std::string& path, const YamlNode& root, const std::string& command) {
  std::vector<FlagSetting> flags;
  const YamlNode* section = member(&root, command);
  if (section == nullptr || section->is == YamlNode::Is::kNothing) return flags;
  if (section->is != YamlNode::Is::kMap) {
    return wrong(path, *section, fmt::format("{} must be a map of its flags, as 'max-db: 20g'", command));
  }
  for (const auto& [key, value] : section->members) {
    FlagSetting flag{key.text, {}, fmt::format("{}:{}:{}", printable(path), key.line, key.column), path};
    std::replace(flag.name.begin(), flag.name.end(), '_', '-');
    const std::vector<YamlNode> values = value.is == YamlNode::Is::kList ? value.items : std::vector<YamlNode>{value};
    for (const YamlNode& one : values) {
      if (one.is != YamlNode::Is::kText) return wrong(path, one, fmt::format("--{} takes a word or a list", flag.name));
      flag.values.push_back(one.text);
    }
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::vector<std::string> places(const Environment& environment) {
  std::vector<std::string> out{"ingero.yaml", "/etc/ingero/ingero.yaml"};
  if (const auto home = environment.variable("HOME"); home && !home->empty()) {
    out.push_back(*home + "/.config/ingero/ingero.yaml");
  }
  return out;
}

// Those that are there and trusted, in the order in which they count.
Result<std::vector<std::string>> files(const Environment& environment) {
  std::vector<std::string> paths = places(environment);
  if (const auto named = environment.variable("INGERO_CONFIG"); named && !named->empty()) {
    struct stat status {};
    if (::stat(named->c_str(), &status) != 0) return errno_error(fmt::format("INGERO_CONFIG={}", printable(*named)));
    paths.insert(paths.begin(), *named);
  }
  std::erase_if(paths, [&](const std::string& path) { return !is_believed(path, environment.effective_uid); });
  return paths;
}

}  // namespace

std::string configuration_places() {
  return "$INGERO_CONFIG, ./ingero.yaml, /etc/ingero/ingero.yaml, ~/.config/ingero/ingero.yaml";
}

Result<ConfiguredNodes> configured_nodes(const Environment& environment) {
  const auto paths = files(environment);
  if (!paths.ok()) return paths.error();
  for (const std::string& path : *paths) {
    const auto root = document_of(path);
    if (!root.ok()) return root.error();
    auto nodes = nodes_in(path, *root);
    if (!nodes.ok()) return nodes.error();
    if (!nodes->empty()) return ConfiguredNodes{std::move(*nodes), path};
  }
  return ConfiguredNodes{};
}

Result<std::vector<FlagSetting>> configured_flags(const std::string& command, const Environment& environment) {
  const auto paths = files(environment);
  if (!paths.ok()) return paths.error();
  for (const std::string& path : *paths) {
    const auto root = document_of(path);
    if (!root.ok()) return root.error();
    auto flags = flags_in(path, *root, command);
    if (!flags.ok() || !flags->empty()) return flags;
  }
  return std::vector<FlagSetting>();
}

Result<std::string> configured_node(const Environment& environment) {
  const auto paths = files(environment);
  if (!paths.ok()) return paths.error();
  for (const std::string& path : *paths) {
    const auto root = document_of(path);
    if (!root.ok()) return root.error();
    const YamlNode* node = member(member(&*root, "agent"), "node");
    if (node == nullptr || node->is == YamlNode::Is::kNothing) continue;
    if (node->is != YamlNode::Is::kText) return wrong(path, *node, "agent.node must be a name");
    return node->text;
  }
  return std::string();
}

}  // namespace ingero::cli
