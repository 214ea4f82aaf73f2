// Words for each kind of hang: see hang_report.h.
#include "fleet/server/hang_report.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::fleet::server {
namespace {

using detect::Hang;
using detect::HangKind;

constexpr size_t kMaxNamed = 4;  // ranks in a sentence

size_t named_of(const Hang& hang) { return hang.ranks.size() > kMaxNamed ? kMaxNamed - 1 : hang.ranks.size(); }

// "rank 5 on gpu-01", "ranks 5 on gpu-01 and 9 on gpu-02", "ranks 5 on gpu-01, 9 on gpu-02 and 14 others".
std::string ranks_in_words(const Hang& hang, const NodeName& node_name) {
  const size_t count = hang.ranks.size(), named = named_of(hang);
  std::string words = count == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < named; ++i) {
    if (i > 0) words += i + 1 == count ? " and " : ", ";
    words += fmt::format("{} on {}", hang.ranks[i].rank, node_name(hang.ranks[i].node));
  }
  if (named < count) words += fmt::format(" and {} others", count - named);
  return words;
}

// A number that was found by comparing calls may be counted from anywhere.
std::string collective_in_words(const Hang& hang) {
  std::string words = hang.is_matched ? "the same collective" : fmt::format("collective {}", hang.number);
  if (!hang.operation.empty()) words += fmt::format(" ({})", printable(hang.operation, 64));
  return hang.is_matched ? words + ", as operations, sizes, order and times say" : words;
}

std::string cause_in_words(const Hang& hang, const NodeName& node_name) {
  const std::string collective = collective_in_words(hang);
  const std::string ranks = hang.ranks.empty() ? "" : ranks_in_words(hang, node_name);
  const bool is_one = hang.ranks.size() == 1;
  const char* have = is_one ? "has" : "have";
  switch (hang.kind) {
    case HangKind::kMissingEnter:
      return fmt::format("{} {} not come to {}", ranks, have, collective);
    case HangKind::kMissingExit:
      return fmt::format("{} {} not left {}, which others left", ranks, have, collective);
    case HangKind::kMismatch:
      return fmt::format("{} {} entered another operation than the others under the number of {}", ranks, have,
                         collective);
    case HangKind::kFailed:
      return fmt::format("{} aborted or had a call that failed; others are in {}", ranks, collective);
    case HangKind::kProcessGone:
      if (!std::ranges::all_of(hang.ranks, &detect::HangingRank::is_gone)) {
        return fmt::format("nothing comes of {} any more, and other ranks of {} are heard of; others are in {}", ranks,
                           is_one ? "its node" : "their nodes", collective);
      }
      return fmt::format("the {} of {} ended before {}", is_one ? "process" : "processes", ranks, collective);
    case HangKind::kNodeSilent:
      return fmt::format("nothing comes any more from the node of {}; others are in {}", ranks, collective);
    case HangKind::kDeadlock:
      return fmt::format("{} wait for each other in {}", ranks, plural(hang.communicators, "communicator"));
    case HangKind::kUnknown:
      break;
  }
  return fmt::format("all of {} that are observed, of {}, have come to {}, and none has left it",
                     plural(hang.observed, "rank"), hang.nranks, collective);
}

// What a rank that is waited for is doing, after its name; `own`: "its", or "rank 5's".
std::string activity_in_words(const wire::Activity& its, const std::string& who, const std::string& own) {
  const std::string call = its.call.empty() ? "a GPU call" : its.call;
  const std::string since = its.since_ns == 0 ? "" : fmt::format(" since {}", format_wall(its.since_ns));
  const std::string line = its.line.empty() ? "" : fmt::format(", in {}", its.line);
  switch (its.kind) {
    case wire::ActivityKind::kInCall:
      return fmt::format("; {} has been in {}{}{}", who, call, since, line);
    case wire::ActivityKind::kAsleep:
      return fmt::format("; {} sleeps{}, and has made no GPU call{}", who, line, since);
    case wire::ActivityKind::kRunning:
      return fmt::format("; {} computes on the host{}, and has made no GPU call{}", who, line, since);
    case wire::ActivityKind::kAfterCall:
      break;
  }
  const std::string from = its.line.empty() ? "" : fmt::format(", made in {}", its.line);
  return fmt::format("; {} last GPU call was {}{}{}", own, call,
                     its.since_ns == 0 ? "" : fmt::format(", which ended at {}", format_wall(its.since_ns)), from);
}

// Of each rank that the sentence names; empty: not known.
std::string activities_in_words(const Hang& hang, const RankPlaces& places) {
  if (hang.kind == HangKind::kProcessGone || hang.kind == HangKind::kNodeSilent) return "";
  std::string words;
  for (size_t i = 0; i < named_of(hang); ++i) {
    const uint32_t rank = hang.ranks[i].rank;
    const RankPlace* place = places.find(rank);
    if (place == nullptr || !place->activity) continue;
    words += hang.ranks.size() == 1
                 ? activity_in_words(*place->activity, "it", "its")
                 : activity_in_words(*place->activity, fmt::format("rank {}", rank), fmt::format("rank {}'s", rank));
  }
  return words;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

void add_place(const RankPlace* place, Json& rank) {
  const RankPlace known = place == nullptr ? RankPlace() : *place;
  rank["pid"] = known.pid ? Json(*known.pid) : Json(nullptr);
  rank["hw_id"] = text_or_null(known.device);
  const wire::Activity its = known.activity.value_or(wire::Activity());
  rank["activity"] = known.activity ? Json(wire::kActivityNames[static_cast<size_t>(its.kind)]) : Json(nullptr);
  rank["last_call"] = text_or_null(its.call);
  rank["since_ns"] = its.since_ns > 0 ? Json(its.since_ns) : Json(nullptr);
  rank["line"] = text_or_null(its.line);
  rank["stack"] = its.stack.empty() ? Json(nullptr) : Json(split(its.stack, '\n'));
}

}  // namespace

std::string sentence_of(const Hang& hang, const NodeName& node_name, const RankPlaces& places) {
  return fmt::format("{}; {} wait{}{}", cause_in_words(hang, node_name), plural(hang.waiting, "rank"),
                     hang.waiting == 1 ? "s" : "", activities_in_words(hang, places));
}

Json evidence_of(const Hang& hang, const NodeName& node_name, const RankPlaces& places) {
  Json ranks = Json::array();
  for (size_t i = 0; i < std::min(kMaxListed, hang.ranks.size()); ++i) {
    const detect::HangingRank& one = hang.ranks[i];
    ranks.push_back({{"rank", one.rank},
                     {"comm_rank", one.comm_rank},
                     {"node_id", node_name(one.node)},
                     {"entered", one.entered},
                     {"left", one.left},
                     {"op_type", one.operation.empty() ? Json(nullptr) : Json(one.operation)},
                     {"last_ns", one.last_ns}});
    add_place(places.find(one.rank), ranks.back());
  }
  return {{"sentence", sentence_of(hang, node_name, places)},
          {"number", hang.number},
          {"is_matched", hang.is_matched},
          {"op_type", hang.operation.empty() ? Json(nullptr) : Json(hang.operation)},
          {"ranks", std::move(ranks)},
          {"rank_count", hang.ranks.size()},
          {"waiting_ranks", hang.waiting},
          {"held_up_ranks", hang.held_up},
          {"hanging_communicators", hang.communicators},
          {"observed_ranks", hang.observed},
          {"not_observed_ranks", hang.nranks - hang.observed},
          {"nranks", hang.nranks}};
}

}  // namespace ingero::fleet::server
