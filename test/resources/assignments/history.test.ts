import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseError } from '../../../src/db/errors.ts';
import { assertConflict, Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const span = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

forAnyApp((client, app) => {
  const staffing = new Staffing(client);

  const historyOf = async (id: number) => (await client.call('GET', `/assignments/${id}/history`)).body;

  describe('the history of an assignment', () => {
    it('tells every change of status, whichever way it came, with who, when and the remarks', async () => {
      const id = await staffing.newAssignment(...span, 1);
      const steps: [method: string, path: string, body: object][] = [
        ['PUT', `/assignments/${id}/status`, { status: 5, remarks: 'By train' }],
        ['PUT', `/assignments/${id}`, { status: 6, remarks: 'By car' }],
        ['PUT', '/assignments/status', { assignment_ids: [id], status: 7 }],
        ['POST', `/assignments/${id}/apply`, { remarks: null }],
      ];
      for (const [method, path, body] of steps) assert.equal((await client.call(method, path, { body })).status, 200);
      const entries = await historyOf(id);
      assert.deepEqual(
        entries.map(({ action, from_status, to_status, data }: Record<string, unknown>) => [
          action,
          from_status,
          to_status,
          data,
        ]),
        [
          ['created', null, 1, null],
          ['status', 1, 5, { remarks: 'By train' }],
          ['status', 5, 6, { remarks: 'By car' }],
          ['status', 6, 7, null],
          ['status', 7, 3, { remarks: null }],
        ],
      );
      const now = Date.now();
      for (const { api_user_id, assignment_id, created_at } of entries) {
        assert.ok(api_user_id > 0);
        assert.equal(assignment_id, id);
        assert.ok(Math.abs(now - Date.parse(created_at)) < 600_000);
      }
      assert.equal((await client.call('GET', `/assignments/${id}`)).body.remarks, null);
    });

    it('has no entry for a status that was the same, nor of a change that was refused or tried out', async () => {
      const id = await staffing.newAssignment(...span, 6);
      const before = await historyOf(id);
      assert.equal((await staffing.setStatus(id, 6)).status, 200);
      assert.equal((await staffing.setStatus(id, 2)).status, 422);
      assert.equal((await staffing.setStatus(id, 7, '?dry_run=true')).status, 200);
      assert.deepEqual(await historyOf(id), before);
    });

    it('tells nothing of times, an approval or a payment that were the same', async () => {
      const id = await staffing.newAssignment(...span, 6);
      const planner = await staffing.planner();
      const put = async (action: string, body: object) => {
        const { status, body: assignment } = await client.call('PUT', `/assignments/${id}/${action}`, { body });
        assert.equal(status, 200);
        return assignment;
      };
      for (const [action, body] of [
        ['pay', { paid_on: null }],
        ['approve', { approved_by_planner_id: null }],
        ['time', {}],
        ['time', { end: null }],
      ] as const)
        await put(action, body);
      assert.equal((await historyOf(id)).length, 1);
      for (const [action, body] of [
        ['time', { end: span[1] }],
        ['approve?force=true', { approved_by_planner_id: planner }],
        ['pay', { paid_on: '2027-07-01T10:00:00Z' }],
      ] as const)
        assert.deepEqual(await put(action, body), { ...(await put(action, body)) });
      assert.deepEqual(
        (await historyOf(id)).map(({ action }: { action: string }) => action),
        ['created', 'time', 'approval', 'payment'],
      );
    });

    it('is only added to: the role of the tenants may neither change nor remove it', async () => {
      const id = await staffing.newAssignment(...span, 6);
      const db = client.database.forTenant(client.tenant);
      const denied = (error: unknown): boolean =>
        error instanceof DatabaseError && (error.cause as { code?: string }).code === '42501';
      await assert.rejects(
        db.transaction(({ kysely }) =>
          kysely.updateTable('assignment_history').set({ to_status: 7 }).where('assignment_id', '=', id).execute(),
        ),
        denied,
      );
      await assert.rejects(
        db.transaction(({ kysely }) =>
          kysely.deleteFrom('assignment_history').where('assignment_id', '=', id).execute(),
        ),
        denied,
      );
      assert.equal((await historyOf(id)).length, 1);
    });

    it('stays readable after its assignment is deleted, which an approval or payment prevents, and ends with the deletion', async () => {
      const id = await staffing.newAssignment(...span, 6);
      const approve = (approved_by_planner_id: number | null) =>
        client.call('PUT', `/assignments/${id}/approve?force=true`, { body: { approved_by_planner_id } });
      assert.equal((await approve(await staffing.planner())).status, 200);
      assertConflict(await client.call('DELETE', `/assignments/${id}`), 'assignment_approved');
      const paid = { body: { paid_on: '2026-07-01T10:00:00Z' } };
      assert.equal((await client.call('PUT', `/assignments/${id}/pay`, paid)).status, 200);
      assertConflict(await client.call('DELETE', `/assignments/${id}`), 'assignment_paid');
      await client.call('PUT', `/assignments/${id}/pay`, { body: { paid_on: null } });
      assert.equal((await approve(null)).status, 200);
      assert.equal((await client.call('DELETE', `/assignments/${id}`)).status, 204);
      assert.equal((await client.call('GET', `/assignments/${id}`)).status, 404);
      const entries = await historyOf(id);
      assert.deepEqual(
        entries.map(({ action }: { action: string }) => action),
        ['created', 'approval', 'payment', 'payment', 'approval', 'deleted'],
      );
      const { from_status, to_status, data } = entries.at(-1);
      assert.deepEqual([from_status, to_status, Object.keys(data)], [6, null, ['employee_id', 'event_function_id']]);
      const other = await app.newClient();
      assert.equal((await other.call('GET', `/assignments/${id}/history`)).status, 404);
      assert.equal((await client.call('GET', '/assignments/999999999/history')).status, 404);
    });
  });
});
