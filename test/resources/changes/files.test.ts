import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import { createTenantFields } from '../../../src/attributes/tenant-fields.ts';
import { followJournal } from '../../../src/automations/follow.ts';
import { updateApiUser } from '../../../src/tenancy/api-users.ts';
import { automate, deliveriesOf } from '../../automations/scene.ts';
import { Exports } from '../../domain/payroll/scene.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import { copiedBy } from '../../replica/copied.ts';
import { Replica } from '../../replica/replica.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';
import { Scene } from '../../support/scene.ts';
import { until } from '../../support/until.ts';

type Caller = Pick<Client, 'call'>;

forAnyApp((client, app) => {
  const upload = async (by: Caller, visibility = 'private'): Promise<number> => {
    const headers = { 'X-File-Visibility': visibility };
    const { status, body, text } = await by.call('POST', '/files', { body: Buffer.from('a'), headers });
    assert.equal(status, 201, text);
    return body.id;
  };
  const remove = async (path: string): Promise<void> => {
    const { status, text } = await client.call('DELETE', path);
    assert.equal(status, 204, text);
  };
  const present = async (): Promise<string> => (await client.call('GET', '/changes?after=now')).body.next;
  const entries = async (reader: Caller, after: string, query = ''): Promise<readonly unknown[][]> => {
    const { status, body, text } = await reader.call('GET', `/changes?after=${after}&resource=files${query}`);
    assert.equal(status, 200, text);
    return body.changes.map(({ change, id }: { change: string; id: number }) => [change, id]);
  };

  describe('the entries of files, for a reader from whom fields that refer to files are hidden', () => {
    it('are those of its own and of public ones, also when they are deleted or waited for', async () => {
      const reader = await restricted(app, client, { hidden: ['identity'] });
      const from = await present();
      const waiting = entries(reader, from, '&wait=30');
      const foreign = await upload(client);
      const [own, open] = [await upload(reader), await upload(client, 'public')];
      const [first, ...more] = await waiting;
      assert.deepEqual(first, ['created', own]);
      assert.ok(more.every(([, id]) => id !== foreign));
      for (const id of [foreign, own, open]) await remove(`/files/${id}`);
      const shown = await entries(reader, from);
      const of = (change: string) => [own, open].map(id => [change, id]);
      assert.deepEqual(shown, [...of('created'), ...of('deleted')]);
      assert.equal((await entries(client, from)).length, 6);
      const { changes } = (await client.call('GET', `/changes?after=${from}&resource=files`)).body;
      assert.ok(
        changes[0].fields.every((name: string) => /^\w+$/.test(name)),
        'fields name fields alone',
      );
    });

    it('are none of a file that is removed when a person is forgotten', async () => {
      const staffing = new Staffing(client);
      const { body: forms } = await client.call('GET', '/forms?entity=employees');
      const certificate = { entity_id: forms[0].id, name: 'Certificate', type: 'file', category: 'health' };
      const attribute = await staffing.create('attributes', certificate);
      const reader = await restricted(app, client, { hidden: ['health'] });
      const from = await present();
      const file = await upload(client);
      const person = await staffing.employee({ [`dynamic_field_${attribute}`]: file });
      await remove(`/employees/${person}?anonymize=true`);
      assert.deepEqual(await entries(reader, from), []);
      assert.deepEqual(await entries(client, from), [
        ['created', file],
        ['deleted', file],
      ]);
    });

    it('are what webhooks of its automations send', async () => {
      const reader = await restricted(app, client, { hidden: ['identity'] });
      const automation = await automate(reader, ['record.changed', { resource: ['files'] }]);
      await upload(client);
      const own = await upload(reader);
      await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
      assert.deepEqual(
        (await deliveriesOf(client, automation)).map(({ data }) => data.id),
        [own],
      );
    });
  });

  describe('a copy of files for a reader from whom fields that refer to files are hidden', () => {
    it('equals the listing if it follows `x-derived-from`, whatever fields of the tenant name a file', async () => {
      const sight = { hidden: ['identity'] as const };
      const reader = await restricted(app, client, sight);
      const copy = new Replica((method, path) => reader.call(method, path), copiedBy(sight));
      await copy.load();
      const inSync = async () => {
        while (!(await copy.step(1000)));
        await copy.refresh();
        assert.deepEqual(await copy.differences(), []);
      };
      const staffing = new Staffing(client);
      const file = await upload(client);
      const holders = [];
      for (const entity of ['clients', 'employees']) {
        const { body: forms } = await client.call('GET', `/forms?entity=${entity}`);
        const attribute = await staffing.create('attributes', { entity_id: forms[0].id, name: 'A file', type: 'file' });
        holders.push({ entity, id: await new Scene(client).idOf(entity), field: `dynamic_field_${attribute}` });
      }
      await inSync();
      for (const { entity, id, field } of holders)
        for (const [value, status] of [
          [file, 200],
          [null, 404],
        ]) {
          const response = await client.call('PUT', `/${entity}/${id}`, { body: { [field]: value } });
          assert.equal(response.status, 200, response.text);
          assert.equal((await reader.call('GET', `/files/${file}`)).status, status);
          await inSync();
        }
    });
  });

  describe('the entry of the file of an export', () => {
    it('is left out for those who may not read exports or pay, even for who has made it', async () => {
      const maker = await restricted(app, client, {});
      const payroll = new Exports(maker as Client);
      const from = await present();
      const { run } = await payroll.exportable();
      const { body: format } = await payroll.format({ cells: [{ value: 'lastname' }] });
      const { file_id } = (await payroll.export(run, format.id)).body;
      const shown = [['created', file_id]];
      assert.deepEqual(await entries(maker, from), shown);
      assert.deepEqual(await entries(await restricted(app, client, { scopes: ['*:read'] }), from), shown);
      for (const access of [{ scopes: ['files:read'] }, { hidden: ['pay'] as const }]) {
        assert.deepEqual(await entries(await restricted(app, client, access), from), []);
        const { api_user } = (await maker.call('GET', '/me')).body;
        await updateApiUser(client.database, client.tenant, api_user.id, { scopes: [], hidden: [], ...access });
        await until('it takes effect', async () => (await maker.call('GET', `/files/${file_id}`)).status === 404);
        assert.deepEqual(await entries(maker, from), []);
      }
    });
  });
});
