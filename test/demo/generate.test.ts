import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { daySpanAt } from '../../src/core/time.ts';
import { lateAbsenceReason } from '../../src/demo/assignments.ts';
import { generateDemo } from '../../src/demo/generate.ts';
import { makeBusyDates } from '../../src/demo/people.ts';
import { createScene, instant } from '../../src/demo/scene.ts';
import type { DemoRow } from '../../src/demo/write.ts';

const today = '2026-05-04';
const demo = generateDemo('small', today, 'Europe/Berlin');
const rowsOf = (table: string): readonly DemoRow[] => demo[table] ?? [];
const byId = (table: string) => new Map(rowsOf(table).map(row => [Number(row.id), row]));

describe('generated data', () => {
  test('is the same for the same arguments', () => {
    assert.deepEqual(generateDemo('small', today, 'Europe/Berlin'), demo);
  });

  test('differs for another seed, and moves with the day', () => {
    assert.notDeepEqual(generateDemo('small', today, 'Europe/Berlin', 2), demo);
    const [first] = generateDemo('small', '2026-05-05', 'Europe/Berlin').events ?? [];
    assert.equal(Date.parse(String(first?.start)) - Date.parse(String(rowsOf('events')[0]?.start)), 86_400_000);
  });

  test('has automatic assignments only in events that assign automatically, and some by availability', () => {
    const [functions, events] = [byId('event_functions'), byId('events')];
    const automatic = rowsOf('assignments').filter(({ auto_assigned }) => auto_assigned);
    const by = automatic.map(({ event_function_id: id }) => events.get(Number(functions.get(Number(id))?.event_id)));
    assert.ok(by.length > 0 && by.every(event => event?.auto_assign_enabled));
    assert.ok(rowsOf('assignments').some(({ assigned_by_availability }) => assigned_by_availability));
  });

  test('has the promised numbers of rows', () => {
    const counts = Object.fromEntries(Object.entries(demo).map(([table, rows]) => [table, rows.length]));
    const { clients, contacts, employees, projects, events, event_functions, assignments } = counts;
    assert.deepEqual(
      { clients, contacts, employees, projects, events, event_functions, assignments },
      {
        clients: 40,
        contacts: 120,
        employees: 300,
        projects: 60,
        events: 400,
        event_functions: 1_200,
        assignments: 6_000,
      },
    );
    for (const [table, rows] of Object.entries(demo)) assert.ok(rows.length > 0, table);
  });

  test('has the same columns in all rows of a table', () => {
    for (const [table, rows] of Object.entries(demo))
      assert.deepEqual(
        [...new Set(rows.map(row => Object.keys(row).sort().join()))],
        [
          Object.keys(rows[0] ?? {})
            .sort()
            .join(),
        ],
        table,
      );
  });

  test('refers only to rows that are written before', () => {
    const seen = new Map<string, number>([
      ['languages', 3],
      ['wage_profiles', 3],
    ]);
    const targets: Record<string, string> = {
      client_id: 'clients',
      contact_id: 'contacts',
      planner_id: 'planners',
      project_id: 'projects',
      event_id: 'events',
      function_id: 'functions',
      event_function_id: 'event_functions',
      employee_id: 'employees',
      location_id: 'locations',
      assignment_id: 'assignments',
      approved_by_planner_id: 'planners',
      language_id: 'languages',
      wage_profile_id: 'wage_profiles',
    };
    for (const [table, rows] of Object.entries(demo)) {
      seen.set(table, Math.max(seen.get(table) ?? 0, ...rows.map(({ id }) => Number(id ?? 0))));
      for (const row of rows) {
        for (const [column, target] of Object.entries(targets)) {
          const id = row[column];
          if (typeof id === 'number') assert.ok(id >= 1 && id <= (seen.get(target) ?? 0), `${table}.${column} ${id}`);
        }
      }
    }
  });

  test('has absences of whole days, also where clocks change', () => {
    for (const [day, zone] of [
      ['2026-10-25', 'Europe/Berlin'],
      ['2027-10-03', 'Australia/Lord_Howe'],
    ] as const) {
      const times = makeBusyDates(createScene('small', day, zone, 1)).flatMap(({ start, end }) => [start, end]);
      for (const time of times.map(instant)) assert.equal(daySpanAt(time, zone).from, time);
    }
  });

  test('has contacts of projects that belong to the project’s client', () => {
    const contacts = byId('contacts');
    for (const project of rowsOf('projects')) {
      assert.equal(contacts.get(Number(project.contact_id))?.client_id, project.client_id);
    }
  });
});

const functions = byId('event_functions');
const events = byId('events');
const holding = rowsOf('assignments').filter(({ status }) => [5, 6, 7].includes(Number(status)));

describe('generated assignments', () => {
  test('do not book employees twice at the same time, nor while they are absent or inactive', () => {
    const employees = byId('employees');
    const taken = new Map<unknown, [start: string, end: string][]>();
    for (const { employee_id, start, end, reason } of rowsOf('busy_dates')) {
      if (reason === lateAbsenceReason) continue;
      taken.set(employee_id, [...(taken.get(employee_id) ?? []), [String(start), String(end)]]);
    }
    for (const { id, employee_id, event_function_id } of holding) {
      const target = functions.get(Number(event_function_id));
      const [start, end] = [String(target?.start), String(target?.end)];
      const others = taken.get(employee_id) ?? [];
      assert.ok(!others.some(other => other[0] < end && start < other[1]), `assignment ${id}`);
      assert.equal(employees.get(Number(employee_id))?.status, 4);
      taken.set(employee_id, [...others, [start, end]]);
    }
  });

  test('hold as many places as the counter says and no more than exist', () => {
    const counted = new Map<number, number>();
    for (const { event_function_id } of holding) {
      counted.set(Number(event_function_id), (counted.get(Number(event_function_id)) ?? 0) + 1);
    }
    for (const target of functions.values()) {
      const event = events.get(Number(target.event_id));
      assert.equal(target.holding, counted.get(Number(target.id)) ?? 0);
      assert.ok(
        Number(target.holding) <= Math.floor(Number(target.quantity) * (1 + Number(event?.overbooking_percent) / 100)),
      );
    }
  });

  test('add up to the counters of their events', () => {
    for (const event of events.values()) {
      const own = [...functions.values()].filter(({ event_id }) => event_id === event.id);
      const sum = (column: string) => own.reduce((total, target) => total + Number(target[column]), 0);
      assert.deepEqual([event.quantity, event.holding], [sum('quantity'), sum('holding')]);
    }
  });

  test('have an employee at most once per function', () => {
    const pairs = rowsOf('assignments').map(
      ({ employee_id, event_function_id }) => `${employee_id} ${event_function_id}`,
    );
    assert.equal(new Set(pairs).size, pairs.length);
  });

  test('are approved and paid only after the work was done', () => {
    const statuses = new Map<number, number>();
    for (const row of rowsOf('assignments')) {
      const end = Date.parse(String(functions.get(Number(row.event_function_id))?.end));
      statuses.set(Number(row.status), (statuses.get(Number(row.status)) ?? 0) + 1);
      if (row.is_approved) assert.ok(row.status === 7 && end < Date.parse(String(row.approved_on)));
      if (row.paid_on) assert.ok(row.is_approved && Date.parse(String(row.paid_on)) < Date.parse(today));
      assert.ok(Date.parse(String(row.created_at)) <= Date.parse(String(row.updated_at)));
    }
    assert.equal(statuses.size, 8, 'every status occurs');
  });

  test('have check-ins in order', () => {
    const last = new Map<number, { type: number; timestamp: number }>();
    for (const row of rowsOf('checkins')) {
      const before = last.get(Number(row.assignment_id));
      const now = { type: Number(row.type), timestamp: Date.parse(String(row.timestamp)) };
      if (before) assert.ok(before.type < now.type && before.timestamp < now.timestamp);
      last.set(Number(row.assignment_id), now);
    }
  });

  test('are 200,000 of 40,000 functions in the large size', () => {
    const counts = new Map(
      Object.entries(generateDemo('large', today, 'UTC')).map(([table, rows]) => [table, rows.length]),
    );
    assert.equal(counts.get('assignments'), 200_000);
    assert.equal(counts.get('event_functions'), 40_000);
    assert.equal(counts.get('events'), 13_000);
    assert.equal(counts.get('employees'), 5_000);
  });
});
