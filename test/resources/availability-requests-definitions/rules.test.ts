import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors, errorsOf, Staffing } from '../../domain/staffing/scene.ts';
import type { Answer } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';

const time_slots = [
  { id: 1, name: 'Early', category: 'weekday', week_days: [1, 2, 3, 4, 5], from: '06:00', to: '14:00' },
  { id: 2, name: 'Weekend', category: 'weekend', week_days: [6, 7], from: '14:00', to: '22:00' },
];
const rules = [
  { id: 1, type: 'min', category: 'weekend', count: 2, message: 'Choose two weekend shifts.' },
  { id: 2, type: 'max', category: 'weekday', count: 1, message: 'One weekday at most.' },
  { id: 3, type: 'min', count: 3, message: 'Choose three shifts.' },
];
const pair = (date: string, time_slot_id: number) => ({ date, time_slot_id });
// From Wednesday on.
const requested_availabilities = [
  ...['2026-07-01', '2026-07-02', '2026-07-03'].map(date => pair(date, 1)),
  ...['2026-07-04', '2026-07-05'].map(date => pair(date, 2)),
];

forEachApp(client => {
  const staffing = new Staffing(client);

  const newRequest = async (changes: object = {}): Promise<number> => {
    const body = {
      employee_id: await staffing.employee(),
      name: 'July',
      from: '2026-07-01',
      to: '2026-07-31',
      ...changes,
    };
    const answer = await client.call('POST', '/availability-requests', { body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const define = (availability_request_id: number, changes: object = {}): Promise<Answer> =>
    client.call('POST', '/availability-requests-definitions', {
      body: { availability_request_id, rules, time_slots, requested_availabilities, ...changes },
    });
  const defined = async (changes: object = {}, request: object = {}): Promise<number> => {
    const id = await newRequest(request);
    const answer = await define(id, changes);
    assert.equal(answer.status, 201, answer.text);
    return id;
  };

  describe('the definition of an availability request', () => {
    it('has each rule and time slot once, and asks for its own, each once, on days of the request', async () => {
      const id = await newRequest();
      const answer = await define(id, {
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
        answer,
        'not_unique rules.1.id',
        'not_unique time_slots.2.id',
        'reference_not_found requested_availabilities.0.time_slot_id',
        'not_unique requested_availabilities.2',
        'out_of_range requested_availabilities.3.date',
      );
    });

    it('is told the place of every member that has not the form', async () => {
      const answer = await define(await newRequest(), {
        rules: [{ id: 1, type: 'least', count: -1, message: 'x' }],
        time_slots: [{ ...time_slots[0], week_days: [0], from: '24:00' }],
        requested_availabilities: [{ date: 'tomorrow', time_slot_id: 1 }],
      });
      assert.deepEqual(errorsOf(answer).sort(), [
        ['invalid_format', 'requested_availabilities.0.date'],
        ['invalid_format', 'time_slots.0.from'],
        ['not_in_enumeration', 'rules.0.type'],
        ['out_of_range', 'rules.0.count'],
        ['out_of_range', 'time_slots.0.week_days.0'],
      ]);
    });

    it('is checked when it changes, against what it keeps', async () => {
      const id = await defined();
      const path = `/availability-requests-definitions/${id}`;
      const answer = await client.call('PUT', path, { body: { time_slots: time_slots.slice(0, 1) } });
      assertErrors(
        answer,
        'reference_not_found requested_availabilities.3.time_slot_id',
        'reference_not_found requested_availabilities.4.time_slot_id',
      );
      assert.equal((await client.call('PUT', path, { body: { rules: [] } })).status, 200);
    });
  });
});
