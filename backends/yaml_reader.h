// Reads the values of a YAML tree, one key at a time. Each problem is noted with its line, and reading continues with a
// default, so that one pass finds all problems. Private to backends/.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/yaml_tree.h"

namespace ingero::backends {

// What texts must be; each is bounded in length.
bool is_identifier(std::string_view text);    // as C spells a name
bool is_lower_word(std::string_view text);    // a short one without upper case
bool is_upper_word(std::string_view text);    // a short one without lower case
bool is_plain(std::string_view text);         // visible characters, no slash
bool is_library_name(std::string_view text);  // a plain one that begins with a letter
bool is_pattern(std::string_view text);       // a plain one that begins with three letters or digits
bool is_sentence(std::string_view text);      // visible characters and spaces

class YamlReader {
 public:
  struct Word {
    std::string_view text;
    unsigned value;
  };

 protected:
  using Accept = bool (*)(std::string_view);
  // Members of a map by key; a key that is not there is a node that holds nothing.
  struct Keys {
    const YamlNode& operator[](std::string_view key) const;
    std::map<std::string_view, const YamlNode*> nodes;
  };

  // What is read lives in `strings` and `lists`, which outlive this.
  YamlReader(std::deque<std::string>& strings, std::deque<std::vector<std::string_view>>& lists, size_t most_problems)
      : strings_(strings), lists_(lists), most_problems_(most_problems) {}

  void fail(const YamlNode& node, std::string sentence);
  bool is_good() const { return problems_.empty(); }
  std::vector<ManifestProblem> take_problems();  // in the order of lines

  static bool is_missing(const YamlNode& node) { return node.is == YamlNode::Is::kNothing && node.line == 0; }
  static std::string quoted(const YamlNode& node);
  Keys keys_of(const YamlNode& node, std::string_view what, std::initializer_list<std::string_view> known,
               std::initializer_list<std::string_view> needed);
  std::span<const YamlNode> list(const YamlNode& node, size_t most);
  // Empty when it is missing or not accepted. A missing key is reported by keys_of(), where it is required.
  std::string_view text(const YamlNode& node, Accept accept, std::string_view wanted);
  std::span<const std::string_view> texts(const YamlNode& node, size_t most, Accept accept, std::string_view wanted);
  static std::optional<unsigned> find(std::string_view text, std::span<const Word> words);
  unsigned word(const YamlNode& node, std::span<const Word> words, std::string_view what, unsigned otherwise = 0);
  unsigned set_of(const YamlNode& node, std::span<const Word> words, std::string_view what);
  bool boolean(const YamlNode& node, bool otherwise = false);
  int64_t number(const YamlNode& node, int64_t least, int64_t most, int64_t otherwise);

 private:
  std::deque<std::string>& strings_;
  std::deque<std::vector<std::string_view>>& lists_;
  const size_t most_problems_;
  std::vector<ManifestProblem> problems_;
};

}  // namespace ingero::backends
