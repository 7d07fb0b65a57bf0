import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { LockedError, takeLock } from '../../../src/db/embedded/lock-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'staffing-lock-'));
after(() => rmSync(folder, { recursive: true }));

/** A process that ran and ended. */
const deadPid = async (): Promise<number> => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid as number;
};

/** Processes that take the lock at the same moment, hold it until all have tried, and say what became of it. */
const contenders = async (path: string, count: number): Promise<string[]> => {
  const script = `
    const { takeLock } = await import(${JSON.stringify(new URL('../../../src/db/embedded/lock-file.ts', import.meta.url).href)});
    process.stdin.once('data', () => {
      try { takeLock(${JSON.stringify(path)}); console.log('taken'); } catch (error) { console.log(error.name); }
    });
    console.log('ready');
    process.stdin.once('end', () => process.exit());`;
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  await Promise.all(children.map(child => once(child.stdout, 'data')));
  for (const child of children) child.stdin.write('go');
  const responses = await Promise.all(children.map(child => once(child.stdout, 'data')));
  for (const child of children) child.stdin.end();
  await Promise.all(children.map(child => once(child, 'exit')));
  return responses.map(([response]) => String(response).trim());
};

describe('the lock file', () => {
  test('is taken once at a time, and names its process', () => {
    const path = join(folder, 'once');
    const release = takeLock(path);
    assert.throws(
      () => takeLock(path),
      (error: unknown) => error instanceof LockedError && error.pid === process.pid,
    );
    release();
    takeLock(path)();
    assert.deepEqual(readdirSync(folder), []);
  });

  test('of a process that has ended is taken over', async () => {
    const path = join(folder, 'dead');
    writeFileSync(path, JSON.stringify({ pid: await deadPid(), start: null }));
    const release = takeLock(path);
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).pid, process.pid);
    release();
    assert.deepEqual(readdirSync(folder), []);
  });

  test('of an ended process whose id another process has by now is taken over', {
    skip: process.platform !== 'linux',
  }, () => {
    const path = join(folder, 'reused');
    writeFileSync(path, JSON.stringify({ pid: process.pid, start: 'another boot-1' }));
    takeLock(path)();
  });

  test('that holds no lock of this kind is taken over', () => {
    const path = join(folder, 'garbage');
    writeFileSync(path, 'pid 7');
    takeLock(path)();
  });

  test('is not removed by a process that it was taken from', () => {
    const path = join(folder, 'taken');
    const release = takeLock(path);
    writeFileSync(path, JSON.stringify({ pid: 1, start: 'x' }));
    release();
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).pid, 1);
    rmSync(path);
  });

  test('is left alone while another process takes it over', async () => {
    const path = join(folder, 'turn');
    const pid = await deadPid();
    writeFileSync(path, JSON.stringify({ pid, start: 'x' }));
    const release = takeLock(`${path}.${pid}-x`);
    assert.throws(() => takeLock(path), LockedError);
    release();
    takeLock(path)();
  });

  test('has one new holder when several find it stale at once', async () => {
    const path = join(folder, 'race');
    writeFileSync(path, JSON.stringify({ pid: await deadPid(), start: 'x' }));
    const responses = await contenders(path, 6);
    assert.equal(responses.filter(response => response === 'taken').length, 1, String(responses));
    assert.equal(responses.filter(response => response === 'LockedError').length, 5, String(responses));
  });
});
