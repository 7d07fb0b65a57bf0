import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { followJournal } from '../../src/automations/follow.ts';
import { type Module, modules } from '../../src/core/resource/modules.ts';
import { updateTenant } from '../../src/domain/provision/update-tenant.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { restricted } from '../support/restricted.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

forAnyApp((_, app) => {
  let client: Client;
  let workshop: Workshop;
  let count = 0;

  beforeEach(async () => {
    client = await app.newClient();
    workshop = new Workshop(client.database, client.tenant);
    workshop.respond = () => ({ status: 503, error: 'not_accepted' });
  });

  const readerWith = async (...scopes: string[]): Promise<Client> => {
    const wanted = {
      name: `reader ${++count}`,
      readOnly: true,
      scopes: ['automations:read', 'automation-deliveries:read', ...scopes],
    };
    const { id } = await createApiUser(client.database, client.tenant, wanted);
    const user = { ...client, token: await app.tokenOf(client.tenant, id) };
    return { ...user, call: (...asked) => app.callAs(user, ...asked) };
  };
  const outcomesFor = async (reader: Client, automation: number, query = '') =>
    (await deliveriesOf(reader, automation, query)).map(
      ({ data, response_status, error, ...rest }) =>
        [data, response_status, error, 'duration' in rest ? typeof rest.duration : ''] as unknown[],
    );

  describe('the log of deliveries', () => {
    it('shows a reader of the resource the data and the outcome, and others neither', async () => {
      const scene = new Staffing(client);
      const automation = await automate(client, ['assignment.status_changed', {}]);
      const shift = await scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z');
      await scene.assignment(await scene.employee(), shift);
      await workshop.run();
      const [delivery] = await deliveriesOf(client, automation);
      const [readers, others] = [await readerWith('assignments:read'), await readerWith('employees:read')];
      assert.deepEqual(await outcomesFor(readers, automation), [[delivery?.data, 503, 'not_accepted', 'number']]);
      assert.deepEqual(await outcomesFor(others, automation), [[null, null, null, 'object']]);
      const path = `/automations/${automation}/deliveries/${delivery?.id}`;
      const { body } = await others.call('GET', path);
      assert.deepEqual([body.data, body.error, body.response_status, body.duration], [null, null, null, null]);
      assert.deepEqual([body.status, body.attempt, body.event_type], [1, 1, 'assignment.status_changed']);
      const embedded = await others.call('GET', `/automations/${automation}?embed=deliveries`);
      assert.deepEqual(embedded.body.deliveries?.map(({ data }: { data: unknown }) => data) ?? [null], [null]);
    });

    it('shows of a change only its position to those who cannot read its resource', async () => {
      const automation = await automate(client, ['record.changed', { resource: ['clients', 'locations'] }]);
      await client.call('POST', '/clients', { body: { company: 'Alba' } });
      await client.call('POST', '/locations', { body: { name: 'Hall' } });
      await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
      await workshop.run();
      const [first, second] = await deliveriesOf(client, automation);
      const reader = await readerWith('locations:read');
      assert.deepEqual(await outcomesFor(reader, automation), [
        [{ position: first?.data.position }, null, null, 'object'],
        [second?.data, 503, 'not_accepted', 'number'],
      ]);
      const { changes } = (await reader.call('GET', '/changes')).body;
      assert.deepEqual(
        changes.find(({ position }: { position: number }) => position === second?.data.position),
        second?.data,
      );
    });

    it('shows of changes only their positions while the module of their resource is off, and why nothing was sent', async () => {
      const automation = await automate(client, ['record.changed', { resource: ['public-holidays', 'locations'] }]);
      const holiday = { date: '2031-05-01', name: 'May Day' };
      assert.equal((await client.call('POST', '/public-holidays', { body: holiday })).status, 201);
      await client.call('POST', '/locations', { body: { name: 'Hall' } });
      await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
      const [ofHoliday, ofHall] = (await deliveriesOf(client, automation)).map(({ data }) => data);
      assert.equal(ofHoliday?.resource, 'public-holidays');
      const change = (kept: readonly Module[]) =>
        updateTenant(client.database, client.tenant, { modules: kept }, 'test');
      await change(modules.filter(name => name !== 'payroll'));
      await workshop.run();
      const place = { position: ofHoliday?.position };
      const all = async () => outcomesFor(await restricted(app, client, {}), automation);
      for (const outcomes of [await all(), await outcomesFor(await readerWith('*:read'), automation)])
        assert.deepEqual(outcomes, [
          [place, null, 'module_disabled', 'number'],
          [ofHall, 503, 'not_accepted', 'number'],
        ]);
      const [withheld] = await outcomesFor(await readerWith('locations:read'), automation);
      assert.deepEqual(withheld, [place, null, null, 'object']);
      await change(modules);
      assert.deepEqual((await all())[0], [ofHoliday, null, 'module_disabled', 'number']);
    });

    it('tells a reader from whom pay is hidden of an approved assignment in place of a paid one, also in filters', async () => {
      const automation = await automate(client, ['record.changed', { resource: ['clients'] }]);
      await client.call('POST', '/clients', { body: { company: 'Alba' } });
      await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
      await workshop.run();
      // As a routine fails that changes a paid assignment.
      await client.database.asOwner(client.tenant.id, ({ system }) =>
        sql`update automation_deliveries set error = 'assignment_paid' where tenant_id = ${client.tenant.id}`.execute(
          system,
        ),
      );
      const reader = await restricted(app, client, { hidden: ['pay'] });
      const scopes = ['automations:read', 'automation-deliveries:read'];
      const withheld = await restricted(app, client, { hidden: ['pay'], scopes });
      const errorsFor = async (by: Client, query = '') =>
        (await deliveriesOf(by, automation, query)).map(({ error }) => error);
      assert.deepEqual(await errorsFor(client), ['assignment_paid']);
      for (const query of ['', '?error=assignment_approved', '?error=*approved*', '?sort=-error'])
        assert.deepEqual(await errorsFor(reader, query), ['assignment_approved'], query);
      assert.deepEqual(await errorsFor(reader, '?error=assignment_paid'), []);
      assert.deepEqual(await errorsFor(withheld), [null]);
    });

    it('does not tell what is withheld by filters, sort orders and counts', async () => {
      const automation = await automate(client, ['record.changed', { resource: ['clients'] }]);
      for (const company of ['Alba', 'Berg']) await client.call('POST', '/clients', { body: { company } });
      await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
      await workshop.run();
      const reader = await readerWith('locations:read');
      for (const filter of ['error=not_accepted', 'response_status=503', 'duration=>=0', 'error=-null'])
        assert.deepEqual(await outcomesFor(reader, automation, `?${filter}`), [], filter);
      assert.equal((await outcomesFor(reader, automation, '?error=null&sort=-duration,id')).length, 2);
      assert.equal((await deliveriesOf(client, automation, '?error=not_accepted')).length, 2);
    });
  });
});
