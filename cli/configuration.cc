// Finds ingero.yaml, checks who can write it, and reads its keys with the YAML reader of the manifests.
#include "cli/configuration.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "backends/yaml_tree.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/text.h"

namespace ingero::cli {

struct ConfigurationFile {
  std::string path;
  Result<backends::YamlNode> root;
};

namespace {

using backends::YamlNode;

constexpr size_t kMaxBytes = 1 << 20;

const YamlNode* member(const YamlNode* map, std::string_view key) {
  if (map == nullptr || map->is != YamlNode::Is::kMap) return nullptr;
  const auto found = std::find_if(map->members.begin(), map->members.end(),
                                  [&](const backends::YamlMember& one) { return one.key.text == key; });
  return found == map->members.end() ? nullptr : &found->value;
}

// The file that was opened: its name may stand for another one a moment later.
bool is_believed(const Fd& file, const std::string& path, uint32_t user) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return false;
  if ((status.st_uid == 0 || status.st_uid == user) && (status.st_mode & 022) == 0) return true;
  log_warning("{}: passed over: others than you and root can write it (chmod go-w, chown)", printable(path));
  return false;
}

Error wrong(const std::string& path, const YamlNode& at, std::string_view why) {
  return {Errc::kInvalid, fmt::format("{}:{}:{}: {}", printable(path), at.line, at.column, why)};
}

// The document of a file; nothing in it is an empty one.
Result<YamlNode> document_of(const Fd& file, const std::string& path) {
  const auto text = read_file(file.get(), path, kMaxBytes);
  if (!text.ok()) return text.error();
  YamlNode root;
  if (trim(*text).empty()) return root;
  backends::ManifestProblem problem;
  if (!backends::read_yaml(*text, root, problem)) return Error(Errc::kInvalid, problem.text(printable(path)));
  return root;
}

// A section that means nothing is most likely a mistake, and nothing else would say so.
void warn_of_sections(const std::string& path, const YamlNode& root) {
  const std::string known[] = {"trace", "agent", "fleet"};
  for (const auto& [key, value] : root.members) {
    if (std::find(std::begin(known), std::end(known), key.text) != std::end(known)) continue;
    log_warning("{}:{}: section {} has no effect{} (a setting is a flag of trace: write it below trace, as 'db: FILE')",
                printable(path), key.line, printable(key.text), did_you_mean(key.text, known));
  }
}

Result<ConfiguredNodes> nodes_in(const std::string& path, const YamlNode& root) {
  ConfiguredNodes found{{}, path};
  const YamlNode* list = member(member(&root, "fleet"), "nodes");
  if (list == nullptr || list->is == YamlNode::Is::kNothing) return found;
  if (list->is != YamlNode::Is::kList) return wrong(path, *list, "fleet.nodes must be a list of HOST:PORT");
  for (const YamlNode& item : list->items) {
    if (item.is != YamlNode::Is::kText) return wrong(path, item, "an entry of fleet.nodes must be HOST:PORT");
    found.nodes.push_back(item.text);
  }
  return found;
}

Result<std::vector<FlagSetting>> flags_in(const std::string& path, const YamlNode& root, const std::string& command) {
  std::vector<FlagSetting> flags;
  const YamlNode* section = member(&root, command);
  if (section == nullptr || section->is == YamlNode::Is::kNothing) return flags;
  if (section->is != YamlNode::Is::kMap) {
    return wrong(path, *section, fmt::format("{} must be a map of its flags, as 'max-db: 20g'", command));
  }
  for (const auto& [key, value] : section->members) {
    FlagSetting flag{key.text, {}, fmt::format("{}:{}:{}", printable(path), key.line, key.column)};
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

Result<std::string> node_in(const std::string& path, const YamlNode& root) {
  const YamlNode* node = member(member(&root, "agent"), "node");
  if (node == nullptr || node->is == YamlNode::Is::kNothing) return std::string();
  if (node->is != YamlNode::Is::kText) return wrong(path, *node, "agent.node must be a name");
  return node->text;
}

std::vector<std::string> places(const Environment& environment) {
  std::vector<std::string> out{"ingero.yaml", "/etc/ingero/ingero.yaml"};
  if (const auto home = environment.variable("HOME"); home && !home->empty()) {
    out.push_back(*home + "/.config/ingero/ingero.yaml");
  }
  return out;
}

// What the first file that has it says, by `read`: files behind it may be wrong.
template <typename Value, typename Read>
Result<Value> first_of(const std::vector<std::shared_ptr<const ConfigurationFile>>& files, const Read& read) {
  for (const auto& file : files) {
    if (!file->root.ok()) return file->root.error();
    Result<Value> found = read(file->path, *file->root);
    if (!found.ok() || !found->empty()) return found;
  }
  return Value();
}

}  // namespace

std::string configuration_places() {
  return "$INGERO_CONFIG, ./ingero.yaml, /etc/ingero/ingero.yaml, ~/.config/ingero/ingero.yaml";
}

Result<Configuration> Configuration::read(const Environment& environment) {
  std::vector<std::string> paths = places(environment);
  if (const auto named = environment.variable("INGERO_CONFIG"); named && !named->empty()) {
    struct stat status {};
    if (::stat(named->c_str(), &status) != 0) return file_error(fmt::format("INGERO_CONFIG={}", printable(*named)));
    paths.insert(paths.begin(), *named);
  }
  Configuration made;
  for (const std::string& path : paths) {
    // Not blocking: a named pipe in the place of the file must not hang the agent.
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.valid()) {
      const bool is_there = errno != ENOENT && errno != ENOTDIR;
      if (is_there) log_warning("{}: passed over: {}", printable(path), errno_error("open").text());
    } else if (is_believed(file, path, environment.effective_uid)) {
      made.files_.push_back(
          std::make_shared<const ConfigurationFile>(ConfigurationFile{path, document_of(file, path)}));
      if (made.files_.back()->root.ok()) warn_of_sections(path, *made.files_.back()->root);
    }
  }
  return made;
}

Result<ConfiguredNodes> Configuration::nodes() const { return first_of<ConfiguredNodes>(files_, nodes_in); }

Result<std::vector<FlagSetting>> Configuration::flags(const std::string& command) const {
  return first_of<std::vector<FlagSetting>>(
      files_, [&](const std::string& path, const YamlNode& root) { return flags_in(path, root, command); });
}

Result<std::string> Configuration::node() const { return first_of<std::string>(files_, node_in); }

}  // namespace ingero::cli
