import { jsonOf, type MoveRequest } from './caller.ts';
import { type CallerMove, type MoveSituation, timesOf } from './situation.ts';

/** What a new wage profile pays. */
export const wageTypes = [
  { id: 1, name: 'Hour', unit: 'hour', value: 13.33 },
  {
    id: 2,
    name: 'Night',
    type: '2',
    unit: 'hour',
    value: 13.33,
    factor: 0.275,
    windows: [{ from: '18:00', to: '06:00' }],
  },
  { id: 5, name: 'Fare', type: '4', unit: 'piece', value: 2.5 },
];
const currencies = ['EUR', 'CHF', 'JPY'] as const;

/** Records work and expenses, approves, pays, corrects, and changes by which profile all that is paid. */
export const pay: CallerMove = ({ random, ids }) => {
  const assignment = random.pick(ids('assignments'));
  const profile = random.pick(ids('wage-profiles'));
  const planner = random.pick(ids('planners'));
  const proposal = random.pick(ids('wage-proposals'));
  const run = random.pick(ids('pay-runs'));
  const force = random.chance(0.7) ? '?force=true' : '';
  const currency = random.pick(currencies);
  const approval = { approved_by_planner_id: random.chance(0.85) ? planner : null };
  const one = random.pick<MoveRequest>([
    { method: 'POST', path: '/wage-profiles', body: { name: `Paid in ${currency}`, currency, wage_types: wageTypes } },
    { method: 'PUT', path: `/wage-profiles/${profile}`, body: { currency } },
    {
      method: 'PUT',
      path: `/event-functions/${random.pick(ids('event-functions'))}`,
      body: { wage_profile_id: profile },
    },
    ...Array<MoveRequest>(3).fill({
      method: 'POST',
      path: '/work-times',
      body: { event_function_employee_id: assignment, ...timesOf(random) },
    }),
    {
      method: 'POST',
      path: '/wage-proposals',
      body: { assignment_id: assignment, wage_type_id: 5, value: random.integer(1, 9) },
    },
    { method: 'POST', path: '/wage-proposals', body: { assignment_id: assignment, wage_type_id: 5, value: 7 } },
    { method: 'PUT', path: `/wage-proposals/${proposal}`, body: { status: 2 } },
    { method: 'PUT', path: `/wage-proposals/${proposal}`, body: { status: 2 } },
    {
      method: 'POST',
      path: '/assignment-wages',
      body: { assignment_id: assignment, payable_amount: random.integer(1, 9) },
    },
    ...Array<MoveRequest>(4).fill({
      method: 'PUT',
      path: `/assignments/${assignment}/approve${force}`,
      body: approval,
    }),
    { method: 'POST', path: '/pay-runs', body: { name: 'Run', ...month } },
    {
      method: 'PUT',
      path: `/pay-runs/${run}`,
      body: { status: random.pick([1, 2, 3]), paid_on: '2027-04-01T10:00:00Z' },
    },
    { method: 'PUT', path: `/assignments/${assignment}/reopen`, body: { reason: 'Counted again' } },
  ]);
  return one;
};

/** Has an assignment worked, its expense accepted, and approved, paid by one profile and then another. */
export const payMonth: CallerMove = async situation => {
  const { random, ids, ask } = situation;
  const path = `/assignments/${random.pick(ids('assignments'))}`;
  const read = jsonOf(await ask({ method: 'GET', path })) as Readonly<Record<string, unknown>> | null;
  if (!read?.id) return;
  const { id, start, end, event_function_id } = read;
  const made = async (path: string, body: object): Promise<number> =>
    (jsonOf(await ask({ method: 'POST', path, body })) as { readonly id?: number } | null)?.id ?? 0;
  const payBy = async (currency: string | undefined): Promise<void> => {
    const profile = await made('/wage-profiles', { name: `Paid in ${currency}`, currency, wage_types: wageTypes });
    await ask({ method: 'PUT', path: `/event-functions/${event_function_id}`, body: { wage_profile_id: profile } });
  };
  await payBy(random.pick(currencies));
  if (random.chance(0.7)) await made('/work-times', { event_function_employee_id: id, start, end });
  const proposal = await made('/wage-proposals', { assignment_id: id, wage_type_id: 5, value: 3 });
  await ask({ method: 'PUT', path: `/wage-proposals/${proposal}`, body: { status: 2 } });
  if (random.chance(0.5)) await payBy(random.pick(currencies));
  const body = { approved_by_planner_id: random.pick(ids('planners')) };
  await ask({ method: 'PUT', path: `${path}/approve?force=true`, body });
  if (random.chance(0.5)) await correct(situation, { id: Number(id), end: String(end) });
};

/** Closes the month, and corrects work of it: it was longer. */
const correct = async (
  { random, ids, ask }: MoveSituation,
  { id, end }: { readonly id: number; readonly end: string },
): Promise<void> => {
  const made = jsonOf(await ask({ method: 'POST', path: '/pay-runs', body: { name: 'Closing', ...month } }));
  const { id: run } = (made ?? {}) as { readonly id?: number };
  if (run) await ask({ method: 'PUT', path: `/pay-runs/${run}`, body: { status: 2 } });
  await ask({ method: 'PUT', path: `/assignments/${id}/reopen`, body: { reason: 'Counted again' } });
  const longer = new Date(Date.parse(end) + random.integer(1, 5) * 3_600_000).toISOString();
  const work = { event_function_employee_id: id, start: end, end: longer };
  await ask({ method: 'POST', path: '/work-times', body: work });
  const approval = { approved_by_planner_id: random.pick(ids('planners')) };
  await ask({ method: 'PUT', path: `/assignments/${id}/approve?force=true`, body: approval });
};

const month = { period_start: '2027-03-01', period_end: '2027-03-31' };
