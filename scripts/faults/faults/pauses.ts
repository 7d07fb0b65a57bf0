import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf } from '../../bench/processes.ts';
import { deployments } from '../deployment.ts';
import type { Fault } from '../fault.ts';
import type { FaultGround } from '../ground.ts';
import { signalTo } from '../signal-to.ts';

const milliseconds = (short: boolean): number => (short ? 3000 : 10_000);

/** Stops processes, and lets them go on later. */
const pausing =
  (processesOf: (ground: FaultGround) => readonly number[]): NonNullable<Fault['happen']> =>
  async (ground, ledger, short) => {
    await ledger.more(20);
    const processes = processesOf(ground);
    for (const pid of processes) signalTo(pid, 'SIGSTOP');
    await pause(milliseconds(short));
    for (const pid of processes) signalTo(pid, 'SIGCONT');
    await ledger.more(20);
    return `${milliseconds(short) / 1000} s`;
  };

/** Postgres does nothing for a while. */
export const pausedPostgres: Fault = {
  name: 'Postgres stands still',
  deployments: ['postgres', 'workers'],
  short: ['postgres'],
  happen: pausing(({ postgres }) => {
    const pid = postgres?.pid() as number;
    return [pid, ...childrenOf(pid)];
  }),
};

/** The service does nothing for a while, and of two workers one. */
export const pausedService: Fault = {
  name: 'the service stands still',
  deployments,
  short: [],
  happen: pausing(({ service }) => (service.workers.length > 0 ? service.workers.slice(0, 1) : [service.pid])),
};
