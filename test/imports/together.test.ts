import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../../src/db/open.ts';
import { age } from '../resources/changes/age.ts';
import { type Client, startApp } from '../support/app.ts';
import { inMemory, migratedUrl } from '../support/database.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { countTrips } from '../support/proxies/trips.ts';
import { runs } from '../support/runs.ts';
import { Importer, resultsOf, send } from './importer.ts';

/** The records that rows refer to. */
interface Cast {
  readonly client: number;
  readonly other: number;
  readonly contact: number;
  readonly project: number;
}

const castOf = async (client: Client): Promise<Cast> => {
  const add = async (path: string, body: object): Promise<number> => {
    const { status, body: added, text } = await client.call('POST', path, { body });
    assert.equal(status, 201, text);
    return added.id;
  };
  const own = await add('/clients', { company: 'Own', external_id: 'own' });
  const other = await add('/clients', { company: 'Other', external_id: 'other' });
  const contact = await add('/contacts', { client_id: own, lastname: 'Contact', external_id: 'contact' });
  const project = await add('/projects', { name: 'Project', client_id: own, external_id: 'project' });
  return { client: own, other, contact, project };
};

type Row = Readonly<Record<string, unknown>>;

interface RowShown {
  readonly line: number;
  readonly external_id: string | null;
  readonly result: string;
  readonly errors: readonly { readonly code: string; readonly field: string }[];
}

/** A valid row of each resource whose rows are written many at a time, and what a second import changes. */
const rowsOf: Readonly<Record<string, (index: number, cast: Cast) => Row>> = {
  clients: index => ({ company: `Company ${index}` }),
  contacts: (index, { client }) => ({ client_id: client, lastname: `Name ${index}` }),
  employees: index => ({ firstname: 'Mira', lastname: `Name ${index}` }),
  locations: index => ({ name: `Location ${index}` }),
  functions: index => ({ name: `Function ${index}` }),
  projects: (index, { client, contact }) => ({ name: `Project ${index}`, client_id: client, contact_id: contact }),
  events: (index, { project, contact }) => ({
    name: `Event ${index}`,
    project_id: project,
    contact_id: contact,
    start: '2026-05-01T08:00:00Z',
    end: '2026-05-01T16:00:00Z',
  }),
};

const external = fc.constantFrom('a', 'b', 'c', 'd', null);

/** Rows of which some are wrong, some name a record that another one has written, and some refer to what is not there. */
const sketches = fc.array(
  fc.record({
    index: fc.nat({ max: 3 }),
    external_id: external,
    change: fc.constantFrom<(cast: Cast) => Row>(
      () => ({}),
      () => ({}),
      () => ({ unknown: 1 }),
      () => ({ name: 7 }),
      ({ other }) => ({ client_id: other }),
      () => ({ contact_id: 9_999_999 }),
    ),
  }),
  { minLength: 1, maxLength: 12 },
);

forAnyApp((_, app) => {
  describe('rows that are written many at a time', () => {
    it('change a record that rows name by its id and by its external id one after the other', async () => {
      const client = await app.newClient();
      const { client: id } = await castOf(client);
      const importer = new Importer(app);
      const rows = [
        { id, company: 'First' },
        { external_id: 'own', company: 'Second' },
        { external_id: 'own', zip: '1' },
        { id, company: 'Third' },
        { external_id: 'other', company: 'Fourth' },
      ];
      const { counts } = await importer.import(client, '/clients/import', rows);
      assert.deepEqual(counts, [5, 0, 5, 0, 0]);
      const { body } = await client.call('GET', '/clients?fields=company,zip&sort=id');
      assert.deepEqual(body, [
        { company: 'Third', zip: '1' },
        { company: 'Fourth', zip: null },
      ]);
      const { body: changes } = await client.call('GET', '/changes?resource=clients');
      const updates = changes.changes.filter((entry: Row) => entry.change === 'updated' && entry.id === id);
      assert.equal(updates.length, 4, JSON.stringify(changes));
    });

    it('have entries that say `updated_at` of the records that were changed before, and not of new ones', async () => {
      const client = await app.newClient();
      const importer = new Importer(app);
      const named = (...names: string[]) => names.map(external_id => ({ external_id, company: external_id }));
      await importer.import(client, '/clients/import', named('a', 'b', 'c'));
      await age(client, 'clients');
      const { body: before } = await client.call('GET', '/changes?after=now');
      const changed = named('a', 'b', 'c').map(row => ({ ...row, company: 'Changed' }));
      await importer.import(client, '/clients/import', [...changed, ...named('d', 'e', 'f')]);
      const { body } = await client.call('GET', `/changes?after=${before.next}&resource=clients`);
      assert.deepEqual(
        body.changes.map(({ external_id, change, fields }: Row) => [
          external_id,
          change,
          (fields as string[]).includes('updated_at'),
        ]),
        [
          ...['a', 'b', 'c'].map(name => [name, 'updated', true]),
          ...['d', 'e', 'f'].map(name => [name, 'created', false]),
        ],
      );
    });

    for (const [resource, valid] of Object.entries(rowsOf))
      it(`of ${resource} have the results that they have one by one, and leave the same records and changes`, async () => {
        const imported = async (client: Client, rows: readonly Row[], most: number) => {
          const accepted = await send(client, `/${resource}/import?mode=upsert`, rows);
          assert.equal(accepted.status, 202, accepted.text);
          await new Importer(app, { rows: most }).work(client);
          const { results } = await resultsOf(client, accepted.body.id);
          // Ids differ between tenants, and so do messages.
          return results.map(({ line, external_id, result, errors }: RowShown) => ({
            line,
            external_id,
            result,
            errors: errors.map(({ code, field }) => [code, field]),
          }));
        };
        const listed = async (client: Client, cast: Cast) => {
          const { body } = await client.call('GET', `/${resource}`);
          const names = new Map(Object.entries(cast).map(([name, id]) => [id, name]));
          return body.map((record: Row) => {
            const { id: _id, created_at: _created, updated_at: _updated, ...rest } = record;
            return JSON.stringify(rest, (_, value) => names.get(value) ?? value);
          });
        };
        const tenants = await Promise.all(
          [100, 1].map(async most => {
            const client = await app.newClient();
            return { client, cast: await castOf(client), most };
          }),
        );
        await fc.assert(
          fc.asyncProperty(sketches, async rows => {
            const [together, single] = await Promise.all(
              tenants.map(async ({ client, cast, most }) => {
                const given = rows.map(({ index, external_id, change }) => ({
                  ...valid(index, cast),
                  external_id,
                  ...change(cast),
                }));
                return [await imported(client, given, most), (await listed(client, cast)).sort()];
              }),
            );
            assert.deepEqual(together, single);
          }),
          { numRuns: runs(4) },
        );
      });
  });
});

describe('an import takes as many statements for 100 rows as for 2, added and changed', () => {
  for (const [resource, valid] of Object.entries(rowsOf))
    it(`of ${resource}`, async () => {
      await using proxy = await countTrips(await migratedUrl());
      const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
      const app = await startApp(database);
      const client = await app.newClient();
      const cast = await castOf(client);
      const importer = new Importer(app);
      const costOf = async (rows: readonly Row[]): Promise<number> => {
        const accepted = await send(client, `/${resource}/import`, rows);
        const before = proxy.statements;
        await importer.work(client);
        const cost = proxy.statements - before;
        const { counts, results } = await resultsOf(client, accepted.body.id);
        assert.equal(counts[4], 0, JSON.stringify(results[0]));
        return cost;
      };
      const added = (from: number, to: number): Row[] =>
        range(from, to).map(index => ({ ...valid(index, cast), external_id: `e${index}` }));
      // New times of an event lock who is booked there, for each event.
      const changed = (from: number, to: number): Row[] =>
        range(from, to).map(index => {
          const { name, company, lastname } = valid(index + 1, cast);
          return { external_id: `e${index}`, name, company, lastname };
        });
      // Ids are claimed in blocks, and statements prepared, before anything is counted.
      await costOf(added(0, 300));
      assert.equal(await costOf(added(400, 402)), await costOf(added(500, 600)));
      assert.equal(await costOf(changed(0, 2)), await costOf(changed(100, 200)));
      await app.close();
      await database.close();
    });
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
