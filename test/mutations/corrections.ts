import type { Mutation } from '../../scripts/mutate/mutation.ts';

const rules = ['test/domain/pay/correction.test.ts'];
const around = ['test/domain/pay/corrections-around.test.ts'];
const billing = ['test/domain/billing/correction.test.ts'];
const bulk = ['test/resources/assignments/approveMany.test.ts'];

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
    file: 'src/domain/pay/correction-sheets.ts',
    find: "(e.worked_on is not null or e.line ->> 'wage_type_id' is not null)",
    replace: 'true',
    tests: rules,
  },
  {
    guarantee: 'A difference that no pay run has is replaced.',
    file: 'src/domain/pay/correction-sheets.ts',
    find: "    .where('pay_run_id', 'is', null)\n    .execute();\n  const paid",
    replace: "    .where('pay_run_id', '=', 0)\n    .execute();\n  const paid",
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
  {
    guarantee: 'The difference of work whose correction is open is not collected.',
    file: 'src/domain/pay/collect.ts',
    find: "    .where('a.correction', 'is', null)\n",
    replace: '',
    tests: around,
  },
  {
    guarantee: 'A pay run collects the corrections that were approved until its end.',
    file: 'src/domain/pay/collect.ts',
    find: "daySpan(to, tenant.timeZone)?.to ?? 'infinity')\n    .$if",
    replace: "'infinity')\n    .$if",
    tests: around,
  },
  {
    guarantee: 'Billed work gets the difference.',
    file: 'src/domain/billing/bill.ts',
    find: 'billings.filter(({ billed_on }) => billed_on !== null)',
    replace: 'billings.slice(billings.length)',
    tests: rules,
  },
  {
    guarantee: 'A billing that has become unbilled since the work was reopened is derived anew.',
    file: 'src/domain/billing/bill.ts',
    find: 'const removed = billings.filter(({ id }) => !staying.has(id));',
    replace:
      'const removed = billings.filter(({ id, corrects_billing_id }) => corrects_billing_id !== null && !staying.has(id));',
    tests: billing,
  },
  {
    guarantee: 'What a billed difference corrects stays.',
    file: 'src/domain/billing/bill.ts',
    find: 'flatMap(({ id, corrects_billing_id }) => [id, corrects_billing_id])',
    replace: 'flatMap(({ id }) => [id])',
    tests: billing,
  },
  {
    guarantee: 'The lines of a paysheet that reopening made never change.',
    file: 'src/resources/paysheets/rules.ts',
    find: ' || before.worked_on !== null',
    replace: '',
    tests: around,
  },
  {
    guarantee: 'Of many approvals, each is judged with the work of those before.',
    file: 'src/domain/pay/approve.ts',
    find: 'for (const { id, assignment_id, start, end } of works) others.set',
    replace: 'for (const { id, assignment_id, start, end } of works.slice(1)) others.set',
    tests: bulk,
  },
  {
    guarantee: 'What a bulk change has written is undone if one record fails, and written again without it.',
    file: 'src/engine/writing/bulk.ts',
    find: "if (outcomes.some(({ result }) => result === 'failed')) throw new Undone(outcomes);",
    replace: '',
    tests: bulk,
  },
  {
    guarantee: 'Approvals that are withdrawn give back the times of events that have moved.',
    file: 'src/domain/pay/approvals.ts',
    find: '  storeEffectiveTimes(scope, transaction);\n',
    replace: '',
    tests: bulk,
  },
  {
    guarantee: 'A disabled item is not billed, with many others neither.',
    file: 'src/resources/assignment-billings/setBilled.ts',
    find: 'disabledErrors(billing.billed_on, billedOn, billing.is_disabled)',
    replace: 'disabledErrors(billing.billed_on, billedOn, false)',
    tests: ['test/resources/assignment-billings/setBilled.test.ts'],
  },
] satisfies readonly Mutation[];
