import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { signalTo } from '../../../scripts/faults/signal-to.ts';

test('a signal reaches a process that runs; one that has ended since it was listed is no error', async () => {
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 60_000)']);
  const pid = child.pid as number;
  assert.equal(signalTo(pid, 'SIGKILL'), true);
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL');
  assert.equal(signalTo(pid, 'SIGKILL'), false);
  assert.throws(() => signalTo(pid, 'SIGNOTHING' as NodeJS.Signals), { code: 'ERR_UNKNOWN_SIGNAL' });
});
