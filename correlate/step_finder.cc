// Finds the period of a program's calls.
#include "correlate/step_finder.h"

#include <algorithm>
#include <bit>
#include <map>

namespace ingero::correlate {
namespace {

using hal::Kind;

uint64_t mixed_with(uint64_t a, uint64_t b) {
  uint64_t x = a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
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
    default:
      return std::nullopt;
  }
}

}  // namespace

StepFinder::Thread& StepFinder::thread_of(uint32_t tid) {
  if (threads_.size() >= kMaxTokens && !threads_.contains(tid)) threads_.clear();
  return threads_[tid];
}

// Was it last made by a thread that gives the device work, and waits for it once in kEnough of its intervals?
bool StepFinder::is_of_driver(const Token& token) const {
  const auto thread = threads_.find(token.tid);
  if (thread == threads_.end() || !thread->second.launches || thread->second.waited_ns == 0) return false;
  const uint64_t interval_ns = token.kept[(token.next + kKept - 1) % kKept].ns;
  return thread->second.waited_ns + kEnough * interval_ns >= token.last_ns;
}

void StepFinder::add(const BudgetCall& call, const CallFacts& facts) {
  if (call.failed) return;
  const bool asks = facts.polled && (facts.kind == Kind::kStream || facts.kind == Kind::kEvent);
  const auto token = token_of(call, facts);
  if (!token && !asks) return;
  Thread& thread = thread_of(call.tid);
  const bool waits = asks || facts.kind == Kind::kSync || (facts.kind == Kind::kMemcpy && facts.synchronising);
  if (waits) thread.waited_ns = std::max(thread.waited_ns, call.end_ns);
  thread.launches |= facts.kind == Kind::kLaunch || facts.graph == GraphStep::kLaunch;
  if (!token) return;
  if (std::exchange(thread.last_token, *token) == *token) return;  // (N1)
  sum_ += mixed_with(*token, 1);
  if (tokens_.size() >= kMaxTokens && !tokens_.contains(*token)) {  // (N3)
    const auto oldest = std::min_element(tokens_.begin(), tokens_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.second.last_ns, a.first) < std::tie(b.second.last_ns, b.first);
    });
    tokens_.erase(oldest);
  }
  Token& known = tokens_[*token];
  const uint64_t content = sum_ - known.last_sum;
  if (known.count++ > 0) {
    known.kept[known.next] = {call.end_ns - std::min(call.end_ns, known.last_ns), content};
    known.next = (known.next + 1) % kKept;
    known.n_kept = std::min(known.n_kept + 1, kKept);
  }
  if (known.first_ns == 0) known.first_ns = call.end_ns;
  last_ns_ = std::max(last_ns_, call.end_ns);
  known.call = call.call;
  known.tid = call.tid;
  known.last_ns = std::max(known.last_ns, call.end_ns);
  known.last_sum = sum_;
  if (anchor_ == *token) boundaries_.push_back({call.end_ns, content, call.tid, false});  // (N2)
}

std::optional<StepFinder::Period> StepFinder::period_of(uint64_t token, const Token& of) const {
  if (of.n_kept < kEnough) return std::nullopt;
  std::map<uint64_t, std::pair<size_t, uint64_t>> contents;  // times, time
  uint64_t total_ns = 0;
  for (size_t i = 0; i < of.n_kept; ++i) {
    auto& [times, ns] = contents[of.kept[i].content];
    ++times;
    ns += of.kept[i].ns;
    total_ns += of.kept[i].ns;
  }
  const auto usual = std::max_element(contents.begin(), contents.end(),
                                      [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (usual->second.first * 10 < of.n_kept * 6 || usual->second.second * 10 < total_ns * 6) return std::nullopt;
  std::vector<uint64_t> lengths;
  for (size_t i = 0; i < of.n_kept; ++i) {
    if (of.kept[i].content == usual->first) lengths.push_back(of.kept[i].ns);
  }
  const auto middle = lengths.begin() + static_cast<ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const uint64_t median = *middle;
  if (median < kShortestNs || median > kLongestNs) return std::nullopt;
  if (last_ns_ - of.last_ns > std::max(of.last_ns - of.first_ns, kBetter * median)) return std::nullopt;  // (N4)
  for (uint64_t& one : lengths) one = one > median ? one - median : median - one;
  std::nth_element(lengths.begin(), middle, lengths.end());
  return Period{token, median, *middle};
}

void StepFinder::choose() {
  std::vector<Period> periods;
  std::optional<Period> best, current;
  bool is_of_driver_now = false;  // the anchor
  for (const auto& [token, of] : tokens_) {
    const auto period = period_of(token, of);
    if (!period) continue;
    periods.push_back(*period);
    if (anchor_ != token) continue;
    current = period;
    is_of_driver_now = is_of_driver(of);
  }
  const auto is_anothers = [&](const Period& one) { return !is_of_driver(tokens_.at(one.token)); };
  const bool has_driver = !std::all_of(periods.begin(), periods.end(), is_anothers);
  if (has_driver) std::erase_if(periods, is_anothers);
  uint64_t longest_ns = 0;
  for (const Period& one : periods) longest_ns = std::max(longest_ns, one.median_ns);
  // The most regular of the longest.
  for (const Period& one : periods) {
    if (one.median_ns + one.median_ns / 2 < longest_ns) continue;
    if (!best || std::tie(one.spread_ns, one.token) < std::tie(best->spread_ns, best->token)) best = one;
  }
  if (current) usual_ns_ = current->median_ns;
  if (!best) return;
  if (anchor_ && best->token == *anchor_) {
    rival_.reset();
    return;
  }
  // Tokens of one step are as regular as each other: which is the most regular of them changes from second to second.
  for (const Period& one : periods) {
    if (rival_ == one.token && one.median_ns + one.median_ns / 2 >= longest_ns) best = one;
  }
  const Token& token = tokens_[best->token];
  // (N3) As long as the anchor still marks a period of such a thread, only a clearly longer one replaces it.
  const bool is_clear =
      !current || best->median_ns > current->median_ns + current->median_ns / 2 || (has_driver && !is_of_driver_now);
  if (anchor_ && !is_clear) return;
  if (anchor_) {
    if (rival_ != best->token) {
      rival_ = best->token;
      rival_since_ = token.count;
    }
    if (token.count < rival_since_ + kBetter) return;
    boundaries_.push_back({std::max(token.last_ns, tokens_[*anchor_].last_ns), 0, 0, true});
  }
  anchor_ = best->token;
  anchor_call_ = token.call;
  usual_ns_ = best->median_ns;
  rival_.reset();
}

}  // namespace ingero::correlate
