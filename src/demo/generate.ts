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
import type { DemoTable } from './write.ts';

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
export const generateDemo = (size: Size, today: string, timeZone: string, seed = 20_260_101): readonly DemoTable[] => {
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
  const { availability_requests, ...answers } = availability;
  const office = { ...makeBilling(), availability_requests };
  return [
    { table: 'languages', rows: makeLanguages() },
    { table: 'wage_profiles', rows: makeWageProfiles() },
    { table: 'public_holidays', rows: holidays },
    { table: 'payroll_formats', rows: makePayrollFormats() },
    { table: 'planners', rows: planners },
    { table: 'clients', rows: clients },
    { table: 'contacts', rows: contacts },
    { table: 'employees', rows: employees },
    { table: 'functions', rows: makeFunctions() },
    { table: 'locations', rows: locations },
    ...Object.entries({ ...makeCollections(), ...makeForms() }).map(([table, rows]) => ({ table, rows })),
    { table: 'projects', rows: projects },
    { table: 'events', rows: eventRows(events, functions, holding) },
    { table: 'event_functions', rows: functionRows(functions, holding) },
    { table: 'assignments', rows: markAvailable(assignments, availability, timeZone) },
    { table: 'checkins', rows: checkins },
    { table: 'busy_dates', rows: absences.map(row => ({ ...row, start: instant(row.start), end: instant(row.end) })) },
    { table: 'automations', rows: makeAutomations() },
    { table: 'change_requests', rows: makeChangeRequests(scene, working) },
    ...Object.entries(office).map(([table, rows]) => ({ table, rows })),
    ...Object.entries(answers).map(([table, rows]) => ({ table, rows, keyed: true as const })),
    ...work,
  ];
};
