import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { resources } from '../../generated/resources.ts';
import { registerField } from '../../src/attributes/registration.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Parameter } from '../../src/core/call/parameter.ts';
import type { Json } from '../../src/core/call/reply.ts';
import { decode } from '../../src/core/resource/codec.ts';
import type { Fields } from '../../src/core/resource/fields.ts';
import type { Field } from '../../src/core/resource/resource.ts';
import type { TenantDb } from '../../src/db/database.ts';
import { newId } from '../../src/db/ids.ts';
import { createTenant } from '../../src/domain/provision/provision.ts';
import { draftCreate } from '../../src/engine/body.ts';
import { insert } from '../../src/engine/write.ts';
import { type Comparison, printComparisons } from '../../src/query/filter.ts';
import { plan } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { readPage } from '../../src/query/read.ts';
import { comparisonsOf } from '../query/comparisons.ts';
import { forEachDatabase } from '../support/database.ts';
import { passes } from '../support/evaluate.ts';
import { runs } from '../support/runs.ts';

const zone = 'Europe/Berlin';

/** Few of each, so that filters hit; the second of a type lies where no slot was left. */
const samples = {
  text: ['', 'null', 'a', 'A', 'ä', 'Äpfel', 'b%', 'b\\', '-b', 'z,z', '😀'],
  number: ['-0.5', '0', '0.00001', '1.25', '1000000000'],
  boolean: ['0', '1'],
  date: ['2026-03-28', '2026-03-29', '2026-04-01'],
} as const;
type Sampled = keyof typeof samples;
const types = Object.keys(samples) as Sampled[];

const jsonOf = (type: Sampled, text: string): Json => (type === 'number' || type === 'boolean' ? Number(text) : text);

const comparison = (type: Sampled): fc.Arbitrary<Comparison> => {
  const value = fc.constantFrom<string>(...samples[type]);
  return comparisonsOf({
    value,
    ordered: type === 'text' ? value.filter(text => text !== '') : value,
    matched: type === 'text' || type === 'date' ? value.map(text => text.slice(0, 3)) : null,
  });
};

forEachDatabase((name, getDatabase) => {
  let db: TenantDb;
  let fields: Fields;
  let dynamic: readonly Field[];
  let rows: readonly Record<string, Json>[];

  const typeOf = (field: Field) => field.attribute?.type as Sampled;
  const list = async (parameters: readonly Parameter[]) => {
    const query = parseQuery(parameters);
    const principal = { tenant: { modules: new Set<never>(), timeZone: zone } };
    const listing = plan(query, resources.clients, { resources, principal, limits: defaultLimits, fields });
    const { representation, ...page } = await readPage(listing, db);
    const values = representation.records.map(cells =>
      Object.fromEntries(listing.fields.map(({ name, type }, index) => [name, decode(type, cells.text(index))])),
    );
    return { ...page, values };
  };
  const idsOf = async (parameters: readonly Parameter[]) => (await list(parameters)).values.map(({ id }) => id ?? null);

  const joinedPages = async (asked: readonly Parameter[], limit: number): Promise<readonly Json[]> => {
    const joined: Json[] = [];
    let cursor: Parameter[] = [];
    do {
      const page = await list([...asked, ['limit', String(limit)], ...cursor]);
      joined.push(...page.values.map(({ id }) => id ?? null));
      cursor = page.next ? [['cursor', page.next]] : [];
    } while (cursor.length > 0);
    return joined;
  };

  before(async () => {
    const database = getDatabase();
    const slug = `dynamic-${process.pid}-${name}`;
    const tenant = await createTenant(database, { slug, name: slug, timeZone: zone, modules: [], hosts: [] }, 'test');
    db = database.forTenant(tenant);
    const form = await db.transaction(({ kysely }) =>
      kysely.selectFrom('forms').select('id').where('entity', '=', 'clients').executeTakeFirstOrThrow(),
    );
    await db.transaction(async transaction => {
      for (const type of types)
        for (let index = 0; index < 42; index++) {
          const id = await newId(transaction, 'attributes');
          await transaction.kysely
            .insertInto('attributes')
            .values({ id, entity_id: form.id, name: type, type, order: index })
            .execute();
          await registerField(tenant.id, { id, type, entity: 'clients' }, transaction);
        }
    });
    await createTenantFields(resources).run(db, async current => {
      fields = current;
      const all = current.get(resources.clients).fields.filter(({ storage }) => storage);
      dynamic = types.flatMap(type => {
        const own = all.filter(field => typeOf(field) === type);
        return [own[0] as Field, own.at(-1) as Field];
      });
    });
    assert.deepEqual(new Set(dynamic.map(({ storage }) => storage?.member === undefined)), new Set([true, false]));
    const record = fc.tuple(
      ...dynamic.map(field => fc.option(fc.constantFrom(...samples[typeOf(field)]), { freq: 5 })),
    );
    await db.transaction(async transaction => {
      for (const texts of fc.sample(record, { numRuns: 100, seed: 3 })) {
        const body: Record<string, Json> = { company: 'C' };
        for (const [index, field] of dynamic.entries()) {
          const text = texts[index];
          if (text !== null && text !== undefined) body[field.name] = jsonOf(typeOf(field), text);
        }
        const { values, errors } = draftCreate(fields.get(resources.clients), body, zone);
        assert.deepEqual(errors, []);
        await insert(fields.get(resources.clients), values, transaction);
      }
    });
    rows = (await list([])).values;
    assert.equal(rows.length, 100);
  });

  it('lists for every filter on fields of tenants what a plain evaluation of it does', async () => {
    const filter = fc.integer({ min: 0, max: types.length * 2 - 1 }).chain(index => {
      const type = types[index >> 1] as Sampled;
      return fc.tuple(fc.constant(index), fc.array(comparison(type), { minLength: 1, maxLength: 3 }));
    });
    await fc.assert(
      fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 3 }), async filters => {
        const expected = rows.filter(row =>
          filters.every(([index, group]) => {
            const field = dynamic[index] as Field;
            return passes(field, group, row[field.name] ?? null, zone);
          }),
        );
        const asked = filters.map(
          ([index, group]): Parameter => [`${dynamic[index]?.name}[]`, printComparisons(group)],
        );
        assert.deepEqual(
          await idsOf(asked),
          expected.map(({ id }) => id),
        );
      }),
      { numRuns: runs(120) },
    );
  });

  it('finds a number in every notation of JSON, such as that of its response', async () => {
    for (const { name } of dynamic.filter(field => field.type === 'number')) {
      const expected = rows.flatMap(row => (row[name] === 0.00001 ? [row.id ?? null] : []));
      assert.ok(expected.length > 0);
      for (const text of ['0.00001', '1e-05', '1e-5', '1.0E-5', '0.1e-4'])
        assert.deepEqual(await idsOf([[name, text]]), expected, text);
    }
  });

  it('joins the pages of any listing sorted by fields of tenants to the whole of it', async () => {
    const term = fc.record({
      index: fc.integer({ min: 0, max: types.length * 2 - 1 }),
      sign: fc.constantFrom('', '-'),
    });
    const terms = fc.uniqueArray(term, { minLength: 1, maxLength: 3, selector: ({ index }) => index });
    const text = fc.constantFrom('null', '-null', '-a', 'a,null', '=>A');
    const filter = fc.option(fc.record({ index: fc.constantFrom(0, 1), text }));
    await fc.assert(
      fc.asyncProperty(terms, filter, fc.integer({ min: 3, max: 40 }), async (terms, filter, limit) => {
        const sort = terms.map(({ index, sign }) => sign + dynamic[index]?.name).join(',');
        const asked: Parameter[] = [
          ['sort', sort],
          ['fields', 'id'],
          ...(filter ? [[`${dynamic[filter.index]?.name}[]`, filter.text] as const] : []),
        ];
        assert.deepEqual(await joinedPages(asked, limit), await idsOf(asked));
      }),
      { numRuns: runs(40) },
    );
  });

  it('goes on in the same order from records with a value to those without, and the other way round', async () => {
    const [field] = dynamic;
    const idsWhere = (lacks: boolean) =>
      rows.filter(row => (row[field?.name ?? ''] === null) === lacks).map(({ id }) => id ?? null);
    for (const sign of ['', '-']) {
      const asked: Parameter[] = [
        ['sort', `${sign}${field?.name}`],
        ['fields', 'id'],
      ];
      const [lacking, having] = [idsWhere(true), idsWhere(false)];
      assert.ok(lacking.length > 10 && having.length > 10);
      for (const limit of [1, 7, having.length, lacking.length, 99, 100]) {
        const ids = await joinedPages(asked, limit);
        const former = ids.slice(0, sign ? lacking.length : having.length);
        assert.deepEqual(ids, await idsOf(asked), `${sign}${limit}`);
        assert.deepEqual(new Set(former), new Set(sign ? lacking : having));
        assert.deepEqual(sign ? former : ids.slice(having.length), lacking);
      }
    }
  });
});
