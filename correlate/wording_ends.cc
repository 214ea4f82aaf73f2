// Formats chains of failures: what a code means and what to do, how a process ended and what it was doing.
#include <algorithm>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {
namespace {

constexpr int kKill = 9;

struct SignalName {
  int number;
  std::string_view name, meaning;
};
// signal(7), x86-64 and arm64.
constexpr SignalName kSignals[] = {
    {1, "SIGHUP", "its terminal or session was closed"},
    {2, "SIGINT", "someone pressed Ctrl-C"},
    {3, "SIGQUIT", "someone asked for a core dump"},
    {4, "SIGILL", "it ran an instruction that this CPU does not have"},
    {5, "SIGTRAP", "it ran into a trap: a failed assertion of a compiler, or a debugger"},
    {6, "SIGABRT", "it ended itself: an assertion, an uncaught exception, or corrupted memory"},
    {7, "SIGBUS", "it accessed a mapped file beyond its end, or shared memory that ran out (/dev/shm)"},
    {8, "SIGFPE", "it divided an integer by zero"},
    {9, "SIGKILL", "another process killed it: a user, a job scheduler, or a memory limit's watchdog"},
    {11, "SIGSEGV", "it accessed memory that is not its own"},
    {13, "SIGPIPE", "the reader of its output had gone"},
    {14, "SIGALRM", "a timer that it had set ran out (alarm)"},
    {15, "SIGTERM", "another process asked it to end"},
    {24, "SIGXCPU", "it used up its CPU time (ulimit -t)"},
    {25, "SIGXFSZ", "it wrote a file above its limit (ulimit -f)"},
    {31, "SIGSYS", "it made a system call that is forbidden (seccomp)"},
};

std::string op_of(const Evaluation& seen, hal::CallId id) {
  const CallFacts* facts = seen.call(id);
  return facts == nullptr ? "a call" : facts->op;
}

// "xMalloc, xLaunch and xStreamSync"
std::string call_list(const Evaluation& seen, const std::vector<Sample>& calls) {
  std::vector<std::string> names;  // each once: the same call twice says no more
  for (const Sample& call : calls) {
    const std::string name = op_of(seen, call.call);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return out;
}

// "exit status 1", "signal SIGSEGV (11)"
std::string how_it_ended(int64_t status) {
  const int number = static_cast<int>(status & 0x7f);
  if (number == 0) return fmt::format("exit status {}", status >> 8 & 0xff);
  const auto known = std::find_if(std::begin(kSignals), std::end(kSignals),
                                  [&](const SignalName& one) { return one.number == number; });
  return known == std::end(kSignals) ? fmt::format("signal {}", number)
                                     : fmt::format("signal {} ({})", known->name, number);
}

std::string_view meaning_of(int64_t status) {
  for (const SignalName& one : kSignals) {
    if (one.number == (status & 0x7f)) return one.meaning;
  }
  return {};
}

// ", which timeout (pid 7) sent"; empty: it is not known who did, or the signal's meaning has it (abort()).
std::string sent_by(const ProcessState& process, int signal) {
  if (process.sender_pid == 0 || signal == 0) return {};
  if (process.sender_pid == process.facts.pid) return signal == kKill ? ", which it sent itself" : "";
  const std::string name = process.sender_comm.empty() ? "a process" : printable(process.sender_comm);
  return fmt::format(", which {} (pid {}) sent{}", name, process.sender_pid,
                     process.is_sent_by_parent() ? ", its parent" : "");
}

// What to do about one that was killed.
std::string remedy_of_kill(const ProcessState& process) {
  if (process.is_sent_by_parent()) {
    return fmt::format("Nothing, where its parent was to end it; else look at what the parent (pid {}) logged",
                       process.sender_pid);
  }
  if (process.sender_pid == 0 || process.sender_pid == process.facts.pid) {
    return "See who killed it: dmesg | grep -i kill, the job scheduler's log, and memory limits";
  }
  return fmt::format("See why {} (pid {}) killed it: who started that, and its log",
                     process.sender_comm.empty() ? "process" : printable(process.sender_comm), process.sender_pid);
}

}  // namespace

// A fatal error, with what its code means.
void describe_failure(Incident& incident, const Evaluation& seen, const std::string& who) {
  hal::CausalChain& chain = incident.chain;
  const Finding& last = incident.last;
  if (!last.cause.empty()) {
    chain.summary = fmt::format("{}: {}: {}", who, last.detail, last.cause.substr(0, last.cause.find(". ") + 1));
    if (chain.summary.ends_with(": ")) chain.summary += last.cause;
    chain.root_cause = fmt::format("{} {}", last.cause, rule(incident.rule).sentence);
    if (incident.number > 1) {
      chain.root_cause += fmt::format(" {} failed in all since.", plural(incident.number, "call"));
    }
  }
  chain.timeline.push_back({std::string(seen.call(last.op) == nullptr ? "HOST" : seen.call(last.op)->layer),
                            op_of(seen, last.op), last.detail, 0});
  if (!last.remedy.empty()) chain.recommendations.push_back(last.remedy);
}

void describe_end(Incident& incident, const Evaluation& seen, const std::string& who) {
  hal::CausalChain& chain = incident.chain;
  const ProcessState& process = seen.process;
  const int64_t status = process.exit_status.value_or(0);
  const std::string how = how_it_ended(status);
  const int signal = static_cast<int>(status & 0x7f);
  const bool is_signal = signal != 0;
  const std::string_view ending = !is_signal ? "failed" : signal == kKill ? "was killed" : "crashed";
  const std::string sender = sent_by(process, signal);
  chain.summary = fmt::format("{} {}: {}{}", who, ending, how, sender);
  if (!process.calls_at_end.empty()) {
    chain.summary += fmt::format(", inside {}", call_list(seen, process.calls_at_end));
  }
  const bool is_worker = process.first_call_window == 0;
  if (is_worker && !incident.last.detail.empty()) chain.summary += "; " + incident.last.detail;
  const bool is_hang = !incident.last.cause.empty();
  if (is_hang) chain.summary = fmt::format("{} {}: {}", who, incident.last.detail, how);
  chain.root_cause = is_signal && !meaning_of(status).empty()
                         ? fmt::format("{} was ended by {}{}", who, how,
                                       sender.empty() ? fmt::format(": {}", meaning_of(status)) : sender)
                         : fmt::format("{} ended with {}", who, how);
  if (!process.last_calls.empty()) {
    chain.root_cause += fmt::format(". Its last calls: {}", call_list(seen, process.last_calls));
    if (const uint64_t ended = process.ended_mono_ns.value_or(0), last = process.last_calls.back().start_mono_ns;
        ended > last) {
      chain.root_cause += fmt::format(" ({} before)", format_duration(ended - last));
    }
  }
  if (is_hang) {
    chain.root_cause = incident.last.cause + ". " + chain.root_cause;
    chain.timeline.push_back({"HOST", "sched_switch", incident.last.detail, 0});
  } else if (!incident.last.detail.empty()) {
    chain.root_cause += ". " + incident.last.detail;
  }
  chain.timeline.push_back({"HOST", "process_exit", how, 0});
  if (is_hang) {
    chain.recommendations.emplace_back(incident.last.remedy);
  } else if (signal == kKill) {
    chain.recommendations.emplace_back(remedy_of_kill(process));
  } else {
    chain.recommendations.emplace_back(rule(incident.rule).remedy);
  }
}

}  // namespace ingero::correlate
