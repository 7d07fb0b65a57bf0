import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors, insist, Staffing } from '../../domain/staffing/scene.ts';
import { Payroll } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const friday = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
const saturday = ['2026-06-13T16:00:00Z', '2026-06-13T22:00:00Z'] as const;

forAnyApp(client => {
  const staffing = new Staffing(client);
  const move = (id: number, event_function_id: number, query = '') =>
    client.call('PUT', `/assignments/${id}/move${query}`, { body: { event_function_id } });
  const statisticsOf = async (place: number) => (await client.call('GET', `/event-functions/${place}`)).body.statistics;
  const historyOf = async (id: number) => (await client.call('GET', `/assignments/${id}/history`)).body;

  describe('a move to another event function', () => {
    it('keeps the assignment and its history, takes its place along and gives it the times there', async () => {
      const [from, to] = [await staffing.shift(...friday), await staffing.shift(...saturday)];
      const id = await staffing.assignment(await staffing.employee(), from, 6);
      await client.call('PUT', `/assignments/${id}/time`, { body: { end: '2026-06-12T21:00:00Z' } });
      const { status, body, text } = await move(id, to);
      assert.equal(status, 200, text);
      assert.deepEqual([body.id, body.event_function_id, body.status, body.start, body.end], [id, to, 6, ...saturday]);
      assert.deepEqual([await statisticsOf(from), await statisticsOf(to)], ['0/5', '1/5']);
      const entries = await historyOf(id);
      assert.deepEqual(
        entries.map(({ action }: { action: string }) => action),
        ['created', 'time', 'moved'],
      );
      assert.deepEqual(entries[2].data, {
        from_event_function_id: from,
        event_function_id: to,
        end: '2026-06-12T21:00:00Z',
      });
      assert.equal((await move(id, to)).status, 200);
      assert.equal((await historyOf(id)).length, 3);
    });

    it('within the same hours does not collide with itself', async () => {
      const event = await staffing.event(...friday);
      const [from, to] = [await staffing.place(event), await staffing.place(event)];
      const id = await staffing.assignment(await staffing.employee(), from, 6);
      await staffing.setStatus(id, 7);
      assert.equal((await move(id, to)).body.status, 7);
      const events = await client.call('GET', `/events/${event}`);
      assert.equal(events.body.statistics, '1/10');
    });

    it('has the rules of a new assignment, and force overrides the same ones', async () => {
      const at = 'event_function_id';
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, await staffing.shift(...friday), 6);
      await staffing.assignment(employee, await staffing.shift(...saturday), 6);
      const clashing = await staffing.shift(...saturday, {
        required_qualifications: [await staffing.qualification()],
      });
      assertErrors(await move(id, clashing), `double_booked ${at}`, `not_qualified ${at}`);
      assertErrors(
        await move(id, await staffing.shift(...friday, { quantity: 0 }), '?force=true'),
        `function_full ${at}`,
      );
      const taken = await staffing.shift(...friday);
      await staffing.assignment(employee, taken);
      assertErrors(await move(id, taken), `already_in_function ${at}`);
      const over = await staffing.place(await staffing.event(...friday, { status: 3 }));
      assertErrors(await move(id, over), `event_not_active ${at}`);
      assertErrors(await move(id, 999_999_999), `reference_not_found ${at}`);
      assert.equal((await move(999_999_999, taken)).status, 404);
      assert.equal((await move(id, clashing, '?force=true')).status, 200);
      assert.deepEqual((await historyOf(id)).at(-1).overridden, ['double_booked', 'not_qualified']);
    });

    it('of an application needs an unlocked function, of an employee who has left none', async () => {
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, await staffing.shift(...friday), 3);
      const locked = await staffing.shift(...saturday, { is_locked: 1 });
      assertErrors(await move(id, locked), 'function_locked event_function_id');
      await client.call('PUT', `/employees/${employee}`, { body: { status: 5 } });
      assertErrors(await move(id, await staffing.shift(...saturday)), 'reference_inactive employee_id');
    });

    it('of an approved or paid assignment is refused, of a tried one undone', async () => {
      const payroll = new Payroll(client);
      const id = await payroll.assignment();
      const to = await staffing.shift(...saturday);
      assert.equal((await move(id, to, '?dry_run=true')).body.event_function_id, to);
      assert.notEqual((await client.call('GET', `/assignments/${id}`)).body.event_function_id, to);
      await payroll.approve(id, '?force=true');
      assertErrors(await move(id, to), 'assignment_approved event_function_id');
      await payroll.pay(id);
      assertErrors(await move(id, to), 'assignment_paid event_function_id');
    });

    it('is one of 8 at once into the last place, and opposite moves do not wait for each other', async () => {
      const to = await staffing.shift(...saturday, { quantity: 1 });
      const ids = await Promise.all(
        Array.from({ length: 8 }, async () =>
          staffing.assignment(await staffing.employee(), await staffing.shift(...friday), 6),
        ),
      );
      const responses = await Promise.all(ids.map(id => insist(() => move(id, to))));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 422)]);
      assert.equal(await statisticsOf(to), '1/1');
      const [one, other] = [await staffing.shift(...friday), await staffing.shift(...friday)];
      const pairs = await Promise.all(
        Array.from({ length: 4 }, async (_, index) => {
          const [from, target] = index % 2 ? [one, other] : [other, one];
          return { id: await staffing.assignment(await staffing.employee(), from, 6), target };
        }),
      );
      const moved = await Promise.all(pairs.map(({ id, target }) => insist(() => move(id, target))));
      for (const { status, text } of moved) assert.equal(status, 200, text);
      assert.deepEqual([await statisticsOf(one), await statisticsOf(other)], ['2/5', '2/5']);
    });
  });
});
