import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addAttribute, formOf } from '../../attributes/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { Requests } from './scene.ts';

forEachApp((client, app) => {
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

    it('to change a record that is not there any more is not possible, to reject it is', async () => {
      const [id, employee] = await requests.newRequest();
      assert.equal((await client.call('DELETE', `/employees/${employee}`)).body.code, 'still_referenced');
      await client.database.asOwner(client.tenant.id, async ({ kysely }) => {
        await kysely.deleteFrom('employees').where('id', '=', employee).execute();
      });
      assertErrors(await requests.decide(id, 2), 'reference_not_found entity_id');
      assert.equal((await requests.decide(id, 3)).status, 200);
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
      const answers = await Promise.all([2, 3, 2, 3, 2, 3, 2, 3].map(status => requests.decide(id, status)));
      const [made, ...more] = answers.filter(({ status }) => status === 200);
      assert.deepEqual(more, []);
      for (const answer of answers) if (answer !== made) assertErrors(answer, 'invalid_transition status');
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
