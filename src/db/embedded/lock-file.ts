import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isCode } from '../../core/disk/secret-file.ts';

/** The process with a lock; `start` differs for a later one with the same id (null: unknown). */
interface LockOwner {
  readonly pid: number;
  readonly start: string | null;
}

/** A running process holds the lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly pid: number;

  constructor(path: string, pid: number) {
    super(`${path} is held by process ${pid}, which is running.`);
    this.pid = pid;
  }
}

/**
 * Acquires the lock represented by the file at `path` and returns the function that releases it.
 * The lock of an ended process (whose id another process may have by now) is taken over; the lock of a running process never
 * is.
 * @throws LockedError naming the process that holds it.
 */
export const takeLock = (path: string): (() => void) => {
  const own: LockOwner = { pid: process.pid, start: startOf(process.pid) };
  // Written to a temporary file and then linked or renamed, so that no process reads an incomplete lock file.
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(own), { flag: 'wx', flush: true });
  try {
    while (!linked(draft, path)) {
      const owner = read(path);
      if (owner && isAlive(owner)) throw new LockedError(path, owner.pid);
      if (owner && takenOver(path, owner, draft)) break;
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (same(read(path), own)) rmSync(path, { force: true });
  };
};

/**
 * Replaces the lock of an ended process and returns whether it did.
 * If several processes find such a lock, only one may replace it: a second lock, named after the ended owner, serialises them.
 */
const takenOver = (path: string, owner: LockOwner, draft: string): boolean => {
  const release = takeLock(`${path}.${owner.pid}-${owner.start ?? ''}`);
  try {
    if (!same(read(path), owner)) return false;
    renameSync(draft, path);
    return true;
  } finally {
    release();
  }
};

/** Links `path` to `draft` and returns whether it did; false: `path` already exists. */
const linked = (draft: string, path: string): boolean => {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
};

/** Reads the owner of a lock; null: no file. An unreadable file counts as a lock without an owner. */
const read = (path: string): LockOwner | null => {
  try {
    const { pid, start } = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockOwner>;
    return { pid: Number(pid) || 0, start: start ?? null };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    if (error instanceof SyntaxError) return { pid: 0, start: null };
    throw error;
  }
};

const same = (a: LockOwner | null, b: LockOwner): boolean => a !== null && a.pid === b.pid && a.start === b.start;

const isAlive = ({ pid, start }: LockOwner): boolean => {
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
 * Returns when a process started.
 * The id of the boot and the clock ticks since (proc(5), /proc/pid/stat, field 22); null on systems without that file.
 */
const startOf = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const ticks = fields[19];
    // A zombie: ended, but its parent has not read its exit status yet.
    if (state === 'Z' || state === 'X') return 'ended';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}-${ticks}`;
  } catch {
    return null;
  }
};
