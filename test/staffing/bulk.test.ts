import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sql } from 'kysely';
import { type App, type Client, startApp } from '../support/app.ts';
import { forEachDatabase } from '../support/database.ts';
import { Staffing } from './scene.ts';

forEachDatabase((_, getDatabase) => {
  let app: App;
  let client: Client;

  before(async () => {
    app = await startApp(getDatabase());
    client = await app.newClient();
  });
  after(() => app.close());

  it('500 assignments change in one call, and are counted', async () => {
    const staffing = new Staffing(client, getDatabase());
    const place = await staffing.shift('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z', { quantity: 500 });
    await getDatabase().asOwner(client.tenant.id, async ({ system }) => {
      await sql`with e as (
        insert into employees (tenant_id, firstname, lastname)
        select ${client.tenant.id}::bigint, 'A', n::text from generate_series(1, 500) n returning tenant_id, id
      ) insert into assignments (tenant_id, employee_id, event_function_id) select tenant_id, id, ${place}::bigint from e`.execute(system); // biome-ignore format: one line
    });
    const answer = await client.call('PUT', `/assignments/status?event_function_id=${place}`, { body: { status: 6 } });
    assert.equal(answer.status, 200, answer.text.slice(0, 500));
    assert.deepEqual([answer.body.requested, answer.body.changed, answer.body.failed], [500, 500, 0]);
    assert.equal((await client.call('GET', `/event-functions/${place}?fields=statistics`)).body.statistics, '500/500');
  });
});
