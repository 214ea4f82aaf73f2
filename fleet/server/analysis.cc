// Who did not arrive, who is late, what was, and what is not known, in this order: see analysis.h.
#include "fleet/server/analysis.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "fleet/server/incident_rows.h"
#include "fleet/server/node_ranks.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kClocksApart_ns = 10'000'000;  // as for --clock-skew-threshold
constexpr size_t kMaxSaid = 5;                    // of one kind; the data has all
constexpr size_t kMaxCounted = 256;               // incidents
constexpr uint64_t kWholeSecond_ns = 1'000'000'000;
constexpr uint64_t kWindowsToName = 14;  // a rank that is slow by the detectable effect, at most

std::string at_time(const Json& ns) { return format_wall(ns.get<uint64_t>()).substr(0, 19) + "Z"; }

uint64_t count_of(const Json& object, const char* name) { return object.at(name).get<uint64_t>(); }

std::string in_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

class Analysis {
 public:
  // `no_incidents`: why they are not known; empty: they are.
  Analysis(Json hangs, Json outliers, Json incidents, std::string no_incidents, Json health, Json clocks)
      : hangs_(std::move(hangs)),
        outliers_(std::move(outliers)),
        incidents_(std::move(incidents)),
        no_incidents_(std::move(no_incidents)),
        health_(std::move(health)),
        clocks_(std::move(clocks)),
        names_jobs_(outliers_.at("jobs").size() > 1) {
    for (const Json& row : incidents_) ++states_[row.at("state").get<std::string>()];
    has_all_ = incidents_.size() < kMaxCounted;  // that were asked for
  }

  Json answer(const AnalysisQuery& query, uint64_t now_ns) {
    while (incidents_.size() > query.top_n) incidents_.erase(incidents_.size() - 1);
    say_hangs();
    say_late();
    say_quiet();
    say_unnumbered();
    say_suspects();
    say_incidents(query.since_ns);
    for (size_t i = 0; i < outliers_["jobs"].size(); ++i) {
      if (i < kMaxSaid) {
        say_job(outliers_["jobs"][i], now_ns);
      } else {
        ++left_out_;
      }
    }
    say_not_compared();
    say_ranks_of_nodes();
    say_names();
    say_clocks();
    say_reach();
    say_waiting();
    Json cut = Json::array();
    if (!no_incidents_.empty()) cut.push_back("incidents are left out: " + no_incidents_);
    for (const auto& [what, list] : {std::pair("outliers", &outliers_["outliers"]), {"incidents", &incidents_}}) {
      if (list->size() < query.top_n) continue;
      cut.push_back(fmt::format("at most {} {} are given; there may be more (top_n)", query.top_n, what));
    }
    if (left_out_ > 0) cut.push_back(fmt::format("{} more are not in sentences, but in the data", left_out_));
    return {{"sentences", std::move(said_)},
            {"cluster_id", json_or_null(query.cluster)},
            {"hangs", std::move(hangs_["hangs"])},
            {"outliers", std::move(outliers_["outliers"])},
            {"incidents", std::move(incidents_)},
            {"jobs", std::move(outliers_["jobs"])},
            {"not_compared", not_compared()},
            {"store", std::move(health_["store"])},
            {"cut", std::move(cut)}};
  }

 private:
  void say(std::string sentence) { said_.push_back(std::move(sentence)); }

  // Which job, where there are several: "Cluster train, job j1: ".
  std::string job_of(const Json& row) const {
    if (!names_jobs_) return {};
    std::string job = "Cluster " + row.at("cluster_id").get<std::string>();
    if (row.at("job_id").is_string()) job += ", job " + row.at("job_id").get<std::string>();
    return job + ": ";
  }

  static std::string sentence_of(const Json& incident) { return text_member(incident.at("evidence"), "sentence"); }

  void say_hangs() {
    for (const Json& hang : hangs_["hangs"]) {
      if (said_.size() >= kMaxSaid) {
        ++left_out_;
        continue;
      }
      std::string sentence =
          fmt::format("{}Hang since {}: {}.", job_of(hang), at_time(hang.at("from_ns")), sentence_of(hang));
      if (const uint64_t unknown = count_of(hang.at("evidence"), "not_observed_ranks"); unknown > 0) {
        sentence += fmt::format(" {} of this communicator {} not observed.", plural(unknown, "rank"),
                                unknown == 1 ? "is" : "are");
      }
      say(sentence + fmt::format(" Confidence {:.2g}.", hang.at("confidence").get<double>()));
    }
  }

  static std::string cause_of(const Json& row) {
    const std::string cause = text_member(row, "cause");
    return cause.empty() ? "" : "; " + cause;
  }

  void say_late() {
    size_t count = 0;
    for (const Json& row : outliers_["outliers"]) {
      if (row.at("state") != "named") continue;
      if (++count > kMaxSaid) {
        ++left_out_;
        continue;
      }
      std::string sentence = fmt::format("{}Late since {}: {}{}.", job_of(row), at_time(row.at("since_ns")),
                                         row.at("sentence").get<std::string>(), cause_of(row));
      const bool is_waited_for = row.at("rank").is_number() || row.at("kind") == kSlowNode;
      if (is_waited_for) sentence += fmt::format(" {} wait for it.", plural(count_of(row, "delayed_count"), "rank"));
      say(sentence + fmt::format(" Confidence {:.2g}.", row.at("confidence").get<double>()));
    }
  }

  // Ranks that send work and are compared with no other, or come from several nodes by turns.
  static uint64_t not_compared_of(const Json& job) {
    const uint64_t ranks = std::max(count_of(job, "not_compared_ranks"), count_of(job, "contested_ranks"));
    return std::min(count_of(job, "ranks"), ranks);
  }

  // What is well, as far as can be known.
  void say_quiet() {
    const auto any = [](const Json& list, const auto& holds) { return std::any_of(list.begin(), list.end(), holds); };
    if (!any(outliers_["outliers"], [](const Json& row) { return row.at("state") == "named"; })) {
      uint64_t ranks = 0, compared = 0;
      for (const Json& job : outliers_["jobs"]) {
        ranks += count_of(job, "ranks");
        compared += count_of(job, "ranks") - not_compared_of(job);
      }
      const bool is_over = outliers_["jobs"].empty() && count_of(health_.at("received"), "windows") > 0;
      say(is_over             ? "Who is late is not known: no job sends windows any more."
          : compared == 0     ? "Who is late is not known: no window of any rank has been compared yet."
          : compared == ranks ? "No rank is late."
                              : fmt::format("No rank is late of the {} of {} that are compared with others.", compared,
                                            plural(ranks, "rank")));
    }
    if (hangs_["hangs"].empty()) {
      const Json& jobs = hangs_["jobs"];
      const auto watched =
          std::count_if(jobs.begin(), jobs.end(), [](const Json& job) { return count_of(job, "communicators") > 0; });
      say(watched == 0 ? "Whether a job hangs is not known: no node sends which collectives its ranks enter."
                       : fmt::format("No job hangs, of {} whose nodes send which collectives their ranks enter.",
                                     plural(static_cast<uint64_t>(watched), "job")));
    }
  }

  void say_unnumbered() {
    uint64_t ranks = 0, numbered = 0;
    for (const Json& job : hangs_["jobs"]) {
      ranks += count_of(job, "unnumbered_ranks");
      numbered += count_of(job, "communicators");
    }
    if (ranks == 0 || numbered == 0) return;  // or all has been said
    say(fmt::format("Of {} it is not known which collectives {}, nor whether {}.", plural(ranks, "rank"),
                    ranks == 1 ? "it enters" : "they enter", ranks == 1 ? "it hangs" : "they hang"));
  }

  void say_suspects() {
    std::vector<std::string> suspects;
    for (const Json& row : outliers_["outliers"]) {
      if (row.at("state") == "named") continue;
      if (suspects.size() >= kMaxSaid) {
        ++left_out_;
        continue;
      }
      const std::string node = row.at("node_id").get<std::string>();
      suspects.push_back(
          fmt::format("{} ({:.0f} %)",
                      row.at("rank").is_number() ? fmt::format("rank {} on {}", row.at("rank").dump(), node) : node,
                      100 * row.at("effect").get<double>()));
    }
    if (!suspects.empty()) say(fmt::format("Suspected, and named if it goes on: {}.", in_words(suspects)));
  }

  void say_incidents(uint64_t since_ns) {
    if (!no_incidents_.empty()) {
      say(fmt::format("Incidents that ended are not known: {}.", no_incidents_));
      return;
    }
    std::vector<std::string> counts;
    for (const auto& [state, count] : states_) counts.push_back(fmt::format("{} {}", count, state));
    say(fmt::format("Incidents since {}: {}{}.", at_time(since_ns), has_all_ ? "" : "of the newest, ",
                    counts.empty() ? "none" : in_words(counts)));
    size_t count = 0;
    for (const Json& row : incidents_) {
      if (row.at("state") == "open") continue;  // has been said
      if (++count > kMaxSaid) {
        ++left_out_;
        continue;
      }
      const std::string persistence = text_member(row, "persistence");
      say(fmt::format("{}{}, class {}{}, from {} to {}: {}.", job_of(row),
                      row.at("state") == "over" ? "Over" : "Silent since, so that the end is not known",
                      row.at("class").get<std::string>(), persistence.empty() ? "" : ", " + persistence,
                      at_time(row.at("from_ns")), at_time(row.at("to_ns")), sentence_of(row)));
    }
  }

  void say_job(const Json& job, uint64_t now_ns) {
    const uint64_t ranks = count_of(job, "ranks"), end_ns = count_of(job, "last_window_end_ns");
    const bool is_work = job.at("compares") == "own work";
    if (ranks == 0) {
      say(fmt::format("{}Nothing is compared: no rank has sent enough of late.", job_of(job)));
    } else {
      std::string named = "what is usual is not known yet";
      if (const Json& effect = job.at("detectable_effect"); effect.is_number()) {
        named = fmt::format("one that is {:.0f} % {} is named within about {}", 100 * effect.get<double>(),
                            is_work ? "slower" : "lower",
                            format_duration(kWindowsToName * count_of(job, "window_s") * kWholeSecond_ns));
      }
      say(fmt::format("{}{} compared by {}, to {}; {}.", job_of(job), plural(ranks, is_work ? "rank" : "node"),
                      job.at("compares").get<std::string>(), at_time(end_ns), named));
    }
    say_imbalance(job);
    if (const uint64_t unknown = count_of(job, "not_observed_ranks"); unknown > 0) {
      say(fmt::format("{}{} sent nothing of the last window and {} not compared.", job_of(job), plural(unknown, "rank"),
                      unknown == 1 ? "is" : "are"));
    }
    if (const uint64_t contested = count_of(job, "contested_ranks"); contested > 0) {
      say(fmt::format(
          "{}{} from several nodes by turns or from two processes at a time, and start anew each time: jobs "
          "that have the same name, or none, are taken for one (trace --fleet-job-id names them apart).",
          job_of(job), contested == 1 ? "1 rank comes" : fmt::format("{} ranks come", contested)));
    } else if (const uint64_t alone = count_of(job, "not_compared_ranks"); alone > 0) {
      say(fmt::format("{}{} and {} compared with no other: whether {} late is not known.", job_of(job),
                      alone == 1 ? "1 rank sends work" : fmt::format("{} ranks send work", alone),
                      alone == 1 ? "is" : "are", alone == 1 ? "it is" : "they are"));
    }
    const uint64_t usual_ns = 3 * count_of(job, "window_s") * kWholeSecond_ns + detect::kMaxWaitForWindow_ns;
    const bool was_compared = end_ns > count_of(job, "window_s") * kWholeSecond_ns;
    if (was_compared && now_ns > end_ns + usual_ns) {
      say(fmt::format("{}Nothing newer to compare has come for {}.", job_of(job),
                      format_duration((now_ns - end_ns) / kWholeSecond_ns * kWholeSecond_ns)));
    }
  }

  void say_imbalance(const Json& job) {
    const Json& roles = job.at("imbalance");
    if (roles.empty()) return;
    const Json& role = roles.front();
    std::vector<std::string> some;
    for (const Json& rank : role.at("ranks")) some.push_back(rank.dump());
    const uint64_t more = count_of(role, "rank_count") - some.size();
    say(fmt::format(
        "{}Imbalance: {} {}{}, which do the same, work {:.0f} % longer in each step than the others, who wait for "
        "them: that is their share of the work, not their nodes.",
        job_of(job), some.size() == 1 ? "rank" : "ranks", in_words(some),
        more == 0 ? "" : fmt::format(" and {} more", more), 100 * role.at("effect").get<double>()));
  }

  Json not_compared() const {
    Json all = health_.at("not_compared");
    uint64_t refused = 0;
    for (const auto& [reason, count] : health_.at("received").at("refused").items()) refused += count.get<uint64_t>();
    all["refused_points"] = refused;
    all["undecodable"] = health_.at("received").at("undecodable");
    return all;
  }

  void say_not_compared() {
    struct Meaning {
      const char *name, *what, *why;
    };
    constexpr Meaning kMeanings[] = {{"late", "window", "too late"},
                                     {"ahead", "window", "ahead of this server's clock"},
                                     {"other_period", "window", "of another length than its job's"},
                                     {"too_many_jobs", "window", "for which there is no room"},
                                     {"too_many_ranks", "window", "of more ranks than all jobs may have"},
                                     {"ranks_of_node", "window", "of more ranks than one node may have"},
                                     {"too_many_windows", "window", "more than can wait to be compared"},
                                     {"refused_points", "point", "refused"},
                                     {"undecodable", "request", "that cannot be read"}};
    const Json counts = not_compared();
    std::vector<std::string> words;
    for (const auto& [name, what, why] : kMeanings) {
      if (count_of(counts, name) > 0) words.push_back(fmt::format("{} {}", plural(count_of(counts, name), what), why));
    }
    if (words.empty()) return;
    say(fmt::format("Not compared, of what all clusters sent since this server started: {}.", in_words(words)));
  }

  void say_ranks_of_nodes() {
    std::vector<std::string> names;
    for (const Json& name : health_["nodes_of_too_many_ranks"]) names.push_back(name.get<std::string>());
    if (names.empty()) return;
    say(fmt::format("Nodes that say that they have more than {} ranks, of which the others are refused: {}.",
                    NodeRanks::kMaxRanks, in_words(names)));
  }

  void say_names() {
    std::vector<std::string> names;
    for (const Json& name : health_["nodes_of_one_name"]) names.push_back(name.get<std::string>());
    if (names.empty()) return;
    say(
        fmt::format("Names that several nodes have: {}. Each node is kept as NAME#INSTANCE: give them different names "
                    "(trace --fleet-node-id, or agent.node of ingero.yaml).",
                    in_words(names)));
  }

  void say_clocks() {
    std::vector<std::string> words;
    size_t more = 0;
    for (const Json& row : clocks_["clocks"]) {
      const auto offset_ns = row.at("offset_ns").get<int64_t>();
      const uint64_t size_ns =
          offset_ns < 0 ? uint64_t{0} - static_cast<uint64_t>(offset_ns) : static_cast<uint64_t>(offset_ns);
      const auto within_ns = row.at("within_ns").get<uint64_t>();
      if (size_ns <= within_ns || size_ns - within_ns <= kClocksApart_ns) continue;
      if (words.size() >= kMaxSaid) {
        ++more;
        continue;
      }
      words.push_back(fmt::format("{} is {} {} (known within {})", row.at("node_id").get<std::string>(),
                                  format_duration(size_ns), offset_ns < 0 ? "behind" : "ahead",
                                  format_duration(within_ns)));
    }
    if (words.empty()) return;
    if (more > 0) words.push_back(fmt::format("{} more", more));
    say(fmt::format("Clocks, against this server's: {}. Times of nodes are not corrected.", in_words(words)));
  }

  void say_reach() {
    constexpr std::pair<const char*, const char*> kTables[] = {{"windows_from_ns", "windows"},
                                                               {"minutes_from_ns", "minutes"},
                                                               {"hours_from_ns", "hours"},
                                                               {"points_from_ns", "points of any sender"}};
    std::vector<std::string> words;
    for (const auto& [name, what] : kTables) {
      const Json& from = health_["store"].at(name);
      if (from.is_number()) words.push_back(fmt::format("{} to {}", what, at_time(from)));
    }
    say(words.empty() ? "The store is empty." : fmt::format("The store reaches back: {}.", in_words(words)));
  }

  void say_waiting() {
    const Json& error = health_["store"].at("last_error");
    if (error.is_string()) {
      say(fmt::format("What nodes send is not stored, and they are to send it again: {}.", error.get<std::string>()));
    }
    const Json& spool = health_["spool"];
    if (spool.is_null() || spool.at("last_error").is_null()) return;
    say(fmt::format("{} of what nodes sent waits in the spool: {}.", format_bytes(count_of(spool, "waiting_bytes")),
                    spool.at("last_error").get<std::string>()));
  }

  Json hangs_, outliers_, incidents_;
  std::string no_incidents_;
  Json health_, clocks_;
  bool names_jobs_;
  std::map<std::string, size_t> states_;  // of all incidents, not only of those that are given
  bool has_all_ = true;
  Json said_ = Json::array();
  size_t left_out_ = 0;
};

}  // namespace

Result<Json> analyse(Cluster& cluster, const AnalysisQuery& query) {
  OutlierQuery late;
  late.cluster = query.cluster;
  late.threshold = detect::kSuspect;
  late.top_n = query.top_n;
  auto outliers = cluster.outliers(late);
  INGERO_TRY(outliers);
  auto incidents = cluster.incidents(query.cluster, query.since_ns, std::max(query.top_n, kMaxCounted));
  if (!incidents.ok() && incidents.error().code() != Errc::kBusy) return incidents.error();
  auto health = cluster.health(query.cluster.empty() ? store::Clusters() : store::Clusters{false, {query.cluster}});
  INGERO_TRY(health);
  Analysis analysis(cluster.hangs(query.cluster), std::move(*outliers),
                    incidents.ok() ? std::move((*incidents)["incidents"]) : Json::array(),
                    incidents.ok() ? "" : incidents.error().text(), std::move(*health), cluster.clocks(query.cluster));
  return analysis.answer(query, cluster.clock().wall_ns());
}

}  // namespace ingero::fleet::server
