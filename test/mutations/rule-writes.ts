import type { Mutation } from '../../scripts/mutate/mutation.ts';

const writes = ['test/domain/staffing/work-rules.test.ts'];
const doors = ['test/domain/staffing/rules-at-doors.test.ts'];
const imported = ['test/imports/warnings.test.ts'];

/** The writes that are judged, each by the code that asks for its rules. */
const judgedWrites = [
  ['A new assignment, a changed one and an imported one are judged by rules.', 'resources/assignments/rules.ts'],
  ['A change of status and an application are judged by rules.', 'resources/assignments/setStatus.ts'],
  ['A bulk change of status is judged by rules.', 'resources/assignments/setStatuses.ts'],
  ['Invitations are judged by rules.', 'resources/assignments/createMany.ts'],
  ['Times of an assignment are judged by rules.', 'resources/assignments/setTime.ts'],
  ['A move of an assignment is judged by rules.', 'resources/assignments/move.ts'],
  ['Times of events and event functions are judged by rules.', 'domain/staffing/times/changed.ts'],
] as const;

export default [
  ...judgedWrites.map(([guarantee, file]) => ({
    guarantee,
    file: `src/${file}`,
    find: 'judgedAs(call)',
    replace: 'judgedAs({ ...call, fields: {} })',
    tests: doors,
  })),
  {
    guarantee: 'What an automation does is judged by rules.',
    file: 'src/automations/routines.ts',
    find: 'rulebookOf(fields,',
    replace: 'rulebookOf({},',
    tests: doors,
  },
  {
    guarantee: 'A rehearsed import warns as the import itself does.',
    file: 'src/imports/write-rows.ts',
    find: 'warnings: warningsOf(part)',
    replace: 'warnings: []',
    tests: doors,
  },
  {
    guarantee: 'Who cannot read assignments sees only the verdict in results of imports.',
    file: 'src/domain/rules/shown.ts',
    find: '({ start: _, end: __, assignment_ids: ___, ...verdict }: ShownBreach)',
    replace: '(verdict: ShownBreach)',
    tests: imported,
  },
  {
    guarantee: 'A rehearsed import names no record that exists only until it ends.',
    file: 'src/imports/write-rows.ts',
    find: 'value.filter(id => !made.has(id))',
    replace: 'value',
    tests: imported,
  },
  {
    guarantee: 'API users with scopes override rules only with the right to write them.',
    file: 'src/domain/rules/rulebook.ts',
    find: "isForceable: isAllowed(access, 'work-rules', 'write')",
    replace: 'isForceable: true',
    tests: writes,
  },
  {
    guarantee: 'Work of weeks before and after counts for an average.',
    file: 'src/domain/rules/rulebook.ts',
    find: 'kindOf(kind).reach?.(parameters) ?? 0',
    replace: '0',
    tests: writes,
  },
  {
    guarantee: 'A busy date is no work unless it counts as work.',
    file: 'src/domain/staffing/workers.ts',
    find: 'away.filter(({ counts_as_work }) => counts_as_work)',
    replace: 'away',
    tests: writes,
  },
  {
    guarantee: 'Recorded work counts in place of the plan.',
    file: 'src/domain/staffing/workers.ts',
    find: '(row.worked ?? []).map(timesOf)',
    replace: '[]',
    tests: writes,
  },
  {
    guarantee: 'Two writes of one person are judged one after the other.',
    file: 'src/domain/staffing/locks.ts',
    find: `.select(['id', 'status', 'forgotten_at', 'qualifications', 'birthday', 'wage_profile_id'])
      .where('id', '=', either(ids, sql\`\${staffed}\`))
      .orderBy('id')
      .forNoKeyUpdate()`,
    replace: `.select(['id', 'status', 'forgotten_at', 'qualifications', 'birthday', 'wage_profile_id'])
      .where('id', '=', either(ids, sql\`\${staffed}\`))
      .orderBy('id')`,
    tests: writes,
    names: 'twenty assignments at once',
    database: 'postgres',
  },
  {
    guarantee: 'What a rule asks of where work is done is read.',
    file: 'src/domain/rules/rulebook.ts',
    find: 'kindOf(kind).asksPlacement === true || [appliesTo, except].some(scope => scope !== null && isPlaced(scope))',
    replace: 'kindOf(kind).asksPlacement === true',
    tests: writes,
    names: 'only work in the scope',
  },
  {
    guarantee: 'Short rules add no statement to a write.',
    file: 'src/domain/staffing/workers.ts',
    find: 'transaction.run((judges ? workWithin : bookingsWithin)(span), absencesWithin(span))',
    replace:
      'transaction.run((judges ? workWithin : bookingsWithin)(span), absencesWithin(span), ...(judges ? [absencesWithin(span)] : []))',
    tests: ['test/domain/staffing/rule-statements.test.ts'],
  },
  {
    guarantee: 'A move is judged by the work before it.',
    file: 'src/domain/rules/employee-work.ts',
    find: 'return times === null ? [] : [{ ...piece, planned: timesOf(times) }];',
    replace: 'return [];',
    tests: writes,
  },
  {
    guarantee: 'A changed rule applies from then on.',
    file: 'src/resources/work-rules/rules.ts',
    find: `  follow: async (_, transaction) => {
    await transaction.send(renewStatement(transaction.tenant.id));`,
    replace: '  follow: async () => {',
    tests: writes,
  },
  {
    guarantee: 'The history has the values that force has overridden.',
    file: 'src/domain/staffing/checks.ts',
    find: 'rules.length > 0 && { rules }',
    replace: 'false',
    tests: writes,
  },
  {
    guarantee: 'No application that breaks a rule is assigned automatically.',
    file: 'src/domain/staffing/transition.ts',
    find: 'provisional.errors.length + provisional.fixed.length === 0',
    replace: 'true',
    tests: writes,
  },
] satisfies readonly Mutation[];
