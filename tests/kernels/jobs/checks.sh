# checks.sh: what jobs of the kernel laboratory say, one line a check, and how a job ends. Sourced by the jobs next to it.
#
#   check ok|FAIL CASE WHAT: KERNEL | RECORDED     a figure of the kernel (or of a program) next to the recording's
#   note CASE TEXT                                 what has no right or wrong
# A job ends with `finish`: status 1 when a check failed, or when there was none.
checks=0 failed=0
check() {  # CASE WHAT EXPECTED FOUND
  checks=$((checks + 1))
  local word=ok; [[ $3 == "$4" ]] || { word=FAIL; failed=$((failed + 1)); }
  echo "check $word $1 $2: $3 | ${4:-absent}"
}
# The file has a line that matches / has none: what explain says of a cause, and of a healthy machine.
says() { local found; found=$(grep -m 1 -E "$4" "$3" | cut -c 1-200); check "$1" "$2" yes "$([[ -n $found ]] && echo yes || echo no)"; [[ -z $found ]] || note "$1" "$found"; }
silent() { local found; found=$(grep -m 1 -E "$4" "$3" | cut -c 1-200); check "$1" "$2" no "$([[ -n $found ]] && echo "yes: $found" || echo no)"; }
note() { echo "note $1 $2"; }
finish() { echo "checks: $checks, failed: $failed"; [[ $failed == 0 && $checks -gt 0 ]]; exit; }
sql() { ingero query --db "$1" "$2" --csv 2>/out/query.err | tail -n +2 | tr -d '\r'; }  # rows without their heading
# Starts a recording and waits until its metrics answer: probes are attached then. record DB ARGUMENT...
record() {
  local db=$1 i; shift
  ingero trace "$@" --prometheus 127.0.0.1:9464 --stack off --db "$db" >/out/trace.out 2>"/out/$(basename "$db").err" & agent=$!
  for ((i = 0; i < 60; i++)); do sleep 0.5; wget -qO- http://127.0.0.1:9464/metrics >/dev/null 2>&1 && return 0; kill -0 $agent || return 1; done
  return 1
}
metrics() { wget -qO- http://127.0.0.1:9464/metrics >"$1"; }
stop_recording() { kill -INT $agent; wait $agent; }
