import type { Mutation } from '../../scripts/mutate/mutation.ts';

export default [
  {
    guarantee: 'What is acknowledged is committed.',
    file: 'src/db/trips.ts',
    find: `    const trip = this.#depart([...statements, ...(this.closing?.statements() ?? []), COMMIT]);
    this.ended = true;
    const results = await trip.catch((error: unknown) => {
      throw this.#isReading ? error : inDoubt(error);
    });`,
    replace: `    const results = [...(await this.#depart([...statements, ...(this.closing?.statements() ?? [])])), { command: 'COMMIT' }];
    this.ended = true;
    const [connection, deadline] = [this.#connection, this.#deadline] as unknown as [{ send: Function; release: Function }, number];
    const { release } = connection;
    connection.release = () => {
      connection.release = release;
      setTimeout(() => connection.send([COMMIT], deadline).finally(() => release.call(connection)), 20);
    };
    void inDoubt;`,
    tests: ['test/scripts/faults/faults.test.ts'],
    names: 'after the service was killed',
  },
  {
    guarantee: 'Ids that a process has claimed are claimed by no other after a crash of the server.',
    file: 'src/db/id-blocks/ids.ts',
    find: 'synchronous_commit = on',
    replace: 'synchronous_commit = off',
    tests: ['test/db/id-blocks.test.ts'],
    names: 'a crash of the server',
    database: 'postgres',
  },
  {
    guarantee: 'A request whose connection to the database breaks gets 503.',
    file: 'src/db/errors.ts',
    find: "'severity' in error && ",
    replace: '',
    tests: ['test/db/errors.test.ts'],
  },
  {
    guarantee: 'A trip of however many statements is not given up before its time.',
    file: 'src/db/pool/pool.ts',
    find: 'Math.min(allowed, LONGEST_TIMER)',
    replace: 'allowed',
    tests: ['test/db/pool/pool.test.ts'],
    names: 'longer than any timer',
    database: 'postgres',
  },
] satisfies readonly Mutation[];
