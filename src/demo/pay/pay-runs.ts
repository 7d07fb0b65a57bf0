import { Temporal } from 'temporal-polyfill';
import { sumOf } from '../../domain/pay/money.ts';
import type { EventFunction } from '../events.ts';
import { instant, type Scene } from '../scene.ts';

/** The work that a pay run pays together; days as YYYY-MM-DD, both inclusive. */
export interface PayPeriod {
  readonly from: string;
  readonly to: string;
  readonly status: 1 | 2 | 3;
  /** Null: of all wage profiles. */
  readonly wage_profile_id: number | null;
  readonly paid_on: string | null;
}

/** Returns the day on which the work of an event function starts. */
export const workedOn = (scene: Scene, { event: { offset }, start }: EventFunction): string =>
  scene.date(start < scene.midnight(offset + 1) ? offset : offset + 1);

/** Returns the pay period of work by its day and wage profile; null if no pay run has collected it yet. */
export type PeriodOf = (day: string, wageProfileId: number) => PayPeriod | null;

/**
 * Creates the pay periods.
 * Past months are paid, the days since are approved, then open for one wage profile, then left for the next pay run.
 */
export const createPeriods = (scene: Scene): PeriodOf => {
  const today = Temporal.PlainDate.from(scene.date(0));
  const unpaid = today.subtract({ days: 30 }).with({ day: 1 }).toString();
  const [approved, open] = [
    { from: unpaid, to: scene.date(-19), status: 2, wage_profile_id: null, paid_on: null },
    { from: scene.date(-18), to: scene.date(-13), status: 1, wage_profile_id: 2, paid_on: null },
  ] as const;
  return (day, wageProfileId) => {
    if (day < unpaid) return monthOf(scene, today, day);
    const period = [approved, open].find(({ from, to }) => from <= day && day <= to);
    return period && (period.wage_profile_id ?? wageProfileId) === wageProfileId ? period : null;
  };
};

/** The month of a day, which is paid ten days after its end. */
const monthOf = (scene: Scene, today: Temporal.PlainDate, day: string): PayPeriod => {
  const first = Temporal.PlainDate.from(day).with({ day: 1 });
  const last = first.add({ months: 1 }).subtract({ days: 1 });
  const paid_on = instant(scene.at(today.until(last, { largestUnit: 'day' }).days + 10, 600));
  return { from: first.toString(), to: last.toString(), status: 3, wage_profile_id: null, paid_on };
};

/** A paysheet of a pay period. */
interface Sheet {
  readonly period: PayPeriod;
  readonly row: { readonly lines: readonly { readonly amount: number }[] };
}

/** Makes the pay runs of paysheets, and the rows of the paysheets with their pay runs. */
export const makePayRuns = <S extends Sheet>(sheets: readonly S[]) => {
  const groups = [...Map.groupBy(sheets, ({ period }) => period.from)].sort(([a], [b]) => (a < b ? -1 : 1));
  const runs = groups.map(([, members], index) => {
    const { from, to, status, wage_profile_id, paid_on } = (members[0] as S).period;
    const total = Number(sumOf(members.flatMap(({ row }) => row.lines.map(({ amount }) => amount))));
    return {
      id: index + 1,
      name: `Lohnlauf ${from} bis ${to}`,
      period_start: from,
      period_end: to,
      wage_profile_id,
      status,
      paid_on,
      paysheet_count: members.length,
      totals: [{ currency: 'EUR', amount: total }],
      total,
    };
  });
  const idOf = new Map(runs.map(({ id, period_start }) => [period_start, id]));
  const rows = sheets.map(({ period: { from, to, status, paid_on }, row }) => ({
    ...(row as S['row']),
    pay_run_id: idOf.get(from) ?? 0,
    period_start: from,
    period_end: to,
    status,
    paid_on,
  }));
  return { runs, rows };
};
