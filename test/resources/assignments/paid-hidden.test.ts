import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { PayRuns, paid_on, period } from '../../domain/pay/scene.ts';
import { errorsOf } from '../../domain/staffing/scene.ts';
import { end, start } from '../../domain/work/scene.ts';
import { Importer } from '../../imports/importer.ts';
import type { ApiResponse, Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';

/** What tells that an assignment is paid, or about to be. */
const told = /assignment_paid|on_pay_run|\bpaid\b|pay run/;

forAnyApp((client, app) => {
  const pay = new PayRuns(client);

  describe('with pay hidden, a paid assignment', () => {
    let user: Client;
    /** Approved: one that is paid by itself, one that is on an open pay run. */
    let paid: number;
    let onRun: number;
    let run: number;
    let sheet: number;

    before(async () => {
      user = await restricted(app, client, { hidden: ['pay'] });
      paid = await pay.approved();
      const profile = await pay.profile();
      onRun = await pay.approved({ profile });
      run = await pay.run(profile);
      const [{ id }] = await pay.list(`/paysheets?assignment_id=${onRun}`);
      sheet = id;
    });

    /** Requests of every kind that an approved assignment rejects. */
    const rejected = async (id: number): Promise<readonly (readonly [string, string, object?])[]> => {
      const [{ event_function_id, employee_id, event_id }] = await pay.list(`/assignments?id=${id}`);
      const [{ id: work }] = await pay.list(`/work-times?event_function_employee_id=${id}`);
      const [{ id: wage }] = await pay.list(`/assignment-wages?assignment_id=${id}`);
      const other = await pay.staffing.shift(start, end);
      const signed_at = '2026-06-13T01:00:00Z';
      return [
        ['PUT', `/assignments/${id}/status`, { status: 7 }],
        ['PUT', `/assignments/${id}`, { status: 8 }],
        ['PUT', `/assignments/${id}/time`, { start: '2026-06-12T17:00:00Z' }],
        ['PUT', `/assignments/${id}/move`, { event_function_id: other }],
        ['POST', `/assignments/${id}/apply`, {}],
        ['PUT', '/assignments/status', { assignment_ids: [id], status: 7 }],
        ['PUT', '/assignments/status', { assignment_ids: [id], status: 7, atomic: 1 }],
        ['PUT', `/assignments/status?id=${id}`, { status: 7 }],
        ['DELETE', `/assignments/${id}`],
        ['POST', '/work-times', { event_function_employee_id: id, start, end }],
        ['PUT', `/work-times/${work}`, { start: '2026-06-12T17:00:00Z' }],
        ['DELETE', `/work-times/${work}`],
        ['PUT', `/assignment-wages/${wage}`, { is_disabled: 1 }],
        ['POST', '/work-time-proposals', { assignment_id: id, start, end }],
        ['POST', '/wage-proposals', { assignment_id: id, wage_type_id: 5, value: 1 }],
        ['POST', '/paysheets', { assignment_id: id }],
        ['PUT', `/event-functions/${event_function_id}`, { quantity: 3 }],
        ['PUT', `/events/${event_id}`, { name: 'Renamed' }],
        ['PUT', `/employees/${employee_id}`, { lastname: 'C' }],
        [
          'POST',
          '/assignments/signed-work-data',
          {
            approver: { type: 'planner', id: await pay.staffing.planner() },
            signed_at,
            method: 'pin',
            items: [{ assignment_id: id, work_times: [{ start, end }] }],
          },
        ],
      ];
    };

    /** What a response says, whichever record it is about. */
    const said = ({ status, body }: ApiResponse): string =>
      JSON.stringify([status, body])
        .replace(/"(request_id|updated_at|created_at)":"[^"]*"/g, '')
        .replace(/"id":\d+/g, '');

    it('has the status map of an approved one, with the same ETag', async () => {
      const path = `/assignments/${paid}/status-map`;
      const earlier = await user.call('GET', path);
      assert.equal((await pay.pay(paid)).status, 200);
      const later = await user.call('GET', path);
      assert.deepEqual([later.text, later.headers.etag], [earlier.text, earlier.headers.etag]);
      assert.match(later.text, /assignment_approved/);
      const etag = String(earlier.headers.etag);
      assert.equal((await user.call('GET', path, { headers: { 'If-None-Match': etag } })).status, 304);
      assert.match((await client.call('GET', path)).text, /assignment_paid/);
      assert.equal((await pay.put(`/assignments/${paid}/pay`, { paid_on: null })).status, 200);
    });

    it('rejects every write as an approved one does, tried out or not', async () => {
      const requests = await rejected(paid);
      const tried = async (by: Client) => {
        const said: ApiResponse[] = [];
        for (const [method, path, body] of requests)
          said.push(await by.call(method, `${path}${path.includes('?') ? '&' : '?'}dry_run=1`, body && { body }));
        return said;
      };
      const approved = (await tried(user)).map(said);
      assert.equal((await pay.pay(paid)).status, 200);
      const responses = await tried(user);
      assert.deepEqual(responses.map(said), approved);
      const rejections = responses.filter(({ text }) => text.includes('assignment_approved'));
      assert.ok(rejections.length > 10, String(rejections.length));
      for (const [index, [method, path, body]] of requests.entries()) {
        if (!rejections.includes(responses[index] as ApiResponse)) continue;
        const response = await user.call(method, path, body && { body });
        assert.match(response.text, /assignment_approved/, `${method} ${path}`);
        assert.doesNotMatch(response.text, told, `${method} ${path}`);
      }
      assert.match((await tried(client)).map(({ text }) => text).join(), /assignment_paid/);
      assert.doesNotMatch(responses.map(({ text }) => text).join(), told);
    });

    it('rejects the row of an import as an approved one does', async () => {
      const importer = new Importer(app);
      assert.equal((await pay.pay(paid)).status, 200);
      const codeFor = async (by: Client) => {
        const { results } = await importer.import(by, '/assignments/import?mode=update', [{ id: paid, status: 7 }]);
        return results.flatMap(({ errors }: { errors: readonly { code: string }[] }) => errors.map(({ code }) => code));
      };
      assert.deepEqual(await codeFor(client), ['assignment_paid']);
      assert.deepEqual(await codeFor(user), ['assignment_approved']);
    });

    it('is not paid by those from whom the payment is hidden', async () => {
      const id = await pay.approved();
      const path = `/assignments/${id}/pay`;
      const response = await user.call('PUT', path, { body: { paid_on } });
      assert.deepEqual(errorsOf(response), [['unknown_field', 'paid_on']]);
      const { body: own } = await user.call('GET', '/openapi.json');
      assert.ok(own.paths['/assignments/{id}/approve'] && !own.paths['/assignments/{id}/pay']);
      assert.equal(await pay.paidOn(id), null);
    });

    it('or one on a pay run keeps its approval as an approved one', async () => {
      assert.equal((await pay.pay(paid)).status, 200);
      for (const id of [paid, onRun]) {
        const withdrawal = { body: { approved_by_planner_id: null } };
        const response = await user.call('PUT', `/assignments/${id}/approve`, withdrawal);
        assert.deepEqual(errorsOf(response), [['assignment_approved', 'approved_by_planner_id']]);
        assert.equal(response.body.errors[0].message, 'The assignment has been approved.');
      }
      const removal = await user.call('DELETE', `/paysheets/${sheet}`);
      assert.deepEqual([removal.status, removal.body.code], [409, 'assignment_approved']);
      assert.doesNotMatch(removal.text, told);
      assert.equal((await client.call('DELETE', `/paysheets/${sheet}`)).body.code, 'on_pay_run');
    });

    it('that is being corrected looks like one whose approval was withdrawn', async () => {
      const id = await pay.approved();
      assert.equal((await pay.pay(id)).status, 200);
      const path = `/assignments/${id}`;
      assert.match((await user.call('GET', `${path}/status-map`)).text, /assignment_approved/);
      const reopened = await pay.put(`${path}/reopen`, { reason: 'The shift ended earlier.' });
      assert.equal(reopened.status, 200, reopened.text);
      assert.doesNotMatch((await user.call('GET', `${path}/status-map`)).text, /assignment_approved|assignment_paid/);
      const rejected = await user.call('PUT', `${path}/status`, { body: { status: 7 } });
      assert.deepEqual(errorsOf(rejected), [['assignment_approved', 'status']]);
      assert.doesNotMatch(rejected.text, /paid|correction/);
      const { text, body } = await user.call('GET', path);
      assert.ok(!('correction' in body), text);
      assert.doesNotMatch(text, /finish_correction/);
      const [own] = await pay.list(`/assignments?id=${id}&fields=correction,open_actions`);
      assert.ok(own.correction.number === 1 && /finish_correction/.test(JSON.stringify(own.open_actions)));
    });

    it('is told by no status of paysheets and pay runs', async () => {
      for (const [path, body] of [
        [`/paysheets/${sheet}`, { currency: 'CHF' }],
        [`/pay-runs/${run}`, { name: 'Renamed' }],
      ] as const) {
        const { body: shown } = await user.call('GET', path);
        assert.ok(!('status' in shown) && 'created_at' in shown);
        const resource = path.split('/')[1];
        for (const query of ['status=1', 'sort=status', 'fields=status'])
          assert.equal((await user.call('GET', `/${resource}?${query}`)).body.code, 'unknown_field', query);
        assert.deepEqual(errorsOf(await user.call('PUT', path, { body: { status: 2 } })), [
          ['unknown_field', 'status'],
        ]);
        assert.doesNotMatch((await user.call('PUT', path, { body })).text, /"status"/);
      }
      const made = await user.call('POST', '/pay-runs', { body: { name: 'R', ...period, status: 1 } });
      assert.deepEqual(errorsOf(made), [['unknown_field', 'status']]);
    });

    it('has no entry of a payment in its history, and no data of which all is hidden', async () => {
      const id = await pay.approved();
      await pay.put(`/assignments/${id}`, {});
      const path = `/assignments/${id}/history`;
      const earlier = await user.call('GET', path);
      assert.equal((await pay.pay(id)).status, 200);
      const later = await user.call('GET', path);
      assert.deepEqual([later.text, later.headers.etag], [earlier.text, earlier.headers.etag]);
      assert.equal((await pay.list(path)).at(-1).action, 'payment');
      assert.equal((await pay.list(path)).at(-1).data.paid_on, paid_on);
      const stranger = await restricted(app, client, { hidden: ['personal'] });
      const remarked = await pay.staffing.newAssignment('2026-07-12T16:00:00Z', '2026-07-12T22:00:00Z', 5);
      for (const body of [{ status: 6, remarks: 'By train' }, { status: 5 }])
        assert.equal((await pay.put(`/assignments/${remarked}/status`, body)).status, 200);
      const dataOf = async (by: Client) =>
        (await by.call('GET', `/assignments/${remarked}/history`)).body.map(({ data }: { data: unknown }) => data);
      assert.deepEqual(await dataOf(client), [null, { remarks: 'By train' }, null]);
      assert.deepEqual(await dataOf(stranger), [null, null, null]);
    });
  });
});
