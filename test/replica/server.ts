import { mkdtempSync } from 'node:fs';
import { pino } from 'pino';
import { startAutomations } from '../../src/automations/runner.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { parseKeySet } from '../../src/tenancy/keys.ts';
import { startApp } from '../support/app.ts';
import { inMemory } from '../support/in-memory.ts';

/** Starts the automations of a server whose webhooks reach nobody. */
const automate = (database: Database): Promise<() => Promise<void>> =>
  startAutomations(
    {
      attempts: 1,
      concurrency: { process: 2, tenant: 2, target: 2 },
      webhooks: {
        timeout: 1000,
        networks: [],
        http: false,
        resolve: (_, __, done) => done(new Error('no network'), []),
      },
    },
    database,
    pino({ level: 'silent' }),
  );

// A server that is killed at any moment; prints its port.
if (process.argv[1] === import.meta.filename) {
  const database = openDatabase({
    ...inMemory,
    url: process.env.DATABASE_URL || null,
    dataDir: process.env.DATA_DIR ?? inMemory.dataDir,
    poolSize: 8,
  });
  const folder = process.env.FILES_FOLDER ?? mkdtempSync('/tmp/files-');
  const app = await startApp(database, { keys: parseKeySet(process.env.KEYS ?? '', 'HS256'), files: { folder } });
  await automate(database);
  process.stdout.write(`${app.port}\n`);
}
