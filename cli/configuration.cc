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

// What a file has under a key of a section; null: it does not have it. `root` keeps it.
Result<const YamlNode*> find_in(const std::string& path, std::string_view section, std::string_view key,
                                YamlNode& root) {
  const auto text = read_file(path, kMaxBytes);
  if (!text.ok()) return text.error();
  if (trim(*text).empty()) return nullptr;
  backends::ManifestProblem problem;
  if (!backends::read_yaml(*text, root, problem)) return Error(Errc::kInvalid, problem.text(printable(path)));
  const YamlNode* value = member(member(&root, section), key);
  return value == nullptr || value->is == YamlNode::Is::kNothing ? nullptr : value;
}

std::vector<std::string> places(const Environment& environment) {
  std::vector<std::string> out{"ingero.yaml", "/etc/ingero/ingero.yaml"};
  if (const auto home = environment.variable("HOME"); home && !home->empty()) {
    out.push_back(*home + "/.config/ingero/ingero.yaml");
  }
  return out;
}

// In the order in which they are asked.
Result<std::vector<std::string>> files_of(const Environment& environment) {
  std::vector<std::string> paths = places(environment);
  if (const auto named = environment.variable("INGERO_CONFIG"); named && !named->empty()) {
    struct stat status {};
    if (::stat(named->c_str(), &status) != 0) return errno_error(fmt::format("INGERO_CONFIG={}", printable(*named)));
    paths.insert(paths.begin(), *named);
  }
  return paths;
}

}  // namespace

std::string configuration_places() {
  return "$INGERO_CONFIG, ./ingero.yaml, /etc/ingero/ingero.yaml, ~/.config/ingero/ingero.yaml";
}

Result<ConfiguredNodes> configured_nodes(const Environment& environment) {
  const auto files = files_of(environment);
  INGERO_TRY(files);
  for (const std::string& path : *files) {
    if (!is_believed(path, environment.effective_uid)) continue;
    YamlNode root;
    const auto found = find_in(path, "fleet", "nodes", root);
    INGERO_TRY(found);
    const YamlNode* list = *found;
    if (list == nullptr) continue;
    if (list->is != YamlNode::Is::kList) return wrong(path, *list, "fleet.nodes must be a list of HOST:PORT");
    std::vector<std::string> nodes;
    for (const YamlNode& item : list->items) {
      if (item.is != YamlNode::Is::kText) return wrong(path, item, "an entry of fleet.nodes must be HOST:PORT");
      nodes.push_back(item.text);
    }
    if (!nodes.empty()) return ConfiguredNodes{std::move(nodes), path};
  }
  return ConfiguredNodes{};
}

Result<std::string> configured_node(const Environment& environment) {
  const auto files = files_of(environment);
  INGERO_TRY(files);
  for (const std::string& path : *files) {
    if (!is_believed(path, environment.effective_uid)) continue;
    YamlNode root;
    const auto found = find_in(path, "agent", "node", root);
    INGERO_TRY(found);
    if (*found == nullptr) continue;
    if ((*found)->is != YamlNode::Is::kText) return wrong(path, **found, "agent.node must be a name");
    return (*found)->text;
  }
  return std::string();
}

}  // namespace ingero::cli
