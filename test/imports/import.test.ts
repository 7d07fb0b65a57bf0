import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachApp } from '../support/for-each-app.ts';
import { Importer, send } from './importer.ts';

forEachApp((client, app) => {
  const importer = new Importer(app);

  describe('POST /clients/import', () => {
    it('creates and changes records in the background, by their external ids', async () => {
      const known = await client.call('POST', '/clients', { body: { company: 'Known', external_id: 'I-1' } });
      const accepted = await send(client, '/clients/import', [
        { external_id: 'I-1', company: 'Changed' },
        { external_id: 'I-2', company: 'New' },
        { external_id: 'I-1', company: 'Changed' },
        { external_id: 'I-3' },
        { company: 'Without' },
      ]);
      assert.equal(accepted.status, 202, accepted.text);
      const { id, created_at, updated_at, ...rest } = accepted.body;
      assert.equal(accepted.headers.location, `/api/v1/imports/${id}`);
      assert.deepEqual(rest, {
        ...{ resource: 'clients', mode: 'upsert', dry_run: 0, status: 'queued' },
        ...{ rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, error: null },
      });
      await importer.work(client);
      const { body: done } = await client.call('GET', `/imports/${id}`);
      assert.deepEqual(
        [done.status, done.rows, done.created, done.updated, done.unchanged, done.failed],
        ['done', 5, 2, 1, 1, 1],
      );
      const { body: results } = await client.call('GET', `/imports/${id}/results`);
      const { body: clients } = await client.call('GET', '/clients?fields=id,company,external_id&sort=id');
      assert.deepEqual(
        clients.map(({ company }: { company: string }) => company),
        ['Changed', 'New', 'Without'],
      );
      assert.deepEqual(
        results.map(({ errors, ...result }: { errors: { code: string; field: string }[] }) => ({
          ...result,
          errors: errors.map(({ code, field }) => `${field} ${code}`),
        })),
        [
          { line: 1, id: known.body.id, external_id: 'I-1', result: 'updated', errors: [] },
          { line: 2, id: clients[1].id, external_id: 'I-2', result: 'created', errors: [] },
          { line: 3, id: known.body.id, external_id: 'I-1', result: 'unchanged', errors: [] },
          { line: 4, id: null, external_id: 'I-3', result: 'failed', errors: ['company not_empty'] },
          { line: 5, id: clients[2].id, external_id: null, result: 'created', errors: [] },
        ],
      );
    });
  });
});
