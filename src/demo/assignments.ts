import { covers } from '../domain/availability/availability.ts';
import { isHolding } from '../domain/staffing/transition.ts';
import type { Calendar } from './calendar.ts';
import type { EventFunction } from './events.ts';
import { type makeAvailability, timeSlots } from './office.ts';
import type { DemoPay, PayOf } from './pay/pay.ts';
import { type PeriodOf, workedOn } from './pay/pay-runs.ts';
import { instant, type Scene } from './scene.ts';
import { remarks } from './words.ts';

const day = 86_400;

/** Statuses and how often they occur, compared with each other. */
interface Shares {
  readonly statuses: readonly number[];
  readonly weights: readonly number[];
}

/** How an event function is staffed: the statuses of assignments that hold a place and of the others. */
interface BookingStage {
  /** Share of the quantity that is filled. */
  readonly filled: number;
  readonly holding: Shares;
  readonly others: Shares;
}

const only = (status: number): Shares => ({ statuses: [status], weights: [1] });

const over: BookingStage = {
  filled: 0.95,
  holding: only(7),
  others: { statuses: [8, 2, 3], weights: [5, 3, 1] },
};
const near: BookingStage = {
  filled: 0.85,
  holding: { statuses: [7, 6, 5], weights: [5, 4, 1] },
  others: { statuses: [8, 2, 3, 4, 1], weights: [3, 2, 3, 2, 1] },
};
const far: BookingStage = {
  filled: 0.5,
  holding: { statuses: [6, 5, 7], weights: [5, 3, 2] },
  others: { statuses: [1, 3, 4, 2, 8], weights: [6, 4, 2, 2, 1] },
};
const draft: BookingStage = { filled: 0, holding: only(6), others: only(1) };
const aborted: BookingStage = { filled: 0, holding: only(6), others: only(8) };

const stageOf = ({ event }: EventFunction): BookingStage => {
  if (event.status === 1) return draft;
  if (event.status === 5) return aborted;
  if (event.offset < 0) return over;
  return event.offset <= 14 ? near : far;
};

/** The number of assignments of an event function: `mean` on average. */
const assignmentCount = (id: number, mean: number): number => Math.max(1, Math.round(mean) + ((id * 3) % 5) - 2);

/** Approves work after a week, older work within a week; what is paid is on a paid pay run. */
const approval = (scene: Scene, target: EventFunction, periodOf: PeriodOf, pay: () => DemoPay) => {
  const { event, end } = target;
  if (event.offset >= -7) return unapproved;
  const days = event.offset < -30 ? scene.random.integer(2, 7) : 2;
  const { profile, total } = pay();
  return {
    is_approved: true,
    approved_wage_profile_id: profile.id,
    pay_amount: total,
    approved_on: instant(end + days * day),
    approved_by_planner_id: event.planner_id,
    paid_on: periodOf(workedOn(scene, target), profile.id)?.paid_on ?? null,
  };
};

const unapproved = {
  is_approved: false,
  approved_wage_profile_id: null,
  pay_amount: null,
  approved_on: null,
  approved_by_planner_id: null,
  paid_on: null,
};

/** The employees who can work, by their local ids, with their busy times and their pay. */
interface Staff {
  readonly scene: Scene;
  readonly active: readonly number[];
  readonly calendar: Calendar;
  readonly pay: PayOf;
  readonly periodOf: PeriodOf;
}

/**
 * Makes the assignments of an event function.
 * Those that hold a place respect its capacity and the employees' calendar.
 */
const assign = ({ scene, calendar, active, pay, periodOf }: Staff, target: EventFunction, count: number) => {
  const { random } = scene;
  const stage = stageOf(target);
  const capacity = Math.floor(target.quantity * (1 + target.event.overbooking_percent / 100));
  const places = Math.min(capacity, Math.round(target.quantity * stage.filled + random.next() * 0.5));
  const employees = new Set<number>();
  let holding = 0;
  return Array.from({ length: count }, () => {
    let employee = random.pick(active);
    while (employees.has(employee)) employee = random.pick(active);
    employees.add(employee);
    const held = holding < places && calendar.isFree(employee, target.start, target.end);
    if (held) {
      holding += 1;
      calendar.take(employee, target.start, target.end);
    }
    const { statuses, weights } = held ? stage.holding : stage.others;
    const status = random.weighted(statuses, weights);
    const created = Math.min(target.created_at + random.integer(1, 80) * day, target.start - day, scene.now - 3600);
    return {
      employee_id: employee,
      status,
      effective_start: instant(target.start),
      effective_end: instant(target.end),
      remarks: random.chance(0.05) ? random.pick(remarks) : null,
      auto_assigned: held && random.chance(0.6) && target.event.auto_assign_enabled,
      // See `markAvailable`.
      assigned_by_availability: false,
      ...(held && stage === over ? approval(scene, target, periodOf, () => pay(target, employee)) : unapproved),
      created_at: instant(created),
      updated_at: instant(random.integer(created, Math.max(created, Math.min(scene.now, target.end + 2 * day)))),
    };
  });
};

/** Makes the assignments of all event functions and counts, for each function, those that hold a place. */
export const makeAssignments = (staff: Staff, functions: readonly EventFunction[]) => {
  const { counts } = staff.scene;
  const mean = counts.assignments / counts.eventFunctions;
  let id = 0;
  const assignments = functions.flatMap(target =>
    assign(staff, target, assignmentCount(target.id, mean)).map(assignment => {
      id += 1;
      return { id, event_function_id: target.id, ...assignment };
    }),
  );
  const holding = new Map<number, number>();
  for (const { event_function_id, status } of assignments) {
    if (isHolding(status)) holding.set(event_function_id, (holding.get(event_function_id) ?? 0) + 1);
  }
  return { assignments, holding };
};

/** Marks the assignments whose employees had reported to be available for their times. */
export const markAvailable = (
  assignments: ReturnType<typeof makeAssignments>['assignments'],
  {
    availability_requests: requests,
    availability_requests_availabilities: answers,
  }: ReturnType<typeof makeAvailability>,
  timeZone: string,
) => {
  const employees = new Map(requests.map(({ id, employee_id }) => [id, employee_id]));
  const answerOf = new Map(
    answers.map(({ availability_request_id: id, availabilities }) => [employees.get(id), availabilities]),
  );
  return assignments.map(assignment => {
    const { employee_id, status, effective_start: start, effective_end: end } = assignment;
    const answer = isHolding(status) ? (answerOf.get(employee_id) ?? []) : [];
    return { ...assignment, assigned_by_availability: covers({ start, end }, answer, timeSlots, timeZone) };
  });
};

/** Event functions by their ids. */
export type FunctionsById = ReadonlyMap<number, EventFunction>;

/** An assignment of the demo data. */
export type Assignment = ReturnType<typeof makeAssignments>['assignments'][number];

/** The reason of the absence that `makeLateAbsence` makes. */
export const lateAbsenceReason = 'Exam, told late';

/** Makes an absence during a future assignment: the only scheduling conflict in the data. */
export const makeLateAbsence = (id: number, byId: FunctionsById, assignments: readonly Assignment[]) => {
  const assigned = assignments.find(
    ({ status, event_function_id }) => status === 6 && (byId.get(event_function_id)?.event.offset ?? 0) > 7,
  );
  const target = byId.get(assigned?.event_function_id ?? 0);
  if (!assigned || !target) throw new RangeError('There is no future assignment.');
  return { id, employee_id: assigned.employee_id, reason: lateAbsenceReason, start: target.start, end: target.end };
};

/** Makes check-ins for most confirmed assignments of the last three weeks: start, planned break, end. */
export const makeCheckins = (scene: Scene, byId: FunctionsById, assignments: readonly Assignment[]) => {
  const checkins = assignments.flatMap(({ id, event_function_id, status }) => {
    const target = byId.get(event_function_id);
    if (!target || status !== 7 || target.event.offset >= 0 || target.event.offset < -21 || scene.random.chance(0.2))
      return [];
    const source = scene.random.weighted([1, 2], [4, 1]);
    const late = () => scene.random.integer(0, 540);
    const times: [type: number, time: number][] = [[1, target.start - 600 + late()]];
    if (target.break_start !== null && target.break_end !== null) {
      times.push([2, target.break_start + late()], [3, target.break_end + 600 + late()]);
    }
    times.push([4, target.end + late()]);
    // Some forget to check out.
    if (id % 5 === 0) times.pop();
    return times.map(([type, time]) => {
      const timestamp = instant(time);
      return { assignment_id: id, timestamp, source, type, created_at: timestamp };
    });
  });
  return checkins.map((checkin, index) => ({ id: index + 1, ...checkin }));
};

/** A check-in of the demo data. */
export type Checkin = ReturnType<typeof makeCheckins>[number];
