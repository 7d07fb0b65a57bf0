import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors, errorsOf, Staffing } from './scene.ts';

const span = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

forAnyApp(client => {
  const staffing = new Staffing(client);

  const put = (path: string, body: object): Promise<ApiResponse> => client.call('PUT', path, { body });

  /** The ways by which an assignment gets a status; each tells the code that it fails with, or null. */
  const ways: Readonly<Record<string, (id: number, status: number) => Promise<string | null>>> = {
    'PUT of the record': async (id, status) => codeOf(await put(`/assignments/${id}`, { status })),
    'PUT of the status': async (id, status) => codeOf(await put(`/assignments/${id}/status`, { status })),
    'a bulk change by ids': async (id, status) =>
      resultOf(await put('/assignments/status', { assignment_ids: [id], status })),
    'a bulk change by a filter': async (id, status) => resultOf(await put(`/assignments/status?id=${id}`, { status })),
    'an atomic bulk change': async (id, status) =>
      codeOf(await put('/assignments/status', { assignment_ids: [id], status, atomic: 1 })),
  };
  const codeOf = (response: ApiResponse): string | null =>
    response.status === 200 ? null : String(errorsOf(response)[0]?.[0]);
  const resultOf = ({ body }: ApiResponse): string | null => body.results[0].error?.code ?? null;

  for (const [name, change] of Object.entries(ways)) {
    describe(`by ${name}`, () => {
      const shift = (changes: object = {}) => staffing.shift(...span, changes);
      const assignment = async (place: number, status: number, changes: object = {}) =>
        staffing.assignment(await staffing.employee(changes), place, status);

      it('an assignment goes where the status map says, and nowhere else', async () => {
        const id = await assignment(await shift(), 6);
        assert.equal(await change(id, 2), 'invalid_transition');
        assert.equal(await change(id, 7), null);
        assert.equal(await change(id, 1), 'invalid_transition');
        assert.equal(await staffing.statusOf(id), 7);
      });

      it('an approved or paid assignment does not move', async () => {
        const id = await assignment(await shift(), 6);
        assert.equal(
          (await put(`/assignments/${id}/approve?force=true`, { approved_by_planner_id: await staffing.planner() }))
            .status,
          200,
        );
        assert.equal(await change(id, 7), 'assignment_approved');
        assert.equal((await put(`/assignments/${id}/pay`, { paid_on: '2026-07-01' })).status, 200);
        assert.equal(await change(id, 7), 'assignment_paid');
        assert.equal(await change(id, 6), null);
      });

      it('a full function takes no one more, a locked one no application', async () => {
        const place = await shift({ quantity: 1, is_locked: 1 });
        await assignment(place, 5);
        const id = await assignment(place, 1);
        assert.equal(await change(id, 6), 'function_full');
        assert.equal(await change(id, 3), 'function_locked');
        assert.equal(await change(id, 4), 'function_locked');
        assert.equal(await change(id, 2), null);
      });

      it('an event that is over and done with lets only go', async () => {
        const event = await staffing.event(...span);
        const id = await assignment(await staffing.place(event), 6);
        assert.equal((await put(`/events/${event}`, { status: 3 })).status, 200);
        assert.equal(await change(id, 7), 'event_not_active');
        assert.equal(await change(id, 8), null);
      });

      it('a booking meets what stands against it, and a provisional one does not', async () => {
        const employee = await staffing.employee();
        await staffing.assignment(employee, await shift(), 6);
        const body = { employee_id: employee, start: '2026-06-12T23:00:00Z', end: '2026-06-13T01:00:00Z' };
        assert.equal((await client.call('POST', '/busy-dates', { body })).status, 201);
        const clashing = await staffing.assignment(employee, await shift());
        assert.equal(await change(clashing, 6), 'double_booked');
        assert.equal(await change(clashing, 5), null);
        const away = await staffing.assignment(
          employee,
          await staffing.shift('2026-06-13T00:00:00Z', '2026-06-13T04:00:00Z'),
        );
        assert.equal(await change(away, 6), 'absent');
        const unable = await assignment(await shift({ required_qualifications: [await staffing.qualification()] }), 1, {
          qualifications: [await staffing.qualification(1)],
        });
        assert.equal(await change(unable, 6), 'not_qualified');
      });
    });
  }

  it('an application meets the same guards', async () => {
    const apply = (id: number, body: object = {}) => client.call('POST', `/assignments/${id}/apply`, { body });
    const place = await staffing.shift(...span, { is_locked: 1 });
    const id = await staffing.assignment(await staffing.employee(), place);
    assertErrors(await apply(id), 'function_locked status');
    assert.equal((await put(`/event-functions/${place}`, { is_locked: 0 })).status, 200);
    assert.equal((await apply(id, { maybe: true })).body.status, 4);
    assert.equal((await apply(id)).body.status, 3);
    assert.equal((await client.call('POST', `/assignments/${id}/apply`)).body.status, 3, 'without a body');
    await staffing.setStatus(id, 6);
    await put(`/assignments/${id}/approve?force=true`, { approved_by_planner_id: await staffing.planner() });
    assertErrors(await apply(id), 'assignment_approved status');
  });

  it('force lets pass what it names, and nothing else', async () => {
    const employee = await staffing.employee();
    await staffing.assignment(employee, await staffing.shift(...span), 6);
    const place = await staffing.shift(...span, {
      quantity: 1,
      required_qualifications: [await staffing.qualification()],
    });
    const id = await staffing.assignment(employee, place);
    assert.equal((await staffing.setStatus(id, 6, '?force=true')).status, 200);
    const { body } = await client.call('GET', `/assignments/${id}/history`);
    assert.deepEqual(body.at(-1).overridden, ['double_booked', 'not_qualified']);
    const other = await staffing.assignment(await staffing.employee(), place);
    assertErrors(await staffing.setStatus(other, 6, '?force=true'), 'function_full status');
    assertErrors(await staffing.setStatus(other, 7, '?force=true'), 'invalid_transition status');
  });
});
