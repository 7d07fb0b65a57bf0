import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Call } from '../../src/core/call/call.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { planListing } from '../../src/query/listing.ts';
import type { ReadPlan } from '../../src/query/plan.ts';

/** The plan of an alias at a moment, in a time zone, by a clock that is ahead by that many milliseconds. */
const planAt = (now: string, timeZone: string, resource: Resource, alias: string, clockAhead = 0): ReadPlan => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse(now) });
  try {
    const call = {
      alias,
      parameters: [],
      parent: null,
      resources,
      fields: { get: fieldsOf },
      limits: { filters: 50, filterValues: 500, filterBytes: 1024, sortFields: 10, embeds: 5 },
      principal: { tenant: { timeZone, clockAhead, modules: new Set() }, apiUser: { id: 1 } },
    } as unknown as Call;
    return planListing(call, resource);
  } finally {
    mock.timers.reset();
  }
};

/** The conditions of that plan: the values of each, by field. */
const conditionsAt = (...moment: Parameters<typeof planAt>): string[] =>
  planAt(...moment).conditions.map(({ field, any }) =>
    `${field.name} ${any.flatMap(({ values }) => [...values])}`.replaceAll(/["{}]/g, ''),
  );

const { events, assignments } = resources;

/** Moments close to the bounds of days, of days that are longer or shorter by an hour, and on both sides of the date line. */
const days: readonly [timeZone: string, now: string, begins: string, ends: string][] = [
  ['Europe/Berlin', '2026-06-12T21:59:59Z', '2026-06-11T22:00:00Z', '2026-06-12T22:00:00Z'],
  ['Europe/Berlin', '2026-06-12T22:00:00Z', '2026-06-12T22:00:00Z', '2026-06-13T22:00:00Z'],
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', '2026-10-25T22:30:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  // Clocks go forward at midnight: the day begins at one o'clock.
  ['Africa/Cairo', '2026-04-24T09:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  ['Pacific/Kiritimati', '2026-06-12T10:30:00Z', '2026-06-12T10:00:00Z', '2026-06-13T10:00:00Z'],
  ['Pacific/Pago_Pago', '2026-06-12T10:30:00Z', '2026-06-11T11:00:00Z', '2026-06-12T11:00:00Z'],
  ['Asia/Kathmandu', '2026-06-12T18:20:00Z', '2026-06-12T18:15:00Z', '2026-06-13T18:15:00Z'],
];

for (const [timeZone, now, begins, ends] of days) {
  test(`at ${now} today is from ${begins} to ${ends} in ${timeZone}`, () => {
    assert.deepEqual(conditionsAt(now, timeZone, events, 'today'), [`start ${ends}`, `end ${begins}`, 'status 1,2,3']);
    const [first] = conditionsAt(now, timeZone, assignments, 'today');
    assert.equal(first, `start ${begins},${ends}`);
  });

  test(`a listing of today made at ${now} in ${timeZone} is right until ${ends}, by a clock that is ahead until earlier`, () => {
    for (const resource of [events, assignments]) {
      assert.equal(planAt(now, timeZone, resource, 'today').until, Date.parse(ends));
      const ahead = 86_400_000 * 3;
      const earlier = new Date(Date.parse(now) - ahead).toISOString();
      assert.equal(planAt(earlier, timeZone, resource, 'today', ahead).until, Date.parse(ends) - ahead);
    }
  });
}

test('a listing of what is coming is right for no other moment, and one without an alias for all', () => {
  const now = '2026-03-29T00:59:59Z';
  for (const [resource, alias] of [[events, 'upcoming'] as const, [assignments, 'open'] as const])
    assert.equal(planAt(now, 'UTC', resource, alias).until, 0);
  assert.equal(planAt(now, 'UTC', events, 'none').until, null);
});

test('what is coming begins now, wherever the tenant is', () => {
  const now = '2026-03-29T00:59:59Z';
  for (const timeZone of ['Europe/Berlin', 'Pacific/Kiritimati']) {
    assert.deepEqual(conditionsAt(now, timeZone, events, 'upcoming'), [`start ${now}`, 'status 1,2']);
    assert.deepEqual(conditionsAt(now, timeZone, assignments, 'open'), [
      `start ${now}`,
      'status 1,3,4,5',
      'event.status 1,2,3',
    ]);
  }
});
