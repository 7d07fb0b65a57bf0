import type { Mutation } from '../../scripts/mutate/mutation.ts';

const confirmed = ['test/automations/confirmed.test.ts'];
const disabled = ['test/automations/disabled.test.ts'];
const copies = ['test/resources/employees/copies.test.ts'];

export default [
  {
    guarantee: 'A webhook is sent only if what it was made for is still so.',
    file: 'src/automations/deliver.ts',
    find: 'if (!isDeepStrictEqual(await readAlone(delivery.id, db), delivery)) return null;',
    replace: '',
    tests: confirmed,
  },
  {
    guarantee: 'A scan triggers nothing for a tenant that is disabled.',
    file: 'src/domain/occurrences/time-based.ts',
    find: 'if (result?.rows[0]?.[0] === null) return 0;',
    replace: '',
    tests: disabled,
  },
  {
    guarantee: 'A webhook is put into the inbox of a sandbox under the lock of copies.',
    file: 'src/automations/deliver.ts',
    find: '      keepCopies(transaction);\n',
    replace: '',
    tests: copies,
    database: 'postgres',
  },
  {
    guarantee: 'A response is kept under the lock of copies.',
    file: 'src/engine/idempotency.ts',
    find: '    keepCopies(transaction);\n',
    replace: '',
    tests: copies,
    database: 'postgres',
  },
  {
    guarantee: 'Results of imports are stored under the lock of copies.',
    file: 'src/imports/batch.ts',
    find: '    keepCopies(transaction);\n',
    replace: '',
    tests: copies,
    database: 'postgres',
  },
  {
    guarantee: 'The migration of deliveries keeps their order.',
    file: 'src/db/migrations/0027-deliveries.sql',
    find: 'and r.sequence <> place.sequence',
    replace: 'and false',
    tests: ['test/db/migrations/deliveries.test.ts'],
    database: 'postgres',
  },
  {
    guarantee: 'A trigger without what it sends is reported.',
    file: 'scripts/generate/checks/automations.ts',
    find: 'if (!names) report',
    replace: 'if (names === null) report',
    tests: ['test/scripts/generate/checks/checks.test.ts'],
    names: 'a trigger without what it sends',
  },
] satisfies readonly Mutation[];
