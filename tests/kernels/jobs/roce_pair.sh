# roce_pair.sh: two guests on one wire, a soft-RoCE adapter on each one's card. me=1 serves; me=2 traces, twice:
#   healthy  ib_send_bw, one message at a time, with a long timer (ibv_rc_pingpong's fixed 67 ms run out in an emulator without any
#            loss, and what is sent again is counted): no cause is reported
#   loss     ibv_rc_pingpong, with LOSS per cent of what it sends dropped by netem: the retries and the process that took them are named
# In both every counter is the kernel's. settings: me=1|2 LOSS=2 ITERATIONS=100
# In the guests: as roce.sh, tc. Modules: virtio_pci virtio_net ib_uverbs rdma_rxe sch_netem.
. ./checks.sh; . ./fabric.sh; LOSS=2 ITERATIONS=100 PATIENT="-F -u 18 -n 100 -s 1024 -t 1 -Q 1"; . ./settings
dev=$(ls /sys/class/net | grep -v -E '^lo$' | head -n 1); ip addr add "10.9.0.$me/24" dev "$dev"; ip link set "$dev" up; sleep 2
rdma link add rxe0 type rxe netdev "$dev" || exit 1
for i in 1 2 3 4 5; do gid=$(gid_index); [[ -n $gid ]] && break; sleep 1; done
if [[ $me == 1 ]]; then
  timeout 200 ib_send_bw -d rxe0 -x "$gid" $PATIENT >/out/bw 2>&1; check server "ib_send_bw" 0 $?
  timeout 200 ibv_rc_pingpong -d rxe0 -g "$gid" -p 18002 -n "$ITERATIONS" >/out/pp 2>&1; check server "ping-pong" 0 $?
  sleep 3; note server "$(rdma statistic show link rxe0/1)"; finish
fi
for ((i = 0; i < 60; i++)); do ping -c 1 -W 1 10.9.0.1 >/dev/null 2>&1 && break; sleep 1; done
for what in healthy loss; do
  db=/out/$what.db; record "$db" --rdma-verbs --rdma-interval 1s || { check $what "the agent starts" yes no; finish; }
  program="ib_send_bw -d rxe0 -x $gid $PATIENT"
  [[ $what == healthy ]] || { program="ibv_rc_pingpong -d rxe0 -g $gid -p 18002 -n $ITERATIONS"; tc qdisc add dev "$dev" root netem loss "$LOSS%"; }
  retries=$(cat $hw/completer_retry_err)
  for i in 1 2 3 4 5 6 7 8; do timeout 150 $program 10.9.0.1 >/out/$what.pp.c 2>&1; ending=$?; [[ $ending == 0 ]] && break; sleep 1; done
  check $what "${program%% *}" 0 $ending; note $what "$(tail -n 1 /out/$what.pp.c); $(($(cat $hw/completer_retry_err) - retries)) retries counted by the kernel"
  [[ $what == healthy ]] || note loss "$(tc -s qdisc show dev "$dev" | tr '\n' ' ')"
  sleep 2; metrics /out/$what.metrics; stop_recording; check $what "the agent ends well" 0 $?
  counters $what "$db" /out/$what.metrics
  [[ $ending != 0 || $i != 1 ]] || queue_pairs $what "$db" /out/$what.pp.c
  ingero explain --db "$db" >/out/$what.explain 2>&1
  grep -E '^\[|Root cause' /out/$what.explain | cut -c 1-300 | while read -r line; do note $what "$line"; done
  if [[ $what == healthy ]]; then
    silent healthy "the fabric is accused" /out/healthy.explain '(FABRIC|rxe0)'
  else
    says loss "explain names the loss" /out/loss.explain 'rxe0 port 1.*(lost|retr)|(lost|retr).*rxe0 port 1'
    says loss "explain names the ping-pong" /out/loss.explain "rxe0 port 1.*ibv_rc_pingpong .pid $(sql "$db" "SELECT max(pid) FROM events WHERE call = 'ibv_create_qp'")"
    for n in $(sql "$db" "SELECT name FROM fabric_samples WHERE delta > 0 AND name IN ('completer_retry_err', 'rcvd_seq_err', 'duplicate_request', 'out_of_seq_request') GROUP BY 1"); do says loss "explain names $n" /out/loss.explain "$n"; done
  fi
done
finish
