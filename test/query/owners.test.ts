import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Cells } from '../../src/core/resource/cells.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import type { TenantDb } from '../../src/db/database.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { type PlanContext, plan, type ReadPlan } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { readBatches, readOn, readPage } from '../../src/query/read.ts';
import { forAnyDatabase } from '../support/database.ts';

/**
 * Leaves some records of others without values of their own, so that there are equal and missing values, and gives some to others. The
 * first records have values that come late in an order. The tenant is named in each part: it is not found for each record anew.
 */
const clear = (tenant: number): readonly string[] => [
  'update projects set client_id = null, contact_id = null, planner_id = null where id % 3 = 0',
  'update events set client_id = null, contact_id = null, planner_id = null where id % 2 = 0',
  'update events set location_id = null where id % 5 = 0',
  `update event_functions set description = 'Entrance ' || id % 3 where id % 4 = 0`,
  'update assignments set wage_profile_id = null, statistics = null, break_start = null, break_end = null where id % 2 = 0',
  `update assignments set statistics = 'full' where id % 3 = 0`,
  'update functions set wage_profile_id = null where id % 2 = 0',
  `update event_functions set description = 'Yard' where id < (select f.id from event_functions f
    where f.tenant_id = ${tenant} order by f.id offset 130 limit 1)`,
  `update events set auto_assign_enabled = id = (select max(e.id) from events e where e.tenant_id = ${tenant}) where true`,
  `update assignments set statistics = 'waiting' where id < (select a.id from assignments a
    where a.tenant_id = ${tenant} order by a.id offset 600 limit 1)`,
  // Wage profiles that few assignments have: from an employee, an event function, and of its own.
  `insert into wage_profiles (tenant_id, id, name) select tenant_id, 9000 + n, 'Rare' from wage_profiles, generate_series(1, 3) n
    where id = (select min(p.id) from wage_profiles p where p.tenant_id = ${tenant})`,
  `update employees set wage_profile_id = 9001 where id = (select a.employee_id from assignments_view a
    where a.tenant_id = ${tenant} and coalesce(
      own_approved_wage_profile_id, own_wage_profile_id, "event_function.effective_wage_profile_id") is null
    order by a.id limit 1)`,
  `update event_functions set wage_profile_id = 9002 where id = (select a.event_function_id from assignments a
    where a.tenant_id = ${tenant} and coalesce(approved_wage_profile_id, wage_profile_id) is null
    order by a.id desc offset 20 limit 1)`,
  `update assignments set wage_profile_id = 9003 where id = (select max(a.id) from assignments a
    where a.tenant_id = ${tenant} and a.approved_wage_profile_id is null)`,
];

forAnyDatabase((_, getDatabase) => {
  describe('values that records have from others', () => {
    let db: TenantDb;
    let schema: PlanContext;

    before(async () => {
      const database = await getDatabase();
      const { tenant } = await fillDemo(database, { size: 2_000, slug: 'owners', baseDomain: 'localhost' });
      await database.asOwner(tenant.id, async ({ send }) => {
        for (const text of clear(tenant.id))
          await send({
            name: null,
            text: `${text} and tenant_id = ${tenant.id} returning id as journal_id`,
            values: [],
          });
      });
      db = database.forTenant(tenant);
      const { fields } = await createTenantFields(resources).read(db);
      schema = { resources, fields, limits: defaultLimits, principal: { tenant } };
    });

    const listing = (resource: Resource, sort: string): ReadPlan =>
      plan(
        parseQuery([
          ['sort', sort],
          ['fields', resource.key],
        ]),
        resource,
        schema,
      );

    /** The ids of a listing, or of as many of its pages as have `most` records: by default more than there are. */
    const idsOf = async (listing: ReadPlan, most = 10_000): Promise<readonly string[]> => {
      const ids: string[] = [];
      for await (const records of readOn(listing, await readPage(listing, db), db)) {
        ids.push(...records.map(record => String(record.text(0))));
        if (ids.length >= most) break;
      }
      return ids;
    };

    for (const resource of Object.values<Resource>(resources)) {
      const owned = resource.fields.filter(({ owner }) => owner);
      if (owned.length > 0)
        it(`of ${resource.name} are those of the records that the spec derives them from`, async () => {
          for (const { name, owner } of owned) {
            const { resource: from = '', by, field } = owner ?? {};
            const source = schema.resources[from]?.source;
            const text = `select count(*), count(o.id) filter (where r."${name}" is not distinct from o."${field}")
              from ${resource.source} r left join ${source} o on o.id = r."${by}"`;
            const [result] = await db.read({ name: null, text, values: [] });
            const [all, same] = result?.rows[0] ?? [];
            assert.equal(same, all, name);
          }
        });

      if (owned.length > 0)
        it(`are in pages of ${resource.name} and in batches of all of them as in the view, record by record`, async () => {
          const names = resource.fields.map(({ name }) => name);
          const columns = names.map(name => `"${name}"`).join();
          const text = `select ${columns} from ${resource.source} order by "${resource.key}"`;
          const [viewed] = await db.read({ name: null, text, values: [] });
          const rows = viewed?.rows ?? [];
          const whole = plan(parseQuery([['fields', names.join()]]), resource, schema);
          const shown = (records: readonly Cells[]) =>
            records.map(record => names.map((_, index) => record.text(index)));
          for (const [sort, all] of [
            ['', rows],
            ['-', rows.toReversed()],
          ] as const) {
            const listing = plan(
              parseQuery([
                ['fields', names.join()],
                ['sort', `${sort}${resource.key}`],
                ['limit', '60'],
              ]),
              resource,
              schema,
            );
            const { representation } = await readPage(listing, db);
            assert.deepEqual(shown(representation.records), all.slice(0, 60));
          }
          const batches = await db.snapshot(async transaction =>
            (await Array.fromAsync(readBatches(whole, transaction))).flat(),
          );
          assert.deepEqual(shown(batches), rows);
        });

      const derived = resource.fields.filter(({ owner, firstOf, nullable }) => nullable && (owner || firstOf));
      if (derived.length > 0)
        it(`are missing in the ${resource.name} that are filtered for those without them`, async () => {
          for (const { name } of derived) {
            const text = `select "${resource.key}" from ${resource.source} where "${name}" is null order by 1`;
            const [missing] = await db.read({ name: null, text, values: [] });
            const parameters: [string, string][] = [
              ['fields', resource.key],
              [name, 'null'],
            ];
            const found = await idsOf(plan(parseQuery(parameters), resource, schema));
            assert.deepEqual(found, missing?.rows.flat(), name);
          }
        });

      for (const { name, firstOf, type } of resource.fields)
        if (firstOf)
          it(`filter the pages of ${resource.name} by ${name} as the view, in both directions`, async () => {
            const text = `select to_json("${name}") #>> '{}', json_agg("${resource.key}" order by "${resource.key}") from ${resource.source} group by "${name}" order by count(*)`;
            const [viewed] = await db.read({ name: null, text, values: [] });
            const known = (viewed?.rows ?? []).map(([value, ids]) => [String(value), JSON.parse(ids ?? '')] as const);
            assert.ok(known.length > 2);
            if (name === 'wage_profile_id')
              assert.deepEqual(known.flatMap(([value]) => (Number(value) > 9000 ? value : [])).sort(), [
                '9001',
                '9002',
                '9003',
              ]);
            const [rare, many] = [known.slice(0, 5), known.slice(-5)];
            const without = ['null', known.find(([value]) => value === 'null')?.[1] ?? []] as const;
            const absent = type === 'date_time' ? '1950-01-01T00:00:00Z' : '2000000';
            const valued = known.filter(([value]) => value !== 'null');
            const [least, most] = [valued.at(0), valued.at(-1)] as [(typeof known)[number], (typeof known)[number]];
            const united = [...new Set<number>([...least[1], ...most[1]])].sort((one, other) => one - other);
            const both = [`${least[0]},${most[0]}`, united] as const;
            const values = [...rare, ...many, both, without, [absent, []] as const];
            for (const [value, ids] of values)
              for (const [sort, expected] of [
                [resource.key, ids],
                [`-${resource.key}`, ids.toReversed()],
              ] as const) {
                const parameters: [string, string][] = [
                  ['fields', resource.key],
                  ['sort', sort],
                  [name, value],
                ];
                const found = await idsOf({ ...plan(parseQuery(parameters), resource, schema), limit: 17 }, 102);
                assert.deepEqual(found.map(Number), expected.slice(0, found.length), `${sort} ${value}`);
                assert.equal(found.length >= Math.min(expected.length, 102), true, `${sort} ${value}`);
              }
          });

      const sorted = resource.fields.filter(
        ({ owner, firstOf, nullable, type }) => (owner || firstOf) && (nullable || type === 'flag'),
      );
      for (const [index, { name }] of sorted.entries())
        it(`order the pages of ${resource.name} by ${name} as the whole listing, in both directions`, async () => {
          // Records with equal values, or without any, are in the order of another such field across the ends of pages.
          const next = sorted.at(index - 1)?.name;
          const others = next === name ? [] : [`${name},-${next}`, `-${name},${next}`];
          for (const sort of [name, `-${name}`, ...others]) {
            const whole = listing(resource, sort);
            const all = await idsOf(whole);
            assert.deepEqual(await idsOf({ ...whole, limit: 163 }), all, sort);
            // What these pages begin with is not in the records that are next in the order of the key.
            assert.deepEqual(await idsOf({ ...whole, limit: 17 }, 102), all.slice(0, 102), sort);
          }
        });
    }
  });
});
