# roce.sh: a soft-RoCE adapter on one machine, three recordings, each compared with the kernel's own figures:
#   healthy  ping-pongs (polling and waiting for events) and ib_send_bw: every counter, queue pair and memory region; no cause is reported
#   port     ibv_asyncwatch next to a ping-pong while the port goes down and comes back: events by type, time and process; both are named
#   alone    the port goes down while no verbs process runs: named from the counters
# In the guest: ingero rdma ibv_rc_pingpong ibv_asyncwatch ib_send_bw. Modules: veth ib_uverbs rdma_rxe.
# settings (a file next to this one): PINGPONGS=6 ITERATIONS=200 WHAT="healthy port alone" PROBES="NAME=OFFSET ..." LIBRARY=path
. ./checks.sh; . ./fabric.sh
PINGPONGS=6 ITERATIONS=200; [[ -f settings ]] && . ./settings
ip link add v0 type veth peer name v1; ip addr add 10.9.0.1/24 dev v0; ip link set v0 up; ip link set v1 up; sleep 1
rdma link add rxe0 type rxe netdev v0 || exit 1
for i in 1 2 3 4 5; do gid=$(gid_index); [[ -n $gid ]] && break; sleep 1; done
echo "adapter: $(rdma link show | head -n 1), GID $gid"; ingero check | grep -i -E 'rdma|adapter'

# The kernel's own count of calls into the library, by plain uprobes in addition to the agent's.
count_calls() { local p; for p in $PROBES; do echo "p:truth/${p%=*} $LIBRARY:${p#*=}" >>/sys/kernel/tracing/uprobe_events; done; echo 1 >/sys/kernel/tracing/events/truth/enable; }
counted() { awk -v n="$1" '$2 == n { sum = $3 } END { print sum + 0 }' /sys/kernel/tracing/uprobe_profile; }
stop_counting() { echo 0 >/sys/kernel/tracing/events/truth/enable; : >/sys/kernel/tracing/uprobe_events; }

pingpong() {  # NUMBER ARGUMENT...: a server and a client; their output in /out/$what.pp.NUMBER.{s,c}
  local n=$1 out=/out/$what.pp.$1; shift
  ibv_rc_pingpong -d rxe0 -g "$gid" -p $((18000 + n)) -n "$ITERATIONS" "$@" >"$out.s" 2>&1 & local server=$!
  while ! netstat -ltn | grep -q ":$((18000 + n)) "; do kill -0 $server 2>/dev/null || break; sleep 0.1; done
  ibv_rc_pingpong -d rxe0 -g "$gid" -p $((18000 + n)) -n "$ITERATIONS" "$@" 10.9.0.1 >"$out.c" 2>&1; local rc=$?
  wait $server; return $rc
}
traffic() {
  local i ended=0 waits=("" "--events")  # every other one waits for completions, the rest poll
  for ((i = 0; i < PINGPONGS; i++)); do pingpong $i ${waits[i % 2]} && ended=$((ended + 1)); done
  check "$what" "ping-pongs that ended well" "$PINGPONGS" "$ended"; note "$what" "$(tail -n 1 "/out/$what.pp.0.c")"
  ib_send_bw -d rxe0 -x "$gid" -n 200 -F >"/out/$what.bw.s" 2>&1 & local server=$!
  sleep 1; ib_send_bw -d rxe0 -x "$gid" -n 200 -F 10.9.0.1 >"/out/$what.bw.c" 2>&1; check "$what" "ib_send_bw" 0 $?; wait $server
}
port_down_and_up() { ip link set v0 down; sleep 2; check "$what" "state while down" DOWN "$(rdma link show rxe0/1 | sed -n 's/.* state \([A-Z]*\).*/\1/p')"; ip link set v0 up; sleep 2; }
diagnose() { ingero explain --db "$db" >"/out/$what.explain" 2>&1; sed -n '/CAUSAL/,/What stands out/p' "/out/$what.explain" | grep -E '^\[|Root cause' | cut -c 1-300 | while read -r line; do note "$what" "$line"; done; }

for what in ${WHAT:-healthy port alone}; do
  db=/out/$what.db; watch= beside=
  [[ -z ${PROBES:-} ]] || count_calls
  record "$db" --rdma-verbs --rdma-interval 1s || { check "$what" "the agent starts" yes no; continue; }
  # The library is probed from its first use on: calls made before that are not seen.
  [[ $what == alone ]] || { ibv_devinfo -d rxe0 >/dev/null; sleep 3; }
  case $what in
    healthy) traffic ;;
    port)
      ibv_asyncwatch -d rxe0 >/out/asyncwatch 2>&1 & watch=$!; sleep 2
      pingpong 0; sleep 2; port_down_and_up ;;
    alone) port_down_and_up ;;
  esac
  sleep 2; metrics "/out/$what.metrics"; stop_recording; check "$what" "the agent ends well" 0 $?
  counters "$what" "$db" "/out/$what.metrics"
  [[ -z $watch ]] || { kill $watch; wait $watch 2>/dev/null; }
  [[ $what == alone ]] || queue_pairs "$what" "$db" /out/$what.pp.*.[sc] $([[ $what == healthy ]] && echo /out/$what.bw.[sc])
  for p in ${PROBES:-}; do n=${p%=*}; check "$what" "calls of $n" "$(counted "$n")" "$(sql "$db" "SELECT count(*) FROM events WHERE call = '$n'")"; done
  [[ -z ${PROBES:-} ]] || stop_counting
  diagnose
  case $what in
    healthy)
      silent healthy "the fabric is accused" "/out/$what.explain" '(FABRIC|rxe0)'
      silent healthy "waiting for events counts as work" "/out/$what.explain" 'event took the most time'
      silent healthy "event metrics while nobody watches" "/out/$what.metrics" '^ingero_rdma_async_event_total' ;;
    port)
      # asyncwatch: "  event_type port error (10), port 1"
      check port "events" "$(grep -o -E '\([0-9]+\)' /out/asyncwatch | tr -d '()\n')" "$(sql "$db" "SELECT flags FROM events WHERE call = 'ibv_get_async_event' AND ret_code = 0 ORDER BY timestamp" | tr -d '\n')"
      check port "who waited for them" "$watch" "$(sql "$db" "SELECT DISTINCT pid FROM events WHERE call = 'ibv_get_async_event'" | tr '\n' ' ' | sed 's/ $//')"
      ingero query --db "$db" --op ibv_get_async_event >/out/port.events; says port "the type is in query --op" /out/port.events IBV_EVENT_PORT_ERR
      says port "explain names the port" "/out/$what.explain" 'rxe0 port 1 went down'
      says port "explain names PORT_ERR and who got it" "/out/$what.explain" "IBV_EVENT_PORT_ERR.*pid $watch|pid $watch.*IBV_EVENT_PORT_ERR"
      silent port "waiting for events counts as work" "/out/$what.explain" 'event took the most time'
      says port "the event is a metric" "/out/$what.metrics" '^ingero_rdma_async_event_total\{rdma_event_type="IBV_EVENT_PORT_ERR".*\} 1' ;;
    alone)
      says alone "explain names the port" "/out/$what.explain" 'rxe0 port 1 went down'
      silent alone "event metrics while nobody watches" "/out/$what.metrics" '^ingero_rdma_async_event_total' ;;
  esac
done
finish
