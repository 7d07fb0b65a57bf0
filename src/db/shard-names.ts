/** The names that the error of a violated constraint has. */
export interface ViolatedNames {
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly constraint?: string | undefined;
}

const quoted = /["«»„“”]([^"«»„“”]+)["«»„“”]/g;

/** Returns the names in quotes of a message, in every language. */
export const quotedIn = (message: string): readonly string[] =>
  [...message.matchAll(quoted)].map(([, name = '']) => name.trim());

/** A shard of a table has the table's name and a number, and so have its constraints. */
const shard = /_\d{6,}$/;

/** The violation whose message names a column, and no constraint. */
const NOT_NULL = '23502';

/** What the names of constraints end with (tenant_table in the first migration). */
const constraintEnd = /_(?:fkey|key|pkey|check|excl)\d*$/;

/**
 * Returns the names of a violation that a worker of a distributed database found.
 * Its coordinator passes on the worker's message, which names shards, without the fields of the error. Empty if it names none.
 */
export const namesOfShards = (code: string, message: string): ViolatedNames => {
  const given = quotedIn(message);
  if (!given.some(name => shard.test(name))) return {};
  const names = given.map(name => name.replace(shard, ''));
  const constraint = code === NOT_NULL ? undefined : names.find(name => constraintEnd.test(name));
  const tables = names.filter((name, index) => name !== constraint && shard.test(given[index] ?? ''));
  // The message of a unique constraint names no table: its own name begins with it.
  const table = tables.at(-1) ?? constraint?.split('__')[0];
  const column = code === NOT_NULL ? names.find(name => !tables.includes(name)) : undefined;
  return { table, column, constraint };
};
