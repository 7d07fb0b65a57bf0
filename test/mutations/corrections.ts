import type { Mutation } from '../../scripts/mutate/mutation.ts';

const rules = ['test/domain/pay/correction.test.ts'];

export default [
  {
    guarantee: 'A correction is compared with all that is paid.',
    file: 'src/domain/pay/difference.ts',
    find: 'const reversed = paid.map(reverse);',
    replace: 'const reversed = paid.slice(1).map(reverse);',
    tests: rules,
  },
  {
    guarantee: 'The lines of a difference multiply to their amounts.',
    file: 'src/domain/pay/difference.ts',
    find: 'return isProduct ? [{ ...first, quantity, amount }] : all;',
    replace: 'return [{ ...first, quantity, amount }];',
    tests: rules,
  },
  {
    guarantee: 'Of a paysheet made by hand, only lines with a wage type count.',
    file: 'src/domain/pay/correction.ts',
    find: "(e.worked_on is not null or e.line ->> 'wage_type_id' is not null)",
    replace: 'true',
    tests: rules,
  },
  {
    guarantee: 'A difference that no pay run has is replaced.',
    file: 'src/domain/pay/correction.ts',
    find: "    .where('pay_run_id', 'is', null)\n    .execute();\n  const lines",
    replace: "    .where('pay_run_id', '=', 0)\n    .execute();\n  const lines",
    tests: rules,
  },
  {
    guarantee: 'A run whose work is corrected does not become open again.',
    file: 'src/domain/pay/correction.ts',
    find: ".where('o.pay_run_id', '=', payRunId)",
    replace: ".where('o.pay_run_id', '=', 0)",
    tests: rules,
  },
  {
    guarantee: 'The payment of a run of corrections is not that of their assignments.',
    file: 'src/resources/pay-runs/rules.ts',
    find: ".$if(paidWith, query => query.where('kind', '<>', 'correction'))",
    replace: '',
    tests: rules,
  },
  {
    guarantee: 'An assignment whose correction is open keeps its times.',
    file: 'src/domain/staffing/effective-times.ts',
    find: '(a.is_approved or a.correction is not null)',
    replace: 'a.is_approved',
    tests: rules,
  },
] satisfies readonly Mutation[];
