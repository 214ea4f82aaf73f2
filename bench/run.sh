#!/bin/sh
# `make bench`: every figure with its bound, in one table. run.sh BUILD_DIR
#
# Ratios of samples taken in turns, target pinned on core 0, agent on core 1. On a busy machine repeat it: a ratio that
# moves between runs is not a result. Needs root for all but the store and the normaliser; says so where it skips.
#   INGERO_BENCH_DIR   where databases of up to 1 GB may lie (default: a new folder under TMPDIR or /tmp)
set -eu
build=$1
bench=$build/bench
made=
if [ -z "${INGERO_BENCH_DIR:-}" ]; then
  made=$(mktemp -d "${TMPDIR:-/tmp}/ingero-bench.XXXXXX")
  trap 'rm -rf "$made"' EXIT
fi
directory=${INGERO_BENCH_DIR:-$made}

as_root() {
  if [ "$(id -u)" -ne 0 ] && command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"; else "$@"; fi
}

# One part that cannot run does not keep the others from it.
failed=
part() { "$@" || failed=yes; }

echo "$(nproc) cores, $(uname -r), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
part as_root "$bench/capture_bench"
part as_root "$bench/backends_bench"
part as_root "$bench/sched_bench"
part as_root "$bench/drain_bench" "--directory=$directory"
part as_root "$bench/watch_bench" "--directory=$directory"
part as_root "$bench/stop_bench"
part as_root python3 -B "$(dirname "$0")/interfaces.py" "$build" "--directory=$directory"
echo
echo "== the writer, summaries and replay"
part "$bench/store_bench" 400000 10000000 "$directory"
echo
echo "== normalising one record"
part "$bench/event_bench" --benchmark_min_time=0.2
echo
echo "== probes on a single-stepped instruction, in the vendors' libraries of this machine"
found=
for library in /usr/local/cuda*/lib*/libcudart.so.[0-9]* /usr/lib/*/libcuda.so.1 /usr/lib/*/libcudart.so.[0-9]* \
  /usr/lib/*/libamdhip64.so.[0-9] /opt/rocm*/lib/libamdhip64.so.[0-9] ${INGERO_BENCH_LIBRARIES:-}; do
  if [ -e "$library" ]; then
    found=yes
    "$build/cli/ingero" check --json --library "$library" | "$(dirname "$0")/single_stepped.py" "$library" || true
  fi
done
[ -n "$found" ] || echo "skipped (no vendor library here; name some in INGERO_BENCH_LIBRARIES)"
[ -z "$failed" ]
