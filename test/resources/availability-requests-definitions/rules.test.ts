import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AvailabilityRequests, pair, rules, time_slots } from '../../domain/availability/scene.ts';
import { assertErrors, errorsOf } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const requests = new AvailabilityRequests(client);

  describe('the definition of an availability request', () => {
    it('has each rule and time slot once, and asks for its own, each once, on days of the request', async () => {
      const id = await requests.create();
      const response = await requests.define(id, {
        rules: [rules[0], rules[0]],
        time_slots: [...time_slots, time_slots[1]],
        requested_availabilities: [
          pair('2026-07-01', 3),
          pair('2026-07-04', 2),
          pair('2026-07-04', 2),
          pair('2026-06-30', 1),
        ],
      });
      assertErrors(
        response,
        'not_unique rules.1.id',
        'not_unique time_slots.2.id',
        'reference_not_found requested_availabilities.0.time_slot_id',
        'not_unique requested_availabilities.2',
        'out_of_range requested_availabilities.3.date',
      );
    });

    it('is told the place of every member that has not the form', async () => {
      const response = await requests.define(await requests.create(), {
        rules: [{ id: 1, type: 'least', count: -1, message: 'x' }],
        time_slots: [{ ...time_slots[0], week_days: [0], from: '24:00' }],
        requested_availabilities: [{ date: 'tomorrow', time_slot_id: 1 }],
      });
      assert.deepEqual(errorsOf(response).sort(), [
        ['invalid_format', 'requested_availabilities.0.date'],
        ['invalid_format', 'time_slots.0.from'],
        ['not_in_enumeration', 'rules.0.type'],
        ['out_of_range', 'rules.0.count'],
        ['out_of_range', 'time_slots.0.week_days.0'],
      ]);
    });

    it('is checked when it changes, against what it keeps', async () => {
      const id = await requests.createDefined();
      const path = `/availability-requests-definitions/${id}`;
      const response = await client.call('PUT', path, { body: { time_slots: time_slots.slice(0, 1) } });
      assertErrors(
        response,
        'reference_not_found requested_availabilities.3.time_slot_id',
        'reference_not_found requested_availabilities.4.time_slot_id',
      );
      assert.equal((await client.call('PUT', path, { body: { rules: [] } })).status, 200);
    });
  });
});
