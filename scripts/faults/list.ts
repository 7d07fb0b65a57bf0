import type { Fault } from './fault.ts';
import { killedBackend, killedService, killedWorker } from './faults/kills.ts';
import { pausedPostgres, pausedService } from './faults/pauses.ts';
import { restartedPostgres } from './faults/restarts.ts';

/** All faults, in the order in which they happen. */
export const faults: readonly Fault[] = [
  killedService,
  killedWorker,
  killedBackend,
  restartedPostgres,
  pausedPostgres,
  pausedService,
];
