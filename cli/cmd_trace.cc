// ingero trace: record what programs ask of their GPUs and what the host does to them.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include <CLI/CLI.hpp>
#include <malloc.h>

#include "base/environment.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/annotation_intake.h"
#include "cli/backend_options.h"
#include "cli/collective_watch.h"
#include "cli/commands.h"
#include "cli/earlier_flags.h"
#include "cli/event_json.h"
#include "cli/inference_watch.h"
#include "cli/live_metrics.h"
#include "cli/metrics_endpoint.h"
#include "cli/options.h"
#include "cli/otlp_sender.h"
#include "cli/recorder.h"
#include "cli/sampling.h"
#include "cli/session_facts.h"
#include "cli/trace_view.h"
#include "kernelside/launch.h"
#include "kernelside/proc.h"

namespace ingero::cli {
namespace {

struct TraceOptions {
  std::vector<uint32_t> pids;
  std::string user;
  std::string cgroup;
  std::string duration = "0";
  bool json = false;
  bool verbose = false;
  std::string log;
  bool record = true;
  bool record_all = false;
  std::string store = "all";
  std::string database;
  std::string max_db = "10g";
  bool no_io = false, no_tcp = false, no_net = false;
  std::string node;
  std::vector<std::string> libraries;
  std::string ring_size = "8m";
  std::string attach = "auto";
  std::string stack = "auto";
  BackendOptions backends;
  std::string hang_after = "10s";
  uint32_t sample_every = 100;
  std::vector<std::string> command;
  MetricsOptions metrics;
  OtlpOptions otlp;
  SamplingOptions sampling;
  AnnotationOptions annotations;
  InferenceOptions inference;
};

// The cgroup v2 id of a path below the hierarchy's root is the inode of its directory.
Result<uint64_t> cgroup_id(const std::string& path) {
  for (const std::string root : {"", "/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct stat status {};
    if (stat((root + (path.starts_with('/') ? "" : "/") + path).c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      return static_cast<uint64_t>(status.st_ino);
    }
  }
  return Error(Errc::kNotFound, fmt::format("cgroup {}: no such cgroup", path),
               "give its path as in /proc/PID/cgroup, or as a directory");
}

Result<RecorderOptions> recorder_options(const TraceOptions& options, const Context& context) {
  RecorderOptions out;
  out.objects.pids = options.pids;
  const auto ring = parse_size_bytes(options.ring_size);
  INGERO_TRY(ring);
  if (*ring < 4096 || *ring > (1U << 30) || (*ring & (*ring - 1)) != 0) {
    return Error(Errc::kInvalid,
                 fmt::format("--ringbuf-size {}: not a power of two between 4k and 1g", options.ring_size));
  }
  out.objects.ring_bytes = static_cast<uint32_t>(*ring);
  if (options.stack == "all") {
    out.objects.stacks = WIRE_STACKS_ALL;
  } else if (options.stack != "off" && options.stack != "false") {
    out.objects.stacks = WIRE_STACKS_AUTO;
  }
  if (options.attach != "auto") out.objects.mechanism = kernelside::mechanism_of(options.attach);
  const kernelside::ProcFs proc;
  for (const uint32_t pid : options.pids) {
    if (const auto start = proc.start_mono_ns(pid); !start.ok()) return start.error().in("--pid");
  }
  if (!options.user.empty()) {
    const auto user = find_user(options.user);
    INGERO_TRY(user);
    out.objects.uid = user->uid;
  }
  if (!options.cgroup.empty()) {
    const auto id = cgroup_id(options.cgroup);
    INGERO_TRY(id);
    out.objects.cgroup_ids.push_back(*id);
  }
  out.tracer.libraries = options.libraries;
  out.host.block = !options.no_io;
  out.host.tcp = !options.no_tcp;
  out.host.sockets = !options.no_net;
  const auto hang_after = parse_duration_ns(options.hang_after);
  INGERO_TRY(hang_after);
  out.hang_after_ns = *hang_after;
  out.drop_privileges = true;
  if (!options.record) return out;

  store::WriterOptions store;
  const auto location = store::locate(context.environment, options.database);
  INGERO_TRY(location);
  store.path = location->path;
  store.owner = location->owner;
  const auto max_bytes = parse_size_bytes(options.max_db);
  INGERO_TRY(max_bytes);
  store.max_bytes = *max_bytes;
  store.policy = options.store == "selective" && !options.record_all ? store::Policy::kSelective : store::Policy::kAll;
  store.sample_every = options.sample_every;
  store.session = session_facts();
  store.session.node = options.node.empty() ? host_name() : options.node;
  INGERO_TRY(check_node(store.session.node, "--node"));
  for (const uint32_t pid : options.pids) {
    store.session.pid_filter += fmt::format("{}{}", store.session.pid_filter.empty() ? "" : ",", pid);
  }
  out.store = std::move(store);
  return out;
}

// SIGINT and SIGTERM, taken by the main thread alone.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, number);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
  }
  // True when one came within `ns`.
  bool wait(uint64_t ns) const {
    const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    return sigtimedwait(&set_, nullptr, &time) > 0;
  }

 private:
  sigset_t set_{};
};

class Trace {
 public:
  // `registry` outlives it.
  Trace(TraceOptions options, Context& context, const backends::Registry& registry)
      : options_(std::move(options)), context_(context), registry_(registry), calls_(registry.all()) {}

  Result<int> run() {
    const auto duration = parse_duration_ns(options_.duration);
    INGERO_TRY(duration);
    if (!options_.log.empty()) {
      set_log_level(std::max(log_level(), LogLevel::kInfo));
      INGERO_TRY(set_log_file(options_.log));
    }
    if (options_.no_net) note("--no-net: who owns a socket is then not known for every retransmission");
    // What one thread allocates another frees: an arena for each would keep all of it. What is large (debug information,
    // batches, images of pages) is mapped by itself: on the heap, small things that stay would soon lie in its place, and
    // none of it would ever go back. glibc would raise this limit by itself, to 32 MB, with the first that is freed.
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 64 << 10);
    const std::vector<const hal::Backend*> probed = chosen_backends(registry_.all(), options_.sampling);
    for (const auto& path : options_.libraries) {
      INGERO_TRY(check_library_is_probed(path, registry_.all(), probed));
    }
    const Signals signals;
    const bool has_page = !options_.metrics.server.address.empty(), sends = !options_.otlp.endpoint.empty();
    std::unique_ptr<LiveMetrics> metrics;
    // What is sent has all names; the page has those that are in no base unit only when they are asked for.
    if (has_page || sends) metrics = std::make_unique<LiveMetrics>(calls_, options_.metrics.earlier_names || sends);
    std::unique_ptr<MetricsEndpoint> endpoint;
    if (has_page) {
      auto opened = MetricsEndpoint::open(options_.metrics, *metrics);
      INGERO_TRY(opened);
      endpoint = std::move(*opened);
    }
    std::unique_ptr<OtlpSender> sender;
    if (!sends && options_.otlp.traces) return Error(Errc::kInvalid, "--otlp-traces: to where? --otlp is missing");
    if (sends) {
      auto opened =
          OtlpSender::open(options_.otlp, context_, options_.node.empty() ? host_name() : options_.node, calls_);
      INGERO_TRY(opened);
      sender = std::move(*opened);
      metrics->add_part([&sender](serve::prometheus::Page& page) { sender->write(page); });
    }
    auto sampling = Sampling::open(options_.sampling, registry_.all(), calls_);
    INGERO_TRY(sampling);
    auto annotations = AnnotationIntake::open(options_.annotations, options_.record);
    INGERO_TRY(annotations);
    const bool is_thinned = options_.store == "selective" && !options_.record_all;
    auto inference =
        InferenceWatch::open(options_.inference, options_.record, calls_, is_thinned ? options_.sample_every : 1);
    INGERO_TRY(inference);

    std::unique_ptr<kernelside::Launch> launch;
    if (!options_.command.empty()) {
      auto started = kernelside::Launch::start(options_.command);
      INGERO_TRY(started);
      launch = std::move(*started);
      options_.pids.push_back(static_cast<uint32_t>(launch->pid()));
      if (!launch->unheld_reason().empty()) {
        note(
            fmt::format("the command is not held while libraries are attached ({}): its first calls after loading one "
                        "may be missed",
                        launch->unheld_reason()));
      }
    }
    auto recorder_settings = recorder_options(options_, context_);
    INGERO_TRY(recorder_settings);
    recorder_settings->keep_program_costs = options_.metrics.probe_cost;
    if (launch) recorder_settings->tracer.working = [&launch] { launch->working(); };
    const bool print = options_.json || options_.verbose;
    if (print || metrics) {
      recorder_settings->on_events = [this, print, &metrics, &sender](const Parcel& parcel, const Recorder& recorder) {
        if (metrics) metrics->add(parcel);
        if (sender) sender->add(parcel, recorder);
        if (print) print_events(parcel, recorder);
      };
    }
    if (sender) recorder_settings->on_chain = [&sender](const correlate::Chain& chain) { sender->tell(chain); };
    if (sender && *inference) {
      (*inference)
          ->set_listener([&sender](const correlate::JudgedStep& step, const std::optional<EngineFound>& engine) {
            sender->tell(step, engine);
          });
    }
    recorder_settings->guest = inference->get();
    const std::string database = recorder_settings->store ? recorder_settings->store->path : "";
    auto recorder = Recorder::start(std::move(*recorder_settings), probed, calls_);
    INGERO_TRY(recorder);
    Recorder& live = **recorder;
    // However this function ends: nobody looks at the recorder once it is gone.
    const std::shared_ptr<void> before_the_recorder_goes(nullptr, [&](void*) {
      if (*annotations) (*annotations)->stop();
      if (*inference) (*inference)->stop();
      (*sampling)->stop();
      if (endpoint) endpoint->stop();
      if (sender) sender->stop();
    });
    const bool samples = print || metrics || !database.empty();
    if (samples) (*sampling)->start(live);
    if (*annotations) {
      (*annotations)->start(live);
      note("annotations at " + (*annotations)->path());
    }
    note(fmt::format("tracing ({} probes{}){}", kernelside::name_of(live.mechanism()),
                     database.empty() ? "" : ", recording to " + database,
                     options_.command.empty() ? ", Ctrl-C ends it" : ""));
    if (samples) {
      for (const std::string& reason : (*sampling)->degraded()) note("not available: " + reason);
    }
    if (metrics) metrics->add_part([&sampling](serve::prometheus::Page& page) { (*sampling)->write(page); });
    if (*inference) {
      (*inference)->start(live);
      if (metrics) metrics->add_part([&inference](serve::prometheus::Page& page) { (*inference)->write(page); });
    }
    if (endpoint) {
      endpoint->serve(live);
      note("metrics at " + endpoint->server().url());
      if (const auto warning = endpoint->server().warning(); !warning.empty()) note(warning);
    }
    if (sender) {
      sender->start(live, *metrics);
      note(fmt::format("metrics{} to {}", options_.otlp.traces ? " and spans" : "", sender->url()));
      if (options_.otlp.traces && database.empty()) note("--otlp-traces: incidents are found in a recording only");
    }
    const size_t found_at_start = live.tracer().reports().size();
    note_lines(render_discovery(live) + render_degraded(live));

    std::thread command_thread;
    std::atomic<bool> command_ended{false};
    std::optional<int> command_status;
    if (launch) {
      command_thread = std::thread([&] {
        command_status = launch->serve(
            [&](uint32_t pid, const std::string& open_path, const std::string& path) {
              return live.prepare(pid, open_path, path);
            },
            [&](uint32_t pid) { live.held_too_long(pid); });
        command_ended = true;
      });
    }
    // However this function ends: the command's thread does not outlive what it uses.
    const std::shared_ptr<void> with_the_command(nullptr, [&](void*) {
      if (launch) launch->stop();
      if (command_thread.joinable()) command_thread.join();
    });
    if (launch) INGERO_TRY(launch->go());

    const uint64_t started_ns = context_.clock->mono_ns();
    watch(live, signals, *duration, started_ns, command_ended);

    if (*annotations) (*annotations)->stop();
    if (*inference) (*inference)->stop();
    (*sampling)->stop();
    const Status stopped = live.stop();
    if (endpoint) endpoint->stop();
    if (sender) sender->stop();
    if (launch) {
      launch->stop();
      command_thread.join();
    }
    if (!options_.json) {
      if (context_.out_is_terminal) context_.out << "\x1b[H\x1b[2J";
      context_.out << render_trace(live, calls_, context_.clock->mono_ns() - started_ns, 0, context_.colour);
    } else if (const auto losses = render_losses(live, false); !losses.empty()) {
      note_lines(losses);
    }
    if (const auto late = render_discovery(live, found_at_start); !late.empty()) note_lines("Found later:\n" + late);
    INGERO_TRY(stopped);
    if (!database.empty()) note(fmt::format("recorded {} events in {}", live.stored(), database));
    if (sender) note(sender->summary());
    if (command_status && WIFEXITED(*command_status)) return WEXITSTATUS(*command_status);
    if (command_status && WIFSIGNALED(*command_status)) return 128 + WTERMSIG(*command_status);
    return kExitDone;
  }

 private:
  void watch(const Recorder& live, const Signals& signals, uint64_t duration_ns, uint64_t started_ns,
             const std::atomic<bool>& command_ended) {
    std::string last_trouble;
    uint64_t next_view_ns = started_ns + 1'000'000'000;
    while (!command_ended) {
      if (signals.wait(50'000'000)) return;
      note_waiting(live);
      const uint64_t now = context_.clock->mono_ns();
      if (duration_ns != 0 && now - started_ns >= duration_ns) return;
      if (!context_.out) return;  // nobody reads the events any more
      if (now < next_view_ns) continue;
      next_view_ns += 1'000'000'000;
      if (const auto trouble = live.store_trouble(); trouble != last_trouble) {
        if (!trouble.empty()) log_error("{}", trouble);
        last_trouble = trouble;
      }
      const bool has_table = context_.out_is_terminal && !options_.json && !options_.verbose;
      if (!has_table) note_hangs(live);
      if (has_table) {
        context_.out << "\x1b[H\x1b[2J" << render_trace(live, calls_, now - started_ns, 20, context_.colour);
        context_.out.flush();
      }
    }
  }

  // Without a table that lists them, each call that hangs is told once.
  void note_hangs(const Recorder& live) {
    for (const LiveCall& call : live.hanging()) {
      const hal::Event& event = call.event;
      if (!told_hangs_.insert({event.tid, event.start_mono_ns}).second) continue;
      const auto frames = call.stack_id ? live.frames_of(*call.stack_id) : std::vector<StackFrame>();
      const StackFrame* line = line_of(frames);
      note(fmt::format("{} has not returned for {}: process {}, thread {}{}", calls_[event.call].name,
                       format_duration(call.elapsed_ns), event.pid, event.tid,
                       line == nullptr ? "" : ", from " + line_text(*line)));
    }
  }

  // Ranks that are missing are told at once, and when others are missing.
  void note_waiting(const Recorder& live) {
    if (context_.out_is_terminal && !options_.json && !options_.verbose) return;  // the table lists them
    for (const hal::CollectiveHang& hang : live.waiting()) {
      auto& told = told_missing_[{hang.comm_id_hash, hang.number}];
      if (told == hang.missing) continue;
      told = hang.missing;
      note(hang_text(hang, calls_));
    }
  }

  void print_events(const Parcel& parcel, const Recorder& recorder) {
    std::string text;
    auto next = parcel.records.exchanges.begin();
    for (size_t i = 0; i < parcel.records.events.size(); ++i) {
      const hal::Event& event = parcel.records.events[i];
      const hal::Exchange* exchange = nullptr;
      if (next != parcel.records.exchanges.end() && next->first == i) exchange = &(next++)->second;
      const std::string name = recorder.process_name(event.pid);
      if (options_.json) {
        text += event_json(event, calls_, name, recorder.library_of(event.site), recorder.device(event.device_ref),
                           collective_json(event, exchange, recorder),
                           event.has(hal::Has::kStack) ? shown_frames(recorder.frames_of(event.stack_id)) : "");
      } else {
        text += fmt::format("{} {}[{}/{}] {} {}{}", format_wall(event.start_wall_ns()), printable(name, 16), event.pid,
                            event.tid, calls_[event.call].name,
                            event.has(hal::Has::kDuration) ? format_duration(event.duration_ns) : "in flight",
                            event.failed ? fmt::format(" error {}", event.return_code) : "");
      }
      text += '\n';
    }
    context_.out << text;
    context_.out.flush();
  }

  std::string collective_json(const hal::Event& event, const hal::Exchange* exchange, const Recorder& recorder) const {
    if (exchange == nullptr) return {};
    const auto on = exchange->communicator_id ? recorder.communicator(*exchange->communicator_id) : std::nullopt;
    return exchange_json(*exchange, calls_[event.call], on ? &*on : nullptr);
  }

  void note(const std::string& line) {
    context_.err << "ingero: " << line << '\n';
    context_.err.flush();
  }
  void note_lines(const std::string& text) {
    context_.err << text;
    context_.err.flush();
  }

  TraceOptions options_;
  Context& context_;
  const backends::Registry& registry_;
  const hal::CallTable calls_;
  std::set<std::pair<uint32_t, uint64_t>> told_hangs_;                                            // thread, start
  std::map<std::pair<uint64_t, uint64_t>, std::vector<hal::CollectiveHang::Rank>> told_missing_;  // by hash, number
};

}  // namespace

void add_trace(CLI::App& root, Context& context) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* command = root.add_subcommand("trace", "Record GPU calls and what the host did to their threads (root)");
  command->add_option("-p,--pid", options->pids, "Only these processes and their children")->delimiter(',');
  command->add_option("-u,--user", options->user, "Only this user's processes");
  command->add_option("--cgroup", options->cgroup, "Only processes in this cgroup or below");
  command->add_option("-d,--duration", options->duration, "Stop after this long (0: until Ctrl-C)")
      ->check(duration_check())
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object per event on standard output");
  command->add_flag("-v,--verbose", options->verbose, "Print every event");
  command->add_option("--log", options->log, "Also append diagnostics to this file");
  command->add_flag("--record,!--no-record", options->record, "Write the database (default true)");
  command->add_flag("--record-all", options->record_all, "Store every event, also with --store selective");
  command->add_option("--store", options->store, "all: every event; selective: what matters, and one in N of the rest")
      ->check(CLI::IsMember({"all", "selective"}))
      ->capture_default_str();
  command->add_option("--sample-every", options->sample_every, "N of --store selective")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  command->add_option("--db,--out", options->database, "Database file (default: INGERO_DB, ~/.ingero/ingero.db)");
  command->add_option("--max-db", options->max_db, "Delete the oldest events beyond this size (0: never)")
      ->check(size_check())
      ->capture_default_str();
  command
      ->add_option(
          "--stack", options->stack,
          "Where calls were made from. auto: slow, failed and synchronising calls, and one in 64 of the rest of "
          "each call site; all; off")
      ->expected(0, 1)
      ->default_str("auto")
      ->check(CLI::IsMember({"auto", "all", "off", "true", "false"}));
  command->add_flag("--no-io", options->no_io, "Leave block I/O out");
  command->add_flag("--no-tcp", options->no_tcp, "Leave TCP retransmissions out");
  command->add_flag("--no-net", options->no_net, "Leave socket volumes out");
  command->add_option("--node", options->node, "This machine's name in event ids (default: host name)");
  command->add_option("--library,--cuda-lib,--nccl-lib", options->libraries, "Also probe this library file");
  add_backend_options(*command, options->backends);
  command->add_option("--ringbuf-size", options->ring_size, "Event ring, a power of two")
      ->check(size_check())
      ->capture_default_str();
  command->add_option("--attach", options->attach, "How probes are attached; auto takes the best that works")
      ->check(CLI::IsMember({"auto", "session", "multi", "perf"}))
      ->capture_default_str();
  command->add_option("--hang-after", options->hang_after, "List calls in flight longer than this")
      ->check(duration_check())
      ->capture_default_str();
  add_metrics_options(*command, options->metrics);
  add_otlp_options(*command, options->otlp);
  add_sampling_options(*command, options->sampling);
  add_annotation_options(*command, options->annotations);
  add_inference_options(*command, options->inference);
  add_earlier_flags(*command, context);
  command->add_option("command", options->command, "Run this command (after --) and trace it and its children");
  command->positionals_at_end();
  command->footer(
      "Examples:\n"
      "  sudo ingero trace --duration 60s\n"
      "  sudo ingero trace -- python3 train.py\n"
      "  sudo ingero trace --pid 4242 --db /tmp/job.db --json");
  command->callback([options, &context] {
    context.action = [options, &context]() -> Result<int> {
      std::vector<Error> unusable;
      const auto registry = load_backends(options->backends, unusable);
      INGERO_TRY(registry);
      for (const Error& error : unusable) log_warning("not used: {}", error.text());
      return Trace(*options, context, **registry).run();
    };
  });
}

}  // namespace ingero::cli
