import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { deliver } from '../../src/automations/deliver.ts';
import { followJournal } from '../../src/automations/follow.ts';
import { changeApiUser } from '../../src/domain/provision/change-api-user.ts';
import { updateTenant } from '../../src/domain/provision/update-tenant.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

forAnyApp((_, app) => {
  let client: Client;
  let author: Client & { readonly id: number };
  let workshop: Workshop;
  let automation: number;
  let delivery: number;

  beforeEach(async () => {
    client = await app.newClient();
    const { id } = await createApiUser(client.database, client.tenant, { name: 'author', readOnly: false });
    const user = { ...client, token: await app.tokenOf(client.tenant, id), id };
    author = { ...user, call: (...asked) => app.callAs(user, ...asked) };
    workshop = new Workshop(client.database, client.tenant);
    automation = await automate(author, ['record.changed', { resource: ['employees'], include: 'record' }]);
    const body = { firstname: 'Robin', lastname: 'Behn', email: 'robin@staff.example' };
    const employee = await client.call('POST', '/employees', { body });
    assert.equal(employee.status, 201, employee.text);
    await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
    delivery = (await deliveriesOf(client, automation))[0]?.id as number;
  });

  const change = (changes: Parameters<typeof changeApiUser>[3]) =>
    changeApiUser(client.database, client.tenant, author.id, changes);
  const update = (changes: Parameters<typeof updateTenant>[2]) =>
    updateTenant(client.database, client.tenant, changes, 'test');

  /** Attempts the delivery; what happens, happens when the message has been made and not been sent. */
  const deliverWhile = (happens: () => Promise<unknown>) => {
    const { fields, ...dependencies } = workshop.dependencies();
    let hasHappened = false;
    const run: typeof fields.run = async (...given) => {
      const made = await fields.run(...given);
      if (!hasHappened) await happens();
      hasHappened = true;
      return made;
    };
    const job = { tenant_id: client.tenant.id, delivery_id: delivery, target: null };
    return deliver(job, { ...dependencies, fields: { ...fields, run } });
  };
  const outcome = async () => {
    const [found] = await deliveriesOf(client, automation);
    return [found?.status, found?.attempt, found?.error];
  };
  const sent = () => workshop.sent.map(({ url, payload }) => [url, JSON.parse(payload).data.record.email]);

  describe('a webhook whose message has been made is not sent as it is', () => {
    it('if the tenant is disabled meanwhile: it is left to be attempted later', async () => {
      assert.equal(await deliverWhile(() => update({ active: false })), 'postponed');
      await update({ active: true });
      assert.deepEqual([await outcome(), sent()], [[1, 0, null], []]);
    });

    it('if its tenant loses the module: that is its outcome', async () => {
      assert.equal(await deliverWhile(() => update({ modules: [] })), 'done');
      await update({ modules: ['automations'] });
      assert.deepEqual([await outcome(), sent()], [[3, 1, 'module_disabled'], []]);
    });

    for (const [name, changes] of [
      ['is disabled', { active: false }],
      ['loses the scope', { scopes: ['clients:read'] }],
    ] as const)
      it(`if its API user ${name}: that is its outcome`, async () => {
        await deliverWhile(() => change(changes));
        assert.deepEqual([await outcome(), sent()], [[3, 1, 'scope_missing'], []]);
      });

    it('if a category is hidden from its API user: it is made anew, without it', async () => {
      await deliverWhile(() => change({ hidden: ['contact'] }));
      assert.deepEqual([await outcome(), sent()], [[2, 1, null], [['https://hooks.example.com/a', undefined]]]);
    });

    it('if its automation is changed: it is made anew', async () => {
      const url = 'https://other.example.com/b';
      const body = { routine_configuration: JSON.stringify({ url }) };
      await deliverWhile(() => author.call('PUT', `/automations/${automation}`, { body }));
      assert.deepEqual([await outcome(), sent()], [[2, 1, null], [[url, 'robin@staff.example']]]);
    });

    it('if its automation is deleted', async () => {
      const path = `/automations/${automation}`;
      assert.equal(await deliverWhile(() => author.call('DELETE', path)), 'done');
      assert.deepEqual(sent(), []);
    });
  });

  it('a webhook is sent as it has been made if nothing has changed', async () => {
    await deliverWhile(() => Promise.resolve());
    assert.deepEqual(
      [await outcome(), sent()],
      [[2, 1, null], [['https://hooks.example.com/a', 'robin@staff.example']]],
    );
  });
});
