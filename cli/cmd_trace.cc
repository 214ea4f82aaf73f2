// ingero trace: record the GPU calls of running programs, and what the host did to their threads meanwhile.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>

#include <ext/stdio_filebuf.h>

#include "agent/annotations/annotation_intake.h"
#include "agent/cluster/cluster_service.h"
#include "agent/collective_watch.h"
#include "agent/command_thread.h"
#include "agent/host_facts.h"
#include "agent/inference/inference_watch.h"
#include "agent/metrics/live_metrics.h"
#include "agent/metrics/metrics_endpoint.h"
#include "agent/otlp/otlp_sender.h"
#include "agent/probed_backends.h"
#include "agent/recorder.h"
#include "agent/sampling/sampling.h"
#include "agent/session.h"
#include "agent/stop_signals.h"
#include "agent/view/event_lines.h"
#include "agent/view/live_view.h"
#include "base/environment.h"
#include "base/fd.h"
#include "base/group.h"
#include "base/log.h"
#include "base/log_rotation.h"
#include "base/text.h"
#include "base/trusted_path.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/legacy/legacy_flags.h"
#include "cli/trace_flags.h"
#include "kernelside/chosen_processes.h"
#include "kernelside/launch.h"
#include "kernelside/privilege.h"
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
  std::string log, output;
  bool record = true;
  bool record_all = false;
  std::string store = "all";
  std::string database, db_group;
  bool keep_secrets = false;
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
  std::string run_as;
  agent::MetricsOptions metrics;
  agent::OtlpSettings otlp;
  agent::ClusterOptions fleet;
  agent::SamplingOptions sampling;
  agent::AnnotationOptions annotations;
  agent::InferenceOptions inference;
};

Result<agent::RecorderOptions> recorder_options(const TraceOptions& options, const Context& context) {
  agent::RecorderOptions out;
  out.objects.pids = options.pids;
  const auto ring = parse_size_bytes(options.ring_size);
  INGERO_TRY(ring);
  if (*ring < 4096 || *ring > (1U << 30) || (*ring & (*ring - 1)) != 0) {
    return Error(Errc::kInvalid,
                 fmt::format("--ringbuf-size {}: not a power of two between 4k and 1g", options.ring_size),
                 "give one such as 8m or 64m");
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
    const Status found = kernelside::check_process(proc, pid);
    if (!found.ok()) return found.error().in("--pid");
  }
  if (options.command.empty()) kernelside::add_descendants(proc, out.objects.pids);
  if (!options.user.empty()) {
    const auto uid = find_uid(options.user);
    INGERO_TRY(uid);
    out.objects.uid = *uid;
  }
  if (!options.cgroup.empty()) {
    const auto id = kernelside::find_cgroup(options.cgroup);
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
  out.keep_secrets = options.keep_secrets;
  out.files_elsewhere = !options.log.empty() && is_in_anothers_folder(options.log);
  if (!options.record) return out;

  store::WriterOptions store;
  const auto location = store::locate(context.environment, options.database);
  INGERO_TRY(location);
  store.path = location->path;
  store.owner = location->owner;
  if (!options.db_group.empty()) {
    const auto group = find_group(options.db_group);
    if (!group.ok()) return group.error().in("--db-group");
    store.group = *group;
  }
  store.is_cancelled = agent::StopSignals::is_pending;
  out.files_elsewhere = out.files_elsewhere || store.owner || is_in_anothers_folder(store.path);
  const auto max_bytes = parse_size_bytes(options.max_db);
  INGERO_TRY(max_bytes);
  store.max_bytes = *max_bytes;
  store.policy = options.store == "selective" && !options.record_all ? store::Policy::kSelective : store::Policy::kAll;
  store.sample_every = options.sample_every;
  store.session = agent::session_facts();
  store.session.node = options.node;
  for (const uint32_t pid : options.pids) {
    store.session.pid_filter += fmt::format("{}{}", store.session.pid_filter.empty() ? "" : ",", pid);
  }
  out.store = std::move(store);
  return out;
}

// --run-as: none where it was not given.
Result<std::optional<kernelside::RunAs>> run_as_of(const TraceOptions& options, const Context& context) {
  if (options.run_as.empty()) return std::optional<kernelside::RunAs>();
  if (options.command.empty()) {
    return Error(Errc::kInvalid, "--run-as: there is no command to run",
                 "give it after --, or use --user to trace a user");
  }
  auto user = find_user(options.run_as);
  if (!user.ok()) return user.error().in("--run-as");
  auto groups = groups_of(*user);
  if (!groups.ok()) return groups.error().in("--run-as");
  return std::optional(kernelside::RunAs{user->uid, user->gid, std::move(*groups),
                                         environment_of(*user, context.environment.entries())});
}

class Trace {
 public:
  // `registry` outlives it.
  Trace(TraceOptions options, Context& context, const backends::Registry& registry)
      : options_(std::move(options)), context_(context), registry_(registry), calls_(registry.all()) {}

  ~Trace() {
    // A sampler that is still inside its driver is kept until the process ends.
    if (sampling_ && sampling_->is_stuck()) context_.unfinished.emplace_back(std::move(sampling_));
  }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  Result<int> run() {
    const auto duration = parse_duration_ns(options_.duration);
    INGERO_TRY(duration);
    if (!kernelside::may_trace()) return Error(Errc::kPermission, "tracing needs root: sudo ingero trace");
    auto run_as = run_as_of(options_, context_);
    INGERO_TRY(run_as);
    INGERO_TRY(open_output());
    INGERO_TRY(prepare_process());
    const std::vector<const hal::Backend*> probed =
        agent::chosen_backends(registry_.all(), options_.sampling.fabric_calls);
    for (const auto& path : options_.libraries) {
      INGERO_TRY(agent::check_library_is_probed(path, registry_.all(), probed));
    }
    const agent::StopSignals signals;
    INGERO_TRY(name_node());
    INGERO_TRY(open_services());
    INGERO_TRY(start_command(*run_as, signals.before()));
    auto settings = recorder_settings();
    INGERO_TRY(settings);
    for (const hal::Backend* backend : registry_.all()) {
      if (std::ranges::find(probed, backend) == probed.end()) settings->tracer.unprobed.push_back(backend);
    }
    const std::string database = settings->store ? settings->store->path : "";
    auto recorder = agent::Recorder::start(std::move(*settings), probed, calls_);
    INGERO_TRY(recorder);
    agent::Recorder& live = **recorder;
    agent::Session session(live, sources(!database.empty()), readers());
    note(fmt::format("tracing ({} probes{}){}", kernelside::name_of(live.mechanism()),
                     database.empty() ? "" : ", recording to " + database,
                     options_.command.empty() ? ", Ctrl-C ends it" : ""));
    for (const std::string& one : session.notes()) note(one);
    if (options_.otlp.traces && database.empty()) {
      note("--otlp-traces: causal chains are not sent, because they need a recording (remove --no-record)");
    }
    if (fleet_ && database.empty()) {
      note("--fleet-endpoint: incidents are not sent, because they need a recording (remove --no-record)");
    }
    const size_t found_at_start = live.tracer().reports().size();
    note_lines(agent::render_discovery(live) + agent::render_degraded(live));

    std::optional<agent::CommandThread> command;
    if (launch_) {
      command.emplace(
          *launch_,
          [&live](uint32_t pid, const std::string& open_path, const std::string& path) {
            return live.prepare(pid, open_path, path);
          },
          [&live](uint32_t pid) { live.held_too_long(pid); });
      INGERO_TRY(launch_->go());
    }
    const uint64_t started_ns = context_.clock->mono_ns();
    watch(live, signals, *duration, started_ns, command);

    const Status stopped = session.stop();
    if (command) command->end();
    const std::optional<int> ended = command ? command->status() : std::nullopt;
    if (!could_not_start(live, ended)) show_end(live, started_ns, found_at_start);
    INGERO_TRY(stopped);
    if (!database.empty()) note(fmt::format("recorded {} events in {}", live.stored(), database));
    if (sender_) note(sender_->summary());
    if (fleet_) note(fleet_->summary());
    if (command && !ended && (kill(launch_->pid(), 0) == 0 || errno == EPERM)) {  // another user's
      note(fmt::format("the recording has ended; the command (pid {}) goes on without being traced", launch_->pid()));
    }
    if (ended && WIFEXITED(*ended)) return WEXITSTATUS(*ended);
    if (ended && WIFSIGNALED(*ended)) return 128 + WTERMSIG(*ended);
    return kExitDone;
  }

 private:
  // The command's program does not exist, or may not be run, as was said already: a table of nothing would hide that.
  bool could_not_start(const agent::Recorder& live, std::optional<int> ended) const {
    const bool is_refused = ended && WIFEXITED(*ended) && (WEXITSTATUS(*ended) == 127 || WEXITSTATUS(*ended) == 126);
    if (!is_refused) return false;
    const auto rows = live.stats().rows();
    return std::ranges::none_of(rows, [&](const agent::LiveRow& row) {
      return calls_[row.call].kind != hal::Kind::kHost || row.call == calls_.id_of(hal::HostOp::kExec);
    });
  }

  // Where the table and the events go: to -o; with a command, whose standard output is its own, the table to standard
  // error.
  Status open_output() {
    if (!options_.output.empty()) {
      // A new file is its owner's alone: it has command lines of every user's programs.
      Fd opened(::open(options_.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));  // not the command's
      if (!opened.valid()) return file_error(fmt::format("write {}", printable(options_.output, 4096))).in("--output");
      file_ = std::make_unique<__gnu_cxx::stdio_filebuf<char>>(opened.release(), std::ios::out);
      to_file_.rdbuf(file_.get());
      out_ = &to_file_;
    } else if (!options_.command.empty() && !prints()) {
      out_ = &context_.err;
    }
    has_live_table_ = out_ == &context_.out && context_.out_is_terminal && !prints();
    return {};
  }

  Status prepare_process() {
    if (!options_.log.empty()) {
      set_log_level(std::max(log_level(), LogLevel::kInfo));
      INGERO_TRY(set_log_file(options_.log));
    }
    if (options_.no_net) note("--no-net: some TCP retransmissions will have no process");
    const TraceOptions usual;
    const auto note_unused = [&](const char* flag, bool is_given, const char* why) {
      if (is_given) note(fmt::format("{} has no effect {}", flag, why));
    };
    note_unused("--db", !options_.record && !options_.database.empty(), "with --no-record");
    note_unused("--db-group", !options_.record && !options_.db_group.empty(), "with --no-record");
    note_unused("--max-db", !options_.record && options_.max_db != usual.max_db, "with --no-record");
    note_unused("--sample-every", options_.sample_every != usual.sample_every && !stores_a_selection(),
                "without --store selective");
    return {};
  }

  // The flag, else agent.node of ingero.yaml, else the host's.
  Status name_node() {
    if (!options_.node.empty()) return check_node(options_.node, "--node");
    auto configured = context_.configuration.node();
    INGERO_TRY(configured);
    options_.node = configured->empty() ? agent::host_name() : std::move(*configured);
    return check_node(options_.node, "agent.node of ingero.yaml, or this host's name");
  }

  // Before privileges are given up: a bad address or a file that cannot be read fails early.
  Status open_services() {
    const bool has_page = !options_.metrics.server.address.empty(), sends = !options_.otlp.endpoint.empty();
    if (!has_page && !sends && options_.metrics.launch_sizes) {
      return Error(Errc::kInvalid, "--prometheus-launch-sizes needs --prometheus ADDRESS or --otlp URL");
    }
    // What is sent has all names; the page has those that are in no base unit only when they are asked for.
    if (has_page || sends) {
      metrics_.emplace(calls_, options_.metrics.legacy_names || sends, options_.metrics.launch_sizes);
    }
    if (has_page) INGERO_TRY(take(agent::MetricsEndpoint::open(options_.metrics, *metrics_), endpoint_));
    if (sends) {
      options_.otlp.database = options_.database;
      options_.otlp.cluster = options_.fleet.cluster;
      INGERO_TRY(take(agent::OtlpSender::open(options_.otlp, context_.environment, *context_.clock, options_.node,
                                              calls_, *metrics_),
                      sender_));
    }
    INGERO_TRY(
        take(agent::ClusterService::open(options_.fleet, context_.environment, *context_.clock, options_.node, calls_),
             fleet_));
    if (fleet_) {
      options_.sampling.on_devices = [this](const std::string& backend, const hal::DeviceSample& sample) {
        fleet_->take(backend, sample);
      };
    }
    INGERO_TRY(take(agent::Sampling::open(options_.sampling, registry_.all(), calls_), sampling_));
    INGERO_TRY(take(agent::AnnotationIntake::open(options_.annotations, options_.record), annotations_));
    INGERO_TRY(take(agent::InferenceWatch::open(options_.inference, options_.record, calls_,
                                                stores_a_selection() ? options_.sample_every : 1),
                    inference_));
    if (sender_ && inference_) {
      inference_->set_listener(
          [this](const correlate::ClassifiedStep& step, const std::optional<agent::ModelServer>& server) {
            sender_->emit(step, server);
          });
    }
    if (metrics_) {
      for (const agent::Service* one :
           {static_cast<agent::Service*>(sender_.get()), static_cast<agent::Service*>(sampling_.get()),
            static_cast<agent::Service*>(inference_.get())}) {
        if (one != nullptr) metrics_->add_part([one](serve::metrics::MetricSet& metrics) { one->write(metrics); });
      }
    }
    return {};
  }

  Status start_command(const std::optional<kernelside::RunAs>& run_as, const kernelside::SignalState& signals) {
    if (options_.command.empty()) return {};
    // The command's output is the user's; events on standard output are the only reason to move it.
    const bool has_events = prints() && options_.output.empty();
    INGERO_TRY(take(
        kernelside::Launch::start(options_.command, kernelside::Launch::kAnswerTimeoutMs,
                                  has_events ? kernelside::Launch::Output::kToErrors : kernelside::Launch::Output::kOwn,
                                  run_as, signals),
        launch_));
    options_.pids.push_back(static_cast<uint32_t>(launch_->pid()));
    if (!launch_->unheld_reason().empty()) {
      note(
          fmt::format("the command cannot be held while probes are attached ({}): its first calls into a newly loaded "
                      "library may be missed",
                      launch_->unheld_reason()));
    }
    return {};
  }

  Result<agent::RecorderOptions> recorder_settings() {
    auto settings = recorder_options(options_, context_);
    INGERO_TRY(settings);
    settings->keep_program_costs = options_.metrics.probe_cost;
    if (launch_) settings->tracer.working = [this] { launch_->working(); };
    if (prints() || metrics_ || fleet_) {
      settings->on_events = [this](const agent::EventBatch& batch, const agent::Recorder& recorder) {
        if (metrics_) metrics_->add(batch);
        if (sender_) sender_->add(batch, recorder);
        if (fleet_) fleet_->take(batch);
        if (prints()) print_events(batch, recorder);
      };
    }
    if (metrics_) settings->on_budget = &*metrics_;
    if (sender_ || fleet_) {
      settings->on_chain = [this](const hal::CausalChain& chain) {
        if (sender_) sender_->emit(chain);
        if (fleet_) fleet_->emit(chain);
      };
    }
    settings->hook = inference_.get();
    return settings;
  }

  // What feeds the recording, and what shows it: see agent/session.h.
  std::vector<agent::Service*> sources(bool is_recording) {
    std::vector<agent::Service*> list;
    if (prints() || metrics_ || fleet_ || is_recording) list.push_back(sampling_.get());
    if (annotations_) list.push_back(annotations_.get());
    if (inference_) list.push_back(inference_.get());
    return list;
  }
  std::vector<agent::Service*> readers() {
    std::vector<agent::Service*> list;
    if (endpoint_) list.push_back(endpoint_.get());
    if (sender_) list.push_back(sender_.get());
    if (fleet_) list.push_back(fleet_.get());
    return list;
  }

  void show_end(agent::Recorder& live, uint64_t started_ns, size_t found_at_start) {
    if (!options_.json) {
      if (has_live_table_) *out_ << "\x1b[H\x1b[2J";
      *out_ << agent::render_trace(live, calls_, context_.clock->mono_ns() - started_ns, 0,
                                   context_.colour && out_ == &context_.out);
      out_->flush();
    } else if (const auto losses = agent::render_losses(live, false); !losses.empty()) {
      note_lines(losses);
    }
    if (const auto late = agent::render_discovery(live, found_at_start); !late.empty())
      note_lines("Found later:\n" + late);
  }

  template <typename T>
  static Status take(Result<std::unique_ptr<T>> opened, std::unique_ptr<T>& into) {
    if (!opened.ok()) return opened.error();
    into = std::move(*opened);
    return {};
  }
  bool stores_a_selection() const { return options_.store == "selective" && !options_.record_all; }
  bool prints() const { return options_.json || options_.verbose; }

  void watch(const agent::Recorder& live, const agent::StopSignals& signals, uint64_t duration_ns, uint64_t started_ns,
             const std::optional<agent::CommandThread>& command) {
    std::string last_shown;
    uint64_t next_view_ns = started_ns + 1'000'000'000;
    while (!command || !command->has_ended()) {
      if (const auto came = signals.wait(50'000'000); came.number != 0 && !reopens_log(came)) return;
      note_waiting(live);
      const uint64_t now = context_.clock->mono_ns();
      if (duration_ns != 0 && now - started_ns >= duration_ns) return;
      if (!*out_) return;  // the reader of the events is gone
      if (now < next_view_ns) continue;
      next_view_ns += 1'000'000'000;
      if (!options_.log.empty()) rotate_log();
      if (const auto last_error = live.store_error(); last_error != last_shown) {
        if (!last_error.empty()) log_error("{}", last_error);
        last_shown = last_error;
      }
      if (has_live_table_) {
        *out_ << "\x1b[H\x1b[2J" << agent::render_trace(live, calls_, now - started_ns, 20, context_.colour);
        out_->flush();
      } else {
        note_hangs(live);
      }
    }
  }

  // A log is rotated by renaming it and sending this. Without a log, and when the terminal is gone, SIGHUP ends the
  // trace.
  bool reopens_log(const agent::StopSignals::Came& came) {
    if (came.number != SIGHUP || !came.is_sent || options_.log.empty()) return false;
    rotate_log();
    return true;
  }

  void rotate_log() {
    const kernelside::Raised raised;  // its folder may be another user's
    const Status reopened = reopen_log_file();
    const std::string problem = reopened.ok() ? "" : reopened.error().text();
    if (problem != std::exchange(log_problem_, problem) && !problem.empty()) log_warning("{}", problem);
  }

  // Without a table that lists them, each call that hangs is reported once.
  void note_hangs(const agent::Recorder& live) {
    for (const agent::LiveCall& call : live.hanging()) {
      if (!reported_hangs_.insert({call.event.tid, call.event.start_mono_ns}).second) continue;
      note(agent::render_hang(call, live, calls_));
    }
  }

  // Missing ranks are reported at once, and again when other ranks are missing.
  void note_waiting(const agent::Recorder& live) {
    if (has_live_table_) return;  // the table lists them
    for (const hal::CollectiveHang& hang : live.waiting()) {
      auto& reported = reported_missing_[{hang.comm_id_hash, hang.number}];
      if (reported == hang.missing) continue;
      reported = hang.missing;
      note(agent::hang_text(hang, calls_));
    }
  }

  void print_events(const agent::EventBatch& batch, const agent::Recorder& recorder) {
    *out_ << agent::render_events(batch, recorder, calls_, options_.json);
    out_->flush();
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
  // Null: not asked for. The metrics outlive what shows them.
  std::optional<agent::LiveMetrics> metrics_;
  std::unique_ptr<agent::MetricsEndpoint> endpoint_;
  std::unique_ptr<agent::OtlpSender> sender_;
  std::unique_ptr<agent::ClusterService> fleet_;
  std::unique_ptr<agent::Sampling> sampling_;
  std::unique_ptr<agent::AnnotationIntake> annotations_;
  std::unique_ptr<agent::InferenceWatch> inference_;
  std::unique_ptr<kernelside::Launch> launch_;
  std::unique_ptr<__gnu_cxx::stdio_filebuf<char>> file_;
  std::ostream to_file_{nullptr};
  std::ostream* out_ = &context_.out;
  bool has_live_table_ = false;  // redrawn in place
  std::string log_problem_;
  std::set<std::pair<uint32_t, uint64_t>> reported_hangs_;                                            // thread, start
  std::map<std::pair<uint64_t, uint64_t>, std::vector<hal::CollectiveHang::Rank>> reported_missing_;  // by hash, number
};

void add_recording_options(Command command, TraceOptions& options) {
  command.add_flag("--record,!--no-record", options.record, "Write the database (default true)");
  command.add_flag("--record-all", options.record_all, "Store every event, even with --store selective");
  command
      .add_option("--store", options.store,
                  "all: every event; selective: slow, failed and synchronising calls, and one in N of the rest")
      .one_of({"all", "selective"})
      .show_default();
  command
      .add_option("--sample-every", options.sample_every,
                  "With --store selective, keep one in N of the ordinary events")
      .range(1U, 1'000'000U)
      .show_default();
  command.add_option("--db,--out", options.database, "Database file (else $INGERO_DB, ~/.ingero/ingero.db)")
      .type_name("FILE");
  command
      .add_option("--db-group", options.db_group,
                  "Let members of this group read the recording (default: only its owner)")
      .type_name("GROUP");
  command.add_flag("--keep-secrets", options.keep_secrets,
                   "Record command lines as they are, with passwords, keys and tokens");
  command.add_option("--max-db", options.max_db, "Delete the oldest events beyond this size (0: never)")
      .size()
      .show_default();
}

void add_process_options(Command command, TraceOptions& options) {
  command.add_option("-p,--pid", options.pids, "Only these processes and their children").separator(',');
  command.add_option("-u,--user", options.user, "Only this user's processes (name or number)").type_name("USER");
  command.add_option("--cgroup", options.cgroup, "Only processes in this cgroup or below").type_name("PATH");
  command.add_option("--run-as", options.run_as, "Run the command as this user (default: who traces)")
      .type_name("USER");
}

void add_output_options(Command command, TraceOptions& options) {
  command.add_flag("--json", options.json, "One JSON object per event on standard output");
  command.add_flag("-v,--verbose", options.verbose, "Print every event");
  command.add_option("-o,--output", options.output, "Write the table or the events to this file").type_name("FILE");
  command.add_option("--log", options.log, "Also append diagnostics to this file").type_name("FILE");
}

}  // namespace

void add_trace(Command root, Context& context) {
  auto options = std::make_shared<TraceOptions>();
  const Command command = root.add_command("trace", "Record GPU calls and what the host did to their threads (root)");
  add_process_options(command, *options);
  command.add_option("-d,--duration", options->duration, "End the recording after this long (default: Ctrl-C)")
      .duration();
  add_output_options(command, *options);
  add_recording_options(command, *options);
  command
      .add_option(
          "--stack", options->stack,
          "Where calls were made from: all; off; auto: of slow, failed, synchronising and allocating calls, and of one "
          "in 64 of the rest")
      .type_name("MODE")
      .expected(0, 1)
      .show_default("auto")
      .one_of({"auto", "all", "off", "true", "false"});
  command.add_flag("--no-io", options->no_io, "Leave block I/O out");
  command.add_flag("--no-tcp", options->no_tcp, "Leave TCP retransmissions out");
  command.add_flag("--no-net", options->no_net, "Leave socket volumes out");
  command.add_option("--node", options->node,
                     "This machine's name in event ids (default: agent.node of ingero.yaml, else the host name)");
  command.add_option("--library,--cuda-lib,--nccl-lib", options->libraries, "Also probe this library file")
      .type_name("FILE");
  add_backend_options(command, options->backends);
  command.add_option("--ringbuf-size", options->ring_size, "Size of the ring buffer for events, a power of two")
      .size()
      .show_default();
  command.add_option("--attach", options->attach, "How probes are attached; auto takes the best that works")
      .one_of({"auto", "session", "multi", "perf"})
      .show_default();
  command.add_option("--hang-after", options->hang_after, "List calls in flight longer than this")
      .duration()
      .show_default();
  add_metrics_options(command, options->metrics);
  add_otlp_options(command, options->otlp);
  add_cluster_options(command, options->fleet, "as --node");
  command.add_option("--cluster", options->fleet.cluster, "As --fleet-cluster-id, and in what --otlp sends")
      .type_name("NAME")
      .group("Cluster");
  add_sampling_options(command, options->sampling);
  add_annotation_options(command, options->annotations);
  add_inference_options(command, options->inference);
  add_legacy_flags(command, context);
  command.add_option("command", options->command, "Run this command (after --), trace it and its children");
  group_trace_flags(command);
  command.positionals_at_end();
  command.footer(
      "Examples:\n"
      "  sudo ingero trace --duration 60s\n"
      "  sudo ingero trace --run-as $USER -- python3 train.py   (not as root)\n"
      "  sudo ingero trace --pid 4242 --db /tmp/job.db --json\n"
      "Flags can be set in ingero.yaml, too (docs/configuration.md).");
  command.on_parsed([options, &context] {
    context.action = [options, &context]() -> Result<int> {
      std::vector<Error> unusable;
      auto loaded = load_backends(options->backends, unusable);
      INGERO_TRY(loaded);
      const std::shared_ptr<const backends::Registry> registry = std::move(*loaded);
      for (const Error& error : unusable) log_warning("not used: {}", error.text());
      Result<int> status = Trace(*options, context, *registry).run();
      if (!context.unfinished.empty()) context.unfinished.push_back(registry);
      return status;
    };
  });
}

}  // namespace ingero::cli
