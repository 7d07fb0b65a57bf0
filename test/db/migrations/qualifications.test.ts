import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../../src/db/open.ts';
import { ownSchema } from '../../../src/db/schema/files.ts';
import { inMemory, onEachNode, onServer, scratchUrl } from '../../support/database.ts';

const first = /^\d+-qualifications$/;

/** What tenants can have before: no such collection, one that is in use, one that was deleted, and employees with values of another. */
const stored: Readonly<Record<string, string>> = {
  without: `
    insert into id_blocks (tenant_id, "table", next) values ($, 'collections', 5);
    insert into collections (tenant_id, id, identifier, name) values ($, 4, null, 'Qualifications');
    insert into collection_values (tenant_id, id, collection_id, name) values ($, 7, 4, 'Bar');
    insert into employees (tenant_id, id, firstname, lastname, qualifications) values ($, 1, 'Ada', 'Vogt', '[7]');`,
  with: `insert into collections (tenant_id, id, identifier, name) values ($, 4, 'qualifications', 'Skills');`,
  deleted: `
    insert into collections (tenant_id, id, identifier, name, editable, deleted) values ($, 4, 'qualifications', 'Skills', false, true);`,
  empty: '',
};

describe('the migration of qualifications, by an owner that is bound by row security', () => {
  it('takes the collection that a tenant has, otherwise makes one, and leaves what employees have', async context => {
    const url = new URL(await scratchUrl());
    const owner = `staffing_qualifier_${process.pid}`;
    await onEachNode(
      `create role ${owner} login createrole; alter database ${url.pathname.slice(1)} owner to ${owner}`,
    );
    await onServer(
      `grant all on schema public to ${owner}; grant staffing_tenant to ${owner} with admin option`,
      url.href,
    ).catch(() => null);
    url.username = owner;
    url.password = '';
    const names = ownSchema.migrations.map(({ name }) => name);
    const migrations = ownSchema.migrations.slice(
      0,
      names.findIndex(name => first.test(name)),
    );
    const before = openDatabase({ ...inMemory, url: url.href, schema: { ...ownSchema, migrations, definitions: [] } });
    await before.migrate();
    await before.close();
    const client = new pg.Client(url.href);
    await client.connect();
    context.after(() => client.end());
    for (const [index, [slug, rows]] of Object.entries(stored).entries()) {
      const id = index + 1;
      await client.query(`insert into tenants (slug, name, time_zone, modules) values ('${slug}', 'T', 'UTC', '[]')`);
      await client.query(`set app.tenant_id = '${id}'; ${rows.replaceAll('$', String(id))}`);
    }
    const after = openDatabase({ ...inMemory, url: url.href });
    await after.migrate();
    await after.close();

    const read = async (query: string) => (await client.query({ text: query, rowMode: 'array' })).rows;
    const found: Record<string, unknown> = {};
    for (const [index, slug] of Object.keys(stored).entries()) {
      await client.query(`set app.tenant_id = '${index + 1}'`);
      found[slug] = {
        collections: await read(
          `select id::int, name, editable, visible, deleted from collections where identifier = 'qualifications'`,
        ),
        entries: await read(
          `select change, id::int, fields from journal where resource = 'collections' order by sequence`,
        ),
        next: await read(`select next::int from id_blocks where "table" = 'collections'`),
      };
    }
    assert.deepEqual(found, {
      without: {
        collections: [[5, 'Qualifications', true, true, false]],
        entries: [['created', 5, ['id', 'identifier', 'name']]],
        next: [[6]],
      },
      with: { collections: [[4, 'Skills', true, true, false]], entries: [], next: [] },
      deleted: {
        collections: [[4, 'Skills', true, true, false]],
        entries: [['updated', 4, ['editable', 'deleted']]],
        next: [],
      },
      empty: {
        collections: [[1, 'Qualifications', true, true, false]],
        entries: [['created', 1, ['id', 'identifier', 'name']]],
        next: [[2]],
      },
    });
    await client.query(`set app.tenant_id = '1'`);
    assert.deepEqual(await read('select qualifications from employees'), [[[7]]]);
  });
});
