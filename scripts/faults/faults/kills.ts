import { childrenOf } from '../../bench/processes.ts';
import { deployments } from '../deployment.ts';
import type { Fault } from '../fault.ts';
import type { FaultGround } from '../ground.ts';
import { signalTo } from '../signal-to.ts';

/** How often each process is killed, and how many writes are acknowledged before each time. */
const extent = (short: boolean) => ({ kills: short ? 3 : 25, writes: 20 });

/** Kills something again and again, each time right after an acknowledgement. */
const killing =
  (kill: (ground: FaultGround, turn: number) => Promise<unknown>): NonNullable<Fault['happen']> =>
  async (ground, ledger, short) => {
    const { kills, writes } = extent(short);
    for (let turn = 0; turn < kills; turn++) {
      // Twenty writes of a new process can be acknowledged before its first read has a response: now and then, whoever follows gets on.
      if (turn % 5 === 0) await ledger.moreReadings(1);
      await ledger.more(writes);
      await kill(ground, turn);
    }
    return `${kills} kills`;
  };

/** Kills the process that starts all others, and starts the service again. */
export const killedService: Fault = {
  name: 'the service is killed',
  deployments,
  // The tests have it happen on the embedded database; elsewhere an import waits until the lease of the ended process does.
  short: [],
  happen: killing(async ({ service, client }) => {
    await service.end('SIGKILL');
    await service.start(client);
  }),
};

/** Kills a process, each turn another one: the first from there on that has not ended since. */
const killFrom = (turn: number, processes: readonly number[]): void => {
  const first = turn % processes.length;
  const isKilled = [...processes.slice(first), ...processes.slice(0, first)].some(pid => signalTo(pid, 'SIGKILL'));
  if (!isKilled) throw new Error('There is no process to kill.');
};

/** Kills one of its workers in turn; the service starts another. */
export const killedWorker: Fault = {
  name: 'a worker is killed',
  deployments: ['workers'],
  short: ['workers'],
  happen: killing(async ({ service, client }, turn) => {
    const { workers } = service;
    killFrom(turn, workers);
    await service.serves(client);
  }),
};

/** Kills a process of Postgres: the server then recovers as after a crash. */
export const killedBackend: Fault = {
  name: 'a process of Postgres is killed',
  deployments: ['postgres', 'workers'],
  short: [],
  happen: killing(async ({ postgres, service, client }, turn) => {
    killFrom(turn, childrenOf(postgres?.pid() as number));
    await service.serves(client);
  }),
};
