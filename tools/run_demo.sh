#!/bin/sh
# The demonstration behind `make run`: traces a small GPU workload and prints what `explain` says of the recording.
# run_demo.sh BUILD_DIR. Without root the workload still runs, and one sentence says what could not.
set -eu
build=$1
ingero=$build/cli/ingero
workload=$build/tests/workload/workload
database=$build/demo.db

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root='sudo -n'
  else
    echo "Tracing needs root (or CAP_BPF and CAP_PERFMON), because the kernel lets only the privileged place probes in" \
      "other processes: 'sudo make run' traces; here the workload runs untraced."
    echo
    exec "$workload"
  fi
fi

rm -f "$database" "$database-wal" "$database-shm"
echo "\$ ingero trace --db $database -- $workload"
$as_root "$ingero" trace --db "$database" -- "$workload"
echo
echo "\$ ingero explain --db $database"
"$ingero" explain --db "$database"
