import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { updateTenant } from '../../src/domain/provision/update-tenant.ts';
import { createApiUser, updateApiUser } from '../../src/tenancy/api-users.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { replaceForTenants } from '../support/replace.ts';
import { Importer, send } from './importer.ts';

let count = 0;

forAnyApp((_, app) => {
  /** Returns an importer whose batches have one row each, and which does something before the second batch. */
  const importerWith = (interrupt: () => Promise<unknown>) => {
    let batches = 0;
    const database = replaceForTenants(app.database, db => ({
      joined: async work => {
        batches += 1;
        if (batches === 2) await interrupt();
        return db.joined(work);
      },
    }));
    return { importer: new Importer({ database, files: app.files }, { rows: 1 }), batches: () => batches };
  };

  /** Returns a new tenant's client, and an API user of it who has sent an import of three employees. */
  const scene = async (scopes: readonly string[] = []) => {
    const client = await app.newClient();
    const name = `importer ${++count}`;
    const { id } = await createApiUser(client.database, client.tenant, { name, readOnly: false, scopes });
    const token = await app.tokenOf(client.tenant, id);
    const call: Client['call'] = (...asked) => app.callAs({ tenant: client.tenant, token }, ...asked);
    const rows = ['A', 'B', 'C'].map(lastname => ({ firstname: 'Mira', lastname, mobile: '+49 170 1234567' }));
    const accepted = await send({ call }, '/employees/import', rows);
    assert.equal(accepted.status, 202, accepted.text);
    const change = (changes: Parameters<typeof updateApiUser>[3]) =>
      updateApiUser(client.database, client.tenant, id, changes);
    return { client, id, change, path: `/imports/${accepted.body.id}`, importId: accepted.body.id };
  };

  const lastnames = async (client: Client): Promise<readonly string[]> => {
    const { body } = await client.call('GET', '/employees?fields=lastname&sort=id');
    return body.map(({ lastname }: { lastname: string }) => lastname);
  };

  const found = async (client: Client, path: string) => {
    const { body } = await client.call('GET', path);
    return [body.status, body.created, body.failed, body.error];
  };

  describe('an import acts for its API user, who is asked for at each batch', () => {
    const ended: readonly (readonly [string, Parameters<typeof updateApiUser>[3], RegExp])[] = [
      ['is disabled', { active: false }, /has been disabled/],
      ['may no longer write the resource', { scopes: ['employees:read'] }, /may no longer write employees/],
      ['may no longer read it', { scopes: ['clients:read'] }, /employees:read/],
    ];
    for (const [what, changes, sentence] of ended)
      it(`one who ${what}: the rest is not written, also not when that is undone`, async () => {
        const { client, change, path } = await scene();
        const { importer } = importerWith(() => change(changes));
        await importer.work(client);
        const [status, created, failed, error] = await found(client, path);
        assert.deepEqual([status, created, failed], ['failed', 1, 0]);
        assert.match(error, sentence);
        await change({ active: true, scopes: [] });
        await importer.work(client);
        assert.deepEqual(await lastnames(client), ['A']);
        assert.equal((await found(client, path))[0], 'failed');
      });

    it('from whom a field is hidden: rows that have it fail', async () => {
      const { client, change, path } = await scene();
      const { importer, batches } = importerWith(() => change({ hidden: ['contact'] }));
      await importer.work(client);
      assert.deepEqual(await found(client, path), ['done', 1, 2, null]);
      const { body } = await client.call('GET', `${path}/results?result=failed`);
      assert.deepEqual(
        body.map(({ errors }: { errors: { code: string; field: string }[] }) =>
          errors.map(({ code, field }) => [code, field]),
        ),
        [[['unknown_field', 'mobile']], [['unknown_field', 'mobile']]],
      );
      assert.equal(batches(), 3);
    });

    it('whose token is revoked: it goes on', async () => {
      const { client, id, path } = await scene();
      const { importer } = importerWith(() =>
        client.database.asOwner(client.tenant.id, ({ kysely }) =>
          kysely.updateTable('tokens').set({ revoked_at: sql<string>`now()` }).where('api_user_id', '=', id).execute(),
        ),
      );
      await importer.work(client);
      assert.deepEqual(await found(client, path), ['done', 3, 0, null]);
    });
  });

  describe('an import while a field of its rows is deleted', () => {
    for (const format of ['NDJSON', 'CSV'])
      it(`fails the rows that have it, and writes the others, of ${format}`, async () => {
        const client = await app.newClient();
        const forms = (await client.call('GET', '/forms?entity=employees')).body;
        const attributes = `/forms/${forms[0].id}/attributes`;
        const { id } = (await client.call('POST', attributes, { body: { name: 'Shoes', type: 'text' } })).body;
        const field = `dynamic_field_${id}`;
        const rows = ['42', '43', ''].map((shoes, index) => ({
          firstname: 'Mira',
          lastname: `B${index}`,
          ...(shoes && { [field]: shoes }),
        }));
        const csv = `firstname,lastname,${field}\nMira,B0,42\nMira,B1,43\nMira,B2,\n`;
        const accepted = await send(client, '/employees/import', format === 'CSV' ? csv : rows);
        const { importer } = importerWith(() => client.call('DELETE', `${attributes}/${id}`));
        await importer.work(client);
        const path = `/imports/${accepted.body.id}`;
        assert.deepEqual(await found(client, path), ['done', 2, 1, null]);
        const { body } = await client.call('GET', `${path}/results?result=failed`);
        assert.deepEqual(
          body.map(({ errors }: { errors: { code: string }[] }) => errors.map(({ code }) => code)),
          [['field_deleted']],
        );
        assert.deepEqual(await lastnames(client), ['B0', 'B2']);
      });
  });

  describe('an import of a tenant that is disabled', () => {
    const setActive = ({ tenant, database }: Client, active: boolean) =>
      updateTenant(database, tenant, { active }, 'test');

    const stored = ({ tenant, database }: Client) =>
      database.asOwner(tenant.id, async ({ kysely, system }) => {
        const { status, rows } = await kysely
          .selectFrom('imports')
          .select(['status', 'rows'])
          .executeTakeFirstOrThrow();
        const jobs = await sql<{ id: number }>`select data ->> 'import_id' as id from jobs.job
          where name = 'imports' and data ->> 'tenant_id' = ${String(tenant.id)} and state = 'created'`.execute(system);
        return { status, rows, jobs: jobs.rows.map(({ id }) => Number(id)) };
      });

    it('waits from the next batch on, and goes on when it is enabled', async () => {
      const { client, path, importId } = await scene();
      const { importer, batches } = importerWith(() => setActive(client, false));
      await client.database.asOwner(client.tenant.id, ({ system }) =>
        sql`delete from jobs.job where name = 'imports'
        and data ->> 'tenant_id' = ${String(client.tenant.id)}`.execute(system),
      );
      await importer.work(client, () => batches() < 2);
      assert.deepEqual(await stored(client), { status: 'running', rows: 1, jobs: [] });
      await setActive(client, true);
      assert.deepEqual(await stored(client), { status: 'running', rows: 1, jobs: [importId] });
      await importer.work(client);
      assert.deepEqual(await found(client, path), ['done', 3, 0, null]);
      assert.deepEqual(await lastnames(client), ['A', 'B', 'C']);
    });
  });
});
