// ingero export: what is in the files, read back with other programs' eyes, and what is left when it fails.
#include <sys/resource.h>

#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>

#include "recording_fixture.h"

namespace ingero::cli {
namespace {

using Json = nlohmann::json;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A native trace as its packets say it: names by their numbers, begins by ends.
struct Trace {
  struct Slice {
    std::string name;
    uint64_t start = 0, end = 0;
    std::map<std::string, std::string> arguments;
    std::vector<uint64_t> flows, terminating;
  };
  std::map<uint64_t, std::vector<Slice>> slices;  // by track
  std::map<uint64_t, uint64_t> parents;
  std::map<uint64_t, std::string> tracks;

  // Long because it is one switch over the fields of the format, nested as its messages are.
  explicit Trace(const std::string& bytes) {
    std::map<uint64_t, std::string> names, arguments;
    std::multimap<uint64_t, std::pair<bool, std::pair<uint64_t, Slice>>> events;
    protozero::pbf_reader trace(bytes);
    while (trace.next(1)) {
      protozero::pbf_reader packet = trace.get_message();
      uint64_t at = 0;
      std::string event;
      while (packet.next()) {
        switch (packet.tag()) {
          case 8:
            at = packet.get_uint64();
            break;
          case 11:
            event = packet.get_bytes();
            break;
          case 12: {
            protozero::pbf_reader interned = packet.get_message();
            while (interned.next()) {
              auto& into = interned.tag() == 2 ? names : arguments;
              const bool wanted = interned.tag() == 2 || interned.tag() == 3;
              protozero::pbf_reader one = interned.get_message();
              uint64_t id = 0;
              while (one.next()) {
                if (one.tag() == 1) {
                  id = one.get_uint64();
                } else if (wanted) {
                  into[id] = one.get_string();
                } else {
                  one.skip();
                }
              }
            }
            break;
          }
          case 60: {
            protozero::pbf_reader one = packet.get_message();
            uint64_t id = 0;
            while (one.next()) {
              if (one.tag() == 1) {
                id = one.get_uint64();
                tracks[id];
              } else if (one.tag() == 2) {
                tracks[id] = one.get_string();
              } else if (one.tag() == 5) {
                parents[id] = one.get_uint64();
              } else if (one.tag() == 3 || one.tag() == 4) {
                const bool is_process = one.tag() == 3;
                protozero::pbf_reader of = one.get_message();
                while (of.next()) {
                  if (of.tag() == (is_process ? 6U : 5U)) {
                    tracks[id] = of.get_string();
                  } else {
                    of.skip();
                  }
                }
              } else {
                one.skip();
              }
            }
            break;
          }
          default:
            packet.skip();
        }
      }
      if (event.empty()) continue;
      protozero::pbf_reader of(event);
      Slice slice;
      uint64_t track = 0;
      int32_t type = 0;
      while (of.next()) {
        switch (of.tag()) {
          case 9:
            type = of.get_enum();
            break;
          case 10:
            slice.name = names.at(of.get_uint64());
            break;
          case 11:
            track = of.get_uint64();
            break;
          case 4: {
            protozero::pbf_reader one = of.get_message();
            std::string name;
            while (one.next()) {
              if (one.tag() == 1) {
                name = arguments.at(one.get_uint64());
              } else if (one.tag() == 6) {
                slice.arguments[name] = one.get_string();
              } else {
                slice.arguments[name] = std::to_string(one.get_int64());
              }
            }
            break;
          }
          case 47:
            slice.flows.push_back(of.get_fixed64());
            break;
          case 48:
            slice.terminating.push_back(of.get_fixed64());
            break;
          default:
            of.skip();
        }
      }
      slice.start = slice.end = at;
      if (type == 1 || type == 2 || type == 3) events.emplace(at, std::pair(type == 2, std::pair(track, slice)));
    }
    std::map<uint64_t, std::vector<size_t>> open;
    for (const auto& [at, event] : events) {
      const auto& [is_end, on] = event;
      if (!is_end) {
        open[on.first].push_back(slices[on.first].size());
        slices[on.first].push_back(on.second);
      } else {
        if (open[on.first].empty()) {
          ADD_FAILURE() << "an end without a beginning";
          continue;
        }
        slices[on.first][open[on.first].back()].end = at;
        open[on.first].pop_back();
      }
    }
  }
  uint64_t track(const std::string& name) const {
    for (const auto& [id, of] : tracks) {
      if (of == name) return id;
    }
    ADD_FAILURE() << "no track is called " << name;
    return 0;
  }
};

class Export : public Recording {
 protected:
  void record() override {
    Recording::record();
    // Two launches on a stream, a marker, a launch on another stream, a wait for the marker, one for everything.
    uint64_t at = 1'000'000'000;
    const auto on_stream = [&](std::string_view name, uint64_t stream) {
      hal::Event made = event(name, at += 100'000, 20'000);
      made.stream = stream;
      made.set(hal::Has::kStream);
      return made;
    };
    write(on_stream("cudaLaunchKernel", 0xa0));
    hal::Event outer = on_stream("cudaLaunchKernel", 0xa0);
    hal::Event inner = outer;
    inner.call = id("cuLaunchKernel");
    inner.probe = probe_of(inner.call);
    inner.duration_ns = 10'000;
    inner.parent_call = outer.call;
    inner.parent_start_mono_ns = outer.start_mono_ns;
    inner.depth = 1;
    inner.set(hal::Has::kParent);
    write(inner);
    write(outer);
    hal::Event mark = on_stream("cudaEventRecord", 0xa0);
    mark.handle = 0xe0;
    mark.set(hal::Has::kHandle);
    write(mark);
    write(on_stream("cudaLaunchKernel", 0xa0));
    write(on_stream("cudaLaunchKernel", 0xb0));
    hal::Event wait = event("cudaEventSynchronize", at += 100'000, 50'000);
    wait.handle = 0xe0;
    wait.set(hal::Has::kHandle);
    write(wait);
    write(event("cudaDeviceSynchronize", at += 100'000, 50'000));
    ASSERT_TRUE(writer_->flush().ok());
  }
  Json query(const std::string& sql) const {
    return Json::parse(run_cli({"query", "--db", database_, "--json", sql}).out);
  }
  int64_t one(const std::string& sql) const { return query(sql)[0]["n"].get<int64_t>(); }
};

TEST_F(Export, TimelineHasEveryEventOnceWithItsTimes) {
  const std::string file = path("run.pftrace");
  const Outcome outcome = run_cli({"export", "--format", "perfetto", "--db", database_, "-o", file});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const Trace trace(contents(file));
  const Json events = query("SELECT seq, op_name, timestamp, duration, tid FROM events");
  std::map<std::string, const Trace::Slice*> by_seq;
  const auto thread = trace.track("train?[31m");  // hostile names are made printable
  for (const auto& [track, slices] : trace.slices) {
    if (trace.tracks.at(track).find("stream") != std::string::npos) continue;
    for (const auto& slice : slices) {
      if (!slice.arguments.contains("seq")) continue;
      EXPECT_TRUE(by_seq.emplace(slice.arguments.at("seq"), &slice).second) << slice.name;
    }
  }
  EXPECT_EQ(by_seq.size(), events.size());
  for (const auto& event : events) {
    const Trace::Slice& slice = *by_seq.at(std::to_string(event["seq"].get<int64_t>()));
    EXPECT_EQ(slice.name, event["op_name"]);
    EXPECT_EQ(slice.start, event["timestamp"].get<uint64_t>());
    EXPECT_EQ(slice.end - slice.start, event["duration"].get<uint64_t>());
  }
  EXPECT_NE(thread, 0U);
}

TEST_F(Export, ArrowsGoFromLaunchesToTheWaitThatCoversThem) {
  const std::string file = path("run.pftrace");
  ASSERT_EQ(run_cli({"export", "--format", "perfetto", "--db", database_, "-o", file}).status, 0);
  const Trace trace(contents(file));
  std::map<std::string, std::vector<uint64_t>> arrows;
  for (const auto& [track, slices] : trace.slices) {
    for (const auto& slice : slices) {
      if (!slice.terminating.empty()) arrows[slice.name] = slice.terminating;
    }
  }
  const auto rows =
      query("SELECT seq FROM events WHERE call = 'cudaLaunchKernel' AND stream IS NOT NULL ORDER BY timestamp");
  ASSERT_EQ(rows.size(), 4U);
  const auto seq = [&](size_t i) { return rows[i]["seq"].get<uint64_t>(); };
  // The launch inside the second launch has none of its own; the third came after the marker.
  EXPECT_EQ(arrows.at("cudaEventSynchronize"), (std::vector{seq(0), seq(1)}));
  EXPECT_EQ(arrows.at("cudaDeviceSync"), (std::vector{seq(2), seq(3)}));
  EXPECT_EQ(arrows.size(), 2U);
}

TEST_F(Export, ChromeSaysTheSame) {
  const Outcome outcome = run_cli({"export", "--format", "chrome", "--db", database_});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json trace = Json::parse(outcome.out);
  EXPECT_FALSE(trace.contains("displayTimeUnit"));
  const auto base = std::stoull(trace["otherData"]["start_wall_ns"].get<std::string>());
  std::map<int64_t, Json> slices;
  size_t ends = 0;
  for (const auto& event : trace["traceEvents"]) {
    ends += event["ph"] == "f" ? 1 : 0;
    if (event["ph"] == "X" && event.value("cat", "") != "stream" && event.contains("args") &&
        event["args"].contains("seq")) {
      slices[event["args"]["seq"].get<int64_t>()] = event;
    }
  }
  EXPECT_EQ(ends, 4U);
  double shown_ns = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event.contains("args") && event["args"].contains("seq"))
      shown_ns += event["dur"].get<double>() * 1000;
  }
  EXPECT_EQ(std::llround(shown_ns), one("SELECT sum(duration) AS n FROM events")) << "a call's time is there once";
  const Json events = query("SELECT seq, op_name, timestamp, duration FROM events");
  ASSERT_EQ(slices.size(), events.size());
  for (const auto& event : events) {
    const Json& slice = slices.at(event["seq"].get<int64_t>());
    EXPECT_EQ(slice["name"], event["op_name"]);
    EXPECT_EQ(std::llround(slice["ts"].get<double>() * 1000),
              event["timestamp"].get<int64_t>() - static_cast<int64_t>(base));
    EXPECT_EQ(std::llround(slice["dur"].get<double>() * 1000), event["duration"].get<int64_t>());
  }
}

TEST_F(Export, PartsAreThoseOfQuery) {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(run_cli({"export", "--format", "jsonl", "--db", database_}).out),
            one("SELECT count(*) AS n FROM events"));
  const Outcome late = run_cli({"export", "--format", "jsonl", "--db", database_, "--from", "2026-11-21T02:26:41Z"});
  EXPECT_EQ(lines(late.out), 8) << late.err;
  EXPECT_EQ(lines(run_cli({"export", "--format", "jsonl", "--db", database_, "--pid", "1"}).out), 0);
  EXPECT_EQ(lines(run_cli({"export", "--format", "jsonl", "--db", database_, "--last", "3"}).out), 3);
  const Json chrome = Json::parse(run_cli({"export", "--format", "chrome", "--db", database_, "--last", "3"}).out);
  EXPECT_EQ(std::count_if(chrome["traceEvents"].begin(), chrome["traceEvents"].end(),
                          [](const Json& event) { return event["ph"] == "X" && event.value("cat", "") == "cuda"; }),
            3);
}

TEST_F(Export, RowsAreThoseOfTheView) {
  std::istringstream lines(run_cli({"export", "--format", "jsonl", "--db", database_}).out);
  const Json events = query("SELECT * FROM events ORDER BY seq");
  std::string line;
  for (const auto& event : events) {
    ASSERT_TRUE(std::getline(lines, line));
    const Json row = Json::parse(line);
    for (const auto& [key, value] : event.items()) {
      if (key == "stack_ips") continue;
      if (key == "comm") continue;  // made printable
      EXPECT_EQ(value.is_null() ? Json() : value, row.contains(key) ? row[key] : Json()) << key;
    }
    EXPECT_EQ(row["comm"], "train?[31m");
  }
  EXPECT_FALSE(std::getline(lines, line));
  const std::string csv = run_cli({"export", "--format", "csv", "--db", database_}).out;
  EXPECT_EQ(csv.rfind("id,timestamp,pid,tid,comm,", 0), 0U);
  EXPECT_NE(csv.find("\r\nnode-7:1,1795228000001000000,4321,4322,train?[31m,"), std::string::npos)
      << csv.substr(0, 2000);
}

TEST_F(Export, ParquetIsRefusedWithAWay) {
  expect_refused(run_cli({"export", "--format", "parquet", "--db", database_, "-o", path("x")}), 1, "DuckDB");
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(Export, LeavesNoHalfFile) {
  const std::string file = path("out.json");
  std::ofstream(file) << "before";
  // The file may grow no more: what is there stays, and nothing is added.
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{1000, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const Outcome outcome = run_cli({"export", "--format", "chrome", "--db", database_, "-o", file});
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_DFL);
  expect_refused(outcome, 1, "out.json: File too large");
  EXPECT_EQ(contents(file), "before");
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    files += entry.path().string().find("out.json") != std::string::npos;
  EXPECT_EQ(files, 1U);
  EXPECT_EQ(run_cli({"export", "--format", "chrome", "--db", database_, "-o", file}).status, 0);
  EXPECT_EQ(contents(file).rfind("{\"otherData\"", 0), 0U);
  expect_refused(run_cli({"export", "--format", "csv", "--db", database_, "-o", folder_}), 1, "directory");
  expect_refused(run_cli({"export", "--format", "csv", "--db", database_, "-o", path("no/where")}), 1, "No such file");
}

}  // namespace
}  // namespace ingero::cli
