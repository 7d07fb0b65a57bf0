import { open } from 'node:fs/promises';
import { openDatabase } from '../../src/db/open.ts';
import { parseKeySet } from '../../src/tenancy/keys.ts';
import { startApp } from './app.ts';
import { inMemory } from './database.ts';
import { replaceForTenants } from './replace.ts';

/**
 * A server that is killed at one point of its first upload: while its content arrives (`write`), before it is put into the storage
 * (`put`), before it has a record (`stored`), or before it is answered (`committed`); prints its port.
 */
const { POINT: point, FOLDER: folder = '', KEYS: keys = '', DATABASE_URL: url = '' } = process.env;

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

const database = openDatabase({ ...inMemory, url });
const dying = replaceForTenants(database, db => ({
  transaction: async work => {
    const result = await db.transaction(work);
    return point === 'committed' ? die() : result;
  },
}));
const app = await startApp(dying, { keys: parseKeySet(keys, 'HS256'), files: { folder } });

if (point === 'write') {
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { write } = prototype;
  prototype.write = async function (...written: unknown[]) {
    await write.apply(this, written);
    return die();
  };
}
const { store } = app.files;
const { put } = store;
store.put = async (...stored) => {
  if (point === 'put') await die();
  await put(...stored);
  if (point === 'stored') await die();
};
process.stdout.write(`${app.port}\n`);
