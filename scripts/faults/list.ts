import type { Fault } from './fault.ts';
import { wrongClock } from './faults/clocks.ts';
import { fullDatabase, fullFiles, fullSpool } from './faults/disks.ts';
import { killedBackend, killedService, killedWorker } from './faults/kills.ts';
import { killedMigration, migratedAtOnce } from './faults/migrations.ts';
import { cutNetwork, silentDatabase } from './faults/networks.ts';
import { pausedPostgres, pausedService } from './faults/pauses.ts';
import { lostRedis } from './faults/redis.ts';
import { restartedPostgres } from './faults/restarts.ts';

/** All faults, in the order in which they happen. */
export const faults: readonly Fault[] = [
  killedService,
  killedWorker,
  killedBackend,
  restartedPostgres,
  pausedPostgres,
  pausedService,
  cutNetwork,
  silentDatabase,
  fullFiles,
  fullDatabase,
  fullSpool,
  migratedAtOnce,
  killedMigration,
  lostRedis,
  wrongClock,
];
