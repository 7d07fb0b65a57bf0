import type { Mutation } from '../../scripts/mutate/mutation.ts';

const random = ['test/domain/conflicts/random.test.ts'];
const touched = ['test/domain/conflicts/touched.test.ts'];
const kept = ['test/domain/conflicts/kept.test.ts'];
const listing = ['test/domain/conflicts/listing.test.ts'];
const followers = ['test/tenancy/followers.test.ts'];
const plan = ['test/domain/conflicts/conflicts.test.ts'];
const hidden = ['test/domain/conflicts/restricted.test.ts'];
const worker = ['test/domain/conflicts/worker.test.ts'];
const folder = 'src/domain/conflicts';

export default [
  {
    guarantee: 'Whose work a removed record was is judged again.',
    file: 'src/engine/write.ts',
    find: '...marksOf(set.resource, before), ...ownersOf(set, before)',
    replace: '...marksOf(set.resource, before), ...ownersOf(set, before).slice(0, 0)',
    tests: random,
  },
  {
    guarantee: 'A changed location is followed by conflicts.',
    file: `${folder}/touched.ts`,
    find: 'coalesce(f.location_id, e.location_id)',
    replace: 'coalesce(f.location_id, -e.location_id)',
    tests: touched,
  },
  {
    guarantee: 'A new default wage profile has everybody judged.',
    file: `${folder}/touched.ts`,
    find: ".where('default_place', '=', 1)",
    replace: ".where('default_place', '=', 2)",
    tests: touched,
    names: 'no change of a field',
  },
  {
    guarantee: 'A new wage profile that is not the default has nobody judged.',
    file: `${folder}/touched.ts`,
    find: "const isNobodys = entries.every(({ change }) => change === 'created');",
    replace: 'const isNobodys = entries.length === 0;',
    tests: touched,
    names: 'no change of a field',
  },
  {
    guarantee: 'A change of an assignment that conflicts do not depend on has nobody judged.',
    file: `${folder}/touched.ts`,
    find: "    fields: [...times, 'employee_id', 'event_function_id', 'is_approved', 'status', 'wage_profile_id'],\n",
    replace: '',
    tests: touched,
    names: 'no change of a field',
  },
  {
    guarantee: 'The people of a removed or narrower rule are judged.',
    file: `${folder}/touched.ts`,
    find: "eb('c.rule_id', '=', idsOf(rules)), ",
    replace: '',
    tests: touched,
    names: 'each record',
  },
  {
    guarantee: 'What has begun before the daily removal is judged by what is left.',
    file: `${folder}/touched.ts`,
    find: ".where('start', '<', since)",
    replace: ".where('end', '<', since)",
    tests: kept,
    names: 'judged again once a day',
  },
  {
    guarantee: 'The daily removal judges no others, however far rules look.',
    file: `${folder}/touched.ts`,
    find: ".where('a.effective_end', '<=', to)",
    replace: ".where('a.effective_end', '>', to)",
    tests: kept,
    names: 'judged again once a day',
  },
  {
    guarantee: 'Conflicts are kept for 400 days after their end.',
    file: `${folder}/progress.ts`,
    find: 'const KEPT = 400;',
    replace: 'const KEPT = 500;',
    tests: kept,
    names: 'are up to date',
  },
  {
    guarantee: 'Moving the clock of a sandbox brings conflicts up to date before it responds.',
    file: 'src/automations/sandbox/clock.ts',
    find: '    if ((await finishConflicts(db)).isOutdated) return false;\n',
    replace: '',
    tests: ['test/domain/conflicts/feed.test.ts'],
  },
  {
    guarantee: 'Taking the conflicts of a disabled tenant to the present ends.',
    file: `${folder}/rebuild.ts`,
    find: 'if (step.isOutdated || (',
    replace: 'if (false || (',
    tests: plan,
    names: 'while the tenant is disabled',
  },
  {
    guarantee: 'Of several alike, the breach furthest from its limit is the conflict.',
    file: `${folder}/find.ts`,
    find: 'b.distance - a.distance',
    replace: 'a.distance - b.distance',
    tests: plan,
    names: 'furthest',
  },
  {
    guarantee: 'No birthday of a forgotten person is missing.',
    file: `${folder}/find.ts`,
    find: ' || person.isForgotten',
    replace: '',
    tests: plan,
    names: 'forgotten',
  },
  {
    guarantee: 'A conflict says whether it was overridden.',
    file: `${folder}/store.ts`,
    find: 'row.overridden.map(code =>',
    replace: 'row.overridden.slice(1).map(code =>',
    tests: plan,
    names: 'double bookings',
  },
  {
    guarantee: 'The period of a listing is half-open.',
    file: 'src/resources/conflicts/rules.ts',
    find: "['end[]', `>",
    replace: "['end[]', `>=",
    tests: listing,
    names: 'is of a period',
  },
  {
    guarantee: 'A listing that is rejected does not wait.',
    file: 'src/engine/list.ts',
    find: '  const planned = await planNow(asked, resource, db, rules);',
    replace:
      '  if (services) await rules.ready?.(asked, db, services);\n  const planned = await planNow(asked, resource, db, rules);',
    tests: listing,
    names: 'is not for what is rejected',
  },
  {
    guarantee: 'Waiting is for what precedes the request, as long as it says.',
    file: 'src/resources/conflicts/rules.ts',
    find: '() => performance.now() < end && !signal.aborted && !wakeups.stopped',
    replace: '() => false',
    tests: worker,
    names: 'is waited for',
  },
  {
    guarantee: 'The present of a journal without positions is waited for.',
    file: 'src/db/journal/read.ts',
    find: 'if (!first.head) first',
    replace: 'if (first.head === undefined) first',
    tests: worker,
    names: 'is waited for',
  },
  {
    guarantee: 'A tenant with much to do holds up no other.',
    file: 'src/tenancy/followers.ts',
    find: 'await take(() => step(tenant));',
    replace: `await take(async () => {
          for (;;) {
            const last = await step(tenant);
            if (!last?.more || signal.aborted) return last;
          }
        });`,
    tests: followers,
    names: 'has turns',
  },
  {
    guarantee: 'A tenant that has changed has a step at once.',
    file: 'src/tenancy/followers.ts',
    find: 'isDeepStrictEqual(before.tenant, tenant)',
    replace: 'isDeepStrictEqual(before.tenant.id, tenant.id)',
    tests: followers,
    names: 'has changed',
  },
  {
    guarantee: 'A conflict keeps its id while it lasts.',
    file: `${folder}/conflict.ts`,
    find: 'busy_date_id, unit].join',
    replace: 'busy_date_id, unit, conflict.actual].join',
    tests: plan,
  },
  {
    guarantee: 'Each pair of simultaneous assignments is one conflict.',
    file: `${folder}/find.ts`,
    find: 'bookingsDuring(open, booking, booking.assignment_id)',
    replace: 'bookingsDuring(bookings, booking, booking.assignment_id)',
    tests: plan,
  },
  {
    guarantee: 'Another module has all work judged again.',
    file: `${folder}/follow.ts`,
    find: 'before.basis !== basis',
    replace: 'before.basis === null',
    tests: plan,
  },
  {
    guarantee: 'A journal that begins anew has all work judged again.',
    file: `${folder}/follow.ts`,
    find: 'before.epoch !== epoch || before.target < forgotten',
    replace: 'before.epoch === null || before.target < forgotten',
    tests: plan,
  },
  {
    guarantee: 'Nothing is written for a disabled tenant.',
    file: `${folder}/follow.ts`,
    find: 'if (present.modules === null) return',
    replace: 'if (present.modules === undefined) return',
    tests: plan,
  },
  {
    guarantee: 'Whose work is left is judged before the position is reached.',
    file: `${folder}/follow.ts`,
    find: 'const position = isDone ? begun.target : begun.position;',
    replace: 'const position = begun.target;',
    tests: worker,
  },
  {
    guarantee: 'A step that judges as many people as one may ends, when nobody is left.',
    file: `${folder}/follow.ts`,
    find: 'const isDone = people.length < PEOPLE || !(await isAnybodyLeft(transaction));',
    replace: 'const isDone = people.length < PEOPLE;',
    tests: worker,
  },
  {
    guarantee: 'Nobody waits for who is busy with the conflicts of a tenant.',
    file: `${folder}/progress.ts`,
    find: '.forUpdate().skipLocked()',
    replace: '.forUpdate()',
    tests: worker,
  },
  {
    guarantee: 'Old conflicts are removed once a day.',
    file: `${folder}/follow.ts`,
    find: 'Date.parse(present.since) - Date.parse(progress.since) >= DAY',
    replace: 'Date.parse(present.since) - Date.parse(progress.since) >= 1000 * DAY',
    tests: kept,
  },
  {
    guarantee: 'A missing birthday is in no change that is shown where birthdays are hidden.',
    file: `${folder}/store.ts`,
    find: "array[':' ||",
    replace: "array['' ||",
    tests: hidden,
  },
  {
    guarantee: 'A missing birthday triggers no automation of those from whom birthdays are hidden.',
    file: 'src/domain/occurrences/trigger.ts',
    find: '!isWithheld(type, data, { hidden: hidden ?? [] })',
    replace: '!isWithheld(type, data, { hidden: [] })',
    tests: hidden,
  },
  {
    guarantee: 'The log of deliveries shows no missing birthday where birthdays are hidden.',
    file: 'src/core/resource/view.ts',
    find: '!access.hidden.includes(withheld.category)) return [];',
    replace: '!access.hidden.includes(withheld.category) || withheld) return [];',
    tests: hidden,
  },
  {
    guarantee: 'The inbox shows no missing birthday where birthdays are hidden.',
    file: 'src/resources/sandbox/readable.ts',
    find: 'if (isWithheld(type, data, { hidden: fields.hidden ?? [] })) return false;',
    replace: 'void isWithheld;',
    tests: hidden,
  },
  {
    guarantee: 'A waiting listing confirms its caller before it responds.',
    file: 'src/engine/list.ts',
    find: '? services.readConfirmed(asked, db, async (call, db) =>',
    replace:
      '? (async (_: Call, db: TenantDb, read: (call: Call, db: TenantDb) => Promise<ListingReply<Name>>) => read(asked, db))(asked, db, async (call, db) =>',
    tests: ['test/domain/conflicts/waiting-restricted.test.ts'],
  },
  {
    guarantee: 'Conflicts are not removed by the clock that a sandbox had before its reset.',
    file: 'src/domain/conflicts/progress.ts',
    find: 'modules !== null && Number(clock) >= transaction.tenant.clockAhead',
    replace: 'modules !== null',
    tests: ['test/domain/conflicts/kept.test.ts'],
    names: 'by the clock before its reset',
  },
] satisfies readonly Mutation[];
