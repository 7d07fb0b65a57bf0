import { Readable } from 'node:stream';
import type { Database } from '../db/open.ts';
import type { Files } from '../files/files.ts';
import type { Demo } from './fill.ts';

const samples = [
  {
    name: 'house-rules.txt',
    mime: 'text/plain',
    visibility: 'private',
    text: 'Be there a quarter of an hour before the start.\nBlack trousers, white shirt.\n',
  },
  {
    name: 'prices.csv',
    mime: 'text/csv',
    visibility: 'public',
    text: 'function;hour\nService;24.50\nBar;26.00\nKitchen;23.00\n',
  },
  {
    name: 'contract.txt',
    mime: 'text/plain',
    visibility: 'private',
    text: 'Contract of employment for the time of one assignment.\n',
  },
];

/** Gives the demo tenant some files; the last is that of all its contracts. */
export const fillDemoFiles = async (database: Database, files: Files, { tenant, apiUser }: Demo): Promise<void> => {
  const db = database.forTenant(tenant);
  let last = '';
  for (const { text, ...sample } of samples) {
    const { path, size } = await files.receive(tenant.id, Readable.from([Buffer.from(text)]), null);
    const row = { ...sample, path, size, status: 1, user_id: apiUser.id };
    await db.transaction(({ kysely }) => kysely.insertInto('files').values(row).execute());
    last = path;
  }
  await db.transaction(({ kysely }) => kysely.updateTable('assignment_contract').set({ file: last }).execute());
};
