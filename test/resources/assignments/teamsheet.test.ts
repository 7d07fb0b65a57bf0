import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';
import { getDocumented } from './scene.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'];

forAnyApp((client, app) => {
  const staffing = new Staffing(client);

  describe('a team sheet', () => {
    it("has every function of the event with those who hold its places, and each one's last check-in", async () => {
      const event = await staffing.event(start, end, { configurations: { checkins: { enabled: 1 } } });
      const [first, second] = [
        await staffing.place(event),
        await staffing.place(event, { start: '2026-06-12T17:00:00Z' }),
      ];
      const [here, absent] = [await staffing.employee({ lastname: 'B' }), await staffing.employee({ lastname: 'C' })];
      const id = await staffing.assignment(here, first, 6);
      await staffing.assignment(absent, first, 5);
      await staffing.assignment(await staffing.employee(), first, 1);
      for (const [type, timestamp] of [
        [1, start],
        [2, '2026-06-12T18:00:00Z'],
      ] as const)
        await staffing.create('checkins', { assignment_id: id, type, source: 2, timestamp });
      const { body } = await getDocumented(client, `/assignments/${id}/teamsheet`);
      assert.deepEqual([body.assignment_id, body.event_id, body['event.start']], [id, event, start]);
      assert.deepEqual(
        body.functions.map((entry: Record<string, unknown>) => [
          entry.event_function_id,
          entry.quantity,
          entry.assigned,
        ]),
        [
          [first, 5, 2],
          [second, 5, 0],
        ],
      );
      const members = body.functions[0].members.map((member: Record<string, unknown>) => [
        member.employee_id,
        member.last_checkin_type,
        member.last_checkin_at,
      ]);
      assert.deepEqual(members, [
        [here, 2, '2026-06-12T18:00:00Z'],
        [absent, null, null],
      ]);
    });

    it('has the mobile numbers only for API users who may read employees', async () => {
      const id = await staffing.assignment(
        await staffing.employee({ mobile: '+49 30 1' }),
        await staffing.shift(start, end),
        6,
      );
      const membersOf = async (scopes: readonly string[]) => {
        const user = await restricted(app, client, { scopes });
        return (await getDocumented(user, `/assignments/${id}/teamsheet`)).body.functions[0].members;
      };
      const [reachable] = await membersOf(['assignments:read', 'employees:read']);
      const [named] = await membersOf(['assignments:read', 'planners:read']);
      const { mobile, ...others } = reachable;
      assert.equal(mobile, '+49 30 1');
      assert.deepEqual(named, others);
    });
  });
});
