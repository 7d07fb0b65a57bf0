import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { childEnvironment } from '../../test/support/child-environment.ts';
import { templateFile } from '../../test/support/template.ts';
import nodeFlags from '../bin/node-flags.cjs';
import { breakIn, copyRepository } from '../mutate/copy.ts';
import { points } from './points.ts';
import type { SimulationResult } from './run.ts';

const usage = `npm run simulate -- [--seed <number>] [--runs <count>] [--requests <count>] [--transcript <file>] [--point <number>]

Runs the whole server on the embedded database, in one process whose time, randomness and faults come from a seed, with callers who see
and may do different things, and says what then does not hold. The same seed has the same requests and responses, byte for byte.

  --seed <number>      the first seed (1)
  --runs <count>       how many seeds are tried, one after the other, until one fails (1)
  --requests <count>   requests of each run (400)
  --transcript <file>  a file for all requests and responses
  --point <number>     in a copy of the repository with this defect put back:
${points.map(({ guarantee }, index) => `                         ${index + 1}  not: ${guarantee}`).join('\n')}
`;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs one seed in a process of its own. @param folder the repository */
export const simulate = async (
  seed: number,
  requests: number,
  { transcript, folder = root }: { readonly transcript?: string | undefined; readonly folder?: string } = {},
): Promise<SimulationResult> => {
  const world = `${folder}/scripts/simulate/world.cjs`;
  const runner = spawn(process.execPath, [...nodeFlags, `${folder}/scripts/simulate/run.ts`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...childEnvironment,
      TZ: 'UTC',
      NODE_OPTIONS: `--require ${JSON.stringify(world)}`,
      SIMULATE_SEED: String(seed),
      SIMULATE_REQUESTS: String(requests),
      ...(transcript && { SIMULATE_TRANSCRIPT: transcript }),
      // A copy may have another schema.
      ...(folder === root && { SIMULATE_TEMPLATE: await templateFile() }),
    },
  });
  const printed = await text(runner.stdout);
  return (
    JSON.parse(printed.trim().split('\n').at(-1) || 'null') ??
    Promise.reject(new Error('The simulation has ended early.'))
  );
};

/** @returns the exit status: 0 if everything has held, 1 otherwise */
const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      runs: { type: 'string', default: '1' },
      requests: { type: 'string', default: '400' },
      transcript: { type: 'string' },
      point: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const folder = values.point === undefined ? root : copyWithout(Number(values.point));
  try {
    return await runAll({
      first: Number(values.seed),
      runs: Number(values.runs),
      requests: Number(values.requests),
      transcript: values.transcript,
      folder,
    });
  } finally {
    if (folder !== root) rmSync(folder, { recursive: true, force: true });
  }
};

/** Returns a copy of the repository with a defect put back. */
const copyWithout = (number: number): string => {
  const point = points[number - 1];
  if (!point) throw new Error(`There is no point ${number}.`);
  const folder = copyRepository(root);
  breakIn(folder, { ...point, id: `point ${number}` });
  return folder;
};

interface SimulationRuns {
  readonly first: number;
  readonly runs: number;
  readonly requests: number;
  readonly transcript: string | undefined;
  readonly folder: string;
}

const runAll = async ({ first, runs, requests: wanted, ...more }: SimulationRuns): Promise<number> => {
  for (let seed = first; seed < first + runs; seed++) {
    const start = performance.now();
    const { violations, requests, succeeded, steps, digest } = await simulate(seed, wanted, more);
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(
      `seed ${seed}: ${requests} requests, ${succeeded} writes succeeded, ${steps} steps, ${seconds} s, ${digest}`,
    );
    for (const line of violations) console.log(`  ${line}`);
    if (violations.length > 0) return 1;
  }
  return 0;
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await main().catch((error: Error) => {
    console.error(error.message);
    console.error(usage);
    return 2;
  });
