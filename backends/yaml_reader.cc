// Checks the values of a YAML tree as they are read, and notes each problem with its line.
#include "backends/yaml_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace ingero::backends {
namespace {

constexpr size_t kMaxName = 128;
constexpr size_t kMaxSentence = 400;
constexpr size_t kMinPatternName = 3;  // a pattern such as "*" would claim every file of every process

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_lower_word(std::string_view text) {
  return is_identifier(text) && text.size() <= 32 &&
         std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_upper_word(std::string_view text) {
  return is_identifier(text) && text.size() <= 16 &&
         std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127 && c != '/'; });
}

bool is_library_name(std::string_view text) { return is_plain(text) && is_letter(text[0]); }

bool is_pattern(std::string_view text) {
  return is_plain(text) && text.size() >= kMinPatternName &&
         std::all_of(text.begin(), text.begin() + kMinPatternName, [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_sentence(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSentence &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127; });
}

const YamlNode& YamlReader::Keys::operator[](std::string_view key) const {
  static const YamlNode nothing;
  const auto at = nodes.find(key);
  return at == nodes.end() ? nothing : *at->second;
}

void YamlReader::fail(const YamlNode& node, std::string sentence) {
  if (problems_.size() < most_problems_) problems_.push_back({node.line, node.column, std::move(sentence)});
}

std::vector<ManifestProblem> YamlReader::take_problems() {
  std::stable_sort(problems_.begin(), problems_.end(),
                   [](const ManifestProblem& a, const ManifestProblem& b) { return a.line < b.line; });
  return std::move(problems_);
}

std::string YamlReader::quoted(const YamlNode& node) {
  return node.is == YamlNode::Is::kText ? fmt::format("'{}'", printable(node.text, 64)) : "this";
}

YamlReader::Keys YamlReader::keys_of(const YamlNode& node, std::string_view what,
                                     std::initializer_list<std::string_view> known,
                                     std::initializer_list<std::string_view> needed) {
  Keys keys;
  if (node.is != YamlNode::Is::kMap) {
    fail(node, fmt::format("{} must be a map of keys", what));
    return keys;
  }
  for (const auto& [key, value] : node.members) {
    if (std::find(known.begin(), known.end(), key.text) == known.end()) {
      fail(key, fmt::format("unknown key {}: {} has {}", quoted(key), what, fmt::join(known, ", ")));
    } else {
      keys.nodes.emplace(key.text, &value);
    }
  }
  for (const std::string_view key : needed) {
    if (keys.nodes.count(key) == 0) fail(node, fmt::format("{} needs the key '{}'", what, key));
  }
  return keys;
}

std::span<const YamlNode> YamlReader::list(const YamlNode& node, size_t most) {
  if (node.is == YamlNode::Is::kNothing) return {};
  if (node.is != YamlNode::Is::kList) {
    fail(node, fmt::format("{} is not a list", quoted(node)));
    return {};
  }
  if (node.items.size() > most) fail(node, fmt::format("more than {} entries", most));
  return std::span(node.items).first(std::min(most, node.items.size()));
}

std::string_view YamlReader::text(const YamlNode& node, Accept accept, std::string_view wanted) {
  if (is_missing(node)) return {};
  if (node.is != YamlNode::Is::kText || !accept(node.text)) {
    fail(node, fmt::format("{} is not {}", quoted(node), wanted));
    return {};
  }
  return strings_.emplace_back(node.text);
}

std::span<const std::string_view> YamlReader::texts(const YamlNode& node, size_t most, Accept accept,
                                                    std::string_view wanted) {
  auto& all = lists_.emplace_back();
  for (const YamlNode& item : list(node, most)) all.push_back(text(item, accept, wanted));
  return all;
}

std::optional<unsigned> YamlReader::find(std::string_view text, std::span<const Word> words) {
  for (const Word& word : words) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}

unsigned YamlReader::word(const YamlNode& node, std::span<const Word> words, std::string_view what,
                          unsigned otherwise) {
  if (is_missing(node)) return otherwise;
  if (node.is == YamlNode::Is::kText) {
    if (const auto value = find(node.text, words)) return *value;
  }
  std::string known;
  for (const Word& one : words) known += fmt::format("{}{}", known.empty() ? "" : ", ", one.text);
  fail(node, fmt::format("{} is not a known {}: use one of {}", quoted(node), what, known));
  return otherwise;
}

unsigned YamlReader::set_of(const YamlNode& node, std::span<const Word> words, std::string_view what) {
  unsigned bits = 0;
  for (const YamlNode& item : list(node, words.size())) bits |= word(item, words, what);
  return bits;
}

bool YamlReader::boolean(const YamlNode& node, bool otherwise) {
  static constexpr Word kBooleans[] = {{"false", 0}, {"true", 1}};
  return word(node, kBooleans, "boolean", otherwise ? 1 : 0) != 0;
}

int64_t YamlReader::number(const YamlNode& node, int64_t least, int64_t most, int64_t otherwise) {
  if (is_missing(node)) return otherwise;
  const auto value = node.is == YamlNode::Is::kText ? parse_i64(node.text) : std::nullopt;
  if (value && *value >= least && *value <= most) return *value;
  fail(node, fmt::format("{} is not a number from {} to {}", quoted(node), least, most));
  return otherwise;
}

}  // namespace ingero::backends
