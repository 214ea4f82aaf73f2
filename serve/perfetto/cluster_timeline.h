// A cluster as a timeline, from what its server answers: a process for each node, on it a track for each rank in each
// communicator with its windows, and one for each incident. Windows are asked for page by page, so that all of them
// come, and memory is that of a page and of the tracks.
//
// What comes in is from the network: rows and incidents that are not of the expected types, and those of tracks beyond
// a bound, are left out and counted. Owns its writer and the incidents. Threads: one. Failure: the sink's, and a server
// that gives a page again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "base/json.h"
#include "base/result.h"
#include "serve/perfetto/timeline.h"

namespace ingero::serve::perfetto {

struct ClusterTotals {
  uint64_t windows = 0, incidents = 0, left_out = 0;
};

class ClusterTimeline {
 public:
  static constexpr size_t kRowsOfPage = 800;  // below a megabyte, however long names are
  static constexpr size_t kMaxTracks = 1 << 20;

  // Windows that began in this time. `chains`: the incidents, as query_fleet gives them. `cluster`: of this one only,
  // if it is named; without quotes.
  ClusterTimeline(TimelineFormat format, Sink sink, const Json& chains, uint64_t from_wall_ns, uint64_t to_wall_ns,
                  std::string cluster = {});

  // The statement that gives the next page of each server; empty: all windows have come.
  std::string next() const;
  // `rows`: of that statement, by the server that was asked (the first cell), as query_fleet gives them.
  Status add(const Json& rows);
  Result<ClusterTotals> finish();

 private:
  // Start, node, rank, communicator, job: which row of a server it is, in this order.
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t, std::string>;
  using NodeName = std::tuple<std::string, std::string, std::string>;  // server, cluster, node
  struct Span;
  struct Track {
    TrackId id = 0;
    int64_t free_from_ns = 0;
  };
  struct Node {
    TrackId process = 0;
    std::map<std::string, Track> tracks;  // of ranks by name, of incidents by id
  };

  static std::optional<Key> key_of(const Json& row);
  TraceWriter& writer(int64_t begin_ns);
  bool add_window(const Json& row);
  bool add_incident(const Json& chain);
  bool draw(const NodeName& node, const std::string& key, const std::string& track, const char* category,
            const Span& span);

  TimelineFormat format_;
  Sink sink_;
  Json chains_;
  uint64_t from_ns_, to_ns_;
  std::string cluster_;
  std::unique_ptr<TraceWriter> writer_;
  std::map<NodeName, Node> nodes_;
  size_t tracks_ = 0;
  TrackId next_id_ = 1;
  std::optional<Key> after_;  // the last row of the page before
  bool is_over_ = false;
  ClusterTotals totals_;
};

}  // namespace ingero::serve::perfetto
