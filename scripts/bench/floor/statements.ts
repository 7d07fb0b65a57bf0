import { readdirSync, readFileSync } from 'node:fs';
import { TENANT_ROLE } from '../../../src/db/enter.ts';
import { listings } from './listings.ts';

const folder = new URL('./statements/', import.meta.url);

/** The server's statements when the floors were written, by their file's name; $1: tenant's id. */
export const statements: ReadonlyMap<string, string> = new Map(
  readdirSync(folder).map(file => [file.replace('.sql', ''), readFileSync(new URL(file, folder), 'utf8')]),
);

/** Returns the text of a statement. */
export const textOf = (name: string): string => {
  const text = statements.get(name) ?? listings.get(name);
  if (text === undefined) throw new Error(`There is no statement ${name}.`);
  return text;
};

/** Returns the settings of a connection in the role of a tenant (its id); null: in that of the owner. */
export const settingsOf = (tenant: number | null): string =>
  tenant === null ? settings : `${settings}; set role ${TENANT_ROLE}; set app.tenant_id = ${tenant}`;

/** How a connection of a floor differs from a new one: what each transaction of the server sets. */
const settings = `
  set search_path = bench_floor, public;
  set random_page_cost = 1.1;
  set timezone = 'UTC';
  set datestyle = 'ISO';
  set jit = off;
  set max_parallel_workers_per_gather = 0`;
