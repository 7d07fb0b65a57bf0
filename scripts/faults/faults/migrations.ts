import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import type { FaultService } from '../service.ts';

/** Ends a service in order. @throws Error if it does not end with 0 */
const stop = async (service: FaultService): Promise<void> => {
  const status = await service.end('SIGTERM');
  if (status !== 0) throw new Error(`The service has ended with ${status}.`);
};

const instances = 10;

/** Ten instances start on an empty database. */
export const migratedAtOnce: Fault = {
  name: 'ten instances migrate at once',
  deployments: ['postgres'],
  short: [],
  migrate: async service => {
    const all = [service];
    while (all.length < instances) all.push(await service.another());
    for (const each of all) each.spawn();
    await Promise.all(all.map(each => each.ready()));
    await Promise.all(all.map(stop));
    return `${instances} at once`;
  },
};

/** Milliseconds for which a service lives: until it loads, opens the database or migrates. */
const lives = [300, 700, 1000, 1300, 1600, 2000, 2500, 3000, 4000, 5000];

/** A service is killed soon after its start on an empty database, then another one starts. */
export const killedMigration: Fault = {
  name: 'the migration is killed',
  deployments: ['embedded', 'postgres'],
  short: ['postgres'],
  migrate: async (service, short) => {
    const all = short ? lives.slice(0, 6) : lives;
    for (const milliseconds of all) {
      service.spawn();
      await pause(milliseconds);
      await service.end('SIGKILL');
    }
    service.spawn();
    await service.ready();
    await stop(service);
    return `${all.length} kills`;
  },
};
