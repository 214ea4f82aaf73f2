// Sends what the ranks of this machine did to a cluster's server (docs/fleet.md): windows as they end, and incidents at
// once, but not more than one message of them a second.
//
// A thread of its own encodes and sends; what gives it something to send never waits for the network. What cannot be
// sent now waits in memory, in order, for as long as the receiver would take it; incidents that are refused for now
// hold back no windows. Bounded: the oldest give way, and each data point was accepted, refused by the receiver, or
// dropped here. open() checks all that can be checked without a connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "correlate/rank_windows.h"
#include "fleet/send/node_state.h"
#include "fleet/send/threshold_source.h"
#include "hal/chain.h"
#include "serve/otlp/transport.h"

namespace ingero::fleet::send {

struct SenderOptions {
  serve::otlp::Receiver receiver;
  serve::otlp::TlsFiles tls;
  std::string cluster, node;
  std::string job = {};             // of all its ranks; empty: as their launchers name it
  std::string recording_node = {};  // how the recording calls this machine: before its incidents' ids
  // Incidents say which run of the program sent them. Without it, one that is sent by two runs is one to the receiver.
  bool names_run = true;
  uint64_t timeout_ns = 5'000'000'000;  // of one request
  uint64_t stop_ns = 2'000'000'000;     // for what is left at the end
  uint64_t between_incidents_ns = 1'000'000'000;
  std::optional<ThresholdSource> threshold = {};  // asked where no answer says what this machine classifies itself by
  uint64_t heartbeat_ns = 0;                 // after which, where nothing was sent, it says that it is there; 0: never
  size_t max_waiting = 512;                  // requests
  uint64_t max_waiting_bytes = 16ULL << 20;  // compressed
};

// Data points since start(); requests where it says so.
struct SenderHealth {
  uint64_t accepted = 0, refused = 0, dropped = 0;
  uint64_t requests = 0, failed_tries = 0, waiting_requests = 0;
  std::string last_error;  // empty: the last try did not fail
  NodeReport node;         // what this machine said of itself last
};

// What was given to it and is not sent yet.
struct SenderBacklog {
  size_t windows = 0;    // calls of add(), and requests
  size_t incidents = 0;  // that no request has yet
};

// The frames of a stack in words, innermost first, and the program's own line among them; empty: not known.
struct Stack {
  std::string line;
  std::vector<std::string> frames;
};

class Sender {
 public:
  static constexpr size_t kMaxPending = 64;            // calls of add() that were not encoded yet
  static constexpr size_t kMaxIncidents = 256;         // likewise
  static constexpr size_t kMaxWindowsARequest = 1000;  // of at most 12 points, and 15 of each of their ranks

  // Called by its own thread, until stop() has returned.
  struct Hooks {
    // Of a call's name, the operation, as windows have it.
    std::function<std::string(hal::CallId)> operation;
    std::function<std::string(hal::CallId)> name = {};  // of a call
    std::function<Stack(uint64_t stack_id)> stack = {};
    std::function<void(uint64_t points)> dropped, refused;
    std::function<void(const std::string& sentence)> say = {};  // a problem begins, changes, is over
  };

  static Result<std::unique_ptr<Sender>> open(SenderOptions options, const Clock& clock = system_clock());
  ~Sender();  // as stop()
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  void start(Hooks hooks);
  // Any thread; waits for nothing.
  void add(std::vector<correlate::RankWindow> windows);
  // Sent where its severity is high; again when that, or whether it is over, has changed.
  void add(const hal::CausalChain& chain);
  // What can be sent in stop_ns; the rest is dropped and counted.
  void stop();

  SenderHealth health() const;
  SenderBacklog backlog() const;
  std::string url() const;

 private:
  struct Impl;
  explicit Sender(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::fleet::send
