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

# The oldest Postgres that is supported, where it is installed.
oldest() {
  if [ -x $postgres/postgres ]; then
    TEST_POSTGRES_BIN=$postgres TEST_DATABASES=postgres npm run test:database
  else
    echo 'no postgresql-15: the database tests run on Postgres 18 only'
  fi
}

trials() {
  # Whether the benchmark works; its figures are those of this machine at this moment.
  npm run bench -- --short
  npm run bench growth -- --short
  npm run bench workers -- --short
  # Whether acknowledged writes survive, in short.
  npm run --silent faults -- --short
}

# All at once, since each waits for a part of its time. What the first two print follows the third, which takes longest.
printed=$(mktemp -d)
show() { cat "$printed"/*; rm -r "$printed"; }
trap 'wait; show' EXIT
checks >"$printed/1" 2>&1 &
checking=$!
oldest >"$printed/2" 2>&1 &
aging=$!
trials
wait $checking
wait $aging
trap - EXIT
show
npm test
