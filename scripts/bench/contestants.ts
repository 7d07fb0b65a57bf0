import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variables } from '../../src/server/config/variables.ts';
import { freePort } from '../../test/support/free-port.ts';
import { type BenchTenant, baseDomain } from './data.ts';
import type { Load, LoadOrder } from './load.ts';
import { startNode } from './processes.ts';

/** What is compared: a process that listens on a port. */
export interface Contestant {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
}

/** The processes of the benchmark. */
export interface Contest {
  readonly contestants: readonly Contestant[];
  /** Has the process of the load do something. */
  load(order: LoadOrder): Promise<Load>;
  /** Ends all of them. */
  end(): Promise<void>;
}

/** The names of the floors. */
export const floors = { objects: 'floor', wire: 'wire floor' } as const;

/** The flags of Node.js that a build of the server starts with. */
const nodeFlagsOf = (root: string): readonly string[] =>
  createRequire(import.meta.url)(join(root, 'scripts/bin/node-flags.cjs'));

const script = (path: string): string => new URL(path, import.meta.url).pathname;

/**
 * Starts the server, once for each number of workers that it can have, both floors and the load.
 * @param alone variables of a server that is alone: without floors, and with one worker only
 * @param root the folder of the server's build
 */
export const startContest = async (
  url: string,
  keys: string,
  tenants: readonly BenchTenant[],
  alone: NodeJS.ProcessEnv | null = null,
  root = script('../..'),
): Promise<Contest> => {
  const folder = mkdtempSync(join(tmpdir(), 'staffing-bench-'));
  const file = join(folder, 'tenants.json');
  writeFileSync(file, JSON.stringify(tenants));
  const common = { PATH: process.env.PATH, DATABASE_URL: url, JWT_KEYS: keys };
  const children: ChildProcess[] = [];
  const start = async (name: string, args: readonly string[], environment: NodeJS.ProcessEnv, port: number) => {
    const child = startNode(args, { ...common, ...environment });
    children.push(child);
    const ready = once(child.stdout, 'data');
    await Promise.race([ready, once(child, 'exit').then(() => Promise.reject(new Error(`${name} did not start.`)))]);
    return { name, port, pid: child.pid as number };
  };
  const contestants: Contestant[] = [];
  const canHaveWorkers = variables.some(({ name }) => name === 'WORKERS');
  for (const workers of canHaveWorkers && !alone ? [1, 2] : [1]) {
    const [port, internalPort] = [await freePort(), await freePort()];
    const environment = {
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
      HOST: '127.0.0.1',
      TRUST_PROXY: '127.0.0.1',
      DATA_DIR: join(folder, `data-${workers}`),
      BASE_DOMAIN: baseDomain,
      RATE_LIMIT: '1000000000',
      CONCURRENCY_LIMIT: '1000',
      // What they do in between would count for whoever is being measured.
      AUTOMATIONS: 'false',
      LOG_LEVEL: 'warn',
      // As with `npm start`.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
      ...(canHaveWorkers && { WORKERS: String(workers) }),
      ...alone,
    };
    const name = workers === 1 ? 'server' : `server, ${workers} workers`;
    contestants.push(await start(name, [...nodeFlagsOf(root), join(root, 'src/main.ts')], environment, port));
  }
  for (const [kind, name] of alone ? [] : Object.entries(floors)) {
    const port = await freePort();
    contestants.push(await start(name, [script('./floor/server.ts'), kind, String(port), file], {}, port));
  }
  const load = startNode([script('./load.ts'), file], process.env);
  return {
    contestants,
    load: async order => {
      load.send(order);
      const [report] = (await once(load, 'message')) as [Load];
      return report;
    },
    end: async () => {
      load.kill();
      for (const child of children) child.kill('SIGTERM');
      await Promise.all(children.map(child => child.exitCode ?? once(child, 'exit')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
