#!/bin/sh
# Runs every test of a build folder and ends with how many passed, failed and were skipped, and why:
# run_tests.sh BUILD_DIR JOBS [ctest arguments]. The exit status is 0 only when none failed.
set -u
build=$1
jobs=$2
shift 2
if [ "$(id -u)" -ne 0 ]; then
  echo "The tests that place probes need root, because the kernel lets only the privileged watch other processes:" \
    "they are skipped (sudo make test runs them); the rest runs."
fi
# Recordings of the legacy agent, where they are at hand; tests that need them say so when they do not.
samples=${INGERO_SAMPLES:-$(dirname "$0")/../../shared/data}
if [ -d "$samples" ]; then
  INGERO_SAMPLES=$(cd "$samples" && pwd)
  INGERO_LEGACY_SAMPLES=${INGERO_LEGACY_SAMPLES:-$INGERO_SAMPLES}
  export INGERO_SAMPLES INGERO_LEGACY_SAMPLES
fi
if grep -q '^INGERO_SANITIZE:.*thread' "$build/CMakeCache.txt"; then
  TSAN_OPTIONS=suppressions=$(cd "$(dirname "$0")/.." && pwd)/tests/tsan_suppressions
  export TSAN_OPTIONS
fi
report=$(cd "$build" && pwd)/test_report.xml
rm -f "$report"
# The size limits keep ctest from cutting away the reasons of skips.
# Two more than there are CPUs: those of the cluster only wait, and half of the time those that place probes do.
ctest --test-dir "$build" --no-tests=error --parallel "$((jobs + 2))" --output-on-failure --quiet \
  --test-output-size-passed 100000 --test-output-size-failed 1000000 --output-junit "$report" "$@"
status=$?
python3 "$(dirname "$0")/test_summary" "$report" || status=1
exit $status
