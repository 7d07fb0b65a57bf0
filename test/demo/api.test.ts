import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Relation, Resource } from '../../src/core/resource/resource.ts';
import type { Database } from '../../src/db/open.ts';
import { fillDemoFiles } from '../../src/demo/files.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { shown as resourcesOfDemo } from '../contract/specified.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { ownDatabase } from '../support/database.ts';
import { type Operation, operations, pathOf, sampleBody } from '../support/operations.ts';

type Row = Readonly<Record<string, unknown>>;

const table: Readonly<Record<string, Resource>> = resources;
const keyOf = (resource: string): string => (table[resource] as Resource).key;

describe('the API of the demo tenant', () => {
  let database: Database;
  let app: App;
  let call: Client['call'];

  before(async () => {
    // A separate database: the demo tenant takes the host name localhost.
    database = await ownDatabase();
    const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
    app = await startApp(database, { keys });
    const demo = await fillDemo(database, { size: 'small', baseDomain: 'test' });
    await fillDemoFiles(database, app.files, demo);
    const { token } = await createTokens({ database, keys, issuer: 'staffing' }).issueToken(
      demo.tenant,
      demo.apiUser.id,
      3600,
    );
    call = (...asked) => app.callAs({ tenant: demo.tenant, token }, ...asked);
  });
  after(async () => {
    await app.close();
    await database.close();
  });

  const get = async (path: string) => {
    const response = await call('GET', path);
    assert.equal(response.status, 200, `${path}: ${response.text}`);
    return response.body;
  };
  const isListed = (resource: string) => operations.some(operation => operation.path === `/${resource}`);
  const listingBelow = (resource: string) =>
    operations.find(
      ({ verb, parent, ...operation }) => operation.resource === resource && verb === 'list' && parent,
    ) as Operation;
  /** The path of a resource's listing; for a nested one, below the parent of the record. */
  const listingOf = (resource: string, record: Row): string => {
    if (isListed(resource)) return `/${resource}`;
    const below = listingBelow(resource);
    return pathOf(below, Number(record[below.parent?.field ?? '']));
  };
  /** The first record of a resource, from its listing, nested or not. */
  const anyOf = async (resource: string, query = ''): Promise<Row | undefined> => {
    if (isListed(resource)) return (await get(`/${resource}?limit=1${query}`))[0];
    const below = listingBelow(resource);
    for (const { id } of await get(`/${below.parent?.resource}?fields=id`)) {
      const [found] = await get(`${pathOf(below, id)}?limit=1${query}`);
      if (found) return found;
    }
    return undefined;
  };

  describe('lists records', () => {
    const listings = operations.filter(({ verb, method }) => verb === 'list' && method === 'GET');
    for (const { operationId, path, parent, resource } of listings.filter(item => resourcesOfDemo.has(item.resource))) {
      it(`at ${operationId}`, async () => {
        const found = parent ? await anyOf(resource) : (await get(`${path}?limit=1`))[0];
        assert.ok(found, `${path} has none`);
      });
    }
    it('at /change-requests, whose listing is written by hand', async () => {
      assert.ok(await anyOf('change-requests'));
    });
  });

  it('has billings that an approval derives', async () => {
    const unbilled = '/assignment-billings?billed_on=null&embed=assignment&limit=300';
    const profiles = new Map<number, number>();
    for (const { assignment, billing_profile_id } of await get(unbilled))
      profiles.set(billing_profile_id, assignment.id);
    assert.equal(profiles.size, 2, 'both profiles apply');
    const itemsOf = async (id: number): Promise<Row[]> =>
      get(`/assignment-billings?assignment_id=${id}&fields=billing_component_id,quantity,rate,factor,billable_amount`);
    for (const id of profiles.values()) {
      const items = await itemsOf(id);
      assert.ok(items.length >= 2);
      const { approved_by_planner_id } = await get(`/assignments/${id}`);
      for (const planner of [null, approved_by_planner_id]) {
        const body = { approved_by_planner_id: planner };
        const response = await call('PUT', `/assignments/${id}/approve`, { body });
        assert.equal(response.status, 200, response.text);
      }
      assert.deepEqual(await itemsOf(id), items);
    }
  });

  it('has change requests that agree with their records, and open ones that can be accepted', async () => {
    const requests = await get('/change-requests?return_values=false');
    assert.deepEqual([...new Set(requests.map(({ status }: Row) => status))].sort(), [1, 2, 3]);
    for (const { entity, entity_id, status, changes } of requests) {
      const record = await get(`/${entity}/${entity_id}`);
      for (const { field, old_value, new_value } of changes)
        assert.deepEqual(record[field], status === 2 ? new_value : old_value, field);
    }
    for (const { id } of requests.filter(({ status }: Row) => status === 1)) {
      const response = await call('PUT', `/change-requests/${id}/decision?dry_run=true`, { body: { status: 2 } });
      assert.equal(response.status, 200, response.text);
    }
  });

  it('has change requests that return_values changes', async () => {
    const types = new Set<string>();
    const [shown, plain] = [await get('/change-requests/1'), await get('/change-requests/1?return_values=false')];
    for (const [index, { type, new_value }] of plain.changes.entries())
      if (JSON.stringify(shown.changes[index].new_value) !== JSON.stringify(new_value)) types.add(type);
    assert.deepEqual([...types].sort(), ['file', 'level_select', 'select']);
  });

  describe('embeds', () => {
    /** The records of a relation, found with a filter of the other resource. */
    const related = async ({ resource, to, many }: Relation, value: unknown, near: Row): Promise<readonly Row[]> => {
      // Embedded records have ids.
      const plain = resource === 'change-requests' ? '&return_values=false' : '';
      const rows: Row[] = await get(`${listingOf(resource, near)}?${to}=${value}&sort=${keyOf(resource)}${plain}`);
      return many ? rows : rows.slice(-1);
    };
    for (const source of Object.values(table).filter(({ name }) => resourcesOfDemo.has(name))) {
      for (const relation of source.relations.filter(({ resource }) => resourcesOfDemo.has(resource))) {
        const { name, short, resource, from, to, many } = relation;
        it(`${name} and ${short} of ${source.name}: what ${resource} has of it`, async () => {
          // A record with something to embed; found from the other side if that one refers to it.
          const other = from === source.key ? await anyOf(resource, `&${to}=-null`) : null;
          const record =
            other === null ? await anyOf(source.name, `&${from}=-null`) : { ...other, [source.key]: other?.[to] };
          assert.ok(record?.[source.key], 'the demo tenant has no such records');
          const id = record[source.key];
          const listing = `${listingOf(source.name, record)}?${source.key}=${id}`;
          const expected = await related(relation, other === null ? record[from] : id, record);
          assert.ok(expected.length > 0);
          for (const key of new Set([name, short])) {
            const [{ [key]: embedded }] = await get(`${listing}&embed=${key}`);
            assert.deepEqual(embedded, many ? expected : expected[0], key);
          }
          const [first] = expected;
          const fields = Object.keys(first ?? {}).slice(0, 2);
          const [{ [short]: some }] = await get(
            `${listing}&fields=${source.key}&embed=${fields.map(field => `${short}.${field}`)}`,
          );
          assert.deepEqual(many ? some[0] : some, Object.fromEntries(fields.map(field => [field, first?.[field]])));
        });
      }
    }
  });

  describe('still serves what is deprecated', () => {
    const deprecated = operations.filter(({ deprecated, resource }) => deprecated && resourcesOfDemo.has(resource));
    it('all of what the specification deprecates', () => assert.ok(deprecated.length >= 4));
    for (const operation of deprecated) {
      it(`${operation.operationId}, and announces its successor`, async () => {
        const changeable = /^collection/.test(operation.resource) ? '&identifier=null&deleted=0' : '';
        const record = (await anyOf(operation.resource, changeable)) as Row;
        const path = pathOf(operation, Number(record.id), Number(record.collection_id ?? record.id));
        const body = operation.method === 'GET' || operation.method === 'DELETE' ? {} : { body: sampleBody(operation) };
        const response = await call(operation.method, path, body);
        assert.ok(response.status === 200 || response.status === 204, `${response.status} ${response.text}`);
        assert.match(String(response.headers.deprecation), /^@\d{9,}$/);
        const [, successor = ''] =
          /^<\/api\/v1(\/[^>]+)>; rel="successor-version"$/.exec(String(response.headers.link)) ?? [];
        const place = operations.find(({ path: template }) =>
          new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(successor),
        );
        assert.ok(place, `${successor} is no operation`);
      });
    }
  });
});
