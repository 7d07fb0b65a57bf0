import { createWriteStream } from 'node:fs';
import { Random } from '../../test/replica/random.ts';
import { Ledger } from './ledger.ts';
import { Scheduler } from './scheduler.ts';
import { startServer } from './server.ts';
import { Simulation } from './simulation.ts';

/** The result of a simulation, as its process prints it. */
export interface SimulationResult {
  readonly seed: number;
  readonly requests: number;
  /** Requests that have written something. */
  readonly succeeded: number;
  readonly steps: number;
  readonly digest: string;
  readonly violations: readonly string[];
}

const [seed = 0, requests = 0] = [process.env.SIMULATE_SEED, process.env.SIMULATE_REQUESTS].map(Number);
const { SIMULATE_TRANSCRIPT: path, SIMULATE_TEMPLATE: template = null } = process.env;

const random = new Random(seed);
const scheduler = new Scheduler(new Random(seed + 1));
const transcript = path ? createWriteStream(path) : null;
const ledger = new Ledger(line => transcript?.write(`${line}\n`));

const simulate = async (): Promise<readonly string[]> => {
  const server = await startServer(template);
  const simulation = new Simulation(server, ledger, random, requests);
  await simulation.run();
  return simulation.violations;
};

const violations = await scheduler.drive(simulate()).catch(error => [String(error?.stack ?? error)]);
const { exchanges, digest } = ledger;
const succeeded = exchanges.filter(({ served, sent }) => sent.method !== 'GET' && served && served.status < 300).length;
const result: SimulationResult = {
  seed,
  requests: exchanges.length,
  succeeded,
  steps: scheduler.steps,
  digest,
  violations,
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
