// One pass over each argument: a name decides about the value behind it, a shape about what has it.
#include "base/secrets.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ingero {
namespace {

constexpr size_t kMinTokenBytes = 12;  // behind a well-known prefix

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_name(char c) { return is_word(c) || c == '-' || c == '.'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_quote(char c) { return c == '"' || c == '\''; }

// The letters and digits of a name, in lower case.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if (is_letter(c) || is_digit(c)) {
      out += c;
    }
  }
  return out;
}

// The part behind the last '-', '_' or '.', in lower case.
std::string last_part(std::string_view name) {
  while (!name.empty() && !is_letter(name.back()) && !is_digit(name.back())) name.remove_suffix(1);
  const size_t at = name.find_last_of("-_.");
  return plain(at == std::string_view::npos ? name : name.substr(at + 1));
}

bool is_number(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

// What a value ends at: in a URL's query and in JSON other fields follow.
size_t end_of_value(std::string_view text, size_t from) {
  if (from < text.size() && is_quote(text[from])) {
    const size_t end = text.find(text[from], from + 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  while (from < text.size() && !is_blank(text[from]) && text[from] != '&' && text[from] != ';' && text[from] != ',' &&
         !is_quote(text[from]) && text[from] != '}') {
    ++from;
  }
  return from;
}

// The end of a well-known kind of token that begins at `at`; `at` itself where none does.
size_t end_of_token(std::string_view text, size_t at) {
  constexpr std::array<std::string_view, 18> kPrefixes = {"sk-",  "sk_",         "ghp_",   "gho_",  "ghu_",   "ghs_",
                                                          "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-",  "hf_",
                                                          "AKIA", "ASIA",        "AIza",   "eyJ",   "nvapi-", "ya29."};
  for (const std::string_view prefix : kPrefixes) {
    if (text.substr(at, prefix.size()) != prefix) continue;
    size_t end = at + prefix.size();
    while (end < text.size() && is_name(text[end])) ++end;
    if (end - at >= prefix.size() + kMinTokenBytes) return end;
  }
  return at;
}

// Takes an argument apart, from left to right.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (!user_of_url() && !token() && !named_value()) out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  bool begins_word() const { return at_ == 0 || !is_word(text_[at_ - 1]); }

  void redact(size_t end) {
    out_ += kRedacted;
    at_ = end;
  }

  // scheme://user:X@host: all that stands before the '@' of the host.
  bool user_of_url() {
    if (text_.substr(at_, 3) != "://") return false;
    const size_t from = at_ + 3;
    const size_t host = text_.find_first_of("/?# \t\n\"'", from);
    const std::string_view authority = text_.substr(from, host == std::string_view::npos ? host : host - from);
    const size_t sign = authority.rfind('@');
    out_ += "://";
    at_ = from;
    if (sign != std::string_view::npos && sign > 0) redact(from + sign);
    return true;
  }

  bool token() {
    if (!begins_word()) return false;
    const size_t end = end_of_token(text_, at_);
    if (end == at_) return false;
    redact(end);
    return true;
  }

  // "Bearer X" and "Basic X": what stands behind them; true when there was one.
  bool credentials(std::string_view word) {
    const std::string lower = plain(word);
    if ((lower != "bearer" && lower != "basic") || at_ >= text_.size() || !is_blank(text_[at_])) return false;
    size_t from = at_;
    while (from < text_.size() && is_blank(text_[from])) ++from;
    const size_t end = end_of_value(text_, from);
    if (end == from) return false;
    out_ += text_.substr(at_, from - at_);
    redact(end);
    return true;
  }

  // name=X, "name": "X", --name X.
  bool named_value() {
    if (!is_name(text_[at_]) || (at_ > 0 && is_name(text_[at_ - 1]))) return false;
    size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    out_ += name;
    at_ = end;
    if (credentials(name) || !is_secret_name(name)) return true;
    size_t from = end;
    if (from < text_.size() && is_quote(text_[from])) ++from;
    size_t sign = from;
    while (sign < text_.size() && is_blank(text_[sign])) ++sign;
    if (sign < text_.size() && (text_[sign] == '=' || text_[sign] == ':')) {
      from = sign + 1;
      while (from < text_.size() && is_blank(text_[from])) ++from;
    } else if (name.front() == '-' && from == end && sign > end && text_[std::min(sign, text_.size() - 1)] != '-') {
      from = sign;
    } else {
      return true;
    }
    value(name, from);
    return true;
  }

  void value(std::string_view name, size_t from) {
    size_t end = end_of_value(text_, from);
    if (end == from) return;
    if (last_part(name) == "tokens" && is_number(text_.substr(from, end - from))) return;
    out_ += text_.substr(at_, from - at_);
    at_ = from;
    // "Authorization: Bearer X": the kind is not the secret.
    const std::string kind = plain(text_.substr(from, end - from));
    if (kind == "bearer" || kind == "basic") {
      out_ += text_.substr(from, end - from);
      at_ = end;
      credentials(kind);
      return;
    }
    redact(end);
  }

  std::string_view text_;
  std::string out_;
  size_t at_ = 0;
};

// Is this argument a flag whose value is the next argument, and that a secret?
bool awaits_secret(std::string_view argument) {
  return argument.size() > 1 && argument.front() == '-' && std::all_of(argument.begin(), argument.end(), is_name) &&
         is_secret_name(argument);
}

// -u NAME:X, --user NAME:X of clients of HTTP: what stands behind the colon.
bool awaits_user(std::string_view argument) {
  return argument == "-u" || argument == "--user" || argument == "-U" || argument == "--proxy-user";
}

}  // namespace

bool is_secret_name(std::string_view name) {
  const std::string all = plain(name), last = last_part(name);
  for (const char* harmless :
       {"file",   "path", "dir",   "folder", "url",   "uri", "id",      "ids",   "name", "type",
        "length", "len",  "count", "size",   "limit", "ttl", "timeout", "stdin", "mode", "method"}) {
    if (last == harmless) return false;
  }
  for (const char* word : {"password", "passwd", "passphrase", "secret", "credential"}) {
    if (all.find(word) != std::string::npos) return true;
  }
  for (const char* part : {"pass", "pwd", "auth", "authorization", "cookie", "dsn", "webhook", "key", "keys", "token",
                           "tokens", "jwt", "sas"}) {
    if (last == part) return true;
  }
  for (const char* end :
       {"token", "apikey", "apikeys", "accesskey", "privatekey", "authkey", "pwd", "connectionstring"}) {
    if (all.ends_with(end)) return true;
  }
  return false;
}

std::string without_secrets(std::string_view text) { return Scan(text).run(); }

std::string arguments_without_secrets(std::string_view arguments) {
  while (!arguments.empty() && arguments.back() == '\0') arguments.remove_suffix(1);
  std::string out;
  bool is_first = true, is_secret = false, is_user = false, is_number_allowed = false;
  for (size_t at = 0; at <= arguments.size();) {
    const size_t end = std::min(arguments.find('\0', at), arguments.size());
    const std::string_view argument = arguments.substr(at, end - at);
    at = end + 1;
    if (!std::exchange(is_first, false)) out += ' ';
    const bool is_flag = argument.starts_with("--");
    const size_t colon = argument.find(':');
    if (is_secret && !is_flag && !(is_number_allowed && is_number(argument))) {
      out += kRedacted;
      is_secret = is_user = false;
      continue;
    }
    if (is_user && !is_flag && colon != std::string_view::npos) {
      out += argument.substr(0, colon + 1);
      out += kRedacted;
    } else {
      out += without_secrets(argument);
    }
    is_secret = awaits_secret(argument);
    is_user = awaits_user(argument);
    is_number_allowed = last_part(argument) == "tokens";
  }
  return out;
}

}  // namespace ingero
