// Converts host records of the kernel side to events. Pure; thread-safe; owns nothing.
//
// Records come from our own programs, but a ring's record is trusted only as far as its size and type: a function
// given anything else leaves `event` as it was and returns false (the caller counts it as malformed). The wall offset
// is not set here.
//
// arg0 and arg1, where known: OOM kill: 0, victim; fork: absent, child; exec and exit: absent (an exit's return_code
// is the status as wait(2) gives it); block: sectors, first sector; TCP: IPv4 source << 32 | destination (host order;
// absent for IPv6), source port << 16 | destination port. Sums over an interval (page allocation, socket volumes):
// operations, bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bpf/wire.h"
#include "hal/call_table.h"
#include "hal/event.h"

namespace ingero::kernelside {

// WIRE_EXEC, WIRE_EXIT, WIRE_FORK, WIRE_OOM. (WIRE_TRACED is news for the agent, not an event: false.)
// The subject of a fork is the parent, of the others the process itself.
bool task_event(std::span<const std::byte> bytes, const hal::CallTable& calls, hal::Event& event);

// WIRE_BLOCK: from issue to completion.
bool block_event(std::span<const std::byte> bytes, const hal::CallTable& calls, hal::Event& event);

// WIRE_TCP. pid 0: the socket's owner is not known; `socket_inode` (0: none) lets proc.h's resolver find it.
bool tcp_event(std::span<const std::byte> bytes, const hal::CallTable& calls, hal::Event& event, hal::TcpDetail& detail,
               uint64_t& socket_inode);

// WIRE_PROCESS: the last counters of a process that ended.
bool process_end(std::span<const std::byte> bytes, wire_process& counters, uint64_t& mono_ns);

// What a process's counters gained between two readings, as one event per kind of counter that moved, at the time of
// the second: events come in the order of time, and one about a second ago would be late. It has no duration:
// the interval's length is ours, not the operations'. Counters of another process (pid reused: the start differs) or
// running backwards count as starting from zero.
std::vector<hal::Event> counter_events(const wire_process& before, const wire_process& now, uint64_t now_mono_ns,
                                       const hal::CallTable& calls);

}  // namespace ingero::kernelside
