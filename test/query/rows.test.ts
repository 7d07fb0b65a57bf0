import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Parameter } from '../../src/core/call/parameter.ts';
import type { Fields } from '../../src/core/resource/fields.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import type { TenantDb } from '../../src/db/database.ts';
import { DatabaseError } from '../../src/db/errors.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { parseCursor } from '../../src/query/cursor.ts';
import { planRecord } from '../../src/query/listing.ts';
import { type PlanContext, plan, type ReadPlan } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { readPage, readPageIn } from '../../src/query/read.ts';
import { ownResults, plannedAnew } from '../../src/query/rows.ts';
import { countStatement, keysStatement, readStatement, recordsStatement } from '../../src/query/sql.ts';
import { inMemory, migratedUrl } from '../support/database.ts';

/** More often than a server plans a named statement for its values before it takes the generic plan, where that seems no worse. */
const runs = 6;

describe('on a Postgres server with records, statistics and one connection', () => {
  let database: Database;
  let db: TenantDb;
  let fields: Fields;
  let schema: PlanContext;
  before(async () => {
    database = openDatabase({ ...inMemory, url: await migratedUrl(), poolSize: 1 });
    const { tenant } = await fillDemo(database, { size: 'small', baseDomain: 'localhost' });
    await database.analyze();
    db = database.forTenant(tenant);
    ({ fields } = await createTenantFields(resources).read(db));
    schema = { resources, fields, limits: defaultLimits, principal: { tenant } };
  });
  after(() => database.close());

  const listing = (resource: Resource, parameters: readonly Parameter[]): ReadPlan =>
    plan(parseQuery([...parameters, ['limit', '50']]), resource, schema);

  const firstStatement = (asked: ReadPlan) => readStatement(asked, asked.fields, db.tenant.id);

  /** The statements that the connection has prepared: how often each ran with its generic plan, and with one for its values. */
  const prepared = async () => {
    const text = `select statement, generic_plans, custom_plans from pg_prepared_statements where name like 's\\_%'`;
    const [result] = await db.read({ name: null, text, values: [] });
    return (result?.rows ?? []).map(([statement, generic, custom]) => ({
      statement: statement ?? '',
      generic: Number(generic),
      custom: Number(custom),
    }));
  };

  /** Whether a statement selects a page in the order of values from others, or of those with one value of several. */
  const isOfOthers = ({ statement }: { readonly statement: string }): boolean =>
    /"filled"|"o"\."value"/.test(statement);

  /** Of the statements that filter, or sort by own values, those that the server has run with a plan that does not know the values. */
  const flipped = async () =>
    (await prepared()).filter(
      each => each.generic > 0 && / limit \d+(\)+ as "keys".*)?$/.test(each.statement) && !isOfOthers(each),
    );

  const none = ({ type, name }: Field, run: number): string =>
    ({
      integer: `${900_000_000 + run}`,
      number: `${900_000_000 + run}`,
      flag: `${run % 2}`,
      text: `zzz${run}`,
      date: `1950-01-1${run}`,
      date_time: `1950-01-1${run}`,
      json: name,
    })[type];

  const key = ({ name }: Field): boolean => name === 'id' || name === 'external_id';

  for (const resource of [resources.assignments, resources.events, resources['event-functions'], resources.clients])
    it(`no filter of ${resource.name}, whatever it keeps, ever gets a plan that does not know its values`, async () => {
      for (const field of fields.get<string>(resource).fields) {
        if (field.type === 'json' || key(field)) continue;
        for (let run = 1; run <= runs; run++) await readPage(listing(resource, [[field.name, none(field, run)]]), db);
      }
      assert.deepEqual(await flipped(), []);
    });

  /** Reads the first page of a sorted listing, and following ones, several times each. */
  const readSorted = async (sort: string): Promise<void> => {
    let cursor: string | null = null;
    for (let run = 1; run <= 2 * runs; run++) {
      const page: Parameter[] = cursor === null ? [] : [['cursor', cursor]];
      const asked: Parameter[] = [['fields', 'id'], ['sort', sort], ...page];
      const { next } = await readPage(listing(resources.assignments, asked), db);
      if (run >= runs) cursor = next;
    }
  };

  it('nor does any sort by own values, on whatever page', async () => {
    for (const sort of ['status', '-event.start', 'event.name']) await readSorted(sort);
    assert.deepEqual(await flipped(), []);
  });

  it('pages in the order of values from others, or with one that is the first of several, are planned once: their plan is the same for all values', async () => {
    for (let run = 1; run <= runs; run++)
      for (const field of resources.assignments.fields.filter(({ firstOf }) => firstOf))
        await readPage(listing(resources.assignments, [[field.name, none(field, run)]]), db);
    for (const sort of [
      'location_id',
      '-event.contact.first_name',
      'statistics',
      'event_function.is_locked',
      'client_id,status',
    ])
      await readSorted(sort);
    const pages = (await prepared()).filter(isOfOthers);
    assert.ok(pages.length >= 12);
    for (const { statement, generic, custom } of pages) {
      assert.ok(generic > 0, statement);
      assert.equal(custom, 0, statement);
    }
  });

  it('records by their keys and listings in the order of the key are planned once', async () => {
    const { assignments } = resources;
    const byKey = planRecord([], assignments, 1, schema);
    const byExternalId = planRecord([], assignments, 'A-4713', schema);
    const plain = listing(assignments, []);
    const all = [byKey, byExternalId, plain];
    for (let run = 1; run <= runs; run++) {
      for (const each of all) await readPage(each, db);
      await readPage(listing(assignments, [['sort', '-start']]), db);
    }
    const texts = all.map(each => firstStatement(each).text);
    const known = (await prepared()).filter(
      ({ statement }) => texts.includes(statement) || /current_setting\('app.page'\)::bigint\[\]/.test(statement),
    );
    assert.ok(known.length > all.length);
    for (const { statement, generic, custom } of known) {
      assert.ok(generic > 0, statement);
      assert.equal(custom, 0, statement);
    }
  });

  it('a filter on a computed field that may keep no record does not join one record after the other', async () => {
    const { assignments } = resources;
    for (const name of ['location_id', 'event_function.start']) {
      const few = { ...listing(assignments, [[name, 'null']]), limit: 1 };
      const { text, values } = firstStatement(few);
      const [explained] = ownResults(
        await db.read(...plannedAnew([{ name: null, text: `explain (costs off) ${text}`, values }])),
      );
      assert.notEqual(explained?.rows.length, 0);
      assert.doesNotMatch(explained?.rows.flat().join('\n') ?? '', /assignments_pkey/, name);
    }
  });

  it('nor does one that is planned once, after it has looked at the next records', async () => {
    for (const { name } of resources.assignments.fields.filter(({ firstOf }) => firstOf)) {
      const few = { ...listing(resources.assignments, [[name, 'null']]), limit: 1 };
      await readPage(few, db);
      const { name: prepared, values } = keysStatement(few, db.tenant.id, 'by value', false);
      const text = `explain (costs off) execute "${prepared}"(${values.map(value => `'${value}'`)})`;
      const [explained] = await db.read({ name: null, text, values: [] });
      const lines = explained?.rows.flat().map(String) ?? [];
      const from = lines.findIndex(line => line.includes('CTE others'));
      assert.ok(from > 0, name);
      assert.doesNotMatch(lines.slice(from).join('\n'), /assignments_pkey/, name);
      // Once below a limit, and once by the keys of these.
      const look = lines.slice(0, from).join('\n');
      assert.match(look, /Limit\n(.*\n){0,4}.*using assignments_pkey.*\n.*tenant_id = \$\d\)\n/, name);
      assert.match(look, /using assignments_pkey.*\n.*id = ANY /, name);
      assert.equal(look.match(/assignments_pkey/g)?.length, 2, name);
    }
  });

  it('what checks of candidates have found is written for a page of them, not for all that are sorted', async () => {
    const { text, values } = firstStatement(listing(resources.candidates, []));
    const explained = { name: null, text: `explain (costs off, verbose) ${text}`, values: values.with(-2, '1') };
    const [result] = await db.read(explained);
    const lines = (result?.rows ?? []).flat().map(String);
    const sort = lines.findIndex(line => line.includes('Sort Key'));
    const writing = lines.flatMap((line, index) => (line.includes('candidate_check(') ? [index] : []));
    assert.notEqual(writing.length, 0);
    assert.ok(
      writing.every(index => index < sort),
      lines.join('\n'),
    );
  });

  it('who has other work than a candidate is found by its time, and only the events of that work are read', async () => {
    const { text, values } = firstStatement(listing(resources.candidates, []));
    const explained = { name: null, text: `explain (costs off) ${text}`, values: values.with(-2, '1') };
    const [result] = await db.read(explained);
    const lines = (result?.rows ?? []).flat().join('\n');
    assert.match(lines, /using assignments_booked_idx .*\n.*Index Cond: .*effective_end > .*effective_start < /);
    assert.doesNotMatch(lines, /Seq Scan on event_functions|Hash Cond: .*event_id/);
  });

  it('candidates are counted without their checks', async () => {
    const { text, values } = countStatement(listing(resources.candidates, []), db.tenant.id);
    const explained = { name: null, text: `explain (costs off) ${text}`, values: values.with(-2, '1').with(-3, 'UTC') };
    const [result] = await db.read(explained);
    const lines = (result?.rows ?? []).flat().join('\n');
    assert.match(lines, /employees/);
    assert.doesNotMatch(lines, /busy_dates|availability_requests|effective_start/);
  });

  it('an order is read from an index in either direction, with the place of nulls written', async () => {
    for (const [sort, nulls] of [
      ['updated_at', /updated_at" asc nulls last.* asc nulls last/],
      ['-updated_at', /updated_at" desc nulls first.* asc nulls last/],
    ] as const) {
      const { text, values } = firstStatement(listing(resources.clients, [['sort', sort]]));
      assert.match(text, nulls);
      const [, explained] = await db.read(
        { name: null, text: 'set local enable_seqscan = off', values: [] },
        { name: null, text: `explain (costs off) ${text}`, values },
      );
      const lines = (explained?.rows ?? []).flat().join('\n');
      assert.match(lines, /using clients_tenant_id_updated_at_id_idx/);
      assert.match(lines, sort.startsWith('-') ? /Presorted Key: (\w+\.)?updated_at/ : /^(?!.*Sort Key)/s);
    }
  });

  it('assignments are in the order of the times of their events by an index of these', async () => {
    for (const time of ['start', 'end']) {
      const sorted = listing(resources.assignments, [['sort', `event.${time}`]]);
      const { text, values } = firstStatement(sorted);
      const [explained] = ownResults(
        await db.read(...plannedAnew([{ name: null, text: `explain (costs off) ${text}`, values }])),
      );
      assert.match(explained?.rows.flat().join('\n') ?? '', new RegExp(`events_tenant_id_${time}_idx`));
    }
  });

  it('what has changed since a time is found, and in that order, by an index', async () => {
    const asked: Parameter[] = [
      ['updated_at', '>2020-01-01'],
      ['sort', 'updated_at'],
    ];
    const { assignments, clients, contacts, employees, events, projects } = resources;
    const others = [resources['event-functions'], resources['work-times']];
    for (const resource of [assignments, clients, contacts, employees, events, projects, ...others]) {
      const { text, values } = firstStatement({ ...listing(resource, asked), limit: 1 });
      const [explained] = ownResults(
        await db.read(...plannedAnew([{ name: null, text: `explain (costs off) ${text}`, values }])),
      );
      const lines = explained?.rows.flat().join('\n') ?? '';
      assert.match(lines, new RegExp(`${resource.table}_tenant_id_updated_at_id_idx`), resource.name);
      assert.doesNotMatch(lines, /Sort/, resource.name);
    }
  });

  it('who has confirmed is counted in an index for each gap', async () => {
    const { text, values } = firstStatement(listing(resources.gaps, []));
    const explained = {
      name: null,
      text: `explain (costs off) ${text}`,
      values: values.with(-1, null).with(-2, 'UTC'),
    };
    const [result] = await db.read(explained);
    assert.match(result?.rows.flat().join('\n') ?? '', /Index Only Scan using assignments__event_function_id__/);
  });

  it('pages of whatever size share statements, and have as many records as are asked for', async () => {
    const read = async (limit: number) => {
      const counts: number[] = [];
      for (const parameters of [
        [],
        [['status', '7']],
        [['sort', 'client_id']],
        [['break_start', 'null']],
      ] as Parameter[][]) {
        const asked = { ...listing(resources.assignments, parameters), limit };
        const { representation, next } = await readPage(asked, db);
        const after = parseCursor(String(next), asked.bound, asked.order);
        const following = await readPage({ ...asked, after }, db);
        counts.push(representation.records.length, following.representation.records.length);
      }
      return counts;
    };
    await read(25);
    const before = (await prepared()).length;
    for (const limit of [21, 22, 23, 24]) assert.deepEqual(await read(limit), Array(8).fill(limit));
    assert.equal((await prepared()).length, before);
  });

  it('the keys of a page are selected once, for their result and for the statement that reads their records', async () => {
    const { text, values } = keysStatement(
      listing(resources.assignments, [['status', '7']]),
      db.tenant.id,
      'keys first',
      false,
    );
    const [explained] = await db.read({ name: null, text: `explain (costs off) ${text}`, values });
    assert.equal(explained?.rows.flat().join('\n').match(/Limit/g)?.length, 1);
  });

  it('records of kept keys are an error where none are kept, but for a connection that learns their statement', async () => {
    const asked = listing(resources.assignments, []);
    const records = recordsStatement(asked, asked.fields, 'selected', db.tenant.id);
    await assert.rejects(db.read(records), DatabaseError);
    await readPage(listing(resources.assignments, [['sort', '-start']]), db);
    await assert.rejects(db.read(records), DatabaseError);
    const [learned] = await db.read({ ...records, values: records.values.map(() => null) });
    assert.deepEqual(learned?.rows, []);
  });

  it('a page that is wanted only if it has all records reads none if there are more', async () => {
    const filtered = listing(resources.assignments, [['status', '7']]);
    const page = async (limit: number, all: boolean) => {
      const { representation, more, next } = await readPage({ ...filtered, limit }, db, all);
      return { records: representation.records.length, more, isFollowed: next !== null };
    };
    const { records } = await page(1_000_000, true);
    assert.ok(records > 3);
    assert.deepEqual(await page(records, true), { records, more: false, isFollowed: false });
    assert.deepEqual(await page(records - 1, true), { records: 0, more: true, isFollowed: false });
    assert.deepEqual(await page(records - 1, false), { records: records - 1, more: true, isFollowed: true });
  });

  it('the setting does not outlast the statements that it is for, even where they fail', async () => {
    const mode = { name: null, text: 'show plan_cache_mode', values: [] };
    const sorted = listing(resources.assignments, [['sort', '-event.end']]);
    const [within] = await db.snapshot(async transaction => {
      await readPageIn(sorted, transaction);
      return transaction.send(mode);
    });
    assert.deepEqual(within?.rows, [['force_generic_plan']]);
    const [written] = await db.transaction(async transaction => {
      await readPageIn(sorted, transaction);
      return transaction.send(mode);
    });
    assert.deepEqual(written?.rows, [['force_generic_plan']]);
    const failing = { name: 'failing', text: 'select 1 / $1::int', values: ['0'] };
    await assert.rejects(db.read(...plannedAnew([failing])), DatabaseError);
    assert.deepEqual((await db.read(mode))[0]?.rows, [['force_generic_plan']]);
  });
});
