#!/usr/bin/env bash
# The gate, for `npm run check` and `.ci/run`; the tests are last, so that it ends with their summary.
set -euo pipefail
cd "$(dirname "$0")/.."
postgres=/usr/lib/postgresql/15/bin

checks() {
  npm run verify
  # Whether ten of the guards, others for each commit, have tests that fail without them; the tests run below as they are.
  npm run --silent mutate -- --sample 10 --seed "0x$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1)" --minutes 5 --trust
}

# The oldest Postgres that is supported, where it is installed; then whether benchmarks work: their figures are those of this moment.
databases() {
  if [ -x $postgres/postgres ]; then
    TEST_POSTGRES_BIN=$postgres TEST_DATABASES=postgres npm run test:database
  else
    echo 'no postgresql-15: the database tests run on Postgres 18 only'
  fi
  npm run bench -- --short
  npm run bench workers -- --short
}

trials() {
  # Whether acknowledged writes survive, in short. It waits for most of its time.
  npm run --silent faults -- --short
  npm run bench growth -- --short
}

# They take about as long.
lanes='checks databases trials'
printed=$(mktemp -d)

# Runs a lane; says how it has ended, and after how long.
lane() {
  local status=0
  "$1" >"$printed/$1" 2>&1 &
  wait $! || status=$?
  echo $status >"$printed/$1.status"
  echo "$1: exit status $status after $SECONDS seconds"
}

# What the lanes have printed, of those that have failed last. Returns whether all have passed.
show() {
  local failed='' each
  for each in $lanes; do
    if [ "$(cat "$printed/$each.status")" = 0 ]; then cat "$printed/$each"; else failed="$failed $each"; fi
  done
  for each in $failed; do
    echo "$each failed with exit status $(cat "$printed/$each.status"), having printed:"
    cat "$printed/$each"
  done
  rm -r "$printed"
  [ -z "$failed" ]
}

# All at once, since each waits for a part of its time. An interruption shows what they have printed, too.
trap 'wait; show' EXIT
for each in $lanes; do lane "$each" & done
wait
trap - EXIT
show
npm test
