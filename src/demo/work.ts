import { worksOf } from '../domain/work/stamped-work.ts';
import type { Assignment, Checkin, FunctionsById } from './assignments.ts';
import type { BillOf } from './billing.ts';
import { type EventFunction, isStrict } from './events.ts';
import { type DemoPay, type PayOf, recentDays, wageRows } from './pay/pay.ts';
import { makePayRuns, type PeriodOf, workedOn } from './pay/pay-runs.ts';
import { instant, type Scene, timesOf } from './scene.ts';
import { functionNames } from './words.ts';
import type { DemoRow } from './write.ts';

const day = 86_400;

const open = { status: 1, decided_at: null };

const numbered = (rows: readonly object[]): readonly DemoRow[] => rows.map((row, index) => ({ id: index + 1, ...row }));

const decimal = (value: number): number => Number(value.toFixed(2));

/** Sources of work times and of their proposals. */
const FROM_APPS = 1;
const FROM_PROPOSAL = 2;
const FROM_CHECKINS = 3;

/** The source of an assignment's work time. */
const sourceOf = ({ id }: Assignment): number => 1 + (id % 3);

/** The paysheet of an assignment, without its pay run. */
const sheetOf = ({ id, approved_wage_profile_id }: Assignment, pay: DemoPay) => ({
  assignment_id: id,
  wage_profile_id: approved_wage_profile_id,
  lines: wageRows(id, pay).map(wage => ({
    wage_type_id: wage.wage_type_id,
    name: wage['wage_type.name'],
    quantity: wage.factor,
    unit: wage['wage_type_value.unit'],
    rate: wage['wage_type_value.value'],
    factor: Number(wage['wage_type.factor']),
    amount: wage.payable_amount,
    currency: wage.currency,
    wage_profile_id: wage.wage_profile_id,
    wage_type_external_id: wage['wage_type.external_id'],
  })),
});

/** A confirmed assignment and its event function. */
interface BookedWork {
  readonly assignment: Assignment;
  readonly target: EventFunction;
}

const customerOf = ({ event: { project_id, client_id } }: EventFunction) => ({ project_id, client_id });
const rateOf = ({ function_id }: EventFunction): number => functionNames[function_id - 1]?.[2] ?? 15;

const makeContracts = (works: readonly BookedWork[]) =>
  [...works.slice(0, 150), ...works.slice(-50)].map(({ assignment, target }) => ({
    assignment_id: assignment.id,
    planner_id: target.event.planner_id,
    data: [{ name: 'hourly_rate', value: rateOf(target).toFixed(2) }],
    created_at: assignment.created_at,
  }));

const makeReports = ({ random }: Scene, works: readonly BookedWork[]) =>
  works.slice(0, 150).map(({ assignment, target }) => ({
    assignment_id: assignment.id,
    report_submission_id: 1,
    planner_id: target.event.planner_id,
    data: [{ name: 'remarks', value: random.chance(0.8) ? 'All went well' : 'More glasses are needed' }],
    created_at: instant(target.end + 3600),
    updated_at: instant(target.end + 3600),
  }));

const makeWorkTimes = (works: readonly BookedWork[]) =>
  works.map(({ assignment, target }) => ({
    event_function_employee_id: assignment.id,
    event_function_id: target.id,
    ...timesOf(target),
    source: sourceOf(assignment),
    is_approved: true,
    approved_on: assignment.approved_on,
  }));

/** Makes the proposals of work times; where checkins are strict, from these. */
const makeProposals = ({ random, timeZone }: Scene, works: readonly BookedWork[], checkins: readonly Checkin[]) => {
  const stamps = Map.groupBy(checkins, ({ assignment_id }) => assignment_id);
  const stampedOf = ({ id, is_approved }: Assignment, { event }: EventFunction) => {
    const isStamped = !is_approved && isStrict(event.project_id);
    // The demo's assignments have one break at most.
    const [work] = isStamped ? worksOf(stamps.get(id) ?? [], 15, timeZone) : [];
    return work && { ...work, source: FROM_CHECKINS };
  };
  return works.map(({ assignment, target }) => ({
    assignment_id: assignment.id,
    ...(stampedOf(assignment, target) ?? { ...timesOf(target), source: FROM_APPS }),
    remarks: random.chance(0.1) ? 'The last guests left late' : null,
    ...(assignment.is_approved ? { status: 2, decided_at: assignment.approved_on } : open),
    created_at: instant(target.end + 600),
    updated_at: assignment.approved_on ?? instant(target.end + 600),
  }));
};

const makeWageProposals = ({ random }: Scene, works: readonly BookedWork[]) =>
  works.slice(0, 60).map(({ assignment }) => ({
    assignment_id: assignment.id,
    wage_type_id: 5,
    value: random.integer(1, 4),
    ...(random.chance(0.3) ? { status: 3, decided_at: assignment.updated_at } : open),
  }));

const makeLivestamps = ({ random }: Scene, works: readonly BookedWork[]) =>
  works.map(({ assignment, target }) => ({
    assignment_id: assignment.id,
    type: 1,
    timestamp: instant(target.start - random.integer(0, 900)),
    latitude: decimal(52 + random.next()),
    longitude: decimal(13 + random.next()),
    created_at: instant(target.start),
  }));

const makeBillings = (works: readonly BookedWork[], bill: BillOf) =>
  works.flatMap(({ assignment, target }) =>
    bill(target, [timesOf(target)]).map(billing => ({
      assignment_id: assignment.id,
      ...customerOf(target),
      ...billing,
      billed_on: target.event.offset < -14 ? instant(target.end + 7 * day) : null,
    })),
  );

/** Makes the pay runs and the paysheets of approved assignments. */
const makePay = (scene: Scene, works: readonly BookedWork[], pay: PayOf, periodOf: PeriodOf) =>
  makePayRuns(
    works.flatMap(({ assignment, target }) => {
      const worked_on = workedOn(scene, target);
      const due = pay(target, assignment.employee_id);
      const period = periodOf(worked_on, due.profile.id);
      const copied = { worked_on, ...customerOf(target), paid_employee_id: assignment.employee_id };
      return period ? [{ period, row: { ...sheetOf(assignment, due), ...copied } }] : [];
    }),
  );

/** Makes the contracts, reports, work times, positions, pay and bills of confirmed assignments. */
export const makeWork = (
  scene: Scene,
  byId: FunctionsById,
  assignments: readonly Assignment[],
  checkins: readonly Checkin[],
  pay: PayOf,
  bill: BillOf,
  periodOf: PeriodOf,
) => {
  const held = assignments.flatMap(assignment => {
    const target = byId.get(assignment.event_function_id);
    return target && assignment.status === 7 ? [{ assignment, target }] : [];
  });
  const past = held.filter(({ target }) => target.event.offset < 0 && target.event.offset >= -recentDays);
  const waiting = past.filter(({ target }) => target.event.offset >= -7);
  const approved = held.filter(({ assignment }) => assignment.is_approved);
  const proposed = approved.filter(({ assignment }) => sourceOf(assignment) === FROM_PROPOSAL);
  const { runs, rows: sheets } = makePay(scene, approved, pay, periodOf);
  const tables = {
    assignment_contract: makeContracts(held),
    assignment_employment_reports: makeReports(scene, past),
    work_times: makeWorkTimes(approved),
    work_time_proposals: makeProposals(scene, [...proposed, ...waiting], checkins),
    wage_proposals: makeWageProposals(scene, waiting),
    livestamps: makeLivestamps(scene, waiting),
    assignment_wages: approved.flatMap(({ assignment, target }) =>
      wageRows(assignment.id, pay(target, assignment.employee_id)),
    ),
    pay_runs: runs,
    paysheets: sheets,
    assignment_billings: makeBillings(approved, bill),
  };
  return Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, numbered(rows)]));
};
