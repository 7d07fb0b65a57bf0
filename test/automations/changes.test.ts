import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { followJournal } from '../../src/automations/follow.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { until } from '../support/until.ts';
import { automate, deliveriesOf, webhook } from './scene.ts';
import { Workshop } from './work.ts';

forAnyApp((_, app) => {
  let client: Client;
  let workshop: Workshop;

  beforeEach(async () => {
    client = await app.newClient();
    workshop = new Workshop(client.database, client.tenant);
  });

  const changed = (configuration: object = {}) => automate(client, ['record.changed', configuration]);
  const fields = createTenantFields(resources);
  const follow = (limit?: number) => followJournal(client.database.forTenant(client.tenant), fields, limit);
  const create = async (company: string): Promise<number> => {
    const response = await client.call('POST', '/clients', { body: { company } });
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  };
  const rename = (id: number, company: string) => client.call('PUT', `/clients/${id}`, { body: { company } });
  const told = async (automation: number) =>
    (await deliveriesOf(client, automation)).map(({ data }) => [data.change, data.resource, data.id]);
  const sent = () => workshop.sent.map(({ payload }) => JSON.parse(payload));

  describe('record.changed', () => {
    it('adds a delivery for each entry of the journal, with the entry as GET /changes shows it', async () => {
      const automation = await changed();
      const id = await create('Alba');
      await rename(id, 'Berg');
      await follow();
      const { changes } = (await client.call('GET', '/changes?resource=clients')).body;
      assert.deepEqual(
        (await deliveriesOf(client, automation)).map(({ data }) => data),
        changes,
      );
      assert.deepEqual(await told(automation), [
        ['created', 'clients', id],
        ['updated', 'clients', id],
      ]);
    });

    it('is triggered by what follows the creation of the automation or the change to this trigger', async () => {
      await create('Alba');
      const first = await changed();
      const other = await automate(client, ['assignment.status_changed', {}]);
      const between = await create('Berg');
      const body = { trigger_type: 'record.changed', trigger_configuration: '{"resource":["clients"]}' };
      assert.equal((await client.call('PUT', `/automations/${other}`, { body })).status, 200);
      const last = await create('Cima');
      await follow();
      const clients = (rows: readonly unknown[][]) => rows.filter(([, resource]) => resource === 'clients');
      assert.deepEqual(clients(await told(first)), [
        ['created', 'clients', between],
        ['created', 'clients', last],
      ]);
      assert.deepEqual(await told(other), [['created', 'clients', last]]);
    });

    it('is restricted to resources, kinds of changes and, for updates, to fields', async () => {
      const deletions = await changed({ resource: ['clients', 'projects'], change: ['deleted'] });
      const names = await changed({ resource: ['projects'], fields: ['name'] });
      const client_id = await create('Alba');
      const { id } = (await client.call('POST', '/projects', { body: { name: 'Gala', client_id } })).body;
      await client.call('PUT', `/projects/${id}`, { body: { description: 'At night' } });
      await client.call('PUT', `/projects/${id}`, { body: { name: 'Ball' } });
      await client.call('DELETE', `/projects/${id}`);
      await follow();
      assert.deepEqual(await told(deletions), [['deleted', 'projects', id]]);
      assert.deepEqual(await told(names), [
        ['created', 'projects', id],
        ['updated', 'projects', id],
        ['deleted', 'projects', id],
      ]);
    });

    it('adds each delivery once, however often and in however small parts the journal is followed', async () => {
      const automation = await changed({ resource: ['clients'] });
      const ids = [];
      for (let count = 0; count < 7; count++) ids.push(await create(`Alba ${count}`));
      await until('the journal is followed', async () => !(await follow(2)).more);
      await Promise.all([follow(), follow(), follow()]);
      assert.deepEqual(
        (await told(automation)).map(([, , id]) => id),
        ids,
      );
    });

    it('posts the entry, and with `include` the record as a GET shows it now', async () => {
      await changed({ resource: ['clients'] });
      await changed({ resource: ['projects'], include: 'record' });
      const client_id = await create('Alba');
      const { id } = (await client.call('POST', '/projects', { body: { name: 'Gala', client_id } })).body;
      const gone = (await client.call('POST', '/projects', { body: { name: 'Ball', client_id } })).body;
      await client.call('DELETE', `/projects/${gone.id}`);
      await follow();
      const shown = (await client.call('GET', `/projects/${id}`)).body;
      await workshop.run();
      const [plain] = sent().filter(({ data }) => data.resource === 'clients');
      assert.equal(plain.type, 'record.changed');
      assert.equal(plain.timestamp, plain.data.at);
      assert.ok(!('record' in plain.data));
      const records = sent().filter(({ data }) => data.resource === 'projects');
      assert.deepEqual(records.find(({ data }) => data.id === id)?.data.record, shown);
      assert.deepEqual(
        records.filter(({ data }) => data.id === gone.id).map(({ data }) => [data.change, data.record]),
        [
          ['created', null],
          ['deleted', null],
        ],
      );
    });

    it('tells nothing that is hidden from the API user who made the automation', async () => {
      const { id: user } = await createApiUser(client.database, client.tenant, {
        name: 'without contact',
        readOnly: false,
        hidden: ['contact'],
      });
      const token = await app.tokenOf(client.tenant, user);
      const own = {
        ...client,
        token,
        call: (...asked) => app.callAs({ tenant: client.tenant, token }, ...asked),
      } as Client;
      const automation = await automate(own, ['record.changed', { resource: ['employees'], include: 'record' }]);
      const names = { firstname: 'Ada', lastname: 'Berg' };
      const { body: person } = await client.call('POST', '/employees', { body: { ...names, mobile: '+49 170 1' } });
      for (const body of [{ mobile: '+49 170 2' }, { lastname: 'Cima', mobile: '+49 170 3' }])
        assert.equal((await client.call('PUT', `/employees/${person.id}`, { body })).status, 200);
      await follow();
      await workshop.run();
      // The change of the number alone is told only if a second has passed, by `updated_at`.
      const visible = sent().filter(({ data }) => data.fields.some((name: string) => name !== 'updated_at'));
      assert.deepEqual(
        visible.map(({ data }) => [data.change, data.resource, data.id, data.record.lastname]),
        [
          ['created', 'employees', person.id, 'Cima'],
          ['updated', 'employees', person.id, 'Cima'],
        ],
      );
      assert.equal((await told(automation)).length, sent().length);
      for (const { payload } of workshop.sent) assert.doesNotMatch(payload, /mobile|\+49 170/);
      assert.ok(visible.at(-1).data.fields.includes('lastname'));
    });

    it('is attempted first in the order of the positions of a record, and a retry holds back no later one', async () => {
      const automation = await changed({ resource: ['clients'] });
      const [one, other] = [await create('Alba'), await create('Berg')];
      for (const name of ['Cima', 'Dorn', 'Erle']) {
        await rename(one, name);
        await follow();
        await rename(other, name);
      }
      await follow();
      workshop.respond = () => ({ status: 503, error: 'not_accepted' });
      await workshop.run();
      const orderOf = (id: number) =>
        sent()
          .filter(({ data }) => data.id === id)
          .map(({ data }) => data.position);
      for (const id of [one, other]) {
        assert.equal(orderOf(id).length, 4);
        assert.deepEqual(
          orderOf(id),
          orderOf(id).toSorted((a, b) => a - b),
        );
      }
      const pending = await deliveriesOf(client, automation);
      assert.ok(pending.every(({ status, attempt }) => status === 1 && attempt === 1));
      await rename(one, 'Fels');
      await follow();
      workshop.sent.length = 0;
      await workshop.run();
      assert.deepEqual(
        sent().map(({ data }) => data.id),
        [one],
      );
    });

    it('takes the routine webhook.post only, and names of the spec with a hint', async () => {
      const refused = async (trigger: object, routine: readonly [string, object] = webhook) => {
        const response = await client.call('POST', '/automations', {
          body: {
            trigger_type: 'record.changed',
            trigger_configuration: JSON.stringify(trigger),
            routine_type: routine[0],
            routine_configuration: JSON.stringify(routine[1]),
          },
        });
        assert.equal(response.status, 422, response.text);
        return response.body.errors;
      };
      const [lock] = await refused({}, ['function.lock', {}]);
      assert.deepEqual([lock.code, lock.field], ['not_in_enumeration', 'routine_type']);
      assert.match(lock.message, /requires the trigger .*not record\.changed/);
      const [resource] = await refused({ resource: ['client'] });
      assert.deepEqual([resource.code, resource.field], ['not_in_enumeration', 'trigger_configuration']);
      assert.match(resource.message, /resource: client is not a resource\. Did you mean clients\?/);
      const [field] = await refused({ resource: ['projects'], fields: ['nane'] });
      assert.match(field.message, /fields: nane is not an own field of projects\. Did you mean name\?/);
      const [derived] = await refused({ resource: ['projects'], fields: ['client.company'] });
      assert.match(derived.message, /client\.company is not an own field/);
      const [deliveries] = await refused({ resource: ['automation-deliveries'] });
      assert.match(deliveries.message, /automation-deliveries is not a resource/);
      assert.equal((await refused({ change: ['moved'] }))[0].field, 'trigger_configuration');
    });
  });
});
