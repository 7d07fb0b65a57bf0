import type { Mutation } from '../../scripts/mutate/mutation.ts';

const counted = ['test/domain/pay/holidays-random.test.ts'];
const derived = ['test/domain/pay/holidays.test.ts'];

export default [
  {
    guarantee: 'A window of public holidays applies on them only.',
    file: 'src/domain/time/windows.ts',
    find: 'isHoliday === 1 ? holidays.has(day) : ',
    replace: '',
    tests: counted,
  },
  {
    guarantee: 'Work on public holidays counts as paid where a window pays for it.',
    file: 'src/domain/pay/derive.ts',
    find: 'partsOf(workedIn(works), { ...terms, wageTypes: paying }, timeZone)',
    replace: 'partsOf(workedIn(works), { wageTypes: paying }, timeZone)',
    tests: counted,
  },
  {
    guarantee: 'A public holiday of a country applies in that country only.',
    file: 'src/domain/pay/holidays.ts',
    find: "eb('h.country_id', '=', eb.ref('l.country'))",
    replace: "eb('h.country_id', 'is not', null)",
    tests: derived,
  },
  {
    guarantee: 'A public holiday of everywhere applies without a location.',
    file: 'src/domain/pay/holidays.ts',
    find: ".leftJoin('locations as l'",
    replace: ".innerJoin('locations as l'",
    tests: derived,
  },
  {
    guarantee: 'Wages are derived by the public holidays of the moment of approval.',
    file: 'src/domain/pay/approve.ts',
    find: '  await settle(ids, transaction);\n',
    replace: '',
    tests: derived,
  },
  {
    guarantee: 'Work after midnight is paid by a window that began on the public holiday before.',
    file: 'src/domain/pay/holidays.ts',
    find: "dateInUtc('t.start')} - 2`",
    replace: "dateInUtc('t.end')}`",
    tests: derived,
  },
] satisfies readonly Mutation[];
