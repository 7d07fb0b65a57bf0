import type { DemoTables } from '../write.ts';
import { paid_on, pay, payRuns, paysheets, wage } from './pay.ts';

const times = {
  start: '2026-06-12T15:30:00Z',
  end: '2026-06-13T01:00:00Z',
  break_start: '2026-06-12T19:00:00Z',
  break_end: '2026-06-12T19:30:00Z',
};

const event = (id: number, name: string, quantity: number, holding: number) => ({
  id,
  project_id: 19,
  client_id: 7,
  contact_id: 31,
  planner_id: 5,
  location_id: 14,
  name,
  status: 2,
  ...times,
  start: '2026-06-12T14:00:00Z',
  overbooking_percent: 10,
  quantity,
  holding,
});

const eventFunction = (id: number, function_id: number, quantity: number, holding: number) => ({
  id,
  event_id: 204,
  function_id,
  shift_name: 'Late shift',
  quantity,
  ...times,
  location_id: 14,
  wage_profile_id: 3,
  holding,
});

const open = { is_approved: false, wage_profile_id: null, pay_amount: null, approved_on: null, paid_on: null };
const approved = {
  ...open,
  is_approved: true,
  wage_profile_id: 3,
  pay_amount: pay,
  approved_on: '2026-06-15T09:00:00Z',
};
const paid = { ...approved, paid_on };

const assignment = (
  id: number,
  employee_id: number,
  status: number,
  approval: typeof open | typeof approved | typeof paid = open,
) => ({
  id,
  event_function_id: 611,
  employee_id,
  status,
  effective_start: times.start,
  effective_end: times.end,
  ...approval,
  approved_by_planner_id: approval.is_approved ? 5 : null,
});

const workTime = (id: number, assignmentId: number, is_approved: boolean) => ({
  id,
  event_function_employee_id: assignmentId,
  event_function_id: 611,
  ...times,
  source: 1,
  is_approved,
  approved_on: is_approved ? approved.approved_on : null,
});

const billingProfile = (id: number, name: string) => ({ id, name, client_id: 7, is_default: false });

const component = (id: number, name: string, rate: number) => ({
  id,
  billing_profile_id: 6,
  name,
  function_id: 2,
  rate,
  unit: 'hour',
  factor: 1,
  tax_rate: 19,
});

/**
 * An event and the work at it.
 * Of the assignments, 4711 awaits its confirmation and its report, 4712 is reported, 4713 has nothing else, 4714 is
 * approved, 4715 is an invitation, 4716 has a paysheet, 4717 is on a pay run and 4718 is paid.
 */
export const staffingStory: DemoTables = {
  events: [event(204, 'Summer party, first evening', 421, 7), event(205, 'Summer party, rehearsal', 0, 0)],
  event_functions: [
    eventFunction(512, 3, 10, 0),
    eventFunction(513, 4, 10, 0),
    eventFunction(611, 2, 400, 7),
    eventFunction(612, 5, 1, 0),
  ],
  assignments: [
    assignment(4711, 117, 6),
    assignment(4712, 116, 6),
    assignment(4713, 115, 6),
    assignment(4714, 114, 7, approved),
    assignment(4715, 119, 1),
    assignment(4716, 111, 7, approved),
    assignment(4717, 118, 7, approved),
    assignment(4718, 120, 7, paid),
  ],
  checkins: [{ id: 9001, assignment_id: 4712, timestamp: '2026-06-12T15:20:00Z', source: 1, type: 1 }],
  livestamps: [
    {
      id: 3301,
      assignment_id: 4712,
      type: 1,
      timestamp: '2026-06-12T15:21:00Z',
      latitude: 54.092441,
      longitude: 12.099147,
    },
  ],
  work_times: [
    workTime(711, 4712, false),
    ...[4714, 4716, 4717, 4718].map((assignmentId, index) => workTime(712 + index, assignmentId, true)),
  ],
  work_time_proposals: [{ id: 641, assignment_id: 4712, ...times, source: 1, status: 1 }],
  assignment_wages: [4712, 4714, 4716, 4717, 4718].map((assignmentId, index) => wage(801 + index, assignmentId)),
  wage_proposals: [{ id: 205, assignment_id: 4712, wage_type_id: 5, value: 2, status: 1 }],
  pay_runs: payRuns,
  paysheets,
  billing_profiles: [billingProfile(6, 'Standard 2026'), billingProfile(7, 'Trade fairs 2026')],
  billing_components: [component(22, 'Service, hour', 28.5), component(23, 'Service at night, hour', 34)],
  assignment_billings: [
    {
      id: 1203,
      assignment_id: 4714,
      billing_profile_id: 6,
      billing_component_id: 22,
      client_id: 7,
      project_id: 19,
      quantity: 9,
      unit: 'hour',
      rate: 28.5,
      billable_amount: 256.5,
      billed_on: '2026-07-01T10:00:00Z',
    },
  ],
  assignment_contract: [
    { id: 31, assignment_id: 4714, planner_id: 5, data: [{ name: 'hourly_rate', value: '28.00' }] },
  ],
};
