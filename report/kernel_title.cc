// Reads the identifiers of a mangled name.
#include "report/kernel_title.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ingero::report {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Mangled {
 public:
  explicit Mangled(std::string_view text) : rest_(text) {}

  bool skip(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  bool is_over() const { return rest_.empty(); }
  char front() const { return rest_.front(); }
  void drop() { rest_.remove_prefix(1); }

  // <length><identifier>; of one that is cut, what there is.
  std::optional<std::string_view> identifier() {
    size_t length = 0, digits = 0;
    while (digits < rest_.size() && digits < 4 && is_digit(rest_[digits])) {
      length = length * 10 + static_cast<size_t>(rest_[digits++] - '0');
    }
    if (digits == 0 || length == 0) return std::nullopt;
    const std::string_view found = rest_.substr(digits, length);
    rest_.remove_prefix(std::min(rest_.size(), digits + length));
    return found;
  }

  // What has digits without being an identifier: substitutions (S0_), parameters (T0_), literals (Li4E).
  bool skip_other() {
    const char kind = rest_.front();
    size_t end = 1;
    if (kind == 'S' || kind == 'T') {
      while (end < rest_.size() && (is_digit(rest_[end]) || std::isupper(static_cast<unsigned char>(rest_[end]))))
        ++end;
      if (end < rest_.size() && rest_[end] == '_') return rest_.remove_prefix(end + 1), true;
      return rest_.remove_prefix(std::min<size_t>(2, rest_.size())), true;
    }
    if (kind == 'L' && rest_.size() > 1 && std::islower(static_cast<unsigned char>(rest_[1]))) {
      end = rest_.find('E');
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      return true;
    }
    return false;
  }

 private:
  std::string_view rest_;
};

bool is_anonymous(std::string_view name) { return name.starts_with("_GLOBAL__N_"); }

// Of a template's arguments the first names that say which kernel of many it is.
std::string arguments(Mangled& name) {
  constexpr size_t kMaxNames = 3;
  constexpr std::string_view kSayNothing[] = {"at",
                                              "native",
                                              "c10",
                                              "std",
                                              "detail",
                                              "internal",
                                              "array",
                                              "templates",
                                              "binary_internal",
                                              "TensorIterator",
                                              "TensorIteratorBase"};
  std::vector<std::string_view> found;
  while (!name.is_over() && found.size() < kMaxNames) {
    if (name.skip_other()) continue;
    if (!is_digit(name.front())) {
      name.drop();
      continue;
    }
    const auto one = name.identifier();
    if (!one) break;
    const bool says_nothing = is_anonymous(*one) || std::ranges::find(kSayNothing, *one) != std::end(kSayNothing);
    if (!says_nothing && std::ranges::find(found, *one) == found.end()) found.push_back(*one);
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

}  // namespace

std::string kernel_title(std::string_view name) {
  Mangled mangled(name);
  if (!mangled.skip("_Z")) return std::string(name);
  const bool is_nested = mangled.skip("N");
  if (is_nested) {
    while (mangled.skip("K") || mangled.skip("V") || mangled.skip("r")) {
    }
  } else {
    (void)mangled.skip("L");
  }
  std::string title;
  while (!mangled.is_over() && is_digit(mangled.front())) {
    const auto found = mangled.identifier();
    if (!found) break;
    if (!is_anonymous(*found)) title.append(title.empty() ? "" : "::").append(*found);
    if (!is_nested) break;
  }
  if (title.empty()) return std::string(name);
  if (!mangled.skip("I")) return title;
  return title + "<" + arguments(mangled) + ">";
}

}  // namespace ingero::report
