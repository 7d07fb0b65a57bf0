import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors, Staffing } from '../../domain/staffing/scene.ts';
import { useHoldable } from '../../support/held-table.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

describe('a busy date and a booking at once', () => {
  const { client, hold } = useHoldable();
  const staffing = new Staffing(client);

  /** The ways in which a time becomes an absence of an employee. */
  const ways: readonly [
    name: string,
    way: (employee_id: number) => Promise<[method: string, path: string, body: object]>,
  ][] = [
    ['created', async employee_id => ['POST', '/busy-dates', { employee_id, start, end }]],
    [
      'given to the employee',
      async employee_id => {
        const other = await staffing.create('busy-dates', { employee_id: await staffing.employee(), start, end });
        return ['PUT', `/busy-dates/${other}`, { employee_id }];
      },
    ],
  ];

  for (const [name, way] of ways)
    it(`a busy date that is ${name} while a booking has been judged comes after the booking`, async () => {
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, await staffing.shift(start, end), 5);
      const [method, path, body] = await way(employee);
      const cursor = (await client.call('GET', '/changes?after=now')).body.next;
      await using history = await hold('assignment_history');
      const booking = staffing.setStatus(id, 6);
      await history.waiting(1);
      let ended = false;
      const absence = client.call(method, path, { body }).finally(() => {
        ended = true;
      });
      await history.waiting(2, () => ended);
      await history.release();
      assert.equal((await booking).status, 200);
      const { status, text } = await absence;
      assert.ok(status < 300, text);
      const { changes } = (await client.call('GET', `/changes?after=${cursor}&resource=assignments,busy-dates`)).body;
      assert.deepEqual(
        changes.map(({ resource }: { resource: string }) => resource),
        ['assignments', 'busy-dates'],
      );
    });

  it('a booking waits for a busy date that is about to be stored, and is rejected', async () => {
    const employee_id = await staffing.employee();
    const id = await staffing.assignment(employee_id, await staffing.shift(start, end), 5);
    await using held = await hold('busy_dates');
    const absence = client.call('POST', '/busy-dates', { body: { employee_id, start, end } });
    await held.waiting(1);
    let ended = false;
    const booking = staffing.setStatus(id, 6).finally(() => {
      ended = true;
    });
    await held.waiting(2, () => ended);
    await held.release();
    assert.equal((await absence).status, 201);
    assertErrors(await booking, 'absent status');
  });
});
