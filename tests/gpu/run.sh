#!/bin/sh
# The check on a real NVIDIA GPU: traces three PyTorch programs, compares per-call counts with torch.profiler (CUPTI) in
# the same run, and throughput with and without tracing in interleaved segments of one process.
#
#   run.sh [FOLDER for the results, default ./gpu_result] [further flags of measure.py]
#
# Self-contained: copy tests/gpu and an ingero to the machine (tools/bundle.sh packs both; it needs glibc and libstdc++).
# INGERO: the program, default the bundle's or build/release/cli/ingero. PYTHON: an interpreter with torch.
# Exit status: 0 equal, 1 counts differ, 2 a part could not be run, 77 something is missing here (said in one sentence).
set -u
here=$(cd "$(dirname "$0")" && pwd)

missing() {
  echo "gpu check not run: $1" >&2
  exit 77
}

ingero=${INGERO:-}
for candidate in "$here/../../bin/ingero" "$here/../../build/release/cli/ingero"; do
  [ -n "$ingero" ] || [ ! -x "$candidate" ] || ingero=$candidate
done
python=${PYTHON:-python3}
out=${1:-gpu_result}
[ $# -eq 0 ] || shift

[ -e /dev/nvidiactl ] || missing "there is no NVIDIA GPU driver on this machine (/dev/nvidiactl does not exist)"
command -v "$python" >/dev/null || missing "there is no $python (PYTHON names the interpreter)"
"$python" -c 'import torch' 2>/dev/null || missing "$python has no torch (PYTHON names an interpreter that has)"
"$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
  missing "torch of $python sees no CUDA device"
[ -x "$ingero" ] || missing "no ingero program was found (INGERO names it)"
[ "$(id -u)" -eq 0 ] || missing "tracing needs root"
"$ingero" check >/dev/null || missing "'$ingero check' says that this machine cannot be traced"

mkdir -p "$out"
{
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv
  "$ingero" version
  "$ingero" check
} >"$out/machine.txt" 2>&1
exec "$python" -B "$here/measure.py" --ingero "$ingero" --out "$out" "$@"
