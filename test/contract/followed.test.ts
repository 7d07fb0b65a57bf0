import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Access } from '../../src/core/resource/access.ts';
import { categories } from '../../src/core/resource/categories.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { addTired, settle } from '../domain/conflicts/scene.ts';
import { Exports } from '../domain/payroll/scene.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import { type Copied, copied } from '../replica/copied.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { operations } from '../support/operations.ts';
import { restricted } from '../support/restricted.ts';
import { Scene } from '../support/scene.ts';

type Reader = Pick<Client, 'call'>;
/** The ids of records, by resource. */
type Ids = ReadonlyMap<string, ReadonlySet<number>>;

const readers: readonly Partial<Access>[] = [
  ...categories.map(category => ({ hidden: [category] })),
  { hidden: categories },
  ...copied.map(({ name, parent }) => ({ scopes: [name, parent ?? name].map(each => `${each}:read`) })),
  { hidden: ['identity'], scopes: ['files:read'] },
  { hidden: ['identity'], scopes: ['files:read', 'payroll-exports:read'] },
];

/** Creates a record of each resource, and those that some readers do not see for another reason than a scope. */
const fill = async (client: Client): Promise<void> => {
  const scene = new Scene(client);
  for (const { resource, verb } of operations) if (verb === 'create') await scene.idOf(resource);
  const staffing = new Staffing(client);
  const { body: forms } = await client.call('GET', '/forms?entity=employees');
  for (const category of categories)
    await staffing.create('attributes', { entity_id: forms[0].id, name: `A ${category}`, category });
  for (const visibility of ['private', 'public'])
    await client.call('POST', '/files', { body: Buffer.from('a'), headers: { 'X-File-Visibility': visibility } });
  const payroll = new Exports(client);
  const { run } = await payroll.exportable();
  const { body: format } = await payroll.format({ cells: [{ value: 'lastname' }] });
  assert.equal((await payroll.export(run, format.id)).status, 201);
  const rule = { kind: 'rest', parameters: { minutes: 660 }, applies_to: { age_below: 18 } };
  await staffing.create('work-rules', { name: 'Of the young', ...rule });
  await addTired(staffing, { birthday: null });
  await settle(client);
};

const get = async (reader: Reader, path: string): Promise<Awaited<ReturnType<Client['call']>>['body']> => {
  const { status, body, text } = await reader.call('GET', path);
  assert.equal(status, 200, `${path}: ${text}`);
  return body;
};

/** Returns the ids of the records that the listings show to a reader. */
const listed = async (reader: Reader, of: readonly Copied[]): Promise<Ids> => {
  const found = new Map<string, ReadonlySet<number>>();
  // Those below others come after them.
  for (const { name, key, path, parent } of of.toSorted((a, b) => Number(!!a.parent) - Number(!!b.parent))) {
    const ids: number[] = [];
    for (const id of parent === null ? [0] : (found.get(parent) ?? []))
      for (const record of await get(reader, `${path.replace('{id}', String(id))}?fields=${key}`))
        ids.push(record[key]);
    found.set(name, new Set(ids));
  }
  return found;
};

/** Returns the records with whose entries a reader is told fields. */
const told = async (reader: Reader): Promise<Ids> => {
  const found = new Map<string, Set<number>>();
  for (let after = ''; ; ) {
    const { changes, next, caught_up } = await get(reader, `/changes?limit=1000${after}`);
    for (const { resource, id, change, fields } of changes)
      if (fields && change !== 'deleted') found.set(resource, (found.get(resource) ?? new Set()).add(id));
    if (caught_up === 1) return found;
    after = `&after=${next}`;
  }
};

forAnyApp((_, app) => {
  describe('the entries of `GET /changes`', () => {
    let client: Client;
    before(async () => {
      client = await app.newClient();
      await fill(client);
    });

    it('are of records that their reader can read, of every resource', async () => {
      const all = await listed(client, copied);
      const unreadable = new Map<string, string[]>();
      for (const access of readers) {
        const reader = await restricted(app, client, access);
        const isRead = ({ name, parent }: Copied) =>
          [name, parent ?? name].every(each => !access.scopes || access.scopes.includes(`${each}:read`));
        const seen = await listed(reader, copied.filter(isRead));
        const entries = await told(reader);
        for (const [resource, ids] of seen) {
          const concealed = [...(all.get(resource) ?? [])].filter(id => !ids.has(id));
          if (concealed.length > 0)
            unreadable.set(resource, [...(unreadable.get(resource) ?? []), JSON.stringify(access)]);
          const known = concealed.filter(id => entries.get(resource)?.has(id));
          assert.deepEqual([resource, known], [resource, []], JSON.stringify(access));
        }
      }
      const restricting = Object.values<Resource>(resources).filter(
        ({ name, readByCategory, readWhereReferred }) =>
          (readByCategory ?? readWhereReferred) && copied.some(each => each.name === name),
      );
      assert.deepEqual([...unreadable.keys()].toSorted(), restricting.map(({ name }) => name).toSorted());
    });
  });
});
