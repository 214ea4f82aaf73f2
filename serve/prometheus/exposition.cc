// Parses a metrics page line by line, so that a line that is not understood costs only itself.
#include "serve/prometheus/exposition.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace ingero::serve::prometheus {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

std::string_view take_name(std::string_view& text) {
  size_t length = 0;
  if (!text.empty() && is_name_start(text.front())) {
    while (length < text.size() && is_name(text[length])) ++length;
  }
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

bool take_char(std::string_view& text, char c) {
  skip_blanks(text);
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// "..." with \\, \" and \n.
bool take_quoted(std::string_view& text, std::string& value) {
  if (!take_char(text, '"')) return false;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '"') return true;
    if (c != '\\') {
      value += c;
      continue;
    }
    if (text.empty()) return false;
    value += text.front() == 'n' ? '\n' : text.front();
    text.remove_prefix(1);
  }
  return false;
}

bool take_labels(std::string_view& text, Sample& sample) {
  if (!take_char(text, '{')) return true;
  for (;;) {
    if (take_char(text, '}')) return true;
    skip_blanks(text);
    const std::string_view name = take_name(text);
    std::string value;
    if (name.empty() || sample.labels.size() >= kMaxLabels) return false;
    if (!take_char(text, '=') || !take_quoted(text, value)) return false;
    sample.labels.emplace_back(name, std::move(value));
    if (take_char(text, '}')) return true;
    if (!take_char(text, ',')) return false;
  }
}

std::optional<double> value_of(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  if (word == "Inf") return std::numeric_limits<double>::infinity();
  if (word == "-Inf") return -std::numeric_limits<double>::infinity();
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return {};
  return value;
}

bool read_line(std::string_view line, Sample& sample) {
  sample.labels.clear();
  skip_blanks(line);
  sample.name = take_name(line);
  if (sample.name.empty() || !take_labels(line, sample)) return false;
  skip_blanks(line);
  const size_t end = std::min(line.find_first_of(" \t"), line.size());  // a time may follow, and is not needed
  const auto value = value_of(line.substr(0, end));
  if (!value) return false;
  sample.value = *value;
  return true;
}

}  // namespace

std::string_view Sample::label(std::string_view key) const {
  for (const auto& [name, value] : labels) {
    if (name == key) return value;
  }
  return {};
}

ExpositionCounts read_exposition(std::string_view untrusted_text, const std::function<void(const Sample&)>& take) {
  ExpositionCounts counts;
  Sample sample;
  while (!untrusted_text.empty()) {
    const size_t end = std::min(untrusted_text.find('\n'), untrusted_text.size());
    std::string_view line = untrusted_text.substr(0, end);
    untrusted_text.remove_prefix(std::min(end + 1, untrusted_text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    skip_blanks(line);
    if (line.empty() || line.front() == '#') continue;
    if (counts.samples >= kMaxSamples || line.size() > kMaxLineBytes || !read_line(line, sample)) {
      ++counts.refused;
      continue;
    }
    ++counts.samples;
    take(sample);
  }
  return counts;
}

}  // namespace ingero::serve::prometheus
