// Connections, answers kept, and the way of one question: see query_service.h.
#include "serve/tools/query_service.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "base/json.h"
#include "base/text.h"
#include "serve/tools/compact.h"
#include "serve/tools/sanitize.h"
#include "store/read/call_names.h"
#include "store/read/runs.h"
#include "store/read/time_range.h"
#include "store/read/timeline.h"

namespace ingero::serve::tools {
namespace {

constexpr size_t kMaxIdle = 8;           // connections kept for the next question, of each recording
constexpr size_t kKeptBytes = 16 << 20;  // answers kept, by the length of their text
constexpr size_t kMaxInputBytes = 320 << 10;

std::string inode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? fmt::format("{}:{}", status.st_dev, status.st_ino) : std::string();
}

Result<Json> losses_of(const store::Reader& reader) {
  const auto losses = store::losses(reader);
  if (!losses.ok()) return losses.error();
  Json list = Json::array();
  for (const store::LossCount& loss : *losses) {
    list.push_back(
        {{"name", loss.name}, {"severity", loss.severity}, {"count", loss.count}, {"sentence", loss.sentence}});
  }
  return list;
}

// The members `recording` and `lost`.
Status add_recording(const store::Reader& reader, const std::string& file, Json& answer) {
  const auto runs = store::runs(reader);
  if (!runs.ok()) return runs.error();
  const std::string not_ended = store::ending_sentence(store::ending_of(reader, *runs), file);
  auto losses = losses_of(reader);
  if (!losses.ok()) return losses.error();
  answer["recording"] = {{"file", file},
                         {"schema", reader.version()},
                         {"earlier_agent", reader.layout() == store::Layout::kLegacy},
                         {"live", reader.is_live()},
                         {"not_ended", json_or_null(not_ended)}};
  if (!not_ended.empty()) answer["recording"]["lost_at_least"] = *losses;
  answer["lost"] = reader.holds().losses && not_ended.empty() ? std::move(*losses) : Json(nullptr);
  return {};
}

// A name that no call of the recording has: an answer without rows would not say why.
Status note_unknown_call(const Json& input, const store::Reader& reader, const store::QueryLimits& limits,
                         std::vector<std::string>& cuts) {
  if (!input.contains("op")) return {};
  const auto typed = input["op"].get<std::string>();
  const auto names = store::calls_named(reader, typed, limits);
  INGERO_TRY(names);
  if (names->is_unknown()) cuts.push_back(store::unknown_call("the recording", typed, *names));
  return {};
}

// Which of several runs the answer is about, as one of its cuts.
Status note_run(const Tool& tool, const Json& input, const store::Reader& reader, const Clock& clock,
                std::vector<std::string>& cuts) {
  if (!tool.input["properties"].contains("run")) return {};
  const auto text = [&](const char* name) { return input.value(name, std::string()); };
  const auto range = store::resolve_range({text("since"), text("from"), text("to"), text("run")}, reader, clock, 0, "");
  if (!range.ok()) return range.error();
  if (!range->run_note.empty()) cuts.push_back(range->run_note);
  return {};
}

Error absent(const Tool& tool) {
  if (tool.requirement == Requirement::kPager) {
    return {Errc::kNotFound, fmt::format("{}: paging is not configured", tool.name),
            "start with a key in INGERO_PAGERDUTY_KEY; over HTTP with a bearer token too"};
  }
  return {Errc::kNotFound, fmt::format("{}: no nodes are configured", tool.name),
          "start with --nodes, or write fleet.nodes into ingero.yaml"};
}

}  // namespace

struct QueryService::Impl {
  QueryServiceOptions options;
  const report::VendorNames& names;
  const Clock& clock;

  std::mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<store::Reader>>> idle;  // by path
  struct Kept {
    std::string key;
    Json answer;
    size_t bytes;
  };
  std::deque<Kept> kept;  // oldest first
  size_t kept_bytes = 0;
  std::string timeline_inode;
  std::shared_ptr<store::Timeline> timeline;  // of the recording that has this inode

  std::shared_ptr<store::Timeline> timeline_of(const std::string& path) {
    const std::string inode = inode_of(path);
    const std::scoped_lock lock(mutex);
    if (timeline == nullptr || timeline_inode != inode) timeline = std::make_shared<store::Timeline>();
    timeline_inode = inode;
    return timeline;
  }

  Result<std::unique_ptr<store::Reader>> take(const std::string& path, const store::QueryLimits& limits) {
    {
      const std::scoped_lock lock(mutex);
      auto& list = idle[path];
      while (!list.empty()) {
        std::unique_ptr<store::Reader> one = std::move(list.back());
        list.pop_back();
        if (one->is_current()) return one;
      }
    }
    auto opened = store::Reader::open(path, store::Trust::kStranger, limits);
    if (!opened.ok() && opened.error().code() == Errc::kNotFound) {
      return Error(Errc::kNotFound, opened.error().message(),
                   "record with 'sudo ingero trace', or name a file with --db");
    }
    // Whatever is wrong with the file, the question was right.
    if (!opened.ok() && opened.error().code() == Errc::kInvalid) {
      return Error(Errc::kCorrupt, opened.error().message(), opened.error().hint());
    }
    return opened;
  }
  void give_back(const std::string& path, std::unique_ptr<store::Reader> reader) {
    if (reader == nullptr || reader->is_live()) return;  // whether it is live is known as of its opening
    const std::scoped_lock lock(mutex);
    auto& list = idle[path];
    if (list.size() < kMaxIdle) list.push_back(std::move(reader));
  }

  bool find_kept(const std::string& key, Json& answer) {
    const std::scoped_lock lock(mutex);
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept& one) { return one.key == key; });
    if (found == kept.end()) return false;
    answer = found->answer;
    return true;
  }
  void keep(const std::string& key, const Json& answer) {
    const size_t bytes = dump(answer).size() + key.size();
    const std::scoped_lock lock(mutex);
    kept.push_back({key, answer, bytes});
    kept_bytes += bytes;
    while (kept_bytes > kKeptBytes) {
      kept_bytes -= kept.front().bytes;
      kept.pop_front();
    }
  }

  // The path that a side of the comparison names.
  Result<std::string> other_path(const Json& input) const {
    for (const char* side : {"before", "after"}) {
      if (!input.contains(side) || !input[side].contains("recording")) continue;
      const auto name = input[side]["recording"].get<std::string>();
      for (const std::string& path : options.others) {
        if (file_name(path) == name) return path;
      }
      std::string names;
      for (const std::string& path : options.others)
        names += (names.empty() ? "" : ", ") + std::string(file_name(path));
      return Error(Errc::kNotFound, fmt::format("unknown recording \"{}\"", printable(name, 64)),
                   names.empty() ? "start with --with FILE" : "there are " + names);
    }
    return std::string();
  }

  bool is_there(const Tool& tool) const {
    switch (tool.requirement) {
      case Requirement::kNothing:
        return true;
      case Requirement::kNodes:
        return options.nodes != nullptr;
      case Requirement::kPager:
        return options.pager != nullptr;
      case Requirement::kCheck:
        return options.machine.check != nullptr;
      case Requirement::kDemo:
        return options.machine.demo != nullptr;
    }
    return false;
  }
  Result<Json> answer(const Tool& tool, const Json& input, const std::atomic<bool>* cancel);
  Error shown(const Error& error) const;
};

QueryService::QueryService(QueryServiceOptions options, const report::VendorNames& names, const Clock& clock)
    : impl_(new Impl{std::move(options), names, clock, {}, {}, {}, 0, {}, {}}) {}
QueryService::~QueryService() = default;
const QueryServiceOptions& QueryService::options() const { return impl_->options; }
const Clock& QueryService::clock() const { return impl_->clock; }

Result<Json> QueryService::Impl::answer(const Tool& tool, const Json& input, const std::atomic<bool>* cancel) {
  store::QueryLimits limits;
  limits.time_ns = options.time_ns;
  limits.cancel = cancel;
  std::unique_ptr<store::Reader> reader, other;
  std::string path, key, identity;
  std::optional<store::TimeLimit> limit, other_limit;
  const auto path_of_other = other_path(input);
  if (!path_of_other.ok()) return path_of_other.error();
  if (tool.needs_recording) {
    identity = store::state_of_file(options.database);
    key = fmt::format("{}|{}|{}|{}", tool.name, identity,
                      path_of_other->empty() ? "" : store::state_of_file(*path_of_other), input.dump());
    Json kept_answer;
    if (tool.is_lasting && find_kept(key, kept_answer)) return kept_answer;
    auto taken = take(options.database, limits);
    if (!taken.ok()) return taken.error();
    reader = std::move(*taken);
    limit.emplace(*reader, limits);
  }
  if (!path_of_other->empty()) {
    auto taken = take(*path_of_other, limits);
    if (!taken.ok()) return taken.error();
    other = std::move(*taken);
    other_limit.emplace(*other, limits);
  }
  Question question{input, reader.get(), other.get(), names, options.machine, clock, limits};
  const auto tracks = tool.needs_recording ? timeline_of(options.database) : nullptr;
  question.timeline = tracks.get();
  if (reader != nullptr) {
    question.shared = [&](const std::string& name, const std::function<Result<Json>()>& make) -> Result<Json> {
      const std::string shared_key = fmt::format("{}|{}", name, identity);
      Json found;
      if (find_kept(shared_key, found)) return found;
      auto made = make();
      if (made.ok() && !reader->is_live()) keep(shared_key, *made);
      return made;
    };
  }
  question.nodes = options.nodes.get();
  question.pager = options.pager.get();
  auto answer = tool.answer(question);
  if (answer.ok() && reader != nullptr) {
    INGERO_TRY(add_recording(*reader, std::string(file_name(options.database)), *answer));
    INGERO_TRY(note_run(tool, input, *reader, clock, question.cuts));
    INGERO_TRY(note_unknown_call(input, *reader, limits, question.cuts));
  }
  // An answer that says it is not whole goes on when it is asked for again.
  const bool lasting = tool.is_lasting && answer.ok() && answer->value("is_whole", true) && reader != nullptr &&
                       !reader->is_live() && (other == nullptr || !other->is_live());
  limit.reset();
  other_limit.reset();
  give_back(options.database, std::move(reader));
  give_back(*path_of_other, std::move(other));
  if (!answer.ok()) return answer;
  clean(*answer, question.cuts);
  (*answer)["cut"] = Json::array();
  if (!shorten(*answer, options.answer_bytes - 4096, question.cuts)) {
    return Error(Errc::kFull, fmt::format("the answer is longer than {}", format_bytes(options.answer_bytes)),
                 "select a shorter time range or a smaller limit");
  }
  (*answer)["cut"] = question.cuts;
  if (lasting) keep(key, *answer);
  return answer;
}

// The error without the folders of the recordings, which a remote client must not learn.
Error QueryService::Impl::shown(const Error& error) const {
  std::string message = error.message();
  std::vector<std::string> paths = options.others;
  paths.push_back(options.database);
  for (const std::string& path : paths) {
    const std::string name(file_name(path));
    if (name == path || name.empty()) continue;
    for (size_t at = message.find(path); at != std::string::npos; at = message.find(path, at + name.size())) {
      message.replace(at, path.size(), name);
    }
  }
  return {error.code(), std::move(message), error.hint()};
}

std::vector<const Tool*> QueryService::tools() const {
  std::vector<const Tool*> there;
  for (const Tool& tool : all_tools()) {
    if (impl_->is_there(tool)) there.push_back(&tool);
  }
  return there;
}

const Tool* QueryService::find(std::string_view tool) const {
  const Tool* found = find_tool(tool);
  return found != nullptr && impl_->is_there(*found) ? found : nullptr;
}

Result<Json> QueryService::ask(std::string_view tool, const Json& input, const std::atomic<bool>* cancel) {
  const Tool* found = find_tool(tool);
  if (found == nullptr) {
    return Error(Errc::kNotFound, fmt::format("unknown tool \"{}\"", printable(tool, 64)), "tools/list names them");
  }
  if (!impl_->is_there(*found)) return absent(*found);
  try {
    if (dump(input).size() > kMaxInputBytes) {
      return Error(Errc::kInvalid,
                   fmt::format("{}: the input is longer than {}", found->name, format_bytes(kMaxInputBytes)),
                   "ask in parts");
    }
    INGERO_TRY(check_schema(found->input, input));
    auto answer = impl_->answer(*found, with_defaults(found->input, input), cancel);
    return answer.ok() ? std::move(answer) : impl_->shown(answer.error());
  } catch (const std::exception& error) {  // of the JSON library, or of memory
    return Error(Errc::kIo, fmt::format("{}: {}", found->name, error.what()));
  }
}

Json QueryService::shown(std::string_view tool, const Json& input, const Json& answer) {
  const Tool* found = find_tool(tool);
  if (found == nullptr || !input.is_object() || !input.contains("tsc") || input["tsc"] != true) return answer;
  return found->compact != nullptr ? found->compact(answer) : compact(answer);
}

Result<QueryService::Lease> QueryService::acquire() {
  auto reader = impl_->take(impl_->options.database, {.time_ns = impl_->options.time_ns});
  if (!reader.ok()) return impl_->shown(reader.error());
  return Lease(*this, std::move(*reader), impl_->options.database);
}

QueryService::Lease::Lease(QueryService& service, std::unique_ptr<store::Reader> reader, std::string path)
    : service_(&service), reader_(std::move(reader)), path_(std::move(path)) {}
QueryService::Lease::Lease(Lease&&) noexcept = default;
QueryService::Lease::~Lease() {
  if (reader_ != nullptr) service_->impl_->give_back(path_, std::move(reader_));
}

Json error_json(const Error& error) {
  return {{"error", printable(error.text(), 2000)}, {"class", fault_name(error.code())}};
}

}  // namespace ingero::serve::tools
