# fabric.sh: the fabric's figures, the kernel's next to the recording's. Sourced by roce.sh and roce_pair.sh after checks.sh.
hw=/sys/class/infiniband/rxe0/ports/1/hw_counters
# Index of the address 10.9.0.x among the port's GIDs.
gid_index() { local i g; for i in 0 1 2 3 4 5; do g=$(cat /sys/class/infiniband/rxe0/ports/1/gids/$i 2>/dev/null); [[ $g == *:ffff:0a09:* ]] && { echo $i; return; }; done; }
# Every counter file of the port: sysfs, `rdma statistic` and the recording. counters CASE DB METRICS
counters() {
  local f name kernel netlink recorded shown statistic; statistic=" $(rdma statistic show link rxe0/1) "
  for f in $hw/*; do
    name=${f##*/}; [[ $name == lifespan ]] && continue
    kernel=$(cat "$f"); netlink=$(sed -n "s/.* $name \([0-9]*\) .*/\1/p" <<<"$statistic")
    recorded=$(sql "$2" "SELECT value FROM fabric_samples WHERE device = 'rxe0' AND port = 1 AND name = '$name' ORDER BY timestamp DESC LIMIT 1")
    shown=$(sed -n "s/^ingero_rdma_$name{.*} //p" "$3" | head -n 1)
    check "$1" "$name" "$kernel $netlink" "$recorded $recorded"
    [[ -z $3 || $shown == "$kernel" ]] || check "$1" "$name (metric)" "$kernel" "$shown"
  done
}
# Queue pair numbers that programs printed, and those of ibv_create_qp. queue_pairs CASE DB FILE...
queue_pairs() {
  local what=$1 db=$2 printed recorded; shift 2
  printed=$(sed -n 's/.*local address:.*QPN 0x\([0-9a-f]*\).*/\1/p' "$@" | while read -r n; do echo $((16#$n)); done | sort -n | tr '\n' ' ')
  recorded=$(sql "$db" "SELECT handle2 FROM events WHERE call = 'ibv_create_qp' AND handle2 IS NOT NULL ORDER BY 1" | sort -n | tr '\n' ' ')
  check "$what" "queue pairs ($(wc -w <<<"$printed"))" "$printed" "$recorded"
}
