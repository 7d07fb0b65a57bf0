import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** User id for PgBouncer if the tests run as root, since PgBouncer does not run as root. */
const NOBODY = 65534;

/** Returns the PgBouncer program: TEST_PGBOUNCER, otherwise the installed one (Debian: pgbouncer); null: not found. */
export const pgbouncerProgram = (): string | null => {
  const program = process.env.TEST_PGBOUNCER ?? 'pgbouncer';
  return spawnSync(program, ['--version']).status === 0 ? program : null;
};

/** Whether PgBouncer keeps named statements in transaction mode: from 1.21. */
export const keepsNamedStatements = (program: string): boolean => {
  const [, version = ''] = /PgBouncer ([\d.]+)/.exec(String(spawnSync(program, ['--version']).stdout)) ?? [];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || minor >= 21;
};

export interface Pooler {
  /** URL of the pooled database. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a PgBouncer in transaction mode with few connections to a database. */
export const startPgbouncer = async (program: string, target: string): Promise<Pooler> => {
  const { hostname, port, username, pathname } = new URL(target);
  const own = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  // The example of docs/deploy, with what is of this machine, and few connections.
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: own,
    auth_type: 'any',
    default_pool_size: 3,
    unix_socket_dir: '',
  };
  const example = readFileSync(new URL('../../docs/deploy/pgbouncer.ini', import.meta.url), 'utf8');
  const keeps = keepsNamedStatements(program);
  const isOwn = (line: string) =>
    !/^(?:staffing|auth_file)\b/.test(line) &&
    !Object.keys(settings).some(name => line.startsWith(`${name} `)) &&
    (keeps || !line.startsWith('max_prepared_statements'));
  const lines = [
    ...example.trim().split('\n').filter(isOwn),
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${port} user=${username}`,
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (identity.uid) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
  const child: ChildProcess = spawn(program, [file], { ...identity, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = once(child, 'exit');
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  let log = '';
  for await (const chunk of child.stderr ?? []) {
    log += chunk;
    if (log.includes('process up')) break;
  }
  if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${log}`);
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    close: async () => {
      process.off('exit', end);
      end();
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
