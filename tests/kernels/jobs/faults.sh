# faults.sh: faults that the kernel makes and counts itself, each compared with what the recording holds:
#   tcp       netem loss and delay between two network namespaces: retransmissions
#   slow      null_blk with a completion time: every request, none quicker than that
#   failing   null_blk with bad blocks: every request that failed
#   flakey    dm-flakey above null_blk: the requests of the device below, and the errors that never become requests
#   cpu       cgroup v2 cpu.max: periods and time
#   io        cgroup v2 io.max: every request, held back before it is one
#   oom       cgroup v2 memory.max: the process that was killed
#   memory    cgroup v2 memory.max: what was evicted, and read again
# In the guest: ingero ip tc dmsetup. Modules: veth sch_netem null_blk dm-mod dm-flakey. settings: WHAT="tcp slow ..."
. ./checks.sh; [[ -f settings ]] && . ./settings

# A recording of one command: traced DB COMMAND...
traced() { local db=$1; shift; ingero trace --stack off --db "$db" -- "$@" >"/out/$what.out" 2>"/out/$what.err"; }
reads() { awk '{ print $1 }' "/sys/block/$1/stat"; }
writes() { awk '{ print $5 }' "/sys/block/$1/stat"; }
field() { awk -v name="$2" '$1 == name { print $2 }' "$1"; }
recorded() { sql "$db" "SELECT count(*) FROM events WHERE op_name = '$1' ${2:-}"; }
null_blk() {  # NAME SETTING=VALUE...: makes it
  local dir=/sys/kernel/config/nullb/$1 one; shift
  mkdir "$dir" || return 1
  for one in size=64 queue_mode=2 "$@"; do echo "${one#*=}" >"$dir/${one%%=*}" || echo "null_blk: $one was refused"; done
  echo 1 >"$dir/power"
}
mount -t configfs none /sys/kernel/config 2>/dev/null; mkdir -p /out
echo "+cpu +io +memory" >/sys/fs/cgroup/cgroup.subtree_control

tcp() {
  ip netns add far 2>/dev/null || { mkdir -p /run/netns; ip netns add far; }
  ip link add v0 type veth peer name v1 netns far; ip addr add 10.8.0.1/24 dev v0; ip link set v0 up
  ip netns exec far ip addr add 10.8.0.2/24 dev v1; ip netns exec far ip link set v1 up; ip netns exec far ip link set lo up
  ip link set v0 gso_max_segs 1  # a retransmission is then one segment
  ip link set v0 mtu 1000; tc qdisc add dev v0 root netem loss 3% delay 4ms; sleep 1
  ip netns exec far nc -l -p 5201 >/out/tcp.received & local server=$! i
  for ((i = 0; i < 50; i++)); do ip netns exec far netstat -ltn | grep -q :5201 && break; sleep 0.2; done
  local before after skbs; before=$(awk '/^Tcp:/ { n = $13 } END { print n }' /proc/net/snmp)
  echo 'hist:keys=common_pid.execname' >/sys/kernel/tracing/events/tcp/tcp_retransmit_skb/trigger
  traced "$db" bash -c 'dd if=/dev/zero bs=1k count=4000 2>/dev/null | nc 10.8.0.2 5201; sleep 2'
  after=$(awk '/^Tcp:/ { n = $13 } END { print n }' /proc/net/snmp)
  skbs=$(sed -n 's/.*hitcount: *\([0-9]*\).*/\1/p' /sys/kernel/tracing/events/tcp/tcp_retransmit_skb/hist | awk '{ n += $1 } END { print n + 0 }')
  check tcp "bytes that arrived" 4096000 "$(stat -c %s /out/tcp.received)"; rm -f /out/tcp.received
  note tcp "netem: $(tc -s qdisc show dev v0 | grep -o 'Sent.*dropped [0-9]*'), TCP timeouts and fast retransmits: $(awk '/^TcpExt:/ { if (!h) { split($0, h) } else { for (i in h) if (h[i] ~ /^TCP(Timeouts|FastRetrans|LostRetransmit|SlowStartRetrans)$/) printf "%s %s ", h[i], $i } }' /proc/net/netstat)"
  check tcp "retransmitted segments (RetransSegs)" "$((after - before))" "$(recorded tcp_retransmit)"
  check tcp "retransmitted packets (tracepoint's own count)" "$skbs" "$(recorded tcp_retransmit)"
  check tcp "there were some" yes "$([[ $((after - before)) -gt 3 ]] && echo yes || echo no)"
  check tcp "of the connection's peer" "$(recorded tcp_retransmit)" "$(sql "$db" "SELECT count(*) FROM tcp_events WHERE dport = 5201")"
  kill $server 2>/dev/null; ip link del v0
}
slow() {
  null_blk slow irqmode=2 completion_nsec=3000000 || return
  local before; before=$(reads slow)
  traced "$db" dd if=/dev/slow of=/dev/null bs=4k count=300 iflag=direct
  check slow "reads" "$(($(reads slow) - before))" "$(recorded block_read)"
  check slow "quicker than the device's 3 ms" 0 "$(recorded block_read 'AND duration < 3000000')"
  note slow "mean $(sql "$db" "SELECT round(avg(duration) / 1e6, 2) FROM events WHERE op_name = 'block_read'") ms"
  before=$(writes slow)
  traced "$db.w" dd if=/dev/zero of=/dev/slow bs=64k count=100 oflag=direct
  db=$db.w; check slow "writes" "$(($(writes slow) - before))" "$(recorded block_write)"
  check slow "bytes written" $((100 * 65536)) "$(sql "$db" "SELECT sum(bytes) FROM events WHERE op_name = 'block_write'")"
}
failing() {
  null_blk bad irqmode=1 badblocks=+80-87 || return  # sectors 80 to 87: one block of 4 kB
  local before i script='for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do dd if=/dev/bad of=/dev/null bs=4k count=1 skip=$i iflag=direct 2>/dev/null; done; exit 0'
  before=$(reads bad); traced "$db" bash -c "$script"
  note failing "$(dmesg | grep -c 'I/O error, dev bad') errors in the kernel's log, $(($(reads bad) - before)) reads in the device's own count"
  check failing "requests" "$(($(reads bad) - before))" "$(recorded block_read)"
  check failing "failed requests" "$(dmesg | grep -c 'I/O error, dev bad')" "$(recorded block_read 'AND failed = 1')"
}
flakey() {
  null_blk below irqmode=1 || return
  dmsetup create flakey --table "0 $(cat /sys/block/below/size) flakey /dev/below 0 2 1" >/dev/null || { check flakey "dm-flakey" made "not made"; return; }
  [[ -b /dev/mapper/flakey ]] || dmsetup mknodes
  local dm; dm=$(basename "$(readlink -f /dev/mapper/flakey)"); [[ -d /sys/block/$dm ]] || dm=dm-0
  local before above; before=$(reads below) above=$(reads "$dm")
  # Two seconds up, one down: reads fail while it is down.
  traced "$db" bash -c 'ok=0 bad=0; for ((i = 0; i < 120; i++)); do if dd if=/dev/mapper/flakey of=/dev/null bs=4k count=1 skip=$i iflag=direct 2>/dev/null; then ok=$((ok + 1)); else bad=$((bad + 1)); fi; sleep 0.03; done; echo "$ok $bad" >/out/flakey.truth; exit 0'
  local ok bad; read -r ok bad </out/flakey.truth; note flakey "$ok reads ended well and $bad failed; $dm counted $(($(reads "$dm") - above))"
  check flakey "requests of the device below" "$(($(reads below) - before))" "$(recorded block_read)"
  check flakey "reads that ended well" "$ok" "$(recorded block_read 'AND NOT coalesce(failed, 0)')"
  dmsetup remove flakey
}
cpu() {
  local group=/sys/fs/cgroup/limited; mkdir $group; echo "20000 100000" >$group/cpu.max
  traced "$db" bash -c "echo \$\$ >$group/cgroup.procs; sleep 2.5; end=\$((SECONDS + 5)); while ((SECONDS < end)); do :; done; exit 0"
  local periods usec; periods=$(field $group/cpu.stat nr_throttled) usec=$(field $group/cpu.stat throttled_usec)
  check cpu "throttled periods" "$periods" "$(sql "$db" "SELECT sum(periods) FROM cgroup_throttling WHERE path = '/limited'")"
  check cpu "throttled time (us)" "$usec" "$(sql "$db" "SELECT sum(throttled_ns) / 1000 FROM cgroup_throttling WHERE path = '/limited'")"
  rmdir $group
}
io() {
  null_blk held irqmode=1 || return
  local group=/sys/fs/cgroup/held; mkdir $group; echo "$(cat /sys/block/held/dev) riops=50" >$group/io.max
  local before issue=/sys/kernel/tracing/events/block/block_rq_issue; before=$(reads held)
  echo 'hist:keys=common_pid.execname' >$issue/trigger
  traced "$db" bash -c "echo \$\$ >$group/cgroup.procs; dd if=/dev/held of=/dev/null bs=4k count=150 iflag=direct 2>/dev/null"
  # What io.max held back is given to the device by a kernel thread, which cannot be traced (docs/limits.md).
  local others; others=$(sed -n 's/.*common_pid: kworker.*hitcount: *\([0-9]*\).*/\1/p' $issue/hist | awk '{ n += $1 } END { print n + 0 }')
  echo '!hist:keys=common_pid.execname' >$issue/trigger
  note io "$others of $(($(reads held) - before)) reads were held back"
  check io "reads of the control group" "$(sed -n 's/.*rios=\([0-9]*\).*/\1/p' $group/io.stat)" "$(($(reads held) - before))"
  check io "reads of the device, less those held back" "$(($(reads held) - before - others))" "$(recorded block_read)"
  rmdir $group
}
oom() {
  local group=/sys/fs/cgroup/small; mkdir $group; echo 32M >$group/memory.max; echo 0 >$group/memory.swap.max 2>/dev/null
  traced "$db" bash -c "(echo \$BASHPID >$group/cgroup.procs; echo \$BASHPID >/out/oom.pid; exec tail /dev/zero); echo \"ended with \$?\"; sleep 1; exit 0"
  check oom "kills (memory.events)" "$(field $group/memory.events oom_kill)" "$(recorded oom_kill)"
  check oom "who" "$(cat /out/oom.pid)" "$(sql "$db" "SELECT coalesce(arg1, pid) FROM events WHERE op_name = 'oom_kill'")"
  ingero explain --db "$db" >/out/oom.explain; says oom "explain names it" /out/oom.explain "pid $(cat /out/oom.pid)"
  rmdir $group
}
memory() {
  null_blk again irqmode=1 || return
  local group=/sys/fs/cgroup/again; mkdir $group; echo 24M >$group/memory.max; echo 0 >$group/memory.swap.max 2>/dev/null
  # Open all the while: else what was read is forgotten. Once through fills it; only then is the limit of interest, and what it did before is not counted.
  traced "$db" bash -c "exec 9</dev/again; echo \$\$ >$group/cgroup.procs; dd if=/dev/again of=/dev/null bs=64k 2>/dev/null; sleep 2.5; cat $group/memory.stat >/out/memory.before; for i in 1 2 3; do dd if=/dev/again of=/dev/null bs=64k 2>/dev/null; sleep 0.5; done; sleep 1.5; cat $group/memory.stat >/out/memory.after; exit 0"
  local pages; pages=$(($(field /out/memory.after workingset_refault_file) - $(field /out/memory.before workingset_refault_file)))
  check memory "bytes read again (workingset_refault_file)" "$((pages * 4096))" "$(sql "$db" "SELECT sum(reread_bytes) FROM (SELECT max(reread_bytes) AS reread_bytes FROM cgroup_memory WHERE path = '/again' GROUP BY mono_ns)")"
  check memory "there were some" yes "$([[ $pages -gt 1000 ]] && echo yes || echo no)"
  check memory "limit" "memory.max $((24 << 20))" "$(sql "$db" "SELECT DISTINCT limit_name || ' ' || limit_bytes FROM cgroup_memory WHERE path = '/again'")"
  check memory "how long is known" yes "$(sql "$db" "SELECT CASE WHEN count(*) = count(stalled_ns) AND count(*) > 0 THEN 'yes' ELSE 'no' END FROM cgroup_memory")"
  rmdir $group
}

for what in ${WHAT:-tcp slow failing flakey cpu io oom memory}; do
  db=/out/$what.db; $what
  lost=$(sql "$db" "SELECT group_concat(name || ' ' || count, ', ') FROM loss WHERE severity <> 'info'"); note "$what" "losses: ${lost:-none}"
  rm -f "$db" "$db.w"  # large, for the wire out of a guest
done
finish
