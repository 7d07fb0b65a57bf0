import type { Mutation } from '../../scripts/mutate/mutation.ts';

const random = ['test/domain/conflicts/random.test.ts'];
const plan = ['test/domain/conflicts/conflicts.test.ts'];
const hidden = ['test/domain/conflicts/restricted.test.ts'];
const worker = ['test/domain/conflicts/worker.test.ts'];
const folder = 'src/domain/conflicts';

export default [
  {
    guarantee: 'Whose work a removed record was is judged again.',
    file: 'src/engine/write.ts',
    find: '...readBy(set, before), ...ownersOf(set, before)',
    replace: '...readBy(set, before), ...ownersOf(set, before).slice(0, 0)',
    tests: random,
  },
  {
    guarantee: 'A changed project is followed by conflicts.',
    file: `${folder}/touched.ts`,
    find: "placed(kysely).where('e.project_id', '=', idsOf(entries))",
    replace: "placed(kysely).where('e.id', '=', idsOf(entries))",
    tests: random,
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
    find: '.filter(other => isBefore(other, booking))',
    replace: '.filter(other => isBefore(other, booking) || isBefore(booking, other))',
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
    find: 'const position = isDone ? progress.target : progress.position;',
    replace: 'const position = progress.target;',
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
    find: 'Date.parse(present.since) - Date.parse(before.since) >= DAY',
    replace: 'Date.parse(present.since) - Date.parse(before.since) >= 1000 * DAY',
    tests: ['test/domain/conflicts/kept.test.ts'],
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
    find: '? services.readConfirmed(asked, db, (call, db) => listNow(call, resource, db, rules))',
    replace: '? listNow(asked, resource, db, rules)',
    tests: ['test/domain/conflicts/listing.test.ts'],
  },
] satisfies readonly Mutation[];
