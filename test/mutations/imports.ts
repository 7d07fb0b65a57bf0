import type { Mutation } from '../../scripts/mutate/mutation.ts';

export default [
  {
    guarantee: 'A record that two rows name is changed by one after the other, with an entry for each.',
    file: 'src/imports/write-rows.ts',
    find: 'taken.has(id) || !taken.add(id)',
    replace: '(taken.add(id), false)',
    tests: ['test/imports/together.test.ts'],
  },
  {
    guarantee: 'What work has written that throws afterwards is undone.',
    file: 'src/db/tenant-transaction.ts',
    find: 'else if (sender.hasWritten) throw',
    replace: 'else if (!sender) throw',
    tests: ['test/db/together.test.ts'],
  },
  {
    guarantee: 'What is written together is entered in the journal.',
    file: 'src/db/journal/entries.ts',
    find: 'this.#places.push(...others.#places)',
    replace: 'void others',
    tests: ['test/db/together.test.ts'],
  },
  {
    guarantee: 'Entries of many records say whose last change has moved.',
    file: 'src/db/journal/entries.ts',
    find: 'isNamed || touched !== null',
    replace: 'isNamed',
    tests: ['test/imports/together.test.ts'],
    names: 'have entries that say',
  },
  {
    guarantee: 'An import takes as many statements for many rows as for few.',
    file: 'src/db/together/unite.ts',
    find: 'const same = kind === null ?',
    replace: 'const same = kind !== undefined ?',
    tests: ['test/db/together.test.ts'],
  },
  {
    guarantee: 'An import does not wait where the clock is set back.',
    file: 'src/imports/enqueue.sql',
    find: "'epoch', now()",
    replace: 'now(), now()',
    tests: ['test/imports/worker.test.ts'],
    names: 'if the clock is set back',
  },
  {
    guarantee: 'A start on the embedded database goes on at once with what an ended process had begun.',
    file: 'src/server/jobs/jobs.ts',
    find: "if (database.kind === 'embedded') await",
    replace: "if (database.kind === 'embedded' && !config) await",
    tests: ['test/server/jobs/jobs.test.ts'],
  },
  {
    guarantee: 'A start takes no job from another process, which may go on with it.',
    file: 'src/server/jobs/jobs.ts',
    find: "if (database.kind === 'embedded') await",
    replace: 'await',
    tests: ['test/server/jobs/jobs.test.ts'],
    database: 'postgres',
  },
] satisfies readonly Mutation[];
