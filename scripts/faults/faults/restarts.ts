import type { Fault } from '../fault.ts';

const restarts = 3;

/** Restarts Postgres without letting it end in order. */
export const restartedPostgres: Fault = {
  name: 'Postgres is restarted at once',
  deployments: ['postgres', 'workers'],
  short: ['postgres'],
  happen: async ({ postgres, service, client }, ledger) => {
    for (let turn = 0; turn < restarts; turn++) {
      await ledger.more(20);
      postgres?.restart();
      await service.serves(client);
    }
    return `${restarts} restarts`;
  },
};
