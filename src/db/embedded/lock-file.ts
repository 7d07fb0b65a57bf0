import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The process that holds a lock; `start` tells it from a later process with the same id (null: this system does not say). */
interface Holder {
  readonly pid: number;
  readonly start: string | null;
}

/** A living process holds the lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly pid: number;

  constructor(path: string, pid: number) {
    super(`${path} is held by process ${pid}, which is running.`);
    this.pid = pid;
  }
}

/**
 * Takes the lock that the file at `path` stands for, and gives the function that releases it. A lock whose process has ended
 * (its id may belong to another process by now) is taken over; one of a living process never.
 * @throws LockedError naming the process that holds it.
 */
export const takeLock = (path: string): (() => void) => {
  const own: Holder = { pid: process.pid, start: startOf(process.pid) };
  // Written aside and then linked or renamed into place: a lock file is never seen half written.
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(own), { flag: 'wx', flush: true });
  try {
    while (!linked(draft, path)) {
      const holder = read(path);
      if (holder && isAlive(holder)) throw new LockedError(path, holder.pid);
      if (holder && takenOver(path, holder, draft)) break;
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (same(read(path), own)) rmSync(path, { force: true });
  };
};

/**
 * Replaces the lock of an ended process. Of several processes that found it one may do so, and only while it is still there: a
 * lock for replacing this very holder's makes them take turns.
 */
const takenOver = (path: string, holder: Holder, draft: string): boolean => {
  const release = takeLock(`${path}.${holder.pid}-${holder.start ?? ''}`);
  try {
    if (!same(read(path), holder)) return false;
    renameSync(draft, path);
    return true;
  } finally {
    release();
  }
};

/** Whether `path` did not exist and is now another name of `draft`. */
const linked = (draft: string, path: string): boolean => {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
};

/** Null: the file is gone. A file that is not one of ours holds the lock for no one. */
const read = (path: string): Holder | null => {
  try {
    const { pid, start } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    return { pid: Number(pid) || 0, start: start ?? null };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    if (error instanceof SyntaxError) return { pid: 0, start: null };
    throw error;
  }
};

const same = (a: Holder | null, b: Holder): boolean => a !== null && a.pid === b.pid && a.start === b.start;

const isAlive = ({ pid, start }: Holder): boolean => {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  const now = startOf(pid);
  return start === null || now === null || start === now;
};

/**
 * When a process started, as the kernel counts (boot and clock ticks since then; proc(5), /proc/pid/stat, field 22); null
 * where there is no such file.
 */
const startOf = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const ticks = fields[19];
    // Killed, and its parent has not asked for its exit status yet.
    if (state === 'Z' || state === 'X') return 'ended';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}-${ticks}`;
  } catch {
    return null;
  }
};

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
