// Words for each kind of hang: see hang_report.h.
#include "fleet/server/hang_report.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::fleet::server {
namespace {

using detect::Hang;
using detect::HangKind;

constexpr size_t kMaxNamed = 4;  // ranks in a sentence

// "rank 5 on gpu-01", "ranks 5 on gpu-01 and 9 on gpu-02", "ranks 5 on gpu-01, 9 on gpu-02 and 14 others".
std::string ranks_in_words(const Hang& hang, const NodeName& node_name) {
  const size_t count = hang.ranks.size(), named = count > kMaxNamed ? kMaxNamed - 1 : count;
  std::string words = count == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < named; ++i) {
    if (i > 0) words += i + 1 == count ? " and " : ", ";
    words += fmt::format("{} on {}", hang.ranks[i].rank, node_name(hang.ranks[i].node));
  }
  if (named < count) words += fmt::format(" and {} others", count - named);
  return words;
}

std::string collective_in_words(const Hang& hang) {
  if (hang.operation.empty()) return fmt::format("collective {}", hang.number);
  return fmt::format("collective {} ({})", hang.number, printable(hang.operation, 64));
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
      return fmt::format("a call of {} failed; others are in {}", ranks, collective);
    case HangKind::kProcessGone:
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

}  // namespace

std::string sentence_of(const Hang& hang, const NodeName& node_name) {
  return fmt::format("{}; {} wait", cause_in_words(hang, node_name), plural(hang.waiting, "rank"));
}

Json evidence_of(const Hang& hang, const NodeName& node_name) {
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
  }
  return {{"sentence", sentence_of(hang, node_name)},
          {"number", hang.number},
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
