import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import { createTenantFields } from '../../../src/attributes/tenant-fields.ts';
import { deliver } from '../../../src/automations/deliver.ts';
import { followJournal } from '../../../src/automations/follow.ts';
import { Workshop } from '../../automations/work.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import { Importer, send } from '../../imports/importer.ts';
import { useHoldable } from '../../support/held-table.ts';
import { rowsOf } from './person.ts';

describe('forgetting a person while a copy of what the record shows is being kept', () => {
  const { client, app, hold } = useHoldable({ sandbox: true });
  const staffing = new Staffing(client);

  const person = { firstname: 'Wren8c', lastname: 'Wren9d' };
  const copies = async (): Promise<string> => JSON.stringify([...(await rowsOf(client))]);

  /**
   * Forgets a person when the copy has been made, and its transaction waits at the table to store something else.
   * @param later a table at which it waits after that, while the copy is stored and not committed
   */
  const forgetWhile = async (table: string, keep: () => Promise<unknown>, path: string, later?: string) => {
    await using held = await hold(table);
    const keeping = keep();
    await held.waiting(1);
    await using last = later === undefined ? null : await hold(later);
    let ended = false;
    const forgetting = client.call('DELETE', `${path}?anonymize=true`).finally(() => {
      ended = true;
    });
    await held.waiting(2, () => ended);
    await held.release();
    await last?.waiting(2, () => ended);
    await last?.release();
    await keeping;
    const response = await forgetting;
    assert.equal(response.status, 204, response.text);
  };

  it('clears the inbox of a sandbox of it', async () => {
    const configuration = JSON.stringify({ resource: ['employees'], include: 'record' });
    const automation = await staffing.create('automations', {
      trigger_type: 'record.changed',
      trigger_configuration: configuration,
      routine_type: 'webhook.post',
      routine_configuration: JSON.stringify({ url: 'https://receiver.example/hook' }),
    });
    const employee = await staffing.employee(person);
    await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
    const [{ id }] = (await client.call('GET', `/automations/${automation}/deliveries`)).body;
    const job = { tenant_id: client.tenant.id, delivery_id: id, target: null };
    const dependencies = new Workshop(client.database, client.tenant).dependencies();
    await forgetWhile('automation_deliveries', () => deliver(job, dependencies), `/employees/${employee}`);
    assert.deepEqual((await client.call('GET', '/sandbox/inbox')).body, []);
    assert.doesNotMatch(await copies(), /Wren/);
  });

  it('clears the response that is kept for an Idempotency-Key of it', async () => {
    const client_id = await staffing.create('clients', { company: 'Nordlicht' });
    const contact = await staffing.create('contacts', { client_id, ...person });
    const project_id = await staffing.create('projects', { name: 'P', client_id, contact_id: contact });
    const event = await staffing.event('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z', { project_id });
    const headers = { 'Idempotency-Key': 'a' };
    const rename = () => client.call('PUT', `/events/${event}`, { headers, body: { name: 'Gala' } });
    const shown: string[] = [];
    await forgetWhile('journal', async () => shown.push((await rename()).text), `/contacts/${contact}`);
    assert.match(shown.join(), /Wren8c/);
    const repeated = await rename();
    assert.deepEqual([repeated.status, repeated.body.code], [409, 'response_not_kept']);
    assert.doesNotMatch(await copies(), /Wren/);
  });

  it('clears the results of imports of it', async () => {
    const importer = new Importer(app);
    const employee = await staffing.employee(person);
    // The row of another, which names the person: it does not wait for the person's record.
    const row = { firstname: 'Robin', lastname: 'Lark', gender: 'Wren8c Wren9d' };
    const accepted = await send(client, '/employees/import', [row]);
    assert.equal(accepted.status, 202, accepted.text);
    await forgetWhile('import_results', () => importer.work(client), `/employees/${employee}`, 'imports');
    const text = (await rowsOf(client)).get('import_results')?.join() ?? '';
    assert.match(text, /not_in_collection/);
    assert.doesNotMatch(text, /Wren/);
  });
});
