import { open } from 'node:fs/promises';
import { openDatabase } from '../../src/db/open.ts';
import { parseKeySet } from '../../src/tenancy/keys.ts';
import { startApp } from './app.ts';
import { inMemory } from './in-memory.ts';
import { replaceForTenants } from './replace.ts';

/**
 * A server that is killed at one point of its first upload: while the content is received (`write`), before it is stored (`put`), before
 * its record is written (`stored`), or before the response is sent (`committed`); prints its port.
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
