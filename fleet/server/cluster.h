// The cluster as the server knows it: what was received goes to the store and to the detectors, and questions are
// answered from both.
//
// A batch counts when take() returns: the store has it, and the windows that are new were compared. After a restart the
// detectors go on from the windows of the last ten minutes in the store. A job is forgotten ten minutes after its last
// window, and a silent one before that where a new one needs its room (kMaxJobs). Thread-safe: one batch at a time.
// Owns the store and the detectors; `clock` outlives it. Failure: the store's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "fleet/detect/clocks.h"
#include "fleet/detect/detector.h"
#include "fleet/detect/hangs.h"
#include "fleet/detect/matching.h"
#include "fleet/detect/pace.h"
#include "fleet/server/device_evidence.h"
#include "fleet/server/incident_rows.h"
#include "fleet/server/interface_refusals.h"
#include "fleet/server/name_shares.h"
#include "fleet/server/node_names.h"
#include "fleet/server/node_ranks.h"
#include "fleet/server/node_reports.h"
#include "fleet/server/quotas.h"
#include "fleet/server/rank_places.h"
#include "fleet/server/tokens.h"
#include "fleet/store/cluster_store.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::server {

inline constexpr size_t kMaxJobs = 256;
// Of all jobs together; a batch goes over them by what is new in it.
inline constexpr size_t kMaxRanksOfAll = 2 * detect::kMaxRanks, kMaxSamplesOfAll = detect::kMaxSamples,
                        kMaxMembersOfAll = detect::kMaxMembers,
                        kMaxStackBytesOfAll = 64 << 20;  // of ranks that stand still; those beyond have none
inline constexpr uint64_t kSettles_ns = 2'000'000'000;   // until the windows of all nodes have come
inline constexpr uint64_t kHangAfter_ns = 10'000'000'000;
inline constexpr uint64_t kJobShared_ns = 60'000'000'000;  // since its last window, of the sender that brought it

struct Threshold {
  double value = 0;
  bool is_known = false, has_quorum = false;
  std::optional<double> score = {};  // of the node that asks, to be compared with it
};
// Of a window's end: where it comes so long before those of the others, they still come while it is waited for.
inline constexpr uint64_t kMaxAhead_ns = detect::kMaxWaitForWindow_ns - 2'000'000'000;
inline constexpr size_t kScoreWindows = 12;  // of which the score of a node without a slow rank is made

struct OutlierQuery {
  std::string cluster;  // empty: all
  double threshold = detect::kNamed, min_effect = detect::kFloor;
  uint64_t since_ns = 0;  // incidents that ended after this time, too; 0: none of them
  size_t top_n = 20;
};

struct EffectsQuery {
  std::string cluster;             // empty: any
  std::optional<std::string> job;  // empty: the one without a name; absent: any
  std::string node;                // not empty: this node only, with its ranks
  size_t windows = 12, top_n = 20;
  uint64_t from_ns = 0;  // only windows that begin then or later
};

class Cluster {
 public:
  // `hang_after_ns`: how long a rank waits in a collective until the job hangs.
  static Result<std::unique_ptr<Cluster>> open(std::unique_ptr<store::ClusterStore> store, const Clock& clock,
                                               uint64_t hang_after_ns = kHangAfter_ns, QuotaOptions quotas = {},
                                               Tokens tokens = {});

  // Adds to `batch.refused` what the store refuses. kFull, kBusy, kIo: it does not count; the sender may try again.
  Status take(wire::Batch& batch);
  void count_undecodable();
  void count_over_quota();
  // To be asked before a batch is decoded, and before it is taken.
  Quotas& quotas() { return quotas_; }
  // To be called once a second: what is found because time passes, and nothing comes.
  void tick();

  // What nodes classify themselves by: of a node whose ranks are compared by their own work, 1 / (1 + the effect from
  // which on one of its job is suspicious), and its score, the same of its slowest rank: of one that is named the
  // effect that it is named with, else the median of its last windows, but a score that says so of no node. For one
  // window in ten of a healthy rank is suspicious, and what is evidence enough is the detector's to say. Else of the
  // health scores that nodes send, else of the largest job.
  Threshold threshold(const std::string& cluster, const std::string& node = {});
  Result<Json> outliers(const OutlierQuery& query);
  // How each node's worst rank compared with its peers in each of the last windows, of one job: the largest that is
  // asked for.
  Json effects(const EffectsQuery& query);
  // The ranks that did not come to a collective, or did not leave it, now.
  Json hangs(const std::string& cluster);
  // How far the clocks of nodes are from this server's, as they measured it; and where a node is named, how far those
  // of the others are from its own, as that and collectives of both bound it.
  Json clocks(const std::string& cluster, const std::string& node = {});
  Result<Json> history(const store::HistoryQuery& query);
  Result<Json> incidents(const std::string& cluster, uint64_t since_ns, size_t limit);
  Result<Json> sql(const std::string& statement, uint64_t rows, const store::Clusters& readable) {
    return store_->sql(statement, rows, readable);
  }
  void interrupt() { store_->interrupt(); }  // ends questions that are being answered, for a stop
  // Of the server; names of nodes of these clusters only.
  Result<Json> health(const store::Clusters& readable = {});
  // Of the server itself, in the text format of Prometheus.
  Result<std::string> metrics(const InterfaceRefusals& refusals = {});
  const Clock& clock() const { return clock_; }
  const Tokens& tokens() const { return tokens_; }

 private:
  using NodeKey = store::NodeKey;
  enum class Kind : uint8_t { kWork, kScore };
  struct JobKey {
    std::string cluster, job;
    Kind kind = Kind::kWork;
    auto operator<=>(const JobKey&) const = default;
  };
  // What stands for a rank where scores are compared: one control group of a node.
  struct Scored {
    uint32_t node = 0;
    std::string group;
  };
  struct Job {
    Job(detect::Better better, uint64_t hang_after_ns, uint64_t period)
        : detector(better, period), hangs(hang_after_ns, period), matching(period), period_ns(period) {}
    detect::Detector detector;
    detect::Hangs hangs;
    detect::Matching matching;
    detect::Pace pace;
    DeviceEvidence devices;
    RankPlaces places;
    detect::Clocks clocks;    // what its collectives say of them
    uint64_t heard_ns = 0;    // when a window of it came last, by mono_ns
    uint64_t settled_ns = 0;  // when what has come of its collectives will have settled; 0: it has
    uint64_t period_ns = 0;
    bool is_silent = false;  // nothing has come for so long that what was open has ended
    detect::Limits limits;   // as of the last window that was evaluated, as the next
    struct Slowest {
      double effect = 0;
      bool is_named = false;
    };
    std::unordered_map<uint32_t, Slowest> slowest;  // by node: of its ranks
    std::unordered_map<uint32_t, Scored> scored;    // by rank, at most detect::kMaxRanks
    // By node: what is usual in its control groups, the lowest of them.
    std::unordered_map<uint32_t, double> usual_scores;
    // Communicators by what nodes call them that know nothing of the library's number: others have said both.
    std::unordered_map<uint64_t, uint64_t> library_hashes;
    // Windows of its period since the last of another one, and the other way round.
    uint64_t fitting = 0, misfits = 0;
    uint64_t awaited_until_ns = 0;  // of a job that was there before a restart: as long it has time to come back
    bool is_restored = false;       // and nothing of it has come since
    uint64_t communicator_of(const wire::Window& window);
    void hear(uint64_t now_ns, bool is_replay);
    void note_compared();  // what was
    void note_usual_scores();
    // Whether windows of `length_ns` are those that it is to have from now on.
    bool is_of_another_period(uint64_t length_ns);
    // By then all that came of it has been compared.
    uint64_t silent_after_ns() const { return (detect::kSilentAfter + 1) * period_ns + detect::kMaxWaitForWindow_ns; }
    bool has_gone(uint64_t now_ns) const { return now_ns >= std::max(heard_ns + silent_after_ns(), awaited_until_ns); }
  };
  // What all jobs hold.
  struct Held {
    size_t ranks = 0, samples = 0, members = 0, stack_bytes = 0;
  };
  // The stored incidents that what is replayed after a restart may find again.
  struct Replay {
    std::multimap<std::string, store::IncidentRow> stored;  // by name
    std::set<std::string> ended;                            // ids
  };
  struct Outlier {
    const JobKey* key;
    const Job* job;
    detect::Standing standing;  // of a node, where its incident is
  };
  struct Counters {
    uint64_t requests = 0, undecodable = 0, points = 0, windows = 0, repeated = 0;
    uint64_t ahead = 0, other_period = 0, no_room = 0, too_many_ranks = 0, ranks_of_node = 0;
    uint64_t dropped = 0;    // of jobs that were forgotten
    uint64_t late = 0;       // of jobs that were forgotten
    uint64_t displaced = 0;  // jobs
    uint64_t lost_incidents = 0;
    uint64_t refused_writes = 0;  // requests that were not stored
    wire::Refusals refused;
  };

  Cluster(std::unique_ptr<store::ClusterStore> store, const Clock& clock, uint64_t hang_after_ns, QuotaOptions quotas,
          Tokens tokens)
      : store_(std::move(store)),
        clock_(clock),
        hang_after_ns_(hang_after_ns),
        quotas_(quotas),
        tokens_(std::move(tokens)) {}
  Status restore();
  Status replay(uint64_t from_ns);
  Status end_replay(const std::map<std::string, store::IncidentRow>& before);
  void end_unconfirmed(uint64_t now_ns, std::vector<store::IncidentRow>& rows);
  void note_held();
  bool has_room_for(const wire::Window& window, uint64_t communicator, const Job& job);
  Job* relearn(const JobKey& key, Job& job, uint64_t period_ns, uint64_t now_ns, const std::string& sent_by);
  Status take_locked(wire::Batch& batch, uint64_t& end);  // end: for settle()
  void note_write(const Status& taken);
  void separate_namesakes(wire::Batch& batch);
  void refuse_nodes(wire::Batch& batch);
  void refuse_ranks(wire::Batch& batch);
  Job* job_of(const JobKey& key, uint64_t period_ns, uint64_t now_ns, const std::string& sent_by);
  std::map<JobKey, Job>::iterator forget(std::map<JobKey, Job>::iterator job);
  std::pair<const JobKey*, const Job*> largest_job(const EffectsQuery& query, size_t& others) const;
  void compare(const wire::Window& window, uint32_t node, uint64_t now_ns, const std::string& sent_by);
  void follow(const wire::Window& window, uint64_t communicator, uint32_t node, Job& job);
  static std::optional<detect::Place> place_of(const wire::Window& window, uint64_t communicator, Job& job);
  void compare_score(const wire::Point& point, uint64_t now_ns, const std::string& sent_by);
  void remember_node(const std::string& cluster, const std::string& node, uint32_t number);
  void forget_node(const NodeKey& key);
  Status advance(uint64_t now_ns);
  Status write_incidents(std::vector<store::IncidentRow> rows);
  void keep(store::IncidentRow row, bool is_open, std::vector<store::IncidentRow>& rows);
  void advance_hangs(const JobKey& key, Job& job, uint64_t now_ns, std::vector<store::IncidentRow>& rows);
  void advance_pace(const JobKey& key, Job& job, std::vector<store::IncidentRow>& rows);
  store::IncidentRow row_of(const JobKey& key, const Job& job, const detect::Hang& hang);
  store::IncidentRow row_of(const JobKey& key, const Job& job, const detect::PaceChange& change);
  void add_slow_job(const JobKey& key, const Job& job, const OutlierQuery& query, Json& list) const;
  void identify(store::IncidentRow& row) const;
  store::IncidentRow row_of(const JobKey& key, const Job& job, const detect::Incident& incident);
  // Into `evidence`; returns the class.
  std::string explain(const JobKey& key, const Job& job, const detect::Incident& incident, Json& evidence) const;
  std::string explain_now(const JobKey& key, const Job& job, const detect::Incident& incident, Json& evidence) const;
  void take_reports(const wire::Batch& batch);
  void hear_idle(const wire::Batch& batch);
  void restore_reports(uint64_t from_ns);
  void add_outliers(const JobKey& key, const Job& job, const OutlierQuery& query, std::vector<Outlier>& outliers) const;
  Json outlier_list(std::vector<Outlier> outliers, const OutlierQuery& query) const;
  Json id_of_node(store::IncidentRow row) const;
  static Json delayed(const detect::Detector& detector, const detect::Incident& incident);
  static Json delayed(const std::vector<uint32_t>& members, const detect::Incident& incident);
  const std::string& node_name(uint32_t node) const;
  void bring_up_to_date(std::vector<store::IncidentRow>& rows);
  Result<Onsets> onsets_of_the_day(const std::string& cluster);
  std::optional<detect::ClockBound> offset_of(const NodeKey& node, uint64_t now_ns) const;
  std::map<uint32_t, detect::ClockBound> bounds_by_collectives(const std::string& cluster, uint32_t node) const;
  Json clock_difference(const NodeKey& node, const NodeKey& other, std::optional<detect::ClockBound> bound,
                        uint64_t now_ns) const;

  std::unique_ptr<store::ClusterStore> store_;
  const Clock& clock_;
  const uint64_t hang_after_ns_;
  Quotas quotas_;
  const Tokens tokens_;
  std::mutex mutex_;
  std::map<JobKey, Job> jobs_;
  std::map<uint32_t, std::string> node_names_;
  std::map<NodeKey, uint32_t> node_numbers_;
  std::map<std::string, store::IncidentRow> open_;  // by job, kind and rank
  std::string write_error_;                         // of the last request; empty: it was stored
  uint64_t write_error_logged_ns_ = 0;
  std::map<std::string, store::IncidentRow> unwritten_;  // by id: what the store did not take yet
  std::optional<Replay> replay_;                         // while there is one
  std::set<std::string> unconfirmed_;                    // names of open incidents that a restart has no evidence of
  uint64_t unconfirmed_until_ns_ = 0;                    // they may be found again until then
  Held held_;                                            // as of the last batch
  NodeNames names_;
  NodeRanks ranks_;
  NameShares node_shares_{store::kMaxNodes, store::kNodeForgotten_ns}, job_shares_{kMaxJobs, kJobShared_ns};
  NodeReports reports_;
  struct NodeClock {
    wire::ClockOffset offset;
    uint64_t mono_ns;  // when it was heard
  };
  std::map<NodeKey, NodeClock> clocks_;
  std::map<NodeKey, std::string> instances_;  // the run that sent the last windows
  Counters counters_;
};

}  // namespace ingero::fleet::server
