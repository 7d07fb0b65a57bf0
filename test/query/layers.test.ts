import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Parameter } from '../../src/core/call/parameter.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import type { TenantDb } from '../../src/db/database.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { type EmbedPlan, plan } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { countStatement, embedStatement, readStatement } from '../../src/query/sql.ts';
import { forEachDatabase } from '../support/database.ts';

const layered = Object.values<Resource>(resources).filter(({ layers }) => layers);
const allFields = ({ fields, hidden = [] }: Resource): readonly Field[] => [...fields, ...hidden];

forEachDatabase((_, getDatabase) => {
  describe('the layers of a resource', () => {
    let db: TenantDb;
    before(async () => {
      const database = await getDatabase();
      const { tenant } = await fillDemo(database, { size: 'small', slug: 'layers', baseDomain: 'localhost' });
      const missing = [
        'update events set client_id = null, contact_id = null, configurations = null, reporting_form_ids = null where id % 2 = 0',
        'update event_functions set start = null, "end" = null, location_id = null where id % 3 = 0',
        'update assignments set break_start = null, statistics = null where id % 2 = 0',
        'update wage_proposals set accepted_currency = null where id % 2 = 0',
      ];
      await database.asOwner(tenant.id, async ({ send }) => {
        for (const text of missing)
          await send({
            name: null,
            text: `${text} and tenant_id = ${tenant.id} returning id as journal_id`,
            values: [],
          });
      });
      db = database.forTenant(tenant);
    });

    const read = async (text: string) => (await db.read({ name: null, text, values: [] }))[0]?.rows ?? [];

    for (const resource of layered)
      for (const [place, layer] of resource.layers?.slice(0, -1).entries() ?? [])
        it(`has the records of ${resource.name} in ${layer} with the same values as above it, field by field`, async () => {
          const { source, key } = resource;
          const own = allFields(resource).filter(({ storage, layer = 0 }) => !storage && layer <= place);
          assert.ok(own.length > 0);
          const differing = own.map(
            ({ name }) => `count(*) filter (where l."${name}"::text is distinct from t."${name}"::text)`,
          );
          const [counts] = await read(
            `select count(*), count(l."${key}"), count(t."${key}"), ${differing} from ${layer} l full join ${source} t on t."${key}" = l."${key}"`,
          );
          const [all, here, above, ...different] = (counts ?? []).map(Number);
          assert.deepEqual([here, above], [all, all]);
          assert.deepEqual(
            own.filter((_, index) => different[index] !== 0).map(({ name }) => name),
            [],
          );
        });

    it('has each field from the first of them that has a column of its name', async () => {
      const rows = await read(
        'select table_name, column_name from information_schema.columns where table_schema = current_schema()',
      );
      const columns = Map.groupBy(rows, ([table]) => String(table));
      for (const resource of layered) {
        const names = resource.layers?.map(layer => new Set(columns.get(layer)?.map(([, name]) => name))) ?? [];
        for (const { name, layer = 0, storage } of allFields(resource))
          if (!storage)
            assert.equal(
              names.findIndex(has => has.has(name)),
              layer,
              `${resource.name}.${name}`,
            );
      }
    });
  });
});

describe('keys and counts', () => {
  const schema = {
    resources,
    principal: { tenant: { modules: new Set<never>(), timeZone: 'Europe/Berlin' } },
    limits: defaultLimits,
    fields: { get: fieldsOf },
  };
  const planOf = (resource: Resource, parameters: readonly Parameter[]) =>
    plan(parseQuery(parameters), resource, schema);
  const values = {
    integer: '1',
    number: '1',
    flag: '1',
    text: 'x',
    date: '2026-01-01',
    date_time: '2026-01-01',
  };
  /** The sources of the records that a statement looks through, in its order. */
  const sourcesIn = (text: string) => [...text.matchAll(/ from "(\w+)" as "r"/g)].map(([, source]) => source);

  for (const resource of layered) {
    it(`of ${resource.name} are read from the lowest layer that has the fields of filters`, () => {
      for (const [place, layer] of resource.layers?.entries() ?? []) {
        const fields = resource.fields.filter(field => (field.layer ?? 0) === place && !field.storage);
        for (const { name, type, firstOf } of fields) {
          const { key, externalKey } = resource;
          if (firstOf || type === 'json' || name === key || name === externalKey) continue;
          const filtered = planOf(resource, [
            [name, values[type]],
            ['limit', '50'],
          ]);
          assert.equal(sourcesIn(readStatement(filtered, filtered.fields, 7).text)[0], layer, name);
          assert.equal(sourcesIn(countStatement(filtered, 7).text)[0], layer, name);
        }
      }
    });

    it(`of ${resource.name} are read from the lowest layer that has the fields of the order`, () => {
      const filter: Parameter = [resource.key, '>1'];
      for (const { name, type, layer = 0, storage } of resource.fields) {
        if (type === 'json' || storage) continue;
        const sorted = planOf(resource, [filter, ['sort', name], ['limit', '50']]);
        assert.equal(sourcesIn(readStatement(sorted, sorted.fields, 7).text)[0], resource.layers?.[layer], name);
        assert.equal(sourcesIn(countStatement(sorted, 7).text)[0], resource.layers?.[0], name);
      }
    });
  }

  it('of what is embedded are read with the fields asked for, in one statement from the lowest layer that has them', () => {
    const embedded = (embed: string) => {
      const [one, ...others] = planOf(resources.employees, [['embed', embed]]).embeds;
      assert.deepEqual(others, []);
      return sourcesIn(embedStatement(one as EmbedPlan, ['1', '2'], 7).text);
    };
    assert.deepEqual(embedded('assignments.status,assignments.start'), ['assignments_own', 'assignments_own']);
    assert.deepEqual(embedded('assignments.event.name'), ['assignments_planned', 'assignments_own']);
    assert.deepEqual(embedded('assignments'), ['assignments_view', 'assignments_own']);
  });

  it('need no layer for whether what is never null is null', () => {
    const filtered = planOf(resources.assignments, [
      ['open_actions', '-null'],
      ['limit', '50'],
    ]);
    assert.equal(sourcesIn(readStatement(filtered, filtered.fields, 7).text)[0], 'assignments_own');
    assert.equal(sourcesIn(countStatement(filtered, 7).text)[0], 'assignments_own');
  });

  it('are read from a layer that has the fields by which records are restricted', () => {
    const { assignments } = resources;
    const filtered = planOf(assignments, [
      ['status', '7'],
      ['limit', '50'],
    ]);
    const own = { userId: 1, own: 'employee_id', about: 'event.name', values: ['x'] };
    const restricted = { ...filtered, set: { ...filtered.set, restriction: own } };
    assert.equal(sourcesIn(readStatement(restricted, restricted.fields, 7).text)[0], 'assignments_planned');
    assert.equal(sourcesIn(countStatement(restricted, 7).text)[0], 'assignments_planned');
  });
});
