// What a thread that submits GPU work does with its time, as hal/time_class.h has it: the words of each class, in the
// order in which they are stacked. The colour of a class is that of its name in style.css.
export const WORDS = {
  device_wait: "waiting for the device", communication: "waiting for a collective", submit: "submitting", copy: "copying",
  allocate: "allocating", other_call: "other GPU calls", host: "host code", page_fault: "page faults",
  cpu_wait: "waiting for a CPU", throttled: "throttled (CPU quota)", stopped: "stopped", disk: "waiting for a disk",
  reclaim: "memory reclaim", pipe: "waiting for a pipe", socket: "waiting for a socket", futex: "waiting for a lock",
  poll: "waiting in poll", child: "waiting for a child", sleep: "sleeping", driver: "waiting in a driver",
  other_wait: "waiting for something else", blocked: "blocked (not recorded on what)", unknown: "not known",
};
const ORDER = Object.keys(WORDS);

export const wordsOf = (name) => WORDS[name] ?? String(name).replaceAll("_", " ");
// Of a class that this page does not know yet: behind the others, in the colour of what is not known.
export const inkOf = (name) => (name in WORDS ? `t-${name}` : "t-unknown");
const place = (name) => (name in WORDS ? ORDER.indexOf(name) : ORDER.length);
export const inOrder = (classes) => [...classes].sort((one, other) => place(one.name) - place(other.name));
