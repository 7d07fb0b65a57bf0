import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Milliseconds from one sign of life of the event loop to the next. */
const BEAT = 1000;

/** What the thread beside the tests is given. */
interface Watched {
  /** The signs of life so far. */
  readonly beats: Int32Array;
  /** The number of beats that may fail to come. */
  readonly most: number;
}

/**
 * Kills this process once its event loop has stood still for longer than a test may take: no timeout of a test can end it then.
 * What it does at that moment is written to its standard error: its functions or, if it waits in native code, the stacks that gdb reads.
 * @param most seconds; beats are counted, so that a machine that pauses ends nothing
 */
export const endAtStandstill = (most: number): void => {
  const watched: Watched = { beats: new Int32Array(new SharedArrayBuffer(4)), most };
  setInterval(() => Atomics.add(watched.beats, 0, 1), BEAT).unref();
  new Worker(new URL(import.meta.url), { workerData: watched, execArgv: [] }).unref();
};

const watch = ({ beats, most }: Watched): void => {
  let last = -1;
  let missed = 0;
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    missed = now === last ? missed + 1 : 0;
    last = now;
    if (missed === most) end(most);
  }, BEAT);
};

const end = (seconds: number): void => {
  writeSync(2, `The event loop has stood still for ${seconds} seconds.\n`);
  const kill = () => process.kill(process.pid, 'SIGKILL');
  // Native code that waits does not respond.
  setTimeout(() => {
    writeNativeStacks();
    kill();
  }, 5 * BEAT);
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    for (const { functionName, location } of params.callFrames)
      writeSync(
        2,
        `    at ${functionName || '<anonymous>'} (${urls.get(location.scriptId)}:${location.lineNumber + 1})\n`,
      );
    kill();
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
};

/** Writes the stacks of all threads, where gdb is installed; the main thread's comes last. */
const writeNativeStacks = (): void => {
  const args = ['--batch', '--pid', String(process.pid), '--eval-command', 'thread apply all backtrace 16'];
  const { stdout, error } = spawnSync('gdb', args, { encoding: 'utf8', timeout: 60 * BEAT });
  const lines = stdout?.split('\n').filter(line => /^(Thread|#)/.test(line)) ?? [String(error)];
  for (const line of lines) writeSync(2, `    ${line.slice(0, 160)}\n`);
};

if (!isMainThread) watch(workerData as Watched);
