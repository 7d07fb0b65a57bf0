import { after } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { inMemory, migratedUrl, onEachNode } from './database.ts';
import { type Setting, useApp } from './for-each-app.ts';
import { until } from './until.ts';

/** A table of a database on the Postgres server that nothing can be added to. */
export interface HeldTable extends AsyncDisposable {
  /** Resolves when that many statements of the database wait for a lock, or `ended` is true. */
  waiting(count: number, ended?: () => boolean): Promise<void>;
  /** Lets what waits go on. */
  release(): Promise<void>;
}

/** Holds back what is added to a table: a transaction that adds to it stays where it is, with its locks. */
export const holdTable = async (table: string, url: string): Promise<HeldTable> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`begin; lock table ${table} in share mode`);
  // A row's lock is waited for on the node that stores the row.
  const waiting = `select from pg_locks where not granted and pid in (
    select pid from pg_locks join pg_database d on d.oid = database where datname = current_database())`;
  return {
    waiting: async (count, ended = () => false) => {
      const isReached = async () => ended() || (await onEachNode(waiting, new URL(url).pathname)).length >= count;
      await until(`${count} statements wait for a lock`, isReached);
    },
    release: async () => void (await client.query('rollback')),
    [Symbol.asyncDispose]: () => client.end(),
  };
};

/** Returns a client and an app for one suite, on a Postgres database of their own whose tables can be held. */
export const useHoldable = (
  wanted?: Parameters<typeof useApp>[2],
): Setting & { readonly hold: (table: string) => Promise<HeldTable> } => {
  let url: string;
  let database: Database;
  const open = async (): Promise<Database> => {
    url = await migratedUrl();
    database = openDatabase({ ...inMemory, url });
    return database;
  };
  const setting = useApp(open, {}, wanted);
  after(() => database?.close());
  return { ...setting, hold: table => holdTable(table, url) };
};
