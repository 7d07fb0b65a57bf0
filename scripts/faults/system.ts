import { spawnSync } from 'node:child_process';
import { closeSync, globSync, mkdirSync, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs a program of the machine. @throws Error if it fails, with what it says */
const run = (program: string, ...args: string[]): void => {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
};

const reasonOf = (attempt: () => void): string | null => {
  try {
    attempt();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

/** A folder on a disk of its own, which is small. */
export interface SmallDisk {
  readonly folder: string;
  /** Writes until there is no room left. */
  fill(): void;
  /** Makes room again. */
  empty(): void;
  remove(): void;
}

/** Mounts a disk in memory. @param size bytes */
export const mountDisk = (folder: string, size: number): SmallDisk => {
  mkdirSync(folder, { recursive: true });
  run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'w');
      for (let length = 65_536; length >= 1; length /= 2)
        while (reasonOf(() => writeSync(file, Buffer.alloc(length))) === null);
      closeSync(file);
    },
    empty: () => unlinkSync(filler),
    remove: () => run('umount', folder),
  };
};

/** Returns why no disk can be mounted; null: one can. */
export const diskObstacle = (): string | null => {
  const folder = mkdtempSync(join(tmpdir(), 'staffing-disk-'));
  const reason = reasonOf(() => mountDisk(folder, 65_536).remove());
  rmSync(folder, { recursive: true });
  return reason;
};

/** A network namespace with one way to this one, which can be cut. */
export interface NetworkNamespace {
  readonly name: string;
  /** The addresses of this side and of that one. */
  readonly addresses: readonly [here: string, there: string];
  cut(): void;
  mend(): void;
  remove(): void;
}

/** Makes a network namespace. @throws Error if that is not allowed */
export const makeNamespace = (): NetworkNamespace => {
  const name = `faults-${process.pid}`;
  const [here, there] = [`fh${process.pid}`, `ft${process.pid}`];
  const ip = (text: string): void => run('ip', ...text.split(' '));
  ip(`netns add ${name}`);
  const remove = (): void => ip(`netns delete ${name}`);
  try {
    ip(`link add ${here} type veth peer name ${there} netns ${name}`);
    ip(`address add 10.213.7.1/30 dev ${here}`);
    ip(`-n ${name} address add 10.213.7.2/30 dev ${there}`);
    for (const link of [there, 'lo']) ip(`-n ${name} link set ${link} up`);
    ip(`link set ${here} up`);
  } catch (error) {
    remove();
    throw error;
  }
  const cut = () => ip(`link set ${here} down`);
  const mend = () => ip(`link set ${here} up`);
  return { name, addresses: ['10.213.7.1', '10.213.7.2'], cut, mend, remove };
};

/** Returns why there can be no network namespace; null: there can. */
export const namespaceObstacle = (): string | null => reasonOf(() => makeNamespace().remove());

/** The library by which a program sees another time; null: it is not installed (Debian: libfaketime). */
export const faketimeLibrary = (): string | null =>
  process.env.TEST_FAKETIME ?? globSync('/usr/lib/**/faketime/libfaketimeMT.so.1')[0] ?? null;
