import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

/**
 * Options of Node.js for a process that ends with the one that has started it, even if that is killed.
 * Between both there has to be a channel (`ipc`).
 */
export const endWithParent = [
  '--import',
  'data:text/javascript,process.once("disconnect", () => process.kill(process.pid, "SIGKILL"))',
];

/** A process that can be sent messages, and whose output can be read. */
export type NodeProcess = ChildProcess & { readonly stdout: Readable };

/** Starts Node.js in a process that ends with this one. */
export const startNode = (args: readonly string[], env: NodeJS.ProcessEnv): NodeProcess =>
  spawn(process.execPath, [...endWithParent, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  }) as NodeProcess;

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
};

const parentOf = (pid: number): number => Number(/\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0);

/** Returns a process and all below it. */
const treeOf = (root: number): readonly number[] => {
  const tree = new Set([root]);
  const others = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [Number(name)] : []));
  const parents = others.map(pid => [pid, parentOf(pid)] as const);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
};

/** Returns the processes that a process has started, and that run. */
export const childrenOf = (pid: number): readonly number[] => treeOf(pid).filter(other => parentOf(other) === pid);

const threadsOf = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map(thread => `/proc/${pid}/task/${thread}`);
  } catch {
    return [];
  }
};

/** CPU milliseconds of a process and those below it until now, without those that have ended. */
export const cpuOf = (root: number): number => {
  const threads = treeOf(root).flatMap(threadsOf);
  return threads.reduce((sum, thread) => sum + Number(read(`${thread}/schedstat`).split(' ')[0]) / 1e6, 0);
};

/** Resident memory of a process and those below it in MiB. */
const residentOf = (root: number): number =>
  treeOf(root).reduce(
    (sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024,
    0,
  );

/** Returns the resident memory of a process in MiB: now, and the most since `forgetPeak`. */
export const memoryOf = (pid: number): { readonly now: number; readonly peak: number } => {
  const of = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
  return { now: of('VmRSS'), peak: of('VmHWM') };
};

/** Has `memoryOf` begin anew (proc_pid_clear_refs(5)). */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** Watches a process's resident memory; the returned function ends that and returns the maximum (MiB). */
export const watchResident = (root: number): (() => number) => {
  let most = residentOf(root);
  const watch = setInterval(() => {
    most = Math.max(most, residentOf(root));
  }, 100);
  return () => {
    clearInterval(watch);
    return Math.max(most, residentOf(root));
  };
};

/** Returns the parent process of a database server's backend; null: the server is on another machine. */
export const serverOf = (backend: number): number | null =>
  read(`/proc/${backend}/comm`).startsWith('postgres') ? parentOf(backend) : null;
