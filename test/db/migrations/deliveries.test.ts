import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../support/earlier-schema.ts';

describe('the migration of deliveries', () => {
  it('keeps deliveries and inboxes in their order, and what is added comes after them', async context => {
    const { client, forEachTenant, read, finish } = await databaseBefore(context, '0027-deliveries');
    await forEachTenant(tenant =>
      client.query(`
        insert into automations (tenant_id, id, trigger_type, trigger_configuration, routine_type, routine_configuration)
          values (${tenant}, 1, 'checkin.created', '{}', 'webhook.post', '{"url":"https://a.example/"}');
        insert into automation_deliveries (tenant_id, id, automation_id, event_type, data)
          select ${tenant}, n, 1, 'checkin.created', jsonb_build_object('checkin_id', n) from generate_series(1, 4) n;
        insert into sandbox_inbox (tenant_id, id, automation_id, delivery_id, attempt, url, headers, body, response_status)
          select ${tenant}, n, 1, n, 1, 'https://a.example/', '{}', '{}', 200 from generate_series(4, 1, -1) n;
        update automation_deliveries set attempt = 1 where tenant_id = ${tenant} and id = 2`),
    );
    await finish();
    await forEachTenant(async tenant => {
      await client.query(`
        insert into automation_deliveries (tenant_id, id, automation_id, event_type, data)
          values (${tenant}, 9, 1, 'checkin.created', '{}'), (${tenant}, 8, 1, 'checkin.created', '{}');
        insert into sandbox_inbox (tenant_id, id, automation_id, delivery_id, attempt, url, headers, body, response_status)
          values (${tenant}, 9, 1, 9, 1, 'https://a.example/', '{}', '{}', 200)`);
      assert.deepEqual(
        await read('select id::int, attempt, data from automation_deliveries where id < 8 order by sequence'),
        [1, 2, 3, 4].map(id => [id, id === 2 ? 1 : 0, { checkin_id: id }]),
      );
      const order = async (table: string) => (await read(`select id::int from ${table} order by sequence`)).flat();
      assert.deepEqual(await order('automation_deliveries'), [1, 2, 3, 4, 9, 8]);
      assert.deepEqual(await order('sandbox_inbox'), [1, 2, 3, 4, 9]);
      assert.deepEqual(await read('select since::int from automations'), [[0]]);
      await assert.rejects(client.query('update automation_deliveries set data = null'), { code: '23514' });
    });
  });
});
