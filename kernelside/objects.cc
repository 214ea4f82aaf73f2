// Opens, configures and loads the BPF objects; the first one creates the maps, the others get the same.
#include "kernelside/objects.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <numeric>
#include <span>
#include <thread>

#include "base/fd.h"
#include "base/log.h"
#include "capture.skel.h"
#include "kernelside/libbpf_log.h"
#include "kernelside/online_cpus.h"
#include "kernelside/perf_link.h"
#include "kernelside/privilege.h"
#include "kernelside/program_account.h"
#include "kernelside/skeleton.h"
#include "kernelside/system_calls.h"
#include "kernelside/tracepoint_types.h"
#include "names.skel.h"
#include "sampling.skel.h"
#include "session.skel.h"
#include "spinning.skel.h"
#include "threads.skel.h"
#include "waiting.skel.h"
#include "waking.skel.h"

namespace ingero::kernelside {
namespace {

constexpr uint64_t kSamplePeriodNs = 1'000'000'000 / Objects::kSamplesPerSecond;
constexpr uint64_t kTimerPeriodNs = 2'000'000;  // of a thread's own time, between two interrupts

template <typename Skeleton>
void configure(Skeleton& skeleton, const ObjectOptions& options) {
  skeleton.rodata->filter_pids = options.pids.empty() ? 0 : 1;
  skeleton.rodata->filter_uid_set = options.uid ? 1 : 0;
  skeleton.rodata->filter_uid = options.uid.value_or(0);
  skeleton.rodata->filter_cgroups = options.cgroup_ids.empty() ? 0 : 1;
  skeleton.rodata->own_pid = options.own_pid;
  skeleton.rodata->wake_bytes = options.ring_bytes / 16;
  skeleton.rodata->stack_mode = options.stacks;
}

// Is this one of maps.bpf.h's maps, not an object's own data section?
bool is_shared(const bpf_map* map) { return std::string_view(bpf_map__name(map)).find('.') == std::string_view::npos; }

void share_maps(bpf_object* from, bpf_object* to) {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, to) {
    if (!is_shared(map)) continue;
    if (const bpf_map* existing = bpf_object__find_map_by_name(from, bpf_map__name(map)); existing != nullptr) {
      bpf_map__reuse_fd(map, bpf_map__fd(existing));
    }
  }
}

template <typename Skeleton>
Result<Owned<Skeleton>> open_object(std::string_view name) {
  LibbpfLog log;
  Owned<Skeleton> skeleton(Skeleton::open(nullptr));
  if (!skeleton) return Error(Errc::kIo, log.reason(errno_error(fmt::format("open BPF object {}", name)).message()));
  return skeleton;
}

template <typename Skeleton>
Status load_object(Skeleton* skeleton, std::string_view name) {
  LibbpfLog log;
  const int error = Skeleton::load(skeleton);
  if (error == 0 && has_variables(*skeleton)) return {};
  if (error == 0) return Error(Errc::kNotSupported, fmt::format("load BPF object {}: {}", name, kNoVariables));
  const Error why = errno_error("load", -error);
  const std::string text = fmt::format("load BPF object {}: {}", name, log.reason(why.message()));
  if (log.is_of_verifier()) return Error(Errc::kNotSupported, text);  // it refuses with EACCES as well
  return Error(why.code(), text, why.code() == Errc::kPermission ? "run as root, or with CAP_BPF and CAP_PERFMON" : "");
}

// What programs that recording can do without need, and the release that has it.
struct Needed {
  std::string_view what;
  int major, minor;
};

std::string reason_of(const Needed& needed, const Error& refusal) {
  if (refusal.code() != Errc::kNotSupported) return refusal.text();
  log_info("{}", refusal.text());
  return refusal_text(needed.what, needed.major, needed.minor, kernel_release(), refusal.message());
}

template <typename Record>
Result<std::vector<Record>> read_dump(bpf_link* link, std::string_view name) {
  if (link == nullptr) return Error(Errc::kNotSupported, fmt::format("dump {}: no task iterator on this kernel", name));
  const Fd fd(bpf_iter_create(bpf_link__fd(link)));
  if (!fd.valid()) return errno_error(fmt::format("dump {}", name));
  std::vector<Record> records;
  std::vector<char> bytes(256 << 10);
  size_t have = 0;
  while (true) {
    const ssize_t got = ::read(fd.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0) {
      if (errno == EAGAIN || errno == EINTR) continue;
      return errno_error(fmt::format("dump {}", name));
    }
    if (got == 0) break;
    have += static_cast<size_t>(got);
    const size_t whole = have / sizeof(Record);
    const size_t before = records.size();
    records.resize(before + whole);
    std::copy_n(bytes.data(), whole * sizeof(Record), reinterpret_cast<char*>(records.data() + before));
    std::copy(bytes.data() + whole * sizeof(Record), bytes.data() + have, bytes.data());
    have -= whole * sizeof(Record);
  }
  return records;
}

perf_event_attr cpu_clock(uint64_t period_ns) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = period_ns;
  attributes.disabled = 1;
  return attributes;
}

// Runs `program` each time the period is over, of a thread or (`tid` -1) of a CPU. Not valid: that is not there now.
Result<Fd> start_timer(perf_event_attr attributes, pid_t tid, int cpu, int program) {
  const std::string what = tid < 0 ? fmt::format("sample CPU {}", cpu) : fmt::format("interrupt thread {}", tid);
  Fd timer(static_cast<int>(syscall(SYS_perf_event_open, &attributes, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!timer.valid()) {
    if (errno == (tid < 0 ? ENODEV : ESRCH) || (tid < 0 && errno == ENXIO)) return timer;
    const Error why = errno_error(what);
    if (why.code() != Errc::kPermission) return why;
    return Error(why.code(), why.message(), "start the agent as root, or set kernel.perf_event_paranoid to 2");
  }
  if (ioctl(timer.get(), PERF_EVENT_IOC_SET_BPF, program) != 0 || ioctl(timer.get(), PERF_EVENT_IOC_ENABLE, 0) != 0) {
    return errno_error(what);
  }
  return timer;
}

}  // namespace

struct Objects::Impl {
  Mechanism mechanism = Mechanism::kPerf;
  Fd statistics;  // open: the kernel keeps run times
  Owned<threads> threads_object;
  Owned<session> session_object;
  Owned<capture> capture_object;
  Owned<names> names_object;  // null: this kernel cannot
  std::string names_reason;
  Owned<waiting> waiting_object;  // null: this kernel cannot, or no stacks are wanted
  std::string waiting_reason;
  std::thread waiting_load;         // the two above are its own until it has ended
  Owned<spinning> spinning_object;  // null: not wanted so far, or this kernel cannot
  std::string spinning_reason;
  Owned<sampling> sampling_object;  // null: not wanted so far, or this kernel cannot
  std::string sampling_reason;
  std::vector<Fd> sampling_timers;
  OnlineCpus online_cpus;
  std::string sampled_cpus;  // those that were online then
  std::vector<Link> thread_links;
  Link in_flight_dump;
  Link process_dump;
  Link totals_dump;
  Owned<waking> waking_object;  // null: this kernel cannot
  std::string waking_reason;
  bool knows_context = false;  // which of its programs
  Link waking_link;
  int cpus = 1;

  // Every program but the one of `spinning`, which a timer gives its turn again.
  template <typename Take>
  void for_each_account(const Take& take) const {
    const auto look = [&take](const auto& object) {
      if (!object) return;
      bpf_program* program = nullptr;
      bpf_object__for_each_program(program, object->obj) {
        if (const auto account = account_of(bpf_program__fd(program))) take(bpf_program__name(program), *account);
      }
    };
    look(threads_object);
    look(session_object);
    look(capture_object);
    look(names_object);
    look(waking_object);
    if (!waiting_load.joinable()) look(waiting_object);
  }

  // The programs at the calls themselves.
  Status load_capture(const ObjectOptions& options, Mechanism chosen) {
    mechanism = chosen;
    if (mechanism == Mechanism::kSession) {
      auto object = open_object<session>("session");
      INGERO_TRY(object);
      configure(**object, options);
      share_maps(threads_object->obj, (*object)->obj);
      bpf_program__set_expected_attach_type((*object)->progs.on_call,
                                            static_cast<bpf_attach_type>(MultiKind::kSession));
      INGERO_TRY(load_object(object->get(), "session"));
      session_object = std::move(*object);
      return {};
    }
    auto object = open_object<capture>("capture");
    INGERO_TRY(object);
    configure(**object, options);
    share_maps(threads_object->obj, (*object)->obj);
    if (mechanism == Mechanism::kMulti) {
      for (auto* program : {(*object)->progs.on_enter, (*object)->progs.on_return}) {
        bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(MultiKind::kMulti));
      }
    }
    INGERO_TRY(load_object(object->get(), "capture"));
    capture_object = std::move(*object);
    return {};
  }

  // Wakers are worth having, not worth failing for. Which of the two programs this kernel takes is found by trying.
  void load_waking() {
    for (const bool with_context : {true, false}) {
      auto object = open_object<waking>("waking");
      if (!object.ok()) {
        waking_reason = object.error().text();
        return;
      }
      std::ranges::copy(system_call_kinds(), (*object)->rodata->syscall_kinds);
      bpf_program__set_autoload((*object)->progs.on_waking, with_context);
      bpf_program__set_autoload((*object)->progs.on_waking_blind, !with_context);
      share_maps(threads_object->obj, (*object)->obj);
      const Status loaded = load_object(object->get(), "waking");
      if (loaded.ok()) {
        knows_context = with_context;
        waking_object = std::move(*object);
        waking_reason.clear();
        return;
      }
      waking_reason = loaded.error().text();
    }
  }

  void load_sampling() {
    auto object = open_object<sampling>("sampling");
    if (!object.ok()) {
      sampling_reason = object.error().text();
      return;
    }
    std::ranges::copy(system_call_kinds(), (*object)->rodata->syscall_kinds);
    (*object)->rodata->sample_ns = kSamplePeriodNs;
    share_maps(threads_object->obj, (*object)->obj);
    share_maps(session_object ? session_object->obj : capture_object->obj, (*object)->obj);
    if (const Status loaded = load_object(object->get(), "sampling"); loaded.ok()) {
      sampling_object = std::move(*object);
    } else {
      sampling_reason = loaded.error().text();
    }
  }

  // An object that reads what the capture programs keep; null with the reason where this kernel cannot.
  template <typename Skeleton>
  void load_during_capture(std::string_view name, const Needed& needed, Owned<Skeleton>& into,
                           std::string& reason) const {
    auto object = open_object<Skeleton>(name);
    if (!object.ok()) {
      reason = object.error().text();
      return;
    }
    share_maps(threads_object->obj, (*object)->obj);
    share_maps(session_object ? session_object->obj : capture_object->obj, (*object)->obj);
    if (const Status loaded = load_object(object->get(), name); loaded.ok()) {
      into = std::move(*object);
    } else {
      reason = reason_of(needed, loaded.error());
    }
  }
};

Objects::Objects(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Objects::~Objects() {
  if (impl_->waiting_load.joinable()) impl_->waiting_load.join();
}

Result<std::unique_ptr<Objects>> Objects::load(const ObjectOptions& options) {
  // Kernels before 5.11 charge BPF memory to this limit; a refusal is not fatal.
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_MEMLOCK, &unlimited);

  auto impl = std::make_unique<Impl>();
  impl->cpus = libbpf_num_possible_cpus();
  if (impl->cpus <= 0) return errno_error("/sys/devices/system/cpu/possible: read", -impl->cpus);
  // A trial takes a tenth of a second, most of it to remove its probe: of the next best only where it is needed.
  std::vector<MechanismProbe> refused;
  const auto* untried = std::begin(kMechanisms);
  const auto next_that_works = [&]() -> std::optional<Mechanism> {
    while (untried != std::end(kMechanisms)) {
      const Mechanism mechanism = *untried++;
      if (options.mechanism && *options.mechanism != mechanism) continue;
      MechanismProbe result = probe_mechanism(mechanism);
      if (result.works) return mechanism;
      log_info("{} links: {}", name_of(mechanism), result.words);
      refused.push_back(std::move(result));
    }
    return std::nullopt;
  };
  auto mechanism = next_that_works();
  if (!mechanism) return no_mechanism_error(options.mechanism, refused);

  auto threads_object = open_object<threads>("threads");
  INGERO_TRY(threads_object);
  impl->threads_object = std::move(*threads_object);
  configure(*impl->threads_object, options);
  auto types = TracepointTypes::of_this_kernel();
  INGERO_TRY(types);
  std::ranges::copy(system_call_kinds(), impl->threads_object->rodata->syscall_kinds);
  impl->threads_object->rodata->switch_has_state = types->arguments("sched_switch").value_or(0) >= 4 ? 1 : 0;
  bpf_map__set_max_entries(impl->threads_object->maps.events, options.ring_bytes);
  INGERO_TRY(load_object(impl->threads_object.get(), "threads"));
  bpf_object* shared = impl->threads_object->obj;

  // What was tried is a program that does nothing: the next best takes over from one whose own is refused.
  for (;;) {
    const Status loaded = impl->load_capture(options, *mechanism);
    if (loaded.ok()) break;
    const auto next = next_that_works();
    if (!next) return loaded.error();
    log_warning("{} links are not used: {}", name_of(*mechanism), loaded.error().text());
    mechanism = next;
  }

  // Names are worth having, not worth failing for.
  if (auto object = open_object<names>("names"); object.ok()) {
    configure(**object, options);
    share_maps(shared, (*object)->obj);
    if (impl->mechanism != Mechanism::kPerf) {
      bpf_program__set_expected_attach_type((*object)->progs.on_name, static_cast<bpf_attach_type>(MultiKind::kMulti));
    }
    if (const Status loaded = load_object(object->get(), "names"); loaded.ok()) {
      impl->names_object = std::move(*object);
    } else {
      impl->names_reason = reason_of({"sleepable probes", 6, 0}, loaded.error());
    }
  }

  impl->load_waking();

  std::unique_ptr<Objects> objects(new Objects(std::move(impl)));
  const uint8_t yes = 1;
  for (const uint32_t pid : options.pids) bpf_map_update_elem(objects->map_fd("wanted_pids"), &pid, &yes, BPF_ANY);
  for (const uint64_t id : options.cgroup_ids) {
    bpf_map_update_elem(objects->map_fd("wanted_cgroups"), &id, &yes, BPF_ANY);
  }
  return objects;
}

Mechanism Objects::mechanism() const { return impl_->mechanism; }

std::vector<ProgramStatus> Objects::attach_thread_programs() {
  std::vector<ProgramStatus> statuses;
  const auto attach = [&](bpf_program* program, const char* name) {
    LibbpfLog log;
    Link link(bpf_program__attach(program));
    statuses.push_back({name, link != nullptr, link ? "" : log.reason(errno_error("attach").message())});
    return link;
  };
  const auto& programs = impl_->threads_object->progs;
  // The dump sees every task, so it also finds out whether this kernel keeps queue times (threads.bpf.c).
  impl_->process_dump = attach(programs.dump_processes, "iter/task processes");
  (void)processes().ok();
  impl_->thread_links.push_back(attach(programs.on_sched_switch, "sched_switch"));
  if (!impl_->threads_object->bss->queue_times) {
    impl_->thread_links.push_back(attach(programs.on_sched_waking, "sched_waking"));
  }
  impl_->thread_links.push_back(attach(programs.on_thread_exit, "sched_process_exit"));
  impl_->thread_links.push_back(attach(programs.on_thread_exec, "sched_process_exec"));
  impl_->in_flight_dump = attach(programs.dump_in_flight, "iter/task in flight");
  impl_->totals_dump = attach(programs.dump_totals, "iter/task totals");
  statuses.push_back({"wakers", impl_->waking_object != nullptr, impl_->waking_reason});
  return statuses;
}

void Objects::note_returns_unseen() {
  impl_->threads_object->data->exited_as = WIRE_IN_FLIGHT;
  impl_->threads_object->data->execed_as = WIRE_IN_FLIGHT;
}

void Objects::detach_thread_programs() {
  impl_->thread_links.clear();
  impl_->waking_link.reset();
  impl_->sampling_timers.clear();
}

Status Objects::watch_wakers(bool on) {
  const Raised raised;
  if (!on) {
    impl_->waking_link.reset();
    return {};
  }
  if (!impl_->waking_object) return Error(Errc::kNotSupported, impl_->waking_reason);
  if (impl_->waking_link) return {};
  LibbpfLog log;
  const auto& programs = impl_->waking_object->progs;
  impl_->waking_link.reset(bpf_program__attach(impl_->knows_context ? programs.on_waking : programs.on_waking_blind));
  if (!impl_->waking_link) return Error(Errc::kIo, log.reason(errno_error("attach to sched_waking").message()));
  return {};
}

int Objects::session_program() const {
  return impl_->session_object ? bpf_program__fd(impl_->session_object->progs.on_call) : -1;
}
bpf_program* Objects::enter_handle() const {
  return impl_->capture_object ? impl_->capture_object->progs.on_enter : nullptr;
}
bpf_program* Objects::return_handle() const {
  return impl_->capture_object ? impl_->capture_object->progs.on_return : nullptr;
}
int Objects::enter_program() const { return enter_handle() != nullptr ? bpf_program__fd(enter_handle()) : -1; }
int Objects::return_program() const { return return_handle() != nullptr ? bpf_program__fd(return_handle()) : -1; }

bpf_program* Objects::name_handle() const { return impl_->names_object ? impl_->names_object->progs.on_name : nullptr; }
Status Objects::keep_program_costs() {
  Fd statistics(bpf_enable_stats(BPF_STATS_RUN_TIME));
  if (!statistics.valid()) return errno_error("enable the kernel's run time statistics of BPF programs");
  impl_->statistics = std::move(statistics);
  return {};
}

std::vector<ProgramCost> Objects::program_costs() const {
  const Raised raised;
  std::vector<ProgramCost> costs;
  impl_->for_each_account([&costs](const char* name, const ProgramAccount& account) {
    if (account.runs > 0) costs.push_back({name, account.runs, account.run_time_ns});
  });
  return costs;
}

uint64_t Objects::skipped_runs() const {
  const Raised raised;
  uint64_t skipped = 0;
  impl_->for_each_account([&skipped](const char*, const ProgramAccount& account) { skipped += account.skipped; });
  return skipped;
}

int Objects::name_program() const { return name_handle() != nullptr ? bpf_program__fd(name_handle()) : -1; }
const std::string& Objects::names_reason() const { return impl_->names_reason; }
void Objects::start_loading_waiting() {
  impl_->waiting_load = std::thread([raw = impl_.get()] {
    constexpr Needed kNeeded{"iterators that read the stack of another thread", 6, 9};
    raw->load_during_capture("waiting", kNeeded, raw->waiting_object, raw->waiting_reason);
  });
}

const std::string& Objects::waiting_reason() const {
  if (impl_->waiting_load.joinable()) impl_->waiting_load.join();
  return impl_->waiting_reason;
}

int Objects::map_fd(std::string_view name) const {
  const bpf_map* map = bpf_object__find_map_by_name(impl_->threads_object->obj, std::string(name).c_str());
  return map != nullptr ? bpf_map__fd(map) : -1;
}

Result<std::vector<wire_call_record>> Objects::calls_in_flight() const {
  const Raised raised;
  return read_dump<wire_call_record>(impl_->in_flight_dump.get(), "calls in flight");
}
Result<std::vector<wire_totals>> Objects::totals() const {
  const Raised raised;
  return read_dump<wire_totals>(impl_->totals_dump.get(), "totals of waits");
}
Result<std::vector<wire_process>> Objects::processes() const {
  const Raised raised;
  return read_dump<wire_process>(impl_->process_dump.get(), "processes");
}

std::string Objects::file_name(uint32_t file_system, uint64_t inode) const {
  const Raised raised;
  const wire_file file{file_system, inode};
  wire_file_name name{};
  if (bpf_map_lookup_elem(map_fd("file_names"), &file, &name) != 0) return {};
  return {name.text, strnlen(name.text, sizeof(name.text))};
}

Status Objects::take_waiting_stack(uint32_t tid) {
  const Raised raised;
  if (!waiting_reason().empty() || !impl_->waiting_object) return Error(Errc::kNotSupported, impl_->waiting_reason);
  bpf_iter_link_info one{};
  one.task.tid = tid;
  bpf_link_create_opts options{};
  options.sz = sizeof(options);
  options.iter_info = &one;
  options.iter_info_len = sizeof(one);
  const int program = bpf_program__fd(impl_->waiting_object->progs.take_waiting);
  const Fd link(bpf_link_create(program, 0, BPF_TRACE_ITER, &options));
  if (!link.valid()) return errno_error(fmt::format("read the stack of thread {}", tid));
  const Fd iterator(bpf_iter_create(link.get()));
  if (!iterator.valid()) return errno_error(fmt::format("read the stack of thread {}", tid));
  // The program writes into the ring; reading makes it run.
  char nothing[64];
  if (read(iterator.get(), nothing, sizeof(nothing)) < 0)
    return errno_error(fmt::format("read the stack of thread {}", tid));
  return {};
}

Status Objects::take_running_stacks(std::span<const uint32_t> tids) {
  const Raised raised;
  if (!impl_->spinning_object && impl_->spinning_reason.empty()) {
    constexpr Needed kNeeded{"programs at timers", 4, 9};
    impl_->load_during_capture("spinning", kNeeded, impl_->spinning_object, impl_->spinning_reason);
  }
  if (!impl_->spinning_object) return Error(Errc::kNotSupported, impl_->spinning_reason);
  const int program = bpf_program__fd(impl_->spinning_object->progs.take_running);
  std::vector<Fd> timers;
  for (const uint32_t tid : tids) {
    auto timer = start_timer(cpu_clock(kTimerPeriodNs), static_cast<pid_t>(tid), -1, program);
    if (!timer.ok()) return timer.error();
    if (timer->valid()) timers.push_back(std::move(*timer));
  }
  if (!timers.empty()) std::this_thread::sleep_for(std::chrono::nanoseconds(3 * kTimerPeriodNs));
  return {};
}

Status Objects::sample_cpus(bool on) {
  const Raised raised;
  if (!on) {
    impl_->sampling_timers.clear();
    return {};
  }
  std::string online = impl_->online_cpus.list();
  if (!impl_->sampling_timers.empty() && (online.empty() || online == impl_->sampled_cpus)) return {};
  if (!impl_->sampling_object && impl_->sampling_reason.empty()) impl_->load_sampling();
  if (!impl_->sampling_object) return Error(Errc::kNotSupported, impl_->sampling_reason);
  const int program = bpf_program__fd(impl_->sampling_object->progs.take_sample);
  perf_event_attr attributes = cpu_clock(kSamplePeriodNs);
  attributes.exclude_idle = 1;
  std::vector<Fd> timers;
  for (int cpu = 0; cpu < impl_->cpus; ++cpu) {
    auto timer = start_timer(attributes, -1, cpu, program);
    if (!timer.ok()) return timer.error();
    if (timer->valid()) timers.push_back(std::move(*timer));
  }
  impl_->sampling_timers = std::move(timers);
  impl_->sampled_cpus = std::move(online);
  return {};
}

Status Objects::set_recipe(uint32_t probe, const wire_recipe& recipe) {
  const Raised raised;
  if (bpf_map_update_elem(map_fd("recipes"), &probe, &recipe, BPF_ANY) != 0) {
    return errno_error(fmt::format("set recipe {}", probe));
  }
  return {};
}

void Objects::end_recipes(std::span<const uint32_t> probes) {
  const Raised raised;
  for (const uint32_t probe : probes) {
    wire_recipe recipe;
    if (bpf_map_lookup_elem(map_fd("recipes"), &probe, &recipe) != 0) continue;
    recipe.use = WIRE_RECIPE_ENDED;
    bpf_map_update_elem(map_fd("recipes"), &probe, &recipe, BPF_ANY);
  }
}

Status Objects::set_python(uint32_t pid, const wire_python_layout& layout) {
  const Raised raised;
  if (bpf_map_update_elem(map_fd("python_processes"), &pid, &layout, BPF_ANY) != 0) {
    return errno_error(fmt::format("set the Python layout of process {}", pid));
  }
  return {};
}

void Objects::forget_python(uint32_t pid) {
  const Raised raised;
  bpf_map_delete_elem(map_fd("python_processes"), &pid);
}

std::optional<uint32_t> Objects::python_generation(uint32_t pid) const {
  const Raised raised;
  wire_python_layout layout;
  if (bpf_map_lookup_elem(map_fd("python_processes"), &pid, &layout) != 0) return std::nullopt;
  return layout.generation;
}

void Objects::forget_code(const PythonCode& code) {
  const Raised raised;
  bpf_map_delete_elem(map_fd("python_codes"), &code);
}

Status Objects::mark_traced(uint32_t pid) {
  const Raised raised;
  // Task storage is written from user space through a pidfd.
  const Fd task(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!task.valid()) return errno_error(fmt::format("trace process {}", pid));
  wire_process process{};
  process.pid = pid;
  process.traced = WIRE_TRACED_YES;
  const int key = task.get();
  if (bpf_map_update_elem(map_fd("processes"), &key, &process, BPF_ANY) != 0) {
    return errno_error(fmt::format("trace process {} before its first call", pid));
  }
  return {};
}

void Objects::read_losses(hal::LossLedger& ledger) const {
  const Raised raised;
  static constexpr std::array kLosses = {
#define X(counter, name) hal::Loss::name,
      WIRE_LOSSES(X)
#undef X
  };
  std::vector<wire_losses> per_cpu(static_cast<size_t>(impl_->cpus));
  const uint32_t only = 0;
  if (bpf_map_lookup_elem(map_fd("losses"), &only, per_cpu.data()) != 0) return;
  for (size_t kind = 0; kind < kLosses.size(); ++kind) {
    uint64_t total = 0;
    for (const wire_losses& of_cpu : per_cpu) total += of_cpu.count[kind];
    ledger.set(kLosses[kind], total);
  }
}

std::vector<std::pair<uint32_t, uint64_t>> Objects::probe_losses(uint32_t probes) const {
  const Raised raised;
  std::vector<std::pair<uint32_t, uint64_t>> found;
  constexpr uint32_t kAtOnce = 256;  // by one system call (Linux 5.13, f008d732ab18)
  const auto cpus = static_cast<size_t>(impl_->cpus);
  std::array<uint32_t, kAtOnce> keys;
  std::vector<uint64_t> per_cpu(kAtOnce * cpus);
  const int fd = map_fd("probe_losses");
  uint32_t position = 0;
  for (uint32_t from = 0; from < probes;) {
    uint32_t count = std::min(kAtOnce, probes - from);
    // Fails behind the last one, with what there was before it.
    if (bpf_map_lookup_batch(fd, from == 0 ? nullptr : &position, &position, keys.data(), per_cpu.data(), &count,
                             nullptr) != 0 &&
        errno != ENOENT) {
      break;
    }
    if (count == 0) break;
    for (size_t i = 0; i < count; ++i) {
      const auto of_probe = std::span(per_cpu).subspan(i * cpus, cpus);
      const uint64_t total = std::accumulate(of_probe.begin(), of_probe.end(), uint64_t{0});
      if (total > 0) found.emplace_back(keys[i], total);
    }
    from += count;
  }
  return found;
}

std::vector<std::pair<uint32_t, uint64_t>> Objects::process_losses() const {
  const Raised raised;
  std::vector<std::pair<uint32_t, uint64_t>> found;
  const int fd = map_fd("process_losses");
  uint32_t pid = 0, next = 0;
  const uint32_t* last = nullptr;
  // One that is evicted under the walk begins it anew: bounded.
  for (size_t i = 0; i < 2 * WIRE_LOSS_PROCESSES && bpf_map_get_next_key(fd, last, &next) == 0; ++i) {
    uint64_t count = 0;
    if (bpf_map_lookup_elem(fd, &next, &count) == 0 && count > 0) found.emplace_back(next, count);
    pid = next;
    last = &pid;
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              found.end());
  return found;
}

void Objects::clear_probe_losses(uint32_t probe) const {
  const Raised raised;
  const std::vector<uint64_t> none(static_cast<size_t>(impl_->cpus));
  (void)bpf_map_update_elem(map_fd("probe_losses"), &probe, none.data(), BPF_ANY);
}

}  // namespace ingero::kernelside
