// What a program says of itself while it is recorded ("step 17 of epoch 2"): one line of JSON, checked.
//
// The fields: labels (an object of texts, numbers or booleans), ts (wall ns; absent: now), pid (a number, or "self";
// absent: the whole machine), start_time (of that process, in ticks, as field 22 of /proc/PID/stat), span_start and
// span_end (wall ns, together), v (1). Others are refused, so that a mistyped one is not lost silently.
// docs/formats/annotations.md is normative. Pure; thread-safe. Text comes from strangers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ingero::agent {

struct AnnotationLimits {
  static constexpr size_t kLineBytes = 16 << 10;
  static constexpr size_t kLabels = 32;
  static constexpr size_t kKeyBytes = 64;  // of A-Z a-z 0-9 _ . -
  static constexpr size_t kValueBytes = 256;
  static constexpr uint32_t kLinesASecond = 1000;  // of one connection
  static constexpr uint32_t kLinesASecondOfUser = 5000;
  static constexpr uint64_t kFarNs = 86'400'000'000'000;  // a time further from now than this is a mistake
};

struct AnnotationLine {
  std::optional<uint64_t> wall_ns, span_start_wall_ns, span_end_wall_ns;
  std::optional<uint32_t> pid;
  bool is_self = false;
  std::optional<uint64_t> start_time;
  std::string labels_json;  // keys in order, values as texts: printable
};

// kInvalid, with what is wrong. `now_wall_ns` is what times are compared with.
Result<AnnotationLine> parse_annotation(std::string_view line, uint64_t now_wall_ns);

// "key=value" of a command line, into a JSON object of texts that parse_annotation takes as its labels.
Result<std::string> labels_of_words(const std::vector<std::string>& words);

}  // namespace ingero::agent
