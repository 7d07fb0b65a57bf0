import { openDatabase } from '../../src/db/open.ts';
import { createFiles } from '../../src/files/files.ts';
import { inMemory } from '../support/in-memory.ts';
import { replaceForTenants } from '../support/replace.ts';
import { Importer } from './importer.ts';

// A worker that processes the imports of a tenant and kills itself in its third batch: before the commit, or after it.
const { DATABASE_URL: url = '', FOLDER: folder = '', TENANT: tenant = '', DIE: place } = process.env;

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

let batches = 0;
const database = openDatabase({ ...inMemory, url });
const dying = replaceForTenants(database, db => ({
  joined: async work => {
    batches += 1;
    const last = batches === 3;
    const result = await db.joined(async (parts, transaction) => {
      const written = await work(parts, transaction);
      return last && place === 'before commit' ? die() : written;
    });
    return last ? die() : result;
  },
}));
const files = await createFiles({ folder, limit: 1_048_576, s3: null });
await new Importer({ database: dying, files }).work({
  tenant: JSON.parse(tenant, (key, value) => (key === 'modules' ? new Set(value) : value)),
});
