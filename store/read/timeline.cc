// Sorts rows into tracks and bins and answers a part from either, so that a picture never reads the whole recording.
#include "store/read/timeline.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "base/text.h"
#include "store/read/reader_impl.h"
#include "store/read/timeline_rows.h"
#include "store/read/track_bins.h"

namespace ingero::store {
namespace {

constexpr unsigned kFirstShift = 10;    // a microsecond
constexpr size_t kMaxScanned = 40'000;  // rows that are read for one answer
constexpr size_t kMaxKept = 4096;       // tracks, and calls in flight
constexpr size_t kMaxLongShown = 300;   // of a track, where bins are shown
constexpr uint64_t kLongShown = 8;      // bins: calls longer than that are shown one by one where they can be
constexpr size_t kNotThere = ~size_t{0};

// What identifies a track: the group, the process, and its thread, stream, communicator or call.
using TrackKey = std::tuple<TrackGroup, size_t, int64_t, int64_t>;

struct TrackState {
  TrackGroup group;
  size_t node;
  int64_t process;
  uint32_t pid;
  int64_t number;
  TrackBins bins;
};

struct Open {
  std::vector<size_t> tracks;
  StoredSlice slice;
};

}  // namespace

struct Timeline::Impl {
  std::mutex mutex;
  unsigned shift = kFirstShift;
  std::optional<int64_t> base;
  std::unique_ptr<TimelineRows> rows;  // made with the first question
  std::optional<NodeClocks> clocks;    // with the first question too, so that places stay

  Status load_clocks(const Reader& reader) {
    if (clocks) return {};
    auto loaded = NodeClocks::load(reader, {.time_ns = 0});
    if (!loaded.ok()) return loaded.error();
    // Rows that were placed without it would stay where they are.
    if (!loaded->is_examined()) return Error(Errc::kBusy, order_sentence(*loaded));
    clocks = std::move(*loaded);
    return {};
  }

  bool is_loaded = false, has_other_tracks = false;
  int64_t next_seq = 0, first_seq = 0;  // rows from next_seq on are not known to be there
  struct Unread {
    int64_t first, last;
  };
  int64_t newest_read = 0;
  std::vector<Unread> unread;  // runs of rows in ascending order
  bool is_behind = false;      // what is added is older than what is in the bins
  uint64_t longest_ns = 0;
  size_t size = 0;
  std::vector<TrackState> tracks;
  std::map<TrackKey, size_t> by_key;
  std::map<int64_t, Open> open;  // calls in flight, by row

  size_t track(TrackGroup group, const TimelineRow& row, int64_t number) {
    const TrackKey key{group, row.node, row.process, number};
    const auto found = by_key.find(key);
    if (found != by_key.end()) return found->second;
    if (tracks.size() >= kMaxKept) {
      has_other_tracks = true;
      return kNotThere;
    }
    tracks.push_back({group, row.node, row.process, row.pid, number, {}});
    by_key.emplace(key, tracks.size() - 1);
    return tracks.size() - 1;
  }

  // The tracks on which a row is shown.
  std::vector<size_t> tracks_of(const TimelineRow& row) {
    std::vector<size_t> found;
    const auto add = [&](size_t one) {
      if (one != kNotThere) found.push_back(one);
    };
    if (rows->names().call(row.call)->host) {
      add(track(TrackGroup::kHost, row, static_cast<int64_t>(row.call)));
      return found;
    }
    add(track(TrackGroup::kThread, row, row.tid));
    if (row.stream) add(track(TrackGroup::kStream, row, static_cast<int64_t>(*row.stream)));
    if (row.is_collective) add(track(TrackGroup::kRank, row, row.communicator));
    return found;
  }

  StoredSlice slice_of(const TimelineRow& row) const {
    StoredSlice slice;
    slice.start_ns = row.start_wall_ns - *base;
    slice.duration_ns = row.duration_ns;
    slice.seq = row.seq;
    slice.op = static_cast<uint32_t>(row.call);
    slice.depth = static_cast<uint8_t>(row.depth);
    slice.failed = row.failed;
    slice.is_open = row.is_in_flight;
    return slice;
  }

  void add(const TimelineRow& row) {
    if (!base) base = row.start_wall_ns;
    const StoredSlice slice = slice_of(row);
    if (row.is_in_flight) {
      if (open.size() < kMaxKept) open[row.seq] = {tracks_of(row), slice};
      return;
    }
    longest_ns = std::max(longest_ns, row.duration_ns);
    const auto fits = [&] {
      const int64_t most = int64_t{1} << 30;
      return size <= kMaxBins && (slice.start_ns >> shift) > -most && (slice.end_ns() >> shift) < most;
    };
    for (const size_t one : tracks_of(row)) {
      while (!fits()) coarsen();
      size += tracks[one].bins.add(slice, shift);
    }
  }

  void coarsen() {
    ++shift;
    size = 0;
    for (TrackState& one : tracks) {
      if (is_behind) one.bins.end_older();
      one.bins.coarsen(shift);
      size += one.bins.size();
      if (is_behind) one.bins.begin_older();
    }
  }

  void set_behind(bool is_so) {
    is_behind = is_so;
    size = 0;
    for (TrackState& one : tracks) {
      is_so ? one.bins.begin_older() : one.bins.end_older();
      size += one.bins.size();
    }
  }

  Status refresh(Database& database, const Format& format, uint64_t most_rows) {
    if (rows == nullptr) {
      rows = format.make_timeline_rows();
      rows->set_clocks(&*clocks);
    }
    Result<std::optional<int64_t>> last = rows->last(database);
    if (!last.ok()) return last.error();
    if (*last) *last = std::min(**last, INT64_MAX - 1);  // so that it has a next
    if (!is_loaded || last->value_or(0) >= next_seq || !open.empty()) {
      INGERO_TRY(rows->load(database));
      is_loaded = true;
    }
    std::vector<int64_t> flying;
    for (const auto& [seq, one] : open) flying.push_back(seq);
    for (const int64_t seq : flying) {
      bool is_there = false;
      INGERO_TRY(rows->each(database, seq, seq, [&](const TimelineRow& row) {
        is_there = row.is_in_flight;
        if (!is_there) add(row);
      }));
      if (!is_there) open.erase(seq);
    }
    if (last->value_or(0) >= next_seq) {
      if (next_seq == 0 && most_rows != UINT64_MAX) {
        const Result<std::optional<int64_t>> first = rows->first(database);
        if (!first.ok()) return first.error();
        next_seq = first->value_or(0);  // what was pruned is not unread
      }
      if (next_seq <= **last) unread.push_back({next_seq, **last});
      next_seq = **last + 1;
    }
    INGERO_TRY(read_on(database, most_rows));
    return forget_pruned(database);
  }

  // The newest rows of those that are not read yet, in the order of the recording.
  Status read_on(Database& database, uint64_t most_rows) {
    while (!unread.empty() && most_rows > 0) {
      Unread& run = unread.back();
      const int64_t end = run.last;
      const uint64_t there = static_cast<uint64_t>(end) - static_cast<uint64_t>(run.first) + 1;
      const uint64_t taken = std::min(there, most_rows);
      int64_t next = there == taken ? run.first : end - static_cast<int64_t>(taken) + 1;
      most_rows -= taken;
      const Unread older{run.first, next - 1};
      const bool is_older = end < newest_read;
      if (is_older) set_behind(true);
      const Status read = rows->each(database, next, end, [&](const TimelineRow& row) {
        add(row);
        next = row.seq + 1;  // an answer that was interrupted goes on from here
      });
      if (is_older) set_behind(false);
      newest_read = std::max(newest_read, next - 1);
      unread.pop_back();
      if (older.first <= older.last) unread.push_back(older);
      if (!read.ok()) {
        if (next <= end) unread.push_back({next, end});
        return read;
      }
    }
    return {};
  }

  Status forget_pruned(Database& database) {
    Result<std::optional<int64_t>> first = rows->first(database);
    if (!first.ok()) return first.error();
    if (!*first || **first == first_seq || !base) return {};
    const bool is_first_time = first_seq == 0;
    first_seq = **first;
    if (is_first_time) return {};
    while (!unread.empty() && unread.front().last < first_seq) unread.erase(unread.begin());
    if (!unread.empty()) unread.front().first = std::max(unread.front().first, first_seq);
    Result<std::optional<int64_t>> start = database.integer("SELECT min(start_wall_ns) FROM blocks");
    if (!start.ok()) return start.error();
    size = 0;
    for (TrackState& one : tracks) {
      one.bins.forget_before(start->value_or(*base) - *base, shift);
      size += one.bins.size();
    }
    return {};
  }

  Track described(const TrackState& state) const {
    Track track;
    track.group = state.group;
    track.node = rows->nodes()[state.node];
    track.pid = state.pid;
    if (const ProcessInfo* process = rows->names().process(state.process)) track.process = process->comm;
    track.events = state.bins.events();
    const auto number = static_cast<uint64_t>(state.number);
    std::string what;
    switch (state.group) {
      case TrackGroup::kThread:
        track.tid = static_cast<uint32_t>(number);
        what = fmt::format("thread:{}", number);
        break;
      case TrackGroup::kStream:
        track.stream = number;
        what = fmt::format("stream:{:x}", number);
        break;
      case TrackGroup::kHost:
        track.op = rows->names().call(static_cast<size_t>(number))->op_name;
        what = "host:" + track.op;
        break;
      case TrackGroup::kRank:
        if (const auto* communicator = rows->communicator(state.number)) {
          track.comm_id_hash = communicator->comm_id_hash;
          track.rank = communicator->rank;
          track.nranks = communicator->nranks;
        }
        what = fmt::format("rank:{}", state.number);
        break;
    }
    track.name = printable(fmt::format("{}:{}:{}", what, state.process, track.node), 120);
    return track;
  }

  // Ranks by communicator; then process by process, that with the most events first, and in each its busiest threads.
  std::vector<size_t> order(const TimelineQuestion& question) const {
    std::map<std::pair<size_t, int64_t>, uint64_t> of_process;
    std::vector<size_t> list;
    for (size_t i = 0; i < tracks.size(); ++i) {
      const TrackState& one = tracks[i];
      if (question.pid && one.pid != *question.pid) continue;
      list.push_back(i);
      // Threads first: a process that only lost its CPU is not where to look.
      of_process[{one.node, one.process}] += one.bins.events() * (one.group == TrackGroup::kHost ? 1 : 1000);
    }
    const auto rank_of = [&](const TrackState& one) {
      const auto* communicator = rows->communicator(one.number);
      return std::tuple(communicator ? communicator->comm_id_hash : std::nullopt,
                        communicator ? communicator->rank : std::nullopt);
    };
    std::sort(list.begin(), list.end(), [&](size_t a, size_t b) {
      const TrackState &x = tracks[a], &y = tracks[b];
      const bool is_rank = x.group == TrackGroup::kRank;
      if (is_rank != (y.group == TrackGroup::kRank)) return is_rank;
      if (is_rank && rank_of(x) != rank_of(y)) return rank_of(x) < rank_of(y);
      const uint64_t in_x = of_process[{x.node, x.process}], in_y = of_process[{y.node, y.process}];
      if (!is_rank && in_x != in_y) return in_x > in_y;
      const auto rest = [](const TrackState& one, size_t index) {
        return std::tuple(one.node, one.process, one.group, ~one.bins.events(), index);
      };
      return rest(x, a) < rest(y, b);
    });
    return list;
  }

  // Bins of the stored grid, and long calls, of one track.
  void view_bins(const TrackState& state, const TimelineQuestion& question, uint64_t width, uint32_t count,
                 TrackView& view) const {
    const int64_t from = question.from_wall_ns - *base, to = question.to_wall_ns - *base;
    std::vector<StoredBin> into(count);
    const auto position_of = [&](const StoredBin& bin) {
      const int64_t middle = (int64_t{bin.position} << shift) + (int64_t{1} << shift) / 2;
      return (middle - from) / static_cast<int64_t>(width);
    };
    const auto& bins = state.bins.bins();
    auto at = std::lower_bound(bins.begin(), bins.end(), (from >> shift),
                               [](const StoredBin& bin, int64_t wanted) { return bin.position < wanted; });
    for (; at != bins.end() && (int64_t{at->position} << shift) <= to; ++at) {
      const int64_t position = std::clamp<int64_t>(position_of(*at), 0, count - 1);
      StoredBin& one = into[static_cast<size_t>(position)];
      one.count += at->count;
      one.busy_ns += at->busy_ns;
      if (at->longest_ns >= one.longest_ns) {
        one.longest_ns = at->longest_ns;
        one.op = at->op;
      }
    }
    std::vector<StoredSlice> slices;
    for (const StoredSlice& slice : state.bins.long_slices()) {
      if (slice.start_ns <= to && slice.end_ns() >= from) slices.push_back(slice);
    }
    const auto longest = std::partition(
        slices.begin(), slices.end(), [&](const StoredSlice& slice) { return slice.duration_ns / width < kLongShown; });
    std::vector<StoredSlice> rest(slices.begin(), longest);
    slices.erase(slices.begin(), longest);
    keep_longest(slices, rest);
    for (const StoredSlice& slice : rest) {
      spread(slice, from, static_cast<int64_t>(width), 0, int64_t{count} - 1,
             [&](int64_t position) -> StoredBin& { return into[static_cast<size_t>(position)]; });
    }
    put(into, width, view);
    put(slices, view);
  }

  // Keeps the longest, as many as are shown one by one; the others go to `rest`.
  static void keep_longest(std::vector<StoredSlice>& slices, std::vector<StoredSlice>& rest) {
    if (slices.size() <= kMaxLongShown) return;
    const auto middle = slices.begin() + kMaxLongShown;
    std::nth_element(slices.begin(), middle, slices.end(),
                     [](const StoredSlice& a, const StoredSlice& b) { return a.duration_ns > b.duration_ns; });
    rest.insert(rest.end(), middle, slices.end());
    slices.erase(middle, slices.end());
  }

  static void put(const std::vector<StoredBin>& bins, uint64_t width, TrackView& view) {
    for (size_t i = 0; i < bins.size(); ++i) {
      if (bins[i].count == 0 && bins[i].busy_ns == 0 && bins[i].longest_ns == 0) continue;
      view.bins.push_back({static_cast<uint32_t>(i), bins[i].count, std::min(bins[i].busy_ns, width), bins[i].op});
    }
  }
  void put(std::vector<StoredSlice>& slices, TrackView& view) const {
    std::sort(slices.begin(), slices.end(), [](const StoredSlice& a, const StoredSlice& b) {
      return std::tie(a.start_ns, a.depth, a.seq) < std::tie(b.start_ns, b.depth, b.seq);
    });
    for (const StoredSlice& slice : slices) {
      view.slices.push_back({*base + slice.start_ns,
                             slice.is_open ? std::nullopt : std::optional<uint64_t>(slice.duration_ns), slice.op,
                             slice.depth, slice.failed, slice.seq});
    }
  }

  // The rows of the part, by the index of their track in `wanted`; absent: too many rows.
  Result<std::optional<std::vector<std::vector<StoredSlice>>>> scan(Database& database,
                                                                    const TimelineQuestion& question,
                                                                    const std::vector<size_t>& wanted) {
    using Slices = std::vector<std::vector<StoredSlice>>;
    std::map<size_t, size_t> place;
    for (size_t i = 0; i < wanted.size(); ++i) place[wanted[i]] = i;
    Slices slices(wanted.size());
    const auto take = [&](const TimelineRow& row) {
      const StoredSlice slice = slice_of(row);
      if (row.is_in_flight || row.start_wall_ns > question.to_wall_ns ||
          row.start_wall_ns + static_cast<int64_t>(row.duration_ns) < question.from_wall_ns) {
        return;
      }
      for (const size_t one : tracks_of(row)) {
        if (const auto at = place.find(one); at != place.end()) slices[at->second].push_back(slice);
      }
    };
    const auto read =
        rows->each_between(database, question.from_wall_ns, question.to_wall_ns, longest_ns, kMaxScanned, take);
    if (!read.ok()) return read.error();
    return *read ? std::optional<Slices>(std::move(slices)) : std::optional<Slices>();
  }

  Result<TimelineView> view(Database& database, const TimelineQuestion& question) {
    TimelineView made;
    if (!base || question.to_wall_ns <= question.from_wall_ns) return made;
    const std::vector<size_t> list = order(question);
    made.tracks_in_all = list.size();
    made.has_other_tracks = has_other_tracks;
    for (const Unread& run : unread) made.rows_unread += static_cast<uint64_t>(run.last - run.first) + 1;
    std::map<std::string, size_t> by_name;
    std::vector<size_t> wanted, places;  // tracks, and their indexes in the list
    for (size_t i = 0; i < list.size() && i < question.max_tracks; ++i) {
      made.tracks.push_back(described(tracks[list[i]]));
      by_name.emplace(made.tracks.back().name, i);
    }
    const auto want = [&](size_t i) {
      if (wanted.size() >= question.most_views) return;
      wanted.push_back(list[i]);
      places.push_back(i);
    };
    if (question.tracks.empty()) {
      for (size_t i = 0; i < made.tracks.size(); ++i) want(i);
    }
    for (const std::string& name : question.tracks) {
      if (const auto found = by_name.find(name); found != by_name.end()) want(found->second);
    }
    for (size_t i = 0; i < rows->names().calls(); ++i) {
      const CallInfo* call = rows->names().call(i);
      made.ops.push_back(call == nullptr ? TimelineOp{}
                                         : TimelineOp{call->op_name, call->name, call->layer, call->kind});
    }
    const auto range = static_cast<uint64_t>(question.to_wall_ns - question.from_wall_ns);
    const auto width_of = [&](uint64_t least) {
      return std::max({(range + question.bins - 1) / question.bins, least, uint64_t{1}});
    };
    auto scanned = scan(database, question, wanted);
    if (!scanned.ok()) return scanned.error();
    made.bin_ns = width_of(*scanned ? 1 : uint64_t{1} << shift);
    const auto count = static_cast<uint32_t>((range + made.bin_ns - 1) / made.bin_ns);
    for (const size_t place : places) made.views.push_back({place, {}, {}});
    if (!*scanned) {
      for (size_t i = 0; i < wanted.size(); ++i)
        view_bins(tracks[wanted[i]], question, made.bin_ns, count, made.views[i]);
    } else {
      view_rows(**scanned, question, count, made);
    }
    for (const auto& [seq, one] : open) {
      if (*base + one.slice.start_ns > question.to_wall_ns) continue;
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (std::find(one.tracks.begin(), one.tracks.end(), wanted[i]) == one.tracks.end()) continue;
        std::vector<StoredSlice> single{one.slice};
        put(single, made.views[i]);
      }
    }
    return made;
  }

  // Tracks with few calls show each call; the others show bins made of the same rows.
  void view_rows(std::vector<std::vector<StoredSlice>>& slices, const TimelineQuestion& question, uint32_t count,
                 TimelineView& made) const {
    std::vector<size_t> fewest(slices.size());
    for (size_t i = 0; i < fewest.size(); ++i) fewest[i] = i;
    std::sort(fewest.begin(), fewest.end(), [&](size_t a, size_t b) { return slices[a].size() < slices[b].size(); });
    size_t left = question.most_slices;
    made.is_whole = true;
    for (const size_t i : fewest) {
      if (slices[i].size() <= left) {
        left -= slices[i].size();
        put(slices[i], made.views[i]);
        continue;
      }
      made.is_whole = false;
      std::vector<StoredBin> bins(count);
      const auto longest = std::partition(slices[i].begin(), slices[i].end(), [&](const StoredSlice& slice) {
        return slice.duration_ns / made.bin_ns < kLongShown;
      });
      std::vector<StoredSlice> shown(longest, slices[i].end());
      slices[i].erase(longest, slices[i].end());
      keep_longest(shown, slices[i]);
      for (const StoredSlice& slice : slices[i]) {
        spread(slice, question.from_wall_ns - *base, static_cast<int64_t>(made.bin_ns), 0, int64_t{count} - 1,
               [&](int64_t position) -> StoredBin& { return bins[static_cast<size_t>(position)]; });
      }
      put(bins, made.bin_ns, made.views[i]);
      put(shown, made.views[i]);
    }
  }
};

Timeline::Timeline() : impl_(std::make_unique<Impl>()) {}
Timeline::~Timeline() = default;

Result<NodeClocks> Timeline::clocks(const Reader& reader) {
  const std::scoped_lock lock(impl_->mutex);
  INGERO_TRY(impl_->load_clocks(reader));
  return *impl_->clocks;
}

Result<TimelineView> Timeline::view(const Reader& reader, const TimelineQuestion& asked) {
  TimelineQuestion question = asked;
  for (int64_t* time : {&question.from_wall_ns, &question.to_wall_ns}) {
    *time = std::clamp(*time, -TimelineRows::kMaxTime, TimelineRows::kMaxTime);
  }
  Reader::Impl& file = reader.impl();
  INGERO_TRY(file.refresh());
  const std::scoped_lock lock(impl_->mutex);
  INGERO_TRY(impl_->load_clocks(reader));
  Snapshot snapshot;
  INGERO_TRY(snapshot.begin(file.database));
  INGERO_TRY(impl_->refresh(file.database, *file.format, question.most_rows));
  return impl_->view(file.database, question);
}

}  // namespace ingero::store
