import type { Mutation } from '../mutate/mutation.ts';

/** Defects of earlier releases, put back to see whether the simulation finds them, and broken guards. */
export const points: readonly Omit<Mutation, 'tests'>[] = [
  {
    guarantee: 'A request that waits for changes ends with the restriction of its caller.',
    file: 'src/resources/changes/list.ts',
    find: 'found = await readConfirmed(call, db, (now, db) =>',
    replace: 'found = await ((one, other, read) => read(one, other))(call, db, (now, db) =>',
  },
  {
    guarantee: 'An automation does what its author may do.',
    file: 'src/automations/deliver.ts',
    find: '  const obstacle = obstacleTo(delivery);\n  const outcome = obstacle',
    replace: '  const obstacle = null;\n  const outcome = obstacle',
  },
  {
    guarantee: 'Money of two currencies is not added.',
    file: 'src/domain/pay/approve.ts',
    find: 'errors.push(...currencyErrors(wages, profile?.currency ?? null, field));',
    replace: 'void currencyErrors;',
  },
  {
    guarantee: 'Results of imports name no hidden fields.',
    file: 'src/resources/import-results/rules.ts',
    find: 'resource && hidden.length > 0 ?',
    replace: 'resource && hidden.length < 0 ?',
  },
  {
    guarantee: 'A correction is compared with all that is paid.',
    file: 'src/domain/pay/difference.ts',
    find: 'const reversed = paid.map(reverse);',
    replace: 'const reversed = paid.slice(1).map(reverse);',
  },
];
