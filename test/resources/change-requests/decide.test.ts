import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { addAttribute, collection, formOf } from '../../attributes/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';
import { Requests } from './scene.ts';

forAnyApp((client, app) => {
  const requests = new Requests(client);
  const mobileOf = async (id: number) => (await requests.read(`/employees/${id}`)).mobile;

  describe('a decision', () => {
    it('that accepts makes the changes and tells when', async () => {
      const [id, employee] = await requests.newRequest();
      const accepted = await requests.decide(id, 2);
      assert.equal(accepted.status, 200, accepted.text);
      assert.equal(accepted.body.status, 2);
      assert.match(accepted.body.decided_at, /Z$/);
      assert.deepEqual(await requests.read(`/change-requests/${id}`), accepted.body);
      assert.equal(await mobileOf(employee), '+49 30 23125718');
    });

    it('that rejects changes nothing but the request', async () => {
      const [id, employee] = await requests.newRequest();
      assert.equal((await requests.decide(id, 3)).body.status, 3);
      assert.equal(await mobileOf(employee), '+49 30 23125717');
    });

    it('is final', async () => {
      for (const first of [2, 3]) {
        const [id] = await requests.newRequest();
        const decided = await requests.decide(id, first);
        for (const status of [2, 3]) assertErrors(await requests.decide(id, status), 'invalid_transition status');
        assert.deepEqual(await requests.read(`/change-requests/${id}`), decided.body);
      }
    });

    it('is 2 or 3, on a request that exists', async () => {
      const [id] = await requests.newRequest();
      for (const status of [1, 4]) assertErrors(await requests.decide(id, status), 'not_in_enumeration status');
      assert.equal((await requests.decide(999_999_999, 2)).status, 404);
      const other = new Requests(await app.newClient());
      assert.equal((await other.decide(id, 2)).status, 404);
    });

    it('as a dry run decides nothing', async () => {
      const [id, employee] = await requests.newRequest();
      assert.equal((await requests.decide(id, 2, '?dry_run=true')).body.status, 2);
      assert.equal((await requests.read(`/change-requests/${id}`)).status, 1);
      assert.equal(await mobileOf(employee), '+49 30 23125717');
    });

    it('says why the changes are not possible any more, and leaves all as it was', async () => {
      const language = await requests.create('languages', { code: 'fr', name: 'Français' });
      const employee = await requests.employee();
      const { body } = await requests.ask('employees', employee, [
        { field: 'lastname', new_value: 'C' },
        { field: 'language_id', new_value: language },
      ]);
      assert.equal((await client.call('DELETE', `/languages/${language}`)).status, 204);
      assertErrors(await requests.decide(body.id, 2), 'reference_not_found changes.1.new_value');
      assert.equal((await requests.read(`/employees/${employee}`)).lastname, 'B');
      assert.equal((await requests.read(`/change-requests/${body.id}`)).status, 1);
      assert.equal((await requests.decide(body.id, 3)).status, 200);
    });

    it('says so, too, if a file has been removed that only the request names', async () => {
      const field = await addAttribute(client, 'file');
      const target = await requests.create('clients', { company: 'C' });
      const file = (await client.call('POST', '/files', { body: Buffer.from('a scan') })).body.id;
      const { body } = await requests.ask('clients', target, [{ field, new_value: file }]);
      assert.equal((await client.call('DELETE', `/files/${file}`)).status, 204);
      for (const query of ['', '?force=true'])
        assertErrors(await requests.decide(body.id, 2, query), 'reference_not_found changes.0.new_value');
      assert.deepEqual((await requests.read(`/change-requests/${body.id}`)).changes[0].new_value, file);
      assert.equal((await requests.decide(body.id, 3)).status, 200);
    });

    it('that accepts overwrites nothing that has changed meanwhile, unless forced', async () => {
      const [id, employee] = await requests.newRequest();
      const put = (mobile: string | null) => client.call('PUT', `/employees/${employee}`, { body: { mobile } });
      for (const mobile of ['+49 30 23125799', null]) {
        await put(mobile);
        for (const query of ['', '?dry_run=true', '?force=false']) {
          const response = await requests.decide(id, 2, query);
          assertErrors(response, 'changed_meanwhile changes.0.new_value');
          assert.deepEqual(
            [response.body.errors[0].old_value, response.body.errors[0].value],
            ['+49 30 23125717', mobile],
          );
        }
        assert.equal(await mobileOf(employee), mobile);
        assert.equal((await requests.read(`/change-requests/${id}`)).status, 1);
      }
      assert.equal((await requests.decide(id, 2, '?force=true')).status, 200);
      assert.equal(await mobileOf(employee), '+49 30 23125718');
    });

    it('that accepts takes a field that has its old value again, or its new value already, and changes of others', async () => {
      for (const mobile of ['+49 30 23125717', '+49 30 23125718']) {
        const [id, employee] = await requests.newRequest();
        for (const body of [{ mobile: '+49 30 23125799' }, { mobile }, { lastname: 'C' }])
          await client.call('PUT', `/employees/${employee}`, { body });
        assert.equal((await requests.decide(id, 2)).status, 200);
        assert.equal(await mobileOf(employee), '+49 30 23125718');
      }
    });

    it('and a change of the field at once: what was written first stands, and the second is rejected or follows it', async () => {
      for (let round = 0; round < 8; round++) {
        const [id, employee] = await requests.newRequest();
        const body = { mobile: '+49 30 23125799' };
        const [decided, changed] = await Promise.all([
          requests.decide(id, 2),
          client.call('PUT', `/employees/${employee}`, { body }),
        ]);
        assert.equal(changed.status, 200, changed.text);
        if (decided.status !== 200) assertErrors(decided, 'changed_meanwhile changes.0.new_value');
        assert.equal(await mobileOf(employee), body.mobile);
      }
    });

    it('tells no values of hidden fields that have changed meanwhile', async () => {
      const [id, employee] = await requests.newRequest();
      await client.call('PUT', `/employees/${employee}`, { body: { mobile: '+49 30 23125799' } });
      for (const [hidden, error] of [
        ['contact', 'rule_not_met status'],
        ['personal', 'changed_meanwhile changes.0.new_value'],
      ] as const) {
        const user = { name: `Without ${hidden}`, readOnly: false, hidden: [hidden] };
        const { id: userId } = await createApiUser(app.database, client.tenant, user);
        const token = await app.tokenOf(client.tenant, userId);
        const path = `/change-requests/${id}/decision`;
        const asked = { body: { status: 2 } };
        const response = await app.callAs({ tenant: client.tenant, token }, 'PUT', path, asked);
        assertErrors(response, error);
        assert.doesNotMatch(response.text, /2312/);
        const forced = `${path}?force=true&dry_run=true`;
        assert.equal((await app.callAs({ tenant: client.tenant, token }, 'PUT', forced, asked)).status, 200);
      }
    });

    it('that accepts needs the scopes to read and to write the record, and tells nothing of it without them', async () => {
      const [id, employee] = await requests.newRequest();
      await client.call('PUT', `/employees/${employee}`, { body: { mobile: '+49 30 23125719' } });
      for (const right of ['read', 'write']) {
        const scopes = [
          'change-requests:read',
          'change-requests:write',
          `employees:${right === 'read' ? 'write' : 'read'}`,
        ];
        const own = new Requests(await restricted(app, client, { scopes }));
        for (const query of ['', '?force=true']) {
          const { status, body, text } = await own.decide(id, 2, query);
          assert.deepEqual([status, body.code], [403, 'scope_missing']);
          assert.match(body.message, new RegExp(`employees:${right}`));
          assert.doesNotMatch(text, /2312/);
        }
        assert.equal((await own.decide(id, 3, '?dry_run=true')).status, 200);
      }
    });

    it('to change a record that is not there any more is not possible, to reject it is', async () => {
      const [id, employee] = await requests.newRequest();
      assert.equal((await client.call('DELETE', `/employees/${employee}`)).body.code, 'still_referenced');
      await client.database.asOwner(client.tenant.id, async ({ kysely }) => {
        await kysely.deleteFrom('employees').where('id', '=', employee).execute();
      });
      assertErrors(await requests.decide(id, 2), 'reference_not_found entity_id');
      assert.equal((await requests.decide(id, 3)).status, 200);
    });

    it('names what is wrong after the field was changed meanwhile: required now, another category, its value deleted', async () => {
      const own = new Requests(await app.newClient());
      const sizes = await collection(own.client, 'Sizes', 2);
      const field = await addAttribute(own.client, 'select', { collection_id: sizes.id });
      const text = await addAttribute(own.client, 'text');
      const company = await own.create('clients', { company: 'Nordlicht Hotels GmbH', [text]: 'x' });
      const [size] = sizes.values;
      const { body } = await own.ask('clients', company, [
        { field, new_value: size },
        { field: text, new_value: null },
      ]);
      const attributes = `/forms/${await formOf(own.client)}/attributes`;
      const attribute = (name: string) => `${attributes}/${name.split('_').at(-1)}`;
      const put = (path: string, change: object) => own.client.call('PUT', path, { body: change });
      assertErrors(await put(attribute(field), { type: 'text' }), 'read_only type');
      assert.equal((await put(attribute(text), { category: 'personal' })).status, 200);
      assert.equal((await put(attribute(field), { category: 'contact' })).status, 200);
      const removed = await own.client.call('DELETE', `/collections/${sizes.id}/value/${size}`);
      assert.equal(removed.status, 204, removed.text);
      assert.equal((await own.client.call('GET', `/change-requests/${body.id}`)).status, 200);
      assertErrors(await own.decide(body.id, 2), 'reference_inactive changes.0.new_value');
      assert.equal((await put(attribute(text), { category: null })).status, 200);
      assert.equal((await put(attribute(text), { required: 1 })).status, 200);
      assertErrors(
        await own.decide(body.id, 2, '?force=true'),
        'not_empty changes.1.new_value',
        'reference_inactive changes.0.new_value',
      );
      assert.equal((await own.decide(body.id, 3)).status, 200);
    });

    it('to change a field that was deleted meanwhile is not possible, to reject it is', async () => {
      const own = new Requests(await app.newClient());
      const field = await addAttribute(own.client, 'text');
      const company = await own.create('clients', { company: 'Nordlicht Hotels GmbH' });
      const { body } = await own.ask('clients', company, [{ field, new_value: 'x' }]);
      const attribute = `/forms/${await formOf(own.client)}/attributes/${field.split('_').at(-1)}`;
      assert.equal((await own.client.call('DELETE', attribute)).status, 204);
      assertErrors(await own.decide(body.id, 2), 'reference_not_found changes.0.attribute_id');
      assert.equal((await own.decide(body.id, 3)).status, 200);
    });
  });

  it('of 8 decisions at once, to accept or to reject, one is made', async () => {
    for (let round = 0; round < 4; round++) {
      const [id, employee] = await requests.newRequest();
      const responses = await Promise.all([2, 3, 2, 3, 2, 3, 2, 3].map(status => requests.decide(id, status)));
      const [made, ...more] = responses.filter(({ status }) => status === 200);
      assert.deepEqual(more, []);
      for (const response of responses) if (response !== made) assertErrors(response, 'invalid_transition status');
      assert.equal(await mobileOf(employee), made?.body.status === 2 ? '+49 30 23125718' : '+49 30 23125717');
      assert.deepEqual(await requests.read(`/change-requests/${id}`), made?.body);
    }
  });

  it('a request and a removal of the record at once: one of the two is made', async () => {
    for (let round = 0; round < 8; round++) {
      const employee = await requests.employee();
      const [removed, asked] = await Promise.all([
        client.call('DELETE', `/employees/${employee}`),
        requests.ask('employees', employee, [{ field: 'lastname', new_value: 'C' }]),
      ]);
      assert.ok(
        [removed.status, asked.status].join() === '409,201' || [removed.status, asked.status].join() === '204,422',
      );
    }
  });

  it('of 8 requests for one record at once all are made', async () => {
    const employee = await requests.employee();
    const asked = await Promise.all(
      Array.from({ length: 8 }, () => requests.ask('employees', employee, [{ field: 'lastname', new_value: 'C' }])),
    );
    assert.deepEqual(new Set(asked.map(({ status }) => status)), new Set([201]));
  });
});
