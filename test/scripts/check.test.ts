import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

/** A folder with the script alone, and a program `npm` that notes what it is asked for, and fails if that is FAILING. */
const folder = mkdtempSync(join(tmpdir(), 'staffing-check-'));
mkdirSync(join(folder, 'scripts'));
cpSync('scripts/check.sh', join(folder, 'scripts/check.sh'));
const noted = join(folder, 'noted');
const npm = `#!/bin/sh\necho "$*" >>"${noted}"\necho "output of $*"\n[ "$*" != "$FAILING" ]\n`;
writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 });
after(() => rmSync(folder, { recursive: true }));

/** Runs the script. @returns its status, what it prints and what it has asked npm for */
const run = (failing = '') => {
  writeFileSync(noted, '');
  const env = { PATH: `${folder}:${process.env.PATH}`, FAILING: failing };
  const { status, stdout } = spawnSync('scripts/check.sh', { cwd: folder, env, encoding: 'utf8' });
  return { status, printed: stdout, commands: readFileSync(noted, 'utf8').trim().split('\n') };
};

const passing = run();

test('npm run check and .ci/run run one script, which ends with the tests; CI has all of them on both databases', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  assert.equal(scripts.check, 'scripts/check.sh');
  const lines = readFileSync('.ci/run', 'utf8').trim().split('\n');
  assert.deepEqual(lines.slice(-2), ['export TEST_DATABASES=both', 'exec scripts/check.sh']);
  assert.equal(passing.status, 0);
  assert.equal(passing.commands.at(-1), 'test');
  for (const command of passing.commands) assert.equal(passing.printed.split(`output of ${command}\n`).length, 2);
});

test('it verifies, runs benchmarks, has faults happen, and breaks ten guards that the commit chooses', () => {
  const all = ['run verify', 'run bench -- --short', 'run bench growth -- --short', 'run bench workers -- --short'];
  const more = ['run --silent faults -- --short', 'run --silent mutate -- --sample 10 --seed 0x1 --minutes 5 --trust'];
  for (const command of [...all, ...more]) assert.ok(passing.commands.includes(command), command);
  assert.match(readFileSync('scripts/check.sh', 'utf8'), /--seed "0x\$\(git rev-parse --short=7 HEAD /);
});

test('the tests of the database, which it runs on the oldest Postgres, are all but those of the embedded database', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const patterns = [...(scripts['test:database'] ?? '').matchAll(/'([^']+)'/g)].map(([, pattern = '']) => pattern);
  assert.deepEqual(
    globSync(patterns).sort(),
    globSync('test/db/**/*.test.ts')
      .filter(path => !path.startsWith('test/db/embedded/'))
      .sort(),
  );
});

for (const command of passing.commands)
  test(`it fails if ${command} fails, and runs no tests then`, () => {
    const { status, commands, printed } = run(command);
    assert.notEqual(status, 0);
    assert.equal(commands.filter(asked => asked === 'test').length, command === 'test' ? 1 : 0);
    assert.equal(printed.trim().split('\n').at(-1), `output of ${command}`);
  });

test('it says after how long each lane has ended and how, and prints last what one that has failed has printed', () => {
  for (const lane of ['checks', 'databases', 'trials'])
    assert.match(passing.printed, new RegExp(`^${lane}: exit status 0 after \\d+ seconds$`, 'm'));
  const lines = run('run verify').printed.trim().split('\n');
  assert.match(lines.find(line => line.startsWith('checks: ')) ?? '', /^checks: exit status 1 after \d+ seconds$/);
  assert.deepEqual(lines.slice(-3), [
    'output of run bench growth -- --short',
    'checks failed with exit status 1, having printed:',
    'output of run verify',
  ]);
});
