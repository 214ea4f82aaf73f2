// Finds the period of a program's calls.
#include "correlate/step_finder.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "correlate/median.h"

namespace ingero::correlate {
namespace {

using hal::Kind;

constexpr double kGoodPart = 16;   // of all launches: a sixteenth
constexpr uint64_t kLong = 2;      // times as long as it was seen: over for good
constexpr double kFade = 7.0 / 8;  // a second
constexpr uint32_t kAbout = 8;     // a part of the number, by which others may differ from it

uint64_t mixed_with(uint64_t a, uint64_t b) {
  uint64_t x = a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Memory that is given back waits for all that the device was given before.
bool waits_to_free(const BudgetCall& call, const CallFacts& facts) {
  return facts.frees && call.end_ns - call.start_ns >= DeviceTime::kLongFreeNs;
}

// Absent: says nothing about a step.
std::optional<uint64_t> token_of(const BudgetCall& call, const CallFacts& facts) {
  const auto kind = static_cast<uint64_t>(facts.kind);
  if (facts.graph == GraphStep::kLaunch) return mixed_with(kind, call.handle.value_or(0));
  switch (facts.kind) {
    case Kind::kLaunch:
      return mixed_with(kind, call.function);
    case Kind::kMemcpy:
    case Kind::kMemset:
      return mixed_with(mixed_with(kind, static_cast<uint64_t>(call.direction)),
                        static_cast<uint64_t>(std::bit_width(call.bytes)));
    case Kind::kCollective:
    case Kind::kP2p:
      return mixed_with(mixed_with(kind, call.call), static_cast<uint64_t>(std::bit_width(call.bytes)));
    case Kind::kSync:
      return mixed_with(kind, call.call);
    case Kind::kFree:
      return waits_to_free(call, facts) ? std::optional(mixed_with(kind, call.call)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Less than each other period.
template <typename Thread>
bool waits_seldom(const Thread& thread, uint64_t now_ns, uint64_t period_ns) {
  const uint64_t many = thread.waits.size();
  if (thread.n_waits < many || thread.waited_ns() + 2 * period_ns < now_ns) return true;
  return thread.waited_ns() - thread.waits[thread.n_waits % many] > 2 * (many - 1) * period_ns;
}

// (N5) Not seen for longer than it ever was, and than `long_ns`.
template <typename Token>
bool is_gone(const Token& token, uint64_t now_ns, uint64_t long_ns, uint64_t times = 1) {
  return now_ns - token.last_ns > times * std::max(token.last_ns - token.first_ns, long_ns);
}

bool is_about(uint32_t tokens, uint32_t usual) {
  return tokens + usual / kAbout >= usual && tokens <= usual + usual / kAbout;
}

// Of `whole`: enough to be the rule.
bool is_most(uint64_t part, uint64_t whole) { return part * 10 >= whole * 6; }

}  // namespace

StepFinder::Thread& StepFinder::thread_of(uint32_t tid) {
  if (threads_.size() >= kMaxTokens && !threads_.contains(tid)) threads_.clear();
  return threads_[tid];
}

// Gives the device work, and has waited for it again and again, lately: in a burst or once in a while.
bool StepFinder::is_driver(const Thread& thread) const {
  if (thread.first_launch_ns == 0 || thread.n_waits < kEnough) return false;
  const uint64_t between_ns = (thread.waited_ns() - thread.waits[thread.n_waits % kEnough]) / (kEnough - 1);
  return last_ns_ <= thread.waited_ns() + std::max(kLatelyNs, kEnough * std::max(between_ns, usual_ns_));
}

bool StepFinder::leads(uint32_t tid, const Thread& thread) const {
  return leader_ == tid || (has_drivers_ ? is_driver(thread) : !leader_);
}

// Whose tokens count from now on. What was found by others' is over.
void StepFinder::choose_leaders() {
  const auto drives = [&](const auto& one) { return is_driver(one.second); };
  const bool had_drivers = std::exchange(has_drivers_, std::any_of(threads_.begin(), threads_.end(), drives));
  const std::optional<uint32_t> before = leader_;
  double all = 0;
  for (const auto& [tid, thread] : threads_) all += thread.launches;
  uint64_t first_ns = ~uint64_t{0};
  for (auto& [tid, thread] : threads_) {
    if (all > 0 && thread.launches * kGoodPart >= all && thread.first_launch_ns < first_ns) {
      first_ns = thread.first_launch_ns;
      leader_ = tid;
    }
    thread.launches *= kFade;
  }
  const bool is_new = had_drivers != has_drivers_ || leader_ != before;
  if (is_new || has_drivers_) {  // a driver may be another than before
    std::erase_if(tokens_, [&](const auto& one) { return !leads(one.second.tid, threads_[one.second.tid]); });
  }
  const bool is_lost = anchor_ && !tokens_.contains(*anchor_);
  if (!is_lost) return;
  boundaries_.push_back({last_ns_, 0, 0, true});
  anchor_.reset();
  rival_.reset();
}

void StepFinder::add(const BudgetCall& call, const CallFacts& facts) {
  if (call.failed) return;
  const bool asks = facts.polled && (facts.kind == Kind::kStream || facts.kind == Kind::kEvent);
  const auto token = token_of(call, facts);
  if (!token && !asks) return;
  Thread& thread = thread_of(call.tid);
  const bool waits = asks || facts.kind == Kind::kSync || waits_to_free(call, facts) ||
                     (facts.kind == Kind::kMemcpy && facts.synchronising);
  last_ns_ = std::max(last_ns_, call.end_ns);
  if (waits) thread.waits[thread.n_waits++ % kEnough] = std::max(thread.waited_ns(), call.end_ns);
  if (facts.kind == Kind::kLaunch || facts.graph == GraphStep::kLaunch) {
    if (thread.first_launch_ns == 0) thread.first_launch_ns = call.end_ns;
    ++thread.launches;
  }
  if (!token) return;
  if (std::exchange(thread.last_token, *token) == *token) return;  // (N1)
  sum_ += mixed_with(*token, 1);
  ++number_;
  if (!leads(call.tid, thread)) return;
  if (tokens_.size() >= kMaxTokens && !tokens_.contains(*token)) {  // (N3)
    const auto oldest = std::min_element(tokens_.begin(), tokens_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.second.last_ns, a.first) < std::tie(b.second.last_ns, b.first);
    });
    tokens_.erase(oldest);
  }
  Token& known = tokens_[*token];
  const Occurrence now{call.end_ns - std::min(call.end_ns, known.last_ns), sum_ - known.last_sum,
                       static_cast<uint32_t>(number_ - known.last_number)};
  if (known.count++ > 0) {
    if (known.kept.size() < kKept) {
      known.kept.push_back(now);
    } else {
      known.kept[known.next] = now;
      known.next = (known.next + 1) % kKept;
    }
  }
  if (known.first_ns == 0) known.first_ns = call.end_ns;
  known.call = call.call;
  // Of several threads the one that launched first, as long as it leads.
  const auto first_launch_ns = [&](uint32_t tid) { return threads_[tid].first_launch_ns - 1; };  // none: last
  if (known.tid == 0 || first_launch_ns(call.tid) < first_launch_ns(known.tid)) known.tid = call.tid;
  known.last_ns = std::max(known.last_ns, call.end_ns);
  known.last_sum = sum_;
  known.last_number = number_;
  if (anchor_ != *token) return;
  const bool is_alike = anchor_tokens_ != 0 && is_about(now.tokens, anchor_tokens_);
  // The first thread that launched, goes on to, and seldom waits for the device, waits for the one that does.
  const auto is_leaders = [&](const auto& one) {
    return leader_ == one.second.tid && one.second.last_ns + 2 * now.ns >= call.end_ns;
  };
  const bool is_for_leader = leader_ && waits_seldom(threads_[*leader_], call.end_ns, now.ns) &&
                             std::any_of(tokens_.begin(), tokens_.end(), is_leaders);
  const uint32_t tid = is_for_leader ? *leader_ : known.tid;
  boundaries_.push_back({call.end_ns, is_alike ? mixed_with(*token, 0) : now.content, tid, false});  // (N2)
}

std::optional<StepFinder::Period> StepFinder::by_content(uint64_t token, const Token& of) const {
  if (of.kept.size() < kEnough) return std::nullopt;
  std::map<uint64_t, std::vector<uint64_t>> contents;  // the times of each
  uint64_t total_ns = 0;
  for (const Occurrence& one : of.kept) {
    contents[one.content].push_back(one.ns);
    total_ns += one.ns;
  }
  const auto usual = std::max_element(contents.begin(), contents.end(),
                                      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return period_with(token, of, std::move(usual->second), total_ns);
}

std::optional<StepFinder::Period> StepFinder::by_number(uint64_t token, const Token& of) const {
  if (of.kept.size() < kEnough) return std::nullopt;
  std::vector<uint64_t> numbers, lengths;
  uint64_t total_ns = 0;
  for (const Occurrence& one : of.kept) numbers.push_back(one.tokens);
  const auto usual = static_cast<uint32_t>(median(std::move(numbers)));
  if (usual < kFewTokens) return std::nullopt;
  for (const Occurrence& one : of.kept) {
    if (is_about(one.tokens, usual)) lengths.push_back(one.ns);
    total_ns += one.ns;
  }
  auto period = period_with(token, of, std::move(lengths), total_ns);
  if (period) period->tokens = usual;
  return period;
}

// `lengths`: of its occurrences that are alike.
std::optional<StepFinder::Period> StepFinder::period_with(uint64_t token, const Token& of,
                                                          std::vector<uint64_t> lengths, uint64_t total_ns) const {
  const uint64_t alike_ns = std::accumulate(lengths.begin(), lengths.end(), uint64_t{0});
  if (!is_most(lengths.size(), of.kept.size()) || !is_most(alike_ns, total_ns)) return std::nullopt;
  const uint64_t usual = median(lengths);
  if (usual < kShortestNs || usual > kLongestNs) return std::nullopt;
  if (is_gone(of, last_ns_, kBetter * usual)) return std::nullopt;
  for (uint64_t& one : lengths) one = one > usual ? one - usual : usual - one;
  return Period{token, usual, median(std::move(lengths)), 0};
}

void StepFinder::choose() {
  choose_leaders();
  std::vector<Period> periods;
  std::optional<Period> best, current;
  for (const auto find : {&StepFinder::by_content, &StepFinder::by_number}) {  // (N4)
    for (const auto& [token, of] : tokens_) {
      const auto period = (this->*find)(token, of);
      if (!period) continue;
      periods.push_back(*period);
      if (anchor_ == token) current = period;
    }
    if (!periods.empty()) break;
  }
  uint64_t longest_ns = 0, first_ns = ~uint64_t{0};
  const auto first_launch_ns = [&](uint64_t token) { return threads_[tokens_[token].tid].first_launch_ns; };
  for (const Period& one : periods) longest_ns = std::max(longest_ns, one.median_ns);
  std::erase_if(periods, [&](const Period& one) { return one.median_ns + one.median_ns / 2 < longest_ns; });
  // The most regular of the longest, of the thread that launched first: it gives the others their work.
  for (const Period& one : periods) first_ns = std::min(first_ns, first_launch_ns(one.token));
  std::erase_if(periods, [&](const Period& one) { return first_launch_ns(one.token) != first_ns; });
  for (const Period& one : periods) {
    if (!best || std::tie(one.spread_ns, one.token) < std::tie(best->spread_ns, best->token)) best = one;
  }
  if (current) {
    usual_ns_ = current->median_ns;
    anchor_tokens_ = current->tokens;
  }
  if (!best) return;
  if (anchor_ && best->token == *anchor_) {
    rival_.reset();
    return;
  }
  // Tokens of one step are as regular as each other: which is the most regular of them changes from second to second.
  for (const Period& one : periods) {
    if (rival_ == one.token) best = one;
  }
  const Token& token = tokens_[best->token];
  // (N3) As long as the anchor still marks a period, only a clearly longer one replaces it, or an earlier thread's.
  const bool is_led = anchor_ && first_launch_ns(*anchor_) > first_ns;
  if (anchor_ && current && !is_led && best->median_ns <= current->median_ns + current->median_ns / 2) return;
  if (anchor_) {
    // One that is over, as of a warm-up, gives way at once, but not to a part of its steps.
    const bool is_over = is_gone(tokens_[*anchor_], last_ns_, kBetter * usual_ns_, kLong) &&
                         best->median_ns + best->median_ns / 2 >= usual_ns_;
    if (!is_over && rival_ != best->token) {
      rival_ = best->token;
      rival_since_ = token.count;
    }
    if (!is_over && token.count < rival_since_ + kBetter) return;
    boundaries_.push_back({std::max(token.last_ns, tokens_[*anchor_].last_ns), 0, 0, true});
  }
  anchor_ = best->token;
  anchor_call_ = token.call;
  anchor_tokens_ = best->tokens;
  usual_ns_ = best->median_ns;
  rival_.reset();
}

}  // namespace ingero::correlate
