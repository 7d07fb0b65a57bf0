import type { Logger } from 'pino';
import { type Database, openDatabase } from '../db/open.ts';
import type { Config } from './config/config.ts';
import { requireWhole } from './interrupted-restore.ts';

/**
 * Opens the configured database.
 * @throws EmbeddedDatabaseError if another process uses the embedded database
 * @throws InputError if a restore of it was interrupted
 */
export const openConfigured = ({ database, dataDir }: Config, log: Logger): Database => {
  if (database.url === null) requireWhole(dataDir);
  return openDatabase({
    url: database.url,
    migrationUrl: database.migrationUrl,
    dataDir,
    poolSize: database.poolSize,
    statementTimeoutMs: database.statementTimeoutMs,
    prepared: database.prepared,
    log,
  });
};
