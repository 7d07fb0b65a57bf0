import { openDatabase } from '../../src/db/open.ts';
import { parseKeySet } from '../../src/tenancy/keys.ts';
import { startApp } from './app.ts';
import { inMemory } from './in-memory.ts';
import { replaceForTenants } from './replace.ts';

/** A server that is killed between the commit of its first write with an Idempotency-Key and the response; prints its port. */
const database = openDatabase({ ...inMemory, url: process.env.DATABASE_URL ?? '' });
const dying = replaceForTenants(database, db => ({
  joined: async work => {
    await db.joined(work);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {});
  },
}));
const app = await startApp(dying, { keys: parseKeySet(process.env.KEYS ?? '', 'HS256') });
process.stdout.write(`${app.port}\n`);
