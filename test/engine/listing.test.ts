import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Parameter } from '../../src/core/call/parameter.ts';
import type { Json } from '../../src/core/call/reply.ts';
import type { Cells } from '../../src/core/resource/cells.ts';
import { decode } from '../../src/core/resource/codec.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import type { Field } from '../../src/core/resource/resource.ts';
import type { TenantDb } from '../../src/db/database.ts';
import { draftCreate } from '../../src/engine/body.ts';
import { insert } from '../../src/engine/write.ts';
import { type Comparison, type FieldFilter, printComparisons } from '../../src/query/filter.ts';
import { plan } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { readPage } from '../../src/query/read.ts';
import { comparisonsOf } from '../query/comparisons.ts';
import { forEachDatabase, newTenant, withMigration } from '../support/database.ts';
import { passes } from '../support/evaluate.ts';
import { probe } from '../support/probe.ts';
import { runs } from '../support/runs.ts';

const probes = withMigration(
  '9001-probes',
  `
  create table probes (
    tenant_id bigint, id bigint, primary key (tenant_id, id),
    whole integer,
    amount numeric(12, 2),
    flag boolean,
    word text,
    day date,
    moment timestamptz(0),
    ids jsonb,
    parent_id bigint,
    foreign key (tenant_id, parent_id) references probes
  );
  select tenant_table('probes');`,
  `
create view probes_view with (security_invoker = true) as
select p.*, coalesce(q.word, '') as "parent.word"
from probes p left join probes q on q.tenant_id = p.tenant_id and q.id = p.parent_id;
grant select on probes_view to staffing_tenant;`,
);

/** The number of rows on each database; LISTING_ROWS=20000 for a release. */
const count = Number(process.env.LISTING_ROWS ?? 120);

const resource = { ...probe, source: 'probes_view' };
const set = fieldsOf(resource);
const zone = 'Europe/Berlin';
const schema = {
  resources: { probes: resource },
  principal: { tenant: { modules: new Set<never>(), timeZone: zone } },
  limits: defaultLimits,
  fields: { get: fieldsOf },
};

/** Few of each, so that filters hit; with what sorts, folds and escapes in its own way. */
const samples = {
  whole: ['-5', '0', '5', '12'],
  amount: ['-0.5', '0', '1.25', '10.5'],
  flag: ['0', '1'],
  word: ['', 'null', 'a', 'A', 'ä', 'Äpfel', 'ab', 'b%', 'b_', 'b\\', 'İstanbul', '-b', '*b', 'z,z', '😀'],
  day: ['2026-03-28', '2026-03-29', '2026-04-01'],
  moment: ['2026-03-28T22:30:00Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z'],
} as const;
type Sampled = keyof typeof samples;

const nullable = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 6 });
const record = fc.record({
  whole: nullable(samples.whole.map(Number)),
  amount: nullable(samples.amount.map(Number)),
  flag: nullable([0, 1]),
  word: nullable(samples.word),
  day: nullable(samples.day),
  moment: nullable(samples.moment),
  ids: nullable([[], [1], [1, 2], [5]]),
});

const comparison = (name: Sampled): fc.Arbitrary<Comparison> => {
  const value = fc.constantFrom<string>(...samples[name], ...(name === 'moment' ? samples.day : []));
  const part = fc.oneof(
    value,
    value.map(text => text.slice(0, 4)),
    value.map(text => text.slice(-3)),
  );
  return comparisonsOf({
    value,
    ordered: name === 'word' ? value.filter(text => text !== '') : value,
    matched: name === 'word' || name === 'day' || name === 'moment' ? part : null,
  });
};
const filter: fc.Arbitrary<FieldFilter> = fc
  .constantFrom<Sampled[]>(...Object.keys(samples).map(name => [name as Sampled]))
  .chain(([name]) =>
    fc.record({
      field: fc.constant(name as string),
      all: fc.array(fc.array(comparison(name as Sampled), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
  );

const parametersOf = (filters: readonly FieldFilter[]): Parameter[] =>
  filters.flatMap(({ field, all }) => all.map((group): Parameter => [`${field}[]`, printComparisons(group)]));

type Values = Record<string, Json>;
const valuesOf = (fields: readonly Field[], cells: Cells): Values =>
  Object.fromEntries(fields.map(({ name, type }, index) => [name, decode(type, cells.text(index))]));

forEachDatabase((_, getDatabase) => {
  let db: TenantDb;
  let rows: readonly Values[];

  const list = async (parameters: readonly Parameter[]) => {
    const query = parseQuery(parameters);
    const listing = plan(query, resource, schema);
    const { representation, ...page } = await readPage(listing, db);
    const { records } = representation;
    return { ...page, records, values: records.map(cells => valuesOf(listing.fields, cells)), query };
  };
  const idsOf = async (parameters: readonly Parameter[]) => (await list(parameters)).values.map(({ id }) => id);

  before(async () => {
    const database = getDatabase();
    db = database.forTenant(await newTenant(database));
    const other = database.forTenant(await newTenant(database));
    for (const [seed, owner] of [
      [1, db],
      [2, other],
    ] as const) {
      const bodies = fc.sample(record, { numRuns: count, seed });
      await owner.transaction(async transaction => {
        let parent: number | null = null;
        for (const body of bodies) {
          const { values, errors } = draftCreate(set, { ...body, parent_id: parent }, zone);
          assert.deepEqual(errors, []);
          const id = await insert(set, values, transaction);
          if (id % 3 === 0) parent = id;
        }
      });
    }
    rows = (await list([])).values;
    assert.equal(rows.length, count);
  });

  it('lists for every filter what a plain evaluation of it does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 3 }), async filters => {
        const expected = rows.filter(row =>
          filters.every(({ field, all }) =>
            all.every(group => passes(set.byName.get(field) as Field, group, row[field] ?? null, zone)),
          ),
        );
        assert.deepEqual(
          await idsOf(parametersOf(filters)),
          expected.map(({ id }) => id),
        );
      }),
      { numRuns: runs(400) },
    );
  });

  it('covers every row, null included, with a filter and its negation', async () => {
    for (const [name, value] of [
      ['word', 'a'],
      ['word', '~b'],
      ['whole', '5'],
      ['moment', '2026-03-29'],
      ['ids', '*1*'],
    ] as const) {
      const [is, isNot] = [await idsOf([[name, value]]), await idsOf([[name, `-${value}`]])];
      assert.equal(is.length + isNot.length, rows.length);
      assert.ok(is.length > 0 && isNot.length > 0);
    }
  });

  it('takes dates and instants up to both ends of time, and refuses those beyond', async () => {
    const all = rows.flatMap(({ id, moment }) => (moment === null ? [] : [id]));
    for (const text of ['>=0001-01-01', '>0001-01-01', '>0001-01-01T01:00:00+00:00', '<9999-12-31', '<=9999-12-31'])
      assert.deepEqual(await idsOf([['moment', text]]), all, text);
    for (const text of ['0001-01-01', '<0001-01-01', '9999-12-31', '>9999-12-31', '9999-12-31T23:59:59Z'])
      assert.deepEqual(await idsOf([['moment', text]]), [], text);
    for (const text of ['0001-01-01T00:00:00+01:00', '<0001-01-01 00:00:00', '9999-12-31T23:59:59-01:00'])
      await assert.rejects(list([['moment', text]]), { code: 'invalid_filter' }, text);
  });

  it('joins the pages of any listing to the whole of it, each row once', async () => {
    const term = fc.record({
      name: fc.constantFrom(...Object.keys(samples), 'parent.word'),
      sign: fc.constantFrom('', '-'),
    });
    const terms = fc.uniqueArray(term, { maxLength: 3, selector: ({ name }) => name });
    await fc.assert(
      fc.asyncProperty(
        terms,
        fc.integer({ min: Math.ceil(count / 120), max: Math.min(1000, count / 2) }),
        fc.option(filter),
        async (terms, limit, filter) => {
          const asked: Parameter[] = filter ? parametersOf([filter]) : [];
          if (terms.length > 0) asked.push(['sort', terms.map(({ name, sign }) => sign + name).join(',')]);
          asked.push(['fields', 'id']);
          const joined: Json[] = [];
          let cursor: Parameter[] = [];
          do {
            const page = await list([...asked, ['limit', String(limit)], ...cursor]);
            joined.push(...page.values.map(({ id }) => id ?? null));
            assert.ok(page.next === null || page.values.length === limit);
            cursor = page.next ? [['cursor', page.next]] : [];
          } while (cursor.length > 0);
          assert.deepEqual(joined, await idsOf(asked));
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('sorts texts by the root collation, nulls last ascending and first descending', async () => {
    const words = async (sort: string) => (await list([['sort', sort]])).values.map(({ word }) => word ?? null);
    const texts = rows.flatMap(({ word }) => (word === null ? [] : [String(word)]));
    const collator = new Intl.Collator('und');
    const sorted = texts.sort((a, b) => collator.compare(a, b) || (a < b ? -1 : 1));
    const nulls = rows.filter(({ word }) => word === null).map(() => null);
    assert.deepEqual(await words('word'), [...sorted, ...nulls]);
    assert.deepEqual(await words('-word'), [...nulls, ...sorted.reverse()]);
  });

  it('counts all that pass, beside a page of them', async () => {
    const { count: counted, records } = await list([
      ['whole', '5'],
      ['limit', '2'],
      ['count', 'true'],
    ]);
    assert.equal(records.length, 2);
    assert.equal(counted, rows.filter(({ whole }) => whole === 5).length);
  });

  it('embeds one and many by either name, in one more trip, and shows no key that was not asked for', async () => {
    let trips = 0;
    const counted: TenantDb = {
      ...db,
      snapshot: work =>
        db.snapshot(transaction =>
          work({
            tenant: transaction.tenant,
            kysely: transaction.kysely,
            newIds: (table, count) => transaction.newIds(table, count),
            together: works => transaction.together(works),
            afterwards: statement => transaction.afterwards(statement),
            run: (...queries) => transaction.run(...queries),
            defer: (...queries) => transaction.defer(...queries),
            send: (...statements) => {
              trips++;
              return transaction.send(...statements);
            },
            finish: (...statements) => {
              trips++;
              return transaction.finish(...statements);
            },
          }),
        ),
    };
    const listing = plan(
      parseQuery([
        ['fields', 'id'],
        ['embed', 'parent.word,probeChildren'],
      ]),
      resource,
      schema,
    );
    const { records } = (await readPage(listing, counted)).representation;
    assert.equal(trips, 2);
    const byId = new Map(rows.map(row => [row.id, row]));
    const byParent = Map.groupBy(rows, ({ parent_id }) => parent_id);
    for (const [index, record] of records.entries()) {
      const [id, parent, children] = record.first(3);
      const row = rows[index] as Values;
      const expected = byId.get(row.parent_id ?? null);
      assert.equal(Number(id), row.id);
      assert.deepEqual(parent && (parent as Cells).text(0), expected ? expected.word : null);
      assert.deepEqual(
        (children as Cells[]).map(child => Number(child.text(0))),
        (byParent.get(row.id) ?? []).map(other => other.id),
      );
    }
  });
}, probes);
