// A YAML document as a tree of text with lines: what the manifest reader walks. Private to backends/.
//
// Read event by event, so that the bounds hold while reading: anchors, aliases, tags, a second document, repeated keys,
// and more nodes or depth than allowed are refused where they stand. The tree owns its text. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "backends/manifest.h"

namespace ingero::backends {

struct YamlMember;
struct YamlNode {
  enum class Is : uint8_t { kNothing, kText, kList, kMap };
  Is is = Is::kNothing;
  size_t line = 0, column = 0;      // from 1
  std::string text;                 // kText
  std::vector<YamlNode> items;      // kList
  std::vector<YamlMember> members;  // kMap; keys are kText, each once
};

struct YamlMember {
  YamlNode key, value;
};

// False: `problem` says why. Never throws.
bool read_yaml(std::string_view untrusted_text, YamlNode& root, ManifestProblem& problem);

}  // namespace ingero::backends
