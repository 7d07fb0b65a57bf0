import type { Assignment } from './assignments.ts';
import type { EventFunction } from './events.ts';
import { instant, type Scene } from './scene.ts';
import { functionNames } from './words.ts';

const day = 86_400;

const numbered = <T extends object>(rows: readonly T[]): readonly (T & { readonly id: number })[] =>
  rows.map((row, index) => ({ id: index + 1, ...row }));

const decimal = (value: number): number => Number(value.toFixed(2));

/** The hours of a function, without its break. */
const hoursOf = ({ start, end, break_start, break_end }: EventFunction): number =>
  (end - start - ((break_end ?? 0) - (break_start ?? 0))) / 3600;

/** What has come of assignments: contracts, reports, times, positions, pay and bills. */
export const makeWork = (scene: Scene, functions: readonly EventFunction[], assignments: readonly Assignment[]) => {
  const byId = new Map(functions.map(target => [target.id, target]));
  const held = assignments.flatMap(assignment => {
    const target = byId.get(assignment.event_function_id);
    return target && assignment.status === 7 ? [{ assignment, target }] : [];
  });
  const past = held.filter(({ target }) => target.event.offset < 0 && target.event.offset >= -30);
  const waiting = past.filter(({ target }) => target.event.offset >= -7);
  const approved = past.filter(({ assignment }) => assignment.is_approved);
  const times = ({ start, end, break_start, break_end }: EventFunction) => ({
    start: instant(start),
    end: instant(end),
    break_start: instant(break_start),
    break_end: instant(break_end),
  });
  const rateOf = ({ function_id }: EventFunction): number => functionNames[function_id - 1]?.[2] ?? 15;
  return {
    assignment_contract: numbered(
      held.slice(0, 200).map(({ assignment, target }) => ({
        assignment_id: assignment.id,
        document_template_id: 1 + (assignment.id % 3),
        planner_id: target.event.planner_id,
        data: [{ name: 'hourly_rate', value: rateOf(target).toFixed(2) }],
        created_at: assignment.created_at,
      })),
    ),
    assignment_employment_reports: numbered(
      past.slice(0, 150).map(({ assignment, target }) => ({
        assignment_id: assignment.id,
        report_submission_id: assignment.id,
        planner_id: target.event.planner_id,
        data: [{ name: 'remarks', value: scene.random.chance(0.8) ? 'All went well' : 'More glasses are needed' }],
        created_at: instant(target.end + 3600),
        updated_at: instant(target.end + 3600),
      })),
    ),
    work_times: numbered(
      approved.map(({ assignment, target }) => ({
        event_function_employee_id: assignment.id,
        ...times(target),
        source: scene.random.integer(1, 3),
        is_approved: true,
        approved_on: assignment.approved_on,
      })),
    ),
    work_time_proposals: numbered(
      waiting.map(({ assignment, target }) => ({
        assignment_id: assignment.id,
        ...times(target),
        remarks: scene.random.chance(0.1) ? 'The last guests left late' : null,
        created_at: instant(target.end + 600),
        updated_at: instant(target.end + 600),
      })),
    ),
    wage_proposals: numbered(
      waiting.slice(0, 60).map(({ assignment }) => ({
        assignment_id: assignment.id,
        wage_type_id: 1 + (assignment.id % 2),
        value: scene.random.integer(1, 4),
        status: scene.random.integer(1, 3),
      })),
    ),
    livestamps: numbered(
      waiting.map(({ assignment, target }) => ({
        assignment_id: assignment.id,
        type: 1,
        timestamp: instant(target.start - scene.random.integer(0, 900)),
        latitude: decimal(52 + scene.random.next()),
        longitude: decimal(13 + scene.random.next()),
        created_at: instant(target.start),
      })),
    ),
    assignment_wages: numbered(
      approved.map(({ assignment, target }) => ({
        assignment_id: assignment.id,
        wage_profile_id: 1,
        payable_amount: decimal(rateOf(target) * hoursOf(target)),
        base_value: rateOf(target),
        factor: decimal(hoursOf(target)),
        'wage_type.name': 'Stundenlohn',
        'wage_type.external_id': 'LA-100',
        'wage_type.currency_format': 'EUR',
        'wage_type_value.unit': 'hour',
      })),
    ),
    paysheets: numbered(
      approved.map(({ assignment, target }) => ({
        assignment_id: assignment.id,
        wage_profile_id: 1,
        period_start: scene.date(target.event.offset),
        period_end: scene.date(target.event.offset),
        status: assignment.paid_on ? 3 : 2,
        lines: [
          {
            name: 'Stundenlohn',
            quantity: decimal(hoursOf(target)),
            unit: 'hour',
            rate: rateOf(target),
            amount: decimal(rateOf(target) * hoursOf(target)),
          },
        ],
        paid_on: assignment.paid_on,
      })),
    ),
    assignment_billings: numbered(
      approved.map(({ assignment, target }) => ({
        assignment_id: assignment.id,
        billing_profile_id: 1,
        billing_component_id: target.function_id,
        quantity: decimal(hoursOf(target)),
        unit: 'hour',
        rate: decimal(rateOf(target) * 2),
        billable_amount: decimal(rateOf(target) * 2 * hoursOf(target)),
        billed_on: target.event.offset < -14 ? instant(target.end + 7 * day) : null,
      })),
    ),
  };
};
