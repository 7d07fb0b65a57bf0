/** The pay of nine hours at the rate of the wage profile 3. */
export const pay = 252;

/** When the first half of June was paid. */
export const paid_on = '2026-07-01T10:00:00Z';

/** The wage of an assignment. */
export const wage = (id: number, assignment_id: number) => ({
  id,
  assignment_id,
  wage_profile_id: 3,
  type: '1',
  payable_amount: pay,
  base_value: 28,
  factor: 9,
  'wage_type.name': 'Stundensatz',
  'wage_type.external_id': 'HO-100',
  'wage_type.currency_format': 'EUR',
  'wage_type_value.unit': 'hour',
});

const paysheet = (id: number, assignment_id: number, pay_run_id: number | null, paid_employee_id: number | null) => ({
  id,
  assignment_id,
  pay_run_id,
  wage_profile_id: 3,
  period_start: '2026-06-01',
  period_end: '2026-06-30',
  status: 1,
  lines: [
    {
      wage_type_id: 1,
      name: 'Stundensatz',
      quantity: 9,
      unit: 'hour',
      rate: 28,
      factor: 1,
      amount: pay,
      currency: 'EUR',
      wage_profile_id: 3,
      wage_type_external_id: 'HO-100',
    },
  ],
  worked_on: pay_run_id && '2026-06-12',
  project_id: pay_run_id && 19,
  client_id: pay_run_id && 7,
  paid_employee_id,
  paid_on: null,
});

/** A pay run of one paysheet. */
const payRun = (id: number, name: string, period_end: string) => ({
  id,
  name,
  period_start: '2026-06-01',
  period_end,
  wage_profile_id: 3,
  status: 1,
  paysheet_count: 1,
  totals: [{ currency: 'EUR', amount: pay }],
  total: pay,
  paid_on: null,
});

/** What a payment changes in a pay run and its paysheets. */
const settled = { status: 3, paid_on };

/** The pay run 12 is open, 13 is paid. */
export const payRuns = [
  payRun(12, 'June 2026', '2026-06-30'),
  { ...payRun(13, 'June 2026, first half', '2026-06-15'), ...settled },
];

/** Of assignments on no pay run and on each of the two. */
export const paysheets = [
  paysheet(90, 4716, null, null),
  paysheet(91, 4717, 12, 118),
  { ...paysheet(92, 4718, 13, 120), ...settled, period_end: '2026-06-15' },
];
