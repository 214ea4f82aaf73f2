// Follows the recording, and hands what it holds to the sender as fast as that takes it.
#include "fleet/push/push.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/text.h"
#include "fleet/push/row_windows.h"
#include "fleet/wire/collector.h"
#include "report/chains.h"
#include "report/frame_text.h"
#include "serve/metrics/operation_names.h"
#include "store/db/writer_lock.h"
#include "store/read/follow.h"
#include "store/read/reader.h"

namespace ingero::fleet::push {
namespace {

using ingero::store::Reader;

constexpr uint64_t kRowsAtOnce = 20'000;
constexpr size_t kMaxReady = 8192;
constexpr size_t kMaxBacklog = 16;     // of the sender, before more is read
constexpr size_t kMaxIncidents = 128;  // likewise
constexpr uint64_t kChainsEveryNs = 1'000'000'000;
constexpr uint64_t kChainsAgainNs = 600'000'000'000;  // how far back what has ended is looked at again
constexpr uint64_t kChainsTimeNs = 5'000'000'000;     // to read them: what they are is the recording's word
constexpr uint64_t kShortWaitNs = 50'000'000;
constexpr size_t kMaxStacks = 4096;  // texts that are kept
constexpr uint64_t kStackTimeNs = 100'000'000;
constexpr uint64_t kStopNs = 500'000'000;  // for what is left when it is interrupted

struct FileIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

Result<std::string> node_of(const Reader& reader) {
  std::string node;
  const auto outcome = reader.query("SELECT node FROM sessions ORDER BY id DESC LIMIT 1", {},
                                    [&](std::span<const ingero::store::Value> values) {
                                      node = values[0].as_text();
                                      return true;
                                    });
  if (!outcome.ok()) return outcome.error();
  return node;
}

// What is not written yet, or cannot be read, is not known: the window says the rest.
send::Stack stack_of(const Reader& reader, uint64_t stack_id) {
  send::Stack stack;
  const ingero::store::Bound id[] = {ingero::store::Bound::of(static_cast<int64_t>(stack_id))};
  (void)reader.query(
      "SELECT frames FROM stack_traces WHERE hash = ?", {.rows = 1, .time_ns = kStackTimeNs},
      [&](std::span<const ingero::store::Value> values) {
        stack.line = report::line_of_stored(values[0].as_text());
        stack.frames = report::frame_texts(values[0].as_text());
        return true;
      },
      {}, id);
  return stack;
}

}  // namespace

std::vector<std::string> sentences_of(const PushSummary& summary, const std::string& url) {
  std::vector<std::string> all{fmt::format("sent {} data points to {}", summary.sent.accepted, url)};
  if (summary.sent.refused > 0) all[0] += fmt::format(", {} refused by the server", summary.sent.refused);
  if (summary.sent.dropped > 0) all[0] += fmt::format(", {} not sent", summary.sent.dropped);
  const auto say = [&](uint64_t count, const char* what, const char* why) {
    if (count > 0) all.push_back(fmt::format("{}: {}", plural(count, what), why));
  };
  say(summary.not_of_now, "window", "not sent, since no server takes those of more than an hour ago, or still to come");
  say(summary.unknown, "collective",
      "left out, since their rank or their communicator's is not known (docs/limits.md)");
  say(summary.sampled_out, "collective",
      "left out, since their run kept only a part of its calls, from which own work cannot be measured (record with "
      "--store all)");
  return all;
}

Status all_sent(const PushSummary& summary, const std::string& url) {
  const auto& sent = summary.sent;
  const char* const remedy = "send it again with the same command: what comes twice counts once";
  if (sent.accepted == 0 && sent.refused > 0) {
    return Error(Errc::kIo, fmt::format("{}: it refused all {} data points", url, sent.refused),
                 "see its log, and the token");
  }
  if (summary.has_ended && sent.dropped == 0) return {};
  const std::string why = sent.last_error.empty() ? "" : ": " + printable(sent.last_error, 500);
  return Error(Errc::kIo, fmt::format("{}: it has not taken all data points{}", url, why), remedy);
}

struct Push::Impl {
  Impl(PushOptions o, const Clock& c, const hal::CallTable& t)
      : options(std::move(o)), clock(c), calls(t), windows(t, [this](auto some) { give(std::move(some)); }) {}

  Status open_recording();
  Status check_node() const;
  void give(std::vector<correlate::RankWindow> some);
  void hand_over();
  void note_stacks(const std::vector<correlate::RankWindow>& some);
  send::Stack known_stack(uint64_t stack_id);
  Result<bool> read_on();
  Status look_at_chains(bool is_last);
  void give_incidents();
  Result<bool> follow(const Wait& wait, const Say& say);
  bool is_behind() const;
  bool drain(const Wait& wait);
  bool is_replaced() const { return identity_of(options.path) != identity; }

  const PushOptions options;
  const Clock& clock;
  const hal::CallTable& calls;
  std::unique_ptr<send::Sender> sender;
  std::string node;

  std::unique_ptr<Reader> reader;
  std::optional<FileIdentity> identity;
  std::unique_ptr<ingero::store::Follower> follower;
  RowWindows windows;
  std::deque<std::vector<correlate::RankWindow>> ready;  // for the sender, when it has room
  std::deque<hal::CausalChain> chains;                   // likewise
  uint64_t chains_mono_ns = 0, chains_from_ns = 0;
  uint64_t not_of_now = 0;
  std::mutex stacks_mutex;  // of what follows, which the sender's thread asks for
  std::unordered_map<uint64_t, send::Stack> stacks;
};

Status Push::Impl::open_recording() {
  identity = identity_of(options.path);
  chains_from_ns = 0;
  auto opened = Reader::open(options.path);
  INGERO_TRY(opened);
  reader = std::move(*opened);
  reader->map_little();
  follower = std::make_unique<ingero::store::Follower>();
  if (reader->holds().collectives) return {};
  return Error(Errc::kNotSupported,
               fmt::format("{}: a recording of a legacy agent, which holds no collectives", printable(options.path)),
               "record with this version's ingero trace");
}

Status Push::Impl::check_node() const {
  if (!windows.other_node()) return {};
  return Error(Errc::kNotSupported,
               fmt::format("{}: holds runs of several machines ({}, {}), and is sent as one of them",
                           printable(options.path), printable(windows.node()), printable(*windows.other_node())),
               "send each machine's own recording, before ingero merge");
}

// A server takes none that are older.
void Push::Impl::give(std::vector<correlate::RankWindow> some) {
  const uint64_t now_ns = clock.wall_ns();
  const uint64_t oldest_ns = now_ns - std::min(now_ns, wire::kMaxWindowAge_ns);
  not_of_now += std::erase_if(some, [&](const correlate::RankWindow& window) {
    return window.end_ns < oldest_ns || window.start_ns > now_ns + wire::kMaxAhead_ns;
  });
  if (some.empty()) return;
  if (ready.size() >= kMaxReady) {  // a recording whose clock goes to and fro
    not_of_now += ready.front().size();
    ready.pop_front();
  }
  ready.push_back(std::move(some));
}

void Push::Impl::hand_over() {
  while (!ready.empty() && sender->backlog().windows < kMaxBacklog) {
    note_stacks(ready.front());
    sender->add(std::move(ready.front()));
    ready.pop_front();
  }
}

// Of ranks that stand still, before the sender has their windows: the recording is read by one thread.
void Push::Impl::note_stacks(const std::vector<correlate::RankWindow>& some) {
  for (const correlate::RankWindow& window : some) {
    const uint64_t id = window.activity ? window.activity->stack_id : 0;
    if (id == 0 || !known_stack(id).frames.empty()) continue;
    send::Stack stack = stack_of(*reader, id);
    if (stack.frames.empty()) continue;
    const std::lock_guard guard(stacks_mutex);
    if (stacks.size() >= kMaxStacks) stacks.clear();
    stacks.emplace(id, std::move(stack));
  }
}

send::Stack Push::Impl::known_stack(uint64_t stack_id) {
  const std::lock_guard guard(stacks_mutex);
  const auto found = stacks.find(stack_id);
  return found == stacks.end() ? send::Stack() : found->second;
}

bool Push::Impl::is_behind() const { return !ready.empty(); }

// Whether there is more. Incidents do not wait for windows.
Result<bool> Push::Impl::read_on() {
  hand_over();
  if (is_behind()) return true;
  const auto followed = follower->read(*reader, kRowsAtOnce, windows);
  INGERO_TRY(followed);
  INGERO_TRY(check_node());
  if (followed->complete_wall_ns > 0) windows.complete(followed->complete_wall_ns);
  hand_over();
  return followed->has_more || is_behind();
}

Status Push::Impl::look_at_chains(bool is_last) {
  const uint64_t now_ns = clock.mono_ns();
  if (is_last || (chains.empty() && now_ns >= chains_mono_ns + kChainsEveryNs)) {
    chains_mono_ns = now_ns;
    ingero::store::Selection selection;
    if (chains_from_ns > 0) selection.from_wall_ns = chains_from_ns;
    auto stored = report::stored_chains(*reader, selection, kChainsTimeNs, report::ChainParts::kHeads);
    INGERO_TRY(stored);
    for (report::ReportedChain& chain : *stored) {
      const uint64_t end_ns = chain.end_wall_ns.value_or(chain.detected_wall_ns);
      chains_from_ns = std::max(chains_from_ns, end_ns - std::min(end_ns, kChainsAgainNs));
      chains.push_back(std::move(chain));
    }
  }
  give_incidents();
  return {};
}

// The sender knows which it was given, and in which state.
void Push::Impl::give_incidents() {
  while (!chains.empty() && sender->backlog().incidents < kMaxIncidents) {
    sender->add(chains.front());
    chains.pop_front();
  }
}

// Until the recording has ended: true; false: it is to stop.
Result<bool> Push::Impl::follow(const Wait& wait, const Say& say) {
  for (;;) {
    const bool is_live = ingero::store::is_being_written(options.path);  // before its last rows are read
    const bool is_gone = is_replaced();
    const auto has_more = read_on();
    INGERO_TRY(has_more);
    INGERO_TRY(look_at_chains(false));
    if (*has_more) {
      if (wait(is_behind() ? kShortWaitNs : 0)) return false;
      continue;
    }
    if (!is_gone) {
      if (!is_live) return true;
      if (wait(std::clamp(options.every_ns, kShortestEveryNs, kLongestEveryNs))) return false;
      continue;
    }
    follower->finish(windows);
    INGERO_TRY(look_at_chains(true));
    if (!identity_of(options.path)) {
      say(fmt::format("{}: it is not there any more; what was read of it is sent", printable(options.path)));
      return true;
    }
    say(fmt::format("{}: another recording is there now, and is sent from its beginning", printable(options.path)));
    INGERO_TRY(open_recording());
  }
}

// Whether all that was given to the sender is sent, or will never be.
bool Push::Impl::drain(const Wait& wait) {
  uint64_t done = 0, since_ns = clock.mono_ns();
  for (;;) {
    give_incidents();
    hand_over();
    const auto left = sender->backlog();
    if (chains.empty() && ready.empty() && left.windows == 0 && left.incidents == 0) return true;
    const auto health = sender->health();
    const uint64_t now_ns = clock.mono_ns();
    if (health.requests != done) {
      done = health.requests;
      since_ns = now_ns;
    }
    if (now_ns - since_ns >= options.give_up_ns || wait(kShortWaitNs)) return false;
  }
}

Push::Push(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Push::~Push() = default;

Result<std::unique_ptr<Push>> Push::open(PushOptions options, const Environment& environment, const Clock& clock,
                                         const hal::CallTable& calls) {
  auto impl = std::make_unique<Impl>(std::move(options), clock, calls);
  INGERO_TRY(impl->open_recording());
  const auto node = node_of(*impl->reader);
  INGERO_TRY(node);
  auto made = send::sender_options(impl->options.settings, environment, *node, impl->options.agent);
  INGERO_TRY(made);
  made->stop_ns = kStopNs;
  made->names_run = false;
  impl->node = made->node;
  auto sender = send::Sender::open(std::move(*made), clock);
  if (!sender.ok()) return sender.error().in("--fleet-endpoint");
  impl->sender = std::move(*sender);
  return std::unique_ptr<Push>(new Push(std::move(impl)));
}

Result<PushSummary> Push::run(const Wait& wait, const Say& say) {
  Impl& impl = *impl_;
  send::Sender::Hooks hooks;
  hooks.operation = [&impl](hal::CallId call) {
    return call < impl.calls.size() ? serve::metrics::collective_name(impl.calls[call].name) : std::string();
  };
  hooks.name = [&impl](hal::CallId call) {
    return call < impl.calls.size() ? std::string(impl.calls[call].name) : std::string();
  };
  hooks.stack = [&impl](uint64_t stack_id) { return impl.known_stack(stack_id); };
  hooks.say = say;
  impl.sender->start(std::move(hooks));
  if (impl.options.every_ns > kLongestEveryNs) {
    say(fmt::format("--fleet-push-interval {}: taken as {}, or windows would come too late",
                    format_duration(impl.options.every_ns), format_duration(kLongestEveryNs)));
  }
  const auto ended = impl.follow(wait, say);
  PushSummary summary;
  Status looked;
  if (ended.ok() && *ended) {
    impl.follower->finish(impl.windows);
    looked = impl.look_at_chains(true);
    summary.has_ended = impl.drain(wait);
  }
  impl.sender->stop();
  if (!ended.ok()) return ended.error();
  INGERO_TRY(looked);
  summary.sent = impl.sender->health();
  summary.unknown = impl.windows.count(hal::Loss::fleet_unknown);
  summary.sampled_out = impl.windows.sampled_out();
  summary.not_of_now = impl.not_of_now;
  return summary;
}

std::string Push::url() const { return impl_->sender->url(); }
const std::string& Push::node() const { return impl_->node; }

}  // namespace ingero::fleet::push
