import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { forAnyApp } from '../support/for-each-app.ts';
import { Importer, resultsOf, send } from './importer.ts';

forAnyApp((client, app) => {
  const importer = new Importer(app);

  /** Returns a digest of each table of the tenant but those of imports and of claimed ids. */
  const contents = () =>
    client.database.asOwner(client.tenant.id, async ({ system }) => {
      const { rows: tables } = await sql<{ name: string }>`
        select c.table_name as name from information_schema.columns c
        join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
        where c.table_schema = current_schema() and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE'
          and c.table_name not in ('id_blocks', 'imports', 'import_results')
        order by 1`.execute(system);
      const digests = tables.map(
        ({ name }) => sql`
          select ${name} as name, coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as digest
          from ${sql.id(name)} t where tenant_id = ${client.tenant.id}`,
      );
      return (await sql`${sql.join(digests, sql` union all `)}`.execute(system)).rows;
    });

  describe('an import with dry_run=true', () => {
    it('has the results that the import then has, and changes nothing', async () => {
      await client.call('POST', '/clients', { body: { company: 'Old', external_id: 'D-1' } });
      await client.call('POST', '/automations', {
        body: {
          trigger_type: 'assignment.status_changed',
          trigger_configuration: '{}',
          routine_type: 'webhook.post',
          routine_configuration: '{"url": "https://hooks.example.com/x"}',
        },
      });
      const rows = [
        { external_id: 'D-1', company: 'New' },
        { external_id: 'D-2', company: 'Second' },
        { external_id: 'D-2', company: 'Second' },
        { external_id: 'D-1', company: 'New' },
        { external_id: 'D-3' },
      ];
      const before = await contents();
      const accepted = await send(client, '/clients/import?dry_run=true', rows);
      assert.deepEqual([accepted.status, accepted.body.dry_run], [202, 1]);
      await importer.work(client);
      const rehearsed = await resultsOf(client, accepted.body.id);
      assert.deepEqual(await contents(), before);
      const real = await importer.import(client, '/clients/import', rows);
      assert.notDeepEqual(await contents(), before);
      assert.deepEqual([rehearsed.found.status, rehearsed.found.dry_run, real.found.dry_run], ['done', 1, 0]);
      assert.deepEqual(rehearsed.counts, real.counts);
      assert.deepEqual(rehearsed.counts, [5, 1, 1, 2, 1]);
      const outcomes = (results: readonly { id: unknown }[]) => results.map(({ id: _, ...result }) => result);
      assert.deepEqual(outcomes(rehearsed.results), outcomes(real.results));
      assert.deepEqual([rehearsed.results[1].id, typeof real.results[1].id], [null, 'number']);
    });

    it('tells no id of a record that it would have created, whatever the rows after it are', async () => {
      const { body: known } = await client.call('POST', '/clients', { body: { company: 'Known', external_id: 'N-1' } });
      const rows = [
        { external_id: 'N-2', company: 'New' },
        { external_id: 'N-2', company: 'Changed' },
        { external_id: 'N-2', company: 'Changed' },
        { id: known.id, external_id: 'N-2' },
        { external_id: 'N-1', company: 'Known' },
      ];
      const { results } = await importer.import(client, '/clients/import?dry_run=true', rows);
      assert.deepEqual(
        results.map(({ id, result }: { id: unknown; result: string }) => [result, id]),
        [
          ['created', null],
          ['updated', null],
          ['unchanged', null],
          ['failed', known.id],
          ['unchanged', known.id],
        ],
      );
      assert.deepEqual(results[3].errors, [
        { code: 'not_unique', field: 'external_id', message: 'The value is already in use.' },
      ]);
    });

    it('leaves the Idempotency-Key to the import that follows, and is another one each time', async () => {
      const call: typeof client.call = (method, path, { headers, ...asked } = {}) =>
        client.call(method, path, { ...asked, headers: { ...headers, 'Idempotency-Key': 'the-first-import' } });
      const rows = [{ external_id: 'K-1', company: 'Keyed' }];
      const ids = [];
      for (const query of ['?dry_run=true', '', '', '?dry_run=true']) {
        const { status, body, text } = await send({ call }, `/clients/import${query}`, rows);
        assert.equal(status, 202, text);
        ids.push(body.id);
      }
      const [first, real, again, last] = ids;
      assert.equal(again, real);
      assert.equal(new Set([first, real, last]).size, 3);
      await importer.work(client);
    });
  });
});
