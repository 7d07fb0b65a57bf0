import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { defaultLimits } from '../../../src/core/call/limits.ts';
import { fieldsOf } from '../../../src/core/resource/fields.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { plan } from '../../../src/query/plan.ts';
import { parseQuery } from '../../../src/query/query.ts';
import { readPage } from '../../../src/query/read.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import { startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { readPages } from '../../support/listings.ts';
import { countTrips } from '../../support/proxies/trips.ts';

const assigned = 1_100;

interface Shown {
  readonly open_actions: { readonly actions: readonly { readonly type: string }[] };
}

const confirms = ({ open_actions }: Shown): boolean => open_actions.actions.some(({ type }) => type === 'confirm');

forAnyApp((client, app) => {
  before(async () => {
    const place = await new Staffing(client).shift('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z');
    await client.database.asOwner(client.tenant.id, async ({ system }) => {
      await sql`with e as (
        insert into employees (tenant_id, id, firstname, lastname)
        select ${client.tenant.id}::bigint, 1000 + n, 'A', n::text from generate_series(1, ${assigned}::int) n returning tenant_id, id
      ) insert into assignments (tenant_id, id, employee_id, event_function_id, status)
        select tenant_id, id, id, ${place}::bigint, 1 + id % 8 from e`.execute(system);
    });
  });

  it('open actions are the same in a listing of any length, whichever fields are asked for', async () => {
    for (const query of [
      'fields=open_actions',
      'fields=status,open_actions,id&sort=-status',
      'fields=open_actions,remarks&embed=employee.id',
    ]) {
      const { body } = await client.call('GET', `/assignments?${query}`);
      assert.equal(body.length, assigned);
      const pages = await readPages(client, `/assignments?limit=300&${query}`);
      assert.deepEqual(body, pages);
      assert.ok(body.filter(confirms).length > 100 && body.filter(confirms).length < 200, query);
    }
  });

  it('open actions are those of the record that they are shown in', async () => {
    const { body } = await client.call('GET', '/assignments?fields=status,open_actions,id');
    for (const record of body) {
      assert.equal(record.open_actions.assignment_id, record.id);
      assert.equal(confirms(record), record.status === 6);
    }
  });

  it('reporting forms are none of another tenant, whichever tenant is asked about', async () => {
    const [own, other] = [await app.newClient(), await app.newClient()];
    const staffing = new Staffing(other);
    const form = await staffing.create('forms', { name: 'Form' });
    const reporting_form_ids = [form];
    const event = await staffing.event('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z', { reporting_form_ids });
    const id = await staffing.assignment(await staffing.employee(), await staffing.place(event), 6);
    const formsOf = async ({ tenant }: typeof own, asked: typeof own): Promise<readonly unknown[]> => {
      const text = `select form_id from assignments_reporting_forms(${asked.tenant.id}, array[${id}]::bigint[])`;
      const [result] = await client.database.forTenant(tenant).read({ name: null, text, values: [] });
      return (result?.rows ?? []).flat();
    };
    assert.deepEqual([await formsOf(own, own), await formsOf(own, other)], [[], []]);
    assert.deepEqual(await formsOf(other, other), [String(form)]);
  });
});

it('a page of assignments with their open actions is one trip, and one more for all that is embedded', async () => {
  await using proxy = await countTrips(await migratedUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url });
  const app = await startApp(database);
  const { tenant, ...client } = await app.newClient();
  const staffing = new Staffing({ tenant, ...client });
  const place = await staffing.shift('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z');
  const id = await staffing.assignment(await staffing.employee(), place, 6);
  const schema = { resources, principal: { tenant }, limits: defaultLimits, fields: { get: fieldsOf } };
  const read = async (query: [string, string][]): Promise<number> => {
    const before = proxy.trips;
    await readPage(plan(parseQuery(query), resources.assignments, schema), database.forTenant(tenant));
    return proxy.trips - before;
  };
  await read([['fields', 'id']]);
  assert.equal(
    await read([
      ['fields', 'id'],
      ['limit', '50'],
    ]),
    1,
  );
  assert.equal(await read([['limit', '50']]), 1);
  const embed: [string, string] = ['embed', 'employee,event'];
  assert.equal(await read([['limit', '50'], embed]), 2, 'the last one ends the snapshot');
  const one: [string, string] = ['id', String(id)];
  assert.equal(await read([one]), 1);
  assert.equal(await read([one, embed]), 2);
  await app.close();
  await database.close();
});
