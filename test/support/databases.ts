export type DatabaseName = 'embedded' | 'postgres';

/** The databases of a run of tests. */
export interface Databases {
  /** For tests on which the databases could differ. */
  readonly each: readonly DatabaseName[];
  /** For all others. */
  readonly any: readonly DatabaseName[];
}

const choices: Readonly<Record<string, Databases>> = {
  default: { each: ['embedded', 'postgres'], any: ['postgres'] },
  both: { each: ['embedded', 'postgres'], any: ['embedded', 'postgres'] },
  embedded: { each: ['embedded'], any: ['embedded'] },
  postgres: { each: ['postgres'], any: ['postgres'] },
};

/**
 * Returns the databases of TEST_DATABASES: `embedded`, `postgres`, `both` or `default`, where tests on which the databases could differ
 * run on both and others on a Postgres server.
 * @throws Error for another value
 */
export const chooseDatabases = (chosen: string): Databases => {
  const databases = Object.hasOwn(choices, chosen) && choices[chosen];
  if (!databases) throw new Error(`TEST_DATABASES is ${chosen}, not one of ${Object.keys(choices).join(', ')}.`);
  return databases;
};

/**
 * With TEST_POSTGRES_BIN, tests are repeated on another Postgres release; the embedded database has then already been tested.
 */
const { TEST_POSTGRES_BIN, TEST_DATABASES = TEST_POSTGRES_BIN ? 'postgres' : 'default' } = process.env;

/** The databases of this run. */
export const chosenDatabases = chooseDatabases(TEST_DATABASES);

/** What a database is called in the names of tests. */
export const databaseWords = { embedded: 'the embedded database', postgres: 'a Postgres server' } as const;

/** Returns a sentence about the databases of a run. */
export const inWords = ({ each, any }: Databases): string => {
  const [one, others] = [each, any].map(names => names.map(name => databaseWords[name]).join(' and '));
  return one === others
    ? `Tests run on ${one}.`
    : `Tests on which the databases could differ run on ${one}, others on ${others}; TEST_DATABASES=both: all on both.`;
};
