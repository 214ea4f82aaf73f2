// Builds a tree from YAML events. Anything but plain lists, maps and text stops the parser with our own exception,
// which does not leave read_yaml().
#include "backends/yaml_tree.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "base/text.h"

namespace ingero::backends {
namespace {

constexpr size_t kMaxNodes = 100'000;
constexpr size_t kMaxDepth = 12;
constexpr size_t kMaxText = 1024;
constexpr size_t kMaxBrackets = 64;  // open at once: the scanner recurses into flow collections before we hear of them

struct Refusal {
  ManifestProblem problem;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(YamlNode& root) : root_(root) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) refuse(mark, "a manifest must be a single YAML document");
    started_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, {}, anchor, YamlNode::Is::kNothing); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "aliases are not allowed"); }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse(mark, "anchors are not allowed"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (value.size() > kMaxText) refuse(mark, fmt::format("text longer than {} bytes", kMaxText));
    add(mark, tag, anchor, YamlNode::Is::kText).text = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(add(mark, tag, anchor, YamlNode::Is::kList));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(add(mark, tag, anchor, YamlNode::Is::kMap));
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] static void refuse(const YAML::Mark& mark, std::string sentence) {
    throw Refusal{{static_cast<size_t>(mark.line) + 1, static_cast<size_t>(mark.column) + 1, std::move(sentence)}};
  }

  // The next node of the innermost list or map. References into the tree stay valid until that one grows again, which
  // it does only when this node is closed.
  YamlNode& add(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Is is) {
    if (anchor != 0) refuse(mark, "anchors are not allowed");
    if (!tag.empty() && tag != "?" && tag != "!") refuse(mark, "tags are not allowed");
    if (++nodes_ > kMaxNodes) refuse(mark, fmt::format("more than {} entries", kMaxNodes));
    YamlNode& node = place(mark, is);
    node.is = is;
    node.line = static_cast<size_t>(mark.line) + 1;
    node.column = static_cast<size_t>(mark.column) + 1;
    return node;
  }

  YamlNode& place(const YAML::Mark& mark, YamlNode::Is is) {
    if (path_.empty()) return root_;
    YamlNode& parent = *path_.back().node;
    if (parent.is == YamlNode::Is::kList) return parent.items.emplace_back();
    if (path_.back().key_next) {
      if (is != YamlNode::Is::kText) refuse(mark, "a key must be plain text");
      path_.back().key_next = false;
      return parent.members.emplace_back().key;
    }
    path_.back().key_next = true;
    return parent.members.back().value;
  }

  void open(YamlNode& node) {
    if (path_.size() == kMaxDepth) {
      throw Refusal{{node.line, node.column, fmt::format("nested deeper than {} levels", kMaxDepth)}};
    }
    path_.push_back({&node, true});
  }
  void close() { path_.pop_back(); }

  struct Level {
    YamlNode* node;
    bool key_next;  // of a map
  };
  YamlNode& root_;
  std::vector<Level> path_;
  size_t nodes_ = 0;
  bool started_ = false;
};

// A key twice in one map: which one would hold?
bool has_repeated_key(const YamlNode& node, ManifestProblem& problem) {
  std::vector<const YamlNode*> keys;
  for (const YamlMember& member : node.members) keys.push_back(&member.key);
  std::stable_sort(keys.begin(), keys.end(), [](const YamlNode* a, const YamlNode* b) { return a->text < b->text; });
  for (size_t i = 1; i < keys.size(); ++i) {
    if (keys[i]->text != keys[i - 1]->text) continue;
    problem = {keys[i]->line, keys[i]->column,
               fmt::format("duplicate key '{}', first on line {}", printable(keys[i]->text, 64), keys[i - 1]->line)};
    return true;
  }
  return std::any_of(node.items.begin(), node.items.end(),
                     [&](const YamlNode& item) { return has_repeated_key(item, problem); }) ||
         std::any_of(node.members.begin(), node.members.end(),
                     [&](const YamlMember& member) { return has_repeated_key(member.value, problem); });
}

// Lines with more opening brackets or indentation levels than a manifest ever has are not given to the parser.
bool is_too_deep(std::string_view text, ManifestProblem& problem) {
  size_t open = 0;
  size_t line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (open > kMaxBrackets) {
      problem = {line, 1, fmt::format("more than {} brackets open", kMaxBrackets)};
      return true;
    }
  }
  return false;
}

}  // namespace

bool read_yaml(std::string_view untrusted_text, YamlNode& root, ManifestProblem& problem) {
  if (is_too_deep(untrusted_text, problem)) return false;
  try {
    std::istringstream input{std::string(untrusted_text)};
    YAML::Parser parser(input);
    TreeBuilder builder(root);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    problem = refusal.problem;
    return false;
  } catch (const YAML::Exception& error) {
    problem = {error.mark.is_null() ? 0 : static_cast<size_t>(error.mark.line) + 1,
               error.mark.is_null() ? 0 : static_cast<size_t>(error.mark.column) + 1, printable(error.msg)};
    return false;
  } catch (const std::exception& error) {
    problem = {0, 0, printable(error.what())};
    return false;
  }
  return !has_repeated_key(root, problem);
}

}  // namespace ingero::backends
