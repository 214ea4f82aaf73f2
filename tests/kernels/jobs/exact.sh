# Runs in a guest: `ingero check`, then the ground truth under each way of attaching. What it leaves in /out is compared
# on the host, call by call (lab.py): HOW.RUN.db, HOW.RUN.truth/, HOW.RUN.trace. Where there are FORKS, last: forks.db,
# forks.trace, of children that begin and end where threads do.
# The file `settings` next to it sets HOWS, RUNS, CALLS, PROCESSES, THREADS, SEED, LIBRARY_session, _multi, _perf, and FORKS.
. ./settings
export INGERO_DB=/tmp/none.db
ingero check >/out/check 2>&1
echo "CHECK status $?"
verifier_cost >/out/verifier_cost 2>&1
bad=0
for how in $HOWS; do
  for run in $(seq $RUNS); do
    name=/out/$how.$run library=LIBRARY_$how
    mkdir $name.truth
    timeout "${LIMIT:-400}" ingero trace --attach $how --ringbuf-size 64m --db $name.db -- ground_truth --library ${!library} \
      --log $name.truth --calls $CALLS --processes $PROCESSES --threads $THREADS --seed $((SEED + run)) \
      >$name.trace 2>&1
    status=$?
    [ $status = 0 ] || bad=1
    echo "TRACE $how $run status $status"
  done
done
if [ "${FORKS:-0}" != 0 ]; then
  timeout "${LIMIT:-400}" ingero trace --stack off --ringbuf-size 64m --db /out/forks.db -- crowded_forks "$LIBRARY_perf" \
    $FORKS >/out/forks.trace 2>&1
  echo "FORKS status $?"
fi
exit $bad
