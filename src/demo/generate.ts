import { makeAssignments, makeCheckins, makeLateAbsence, markAvailable } from './assignments.ts';
import { makeAutomations, makeFunctions, makeLanguages, makeLocations, makePlanners } from './basics.ts';
import { createBilling, makeBilling } from './billing.ts';
import { Calendar } from './calendar.ts';
import { type DemoEvent, type EventFunction, makeEventFunctions, makeEvents, makeProjects } from './events.ts';
import { makeAvailability, makeChangeRequests, makeCollections, makeForms } from './office.ts';
import { daysOf, makePublicHolidays } from './pay/holidays.ts';
import { createPay, makeWageProfiles } from './pay/pay.ts';
import { createPeriods } from './pay/pay-runs.ts';
import { makePayrollFormats } from './pay/payroll-formats.ts';
import { makeBusyDates, makeClients, makeContacts, makeEmployees } from './people.ts';
import { createScene, instant, type Size, timesOf } from './scene.ts';
import { makeWork } from './work.ts';
import type { DemoTables } from './write.ts';

const sumByEvent = (functions: readonly EventFunction[], amountOf: (target: EventFunction) => number) => {
  const sums = new Map<number, number>();
  for (const target of functions) sums.set(target.event_id, (sums.get(target.event_id) ?? 0) + amountOf(target));
  return sums;
};

const eventRows = (
  events: readonly DemoEvent[],
  functions: readonly EventFunction[],
  holding: ReadonlyMap<number, number>,
) => {
  const quantities = sumByEvent(functions, ({ quantity }) => quantity);
  const holdings = sumByEvent(functions, ({ id }) => holding.get(id) ?? 0);
  return events.map(({ offset: _offset, start, end, created_at, ...event }) => ({
    ...event,
    start: instant(start),
    end: instant(end),
    quantity: quantities.get(event.id) ?? 0,
    holding: holdings.get(event.id) ?? 0,
    created_at: instant(created_at),
  }));
};

const functionRows = (functions: readonly EventFunction[], holding: ReadonlyMap<number, number>) =>
  functions.map(({ event: _event, ...target }) => ({
    ...target,
    ...timesOf(target),
    holding: holding.get(target.id) ?? 0,
    created_at: instant(target.created_at),
  }));

/**
 * Generates the data of a staffing agency.
 * Deterministic: the same arguments always return the same rows.
 * @param today the date (YYYY-MM-DD), in the time zone, around which events take place
 */
export const generateDemo = (size: Size, today: string, timeZone: string, seed = 20_260_101): DemoTables => {
  const scene = createScene(size, today, timeZone, seed);
  const calendar = new Calendar();
  const employees = makeEmployees(scene);
  const busyDates = makeBusyDates(scene);
  for (const { employee_id, start, end } of busyDates) calendar.take(employee_id, start, end);
  const clients = makeClients(scene);
  const contacts = makeContacts(scene);
  const planners = makePlanners(scene);
  const locations = makeLocations(scene);
  const projects = makeProjects(scene);
  const events = makeEvents(scene, projects);
  const functions = makeEventFunctions(scene, events);
  const working = employees.filter(({ status }) => status === 4);
  const active = working.map(({ id }) => id);
  const holidays = makePublicHolidays(scene);
  const pay = createPay(timeZone, employees, daysOf(holidays));
  const periodOf = createPeriods(scene);
  const { assignments, holding } = makeAssignments({ scene, active, calendar, pay, periodOf }, functions);
  const byId = new Map(functions.map(target => [target.id, target]));
  const checkins = makeCheckins(scene, byId, assignments);
  const absences = [...busyDates, makeLateAbsence(busyDates.length + 1, byId, assignments)];
  const work = makeWork(scene, byId, assignments, checkins, pay, createBilling(timeZone), periodOf);
  const availability = makeAvailability(scene, active);
  return {
    languages: makeLanguages(),
    wage_profiles: makeWageProfiles(),
    public_holidays: holidays,
    payroll_formats: makePayrollFormats(),
    planners,
    clients,
    contacts,
    employees,
    functions: makeFunctions(),
    locations,
    ...makeCollections(),
    ...makeForms(),
    projects,
    events: eventRows(events, functions, holding),
    event_functions: functionRows(functions, holding),
    assignments: markAvailable(assignments, availability, timeZone),
    checkins,
    busy_dates: absences.map(row => ({ ...row, start: instant(row.start), end: instant(row.end) })),
    automations: makeAutomations(),
    change_requests: makeChangeRequests(scene, working),
    ...makeBilling(),
    ...availability,
    ...work,
  };
};
