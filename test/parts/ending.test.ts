import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';

/** Runs a file of tests as `npm test` runs all, in the first of two parts, with a short timeout. @returns the exit status and what it printed */
const run = async (t: TestContext, file: string): Promise<{ status: unknown; printed: string }> => {
  const { scripts, config } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Readonly<Record<'test', string>>;
    config: Readonly<Record<'test', string>>;
  };
  // As npm gives it to its scripts.
  const npm_package_config_test = config.test.replace(/ --test-timeout=\d+ /, ' --test-timeout=1000 ');
  assert.notEqual(npm_package_config_test, config.test);
  const env = { PATH: process.env.PATH, TEST_FILES: `parts/${file}`, npm_package_config_test };
  const child = spawn('sh', ['-c', scripts.test.replace('part-*', 'part-[12]')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  let printed = '';
  child.stdout.on('data', chunk => {
    printed += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, printed };
};

test('a run ends, failed, though a test and a hook wait forever and a server of theirs listens', async t => {
  const { status, printed } = await run(t, 'waiting.ts');
  assert.equal(status, 1);
  for (const line of ['a test that waits forever', 'timed out after 1000ms', 'a test after it', 'The last hook.'])
    assert.ok(printed.includes(line), `${line}: ${printed}`);
});

test('a run fails by a promise that is rejected and that nobody awaits', async t => {
  const { status, printed } = await run(t, 'rejecting.ts');
  assert.equal(status, 1);
  assert.ok(printed.includes('that nobody awaits'), printed);
});

test('a run fails by an error that a callback throws and that nobody catches', async t => {
  const { status, printed } = await run(t, 'throwing.ts');
  assert.equal(status, 1);
  assert.ok(printed.includes('that nobody catches'), printed);
});

test('a run of which a process is killed names the signal, and what the process wrote last', async t => {
  const { status, printed } = await run(t, 'killed.ts');
  assert.equal(status, 1);
  assert.match(printed, /ended by SIGKILL; it wrote last:\nThe last words\.\n[\s\S]*failing tests:/);
});

test('a run ends, failed, though a test keeps its process busy forever, and says what it was doing', async t => {
  const { status, printed } = await run(t, 'spinning.ts');
  assert.equal(status, 1);
  assert.match(
    printed,
    /ended by SIGKILL; it wrote last:\nThe event loop has stood still for \d+ seconds\.\n {4}at spin \(file:.*spinning\.ts:5\)/,
  );
});

test('a run ends, failed, though native code keeps its process waiting, and says what waits, where gdb is installed', async t => {
  const { status, printed } = await run(t, 'blocked.ts');
  assert.equal(status, 1);
  assert.match(printed, /ended by SIGKILL; it wrote last:\n/);
  assert.match(printed, /The event loop has stood still for \d+ seconds\.\n/);
  if (spawnSync('gdb', ['--version']).status === 0) assert.match(printed, / {4}#\d+ .*SyncProcessRunner::Spawn/);
});
