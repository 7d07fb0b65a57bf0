import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Tenant } from '../../src/core/principal.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import type { TenantQuery, Transaction } from '../../src/db/database.ts';
import type { Database } from '../../src/db/open.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { dueFunctions } from '../../src/domain/occurrences/due.ts';
import { aroundStatement } from '../../src/domain/rules/around.ts';
import type { Rulebook } from '../../src/domain/rules/rulebook.ts';
import { loadObstacles } from '../../src/domain/staffing/workers.ts';
import { approvedBeside } from '../../src/domain/work/overlap.ts';
import { updateEach } from '../../src/engine/writing/each.ts';
import { citusPrograms } from '../support/citus.ts';
import { ownDatabase } from '../support/database.ts';
import { rule } from './rules/scene.ts';

/** A statement, and as many values as it has. */
interface Planned {
  readonly text: string;
  readonly values: readonly unknown[];
}

const skip = citusPrograms && 'Citus plans on its nodes';

/** Row security applies no condition before its own whose function Postgres does not know to reveal nothing: such a condition uses no index. */
describe('what row security applies to is found by an index', { skip }, () => {
  let database: Database;
  let tenant: Tenant;
  // Its own: what Postgres knows of the records of others would change its plans.
  before(async () => {
    database = await ownDatabase();
    ({ tenant } = await fillDemo(database, { size: 'small', baseDomain: 'test' }));
    await database.analyze();
  });
  after(() => database?.close());

  /** Returns the conditions that a statement finds records by, in the tenant's role. */
  const foundBy = ({ text, values }: Planned): Promise<string> =>
    database.forTenant(tenant).transaction(async transaction => {
      const plain = (sql: string) => transaction.send({ name: null, text: sql, values: [] });
      // With them, tables as small as these are read as a whole.
      for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'material']) await plain(`set local enable_${way} = off`);
      // In disguise: the transaction would take it for a change, and ask for its records.
      const hex = Buffer.from(`prepare planned as ${text}`).toString('hex');
      await plain(`do $$ begin execute convert_from(decode('${hex}', 'hex'), 'UTF8'); end $$`);
      const [plan] = await plain(`explain (costs off) execute planned(${values.map(() => 'null')})`);
      await plain('deallocate planned');
      return (plan?.rows.flat() ?? []).filter(line => /Index Cond/.test(line ?? '')).join('\n');
    });

  /** Returns the statements by which the work of a person is loaded. */
  const loading = async (rules: Rulebook['rules']): Promise<readonly Planned[]> => {
    const sent: Planned[] = [];
    const run = async (...queries: readonly TenantQuery[]) => {
      sent.push(...queries.map(query => query.for(tenant.id)));
      return queries.map(() => []);
    };
    const span = { start: '2026-05-01T08:00:00Z', end: '2026-05-01T16:00:00Z' };
    const worker = { id: 1, qualifications: [], birthday: null } as unknown as Parameters<
      typeof loadObstacles
    >[0][number];
    const rulebook = { rules, isForceable: true, reach: 15 };
    await loadObstacles([worker], [{ ...span, place: { id: 1 } }], rulebook, { run } as unknown as Transaction);
    return sent;
  };

  const rest = rule('rest', { minutes: 660 });
  const placed = rule('rest', { minutes: 660 }, { appliesTo: { location_ids: [1] } });

  for (const [title, rules] of [
    ['without rules', []],
    ['with rules', [rest]],
    ['with rules for some places', [placed]],
  ] as const)
    it(`the work of a person by its time, ${title}`, async () => {
      const [bookings, absences] = await Promise.all((await loading(rules)).map(foundBy));
      assert.match(bookings ?? '', /employee_id.*effective_end > /);
      assert.match(absences ?? '', /employee_id.*start < /);
      if (rules[0] === placed) assert.match(bookings ?? '', /id = CASE WHEN \(\w+\.location_id IS NULL\)/);
    });

  for (const withPlaces of [false, true])
    it(`the work around an event function by its time${withPlaces ? ', with its place' : ''}`, async () => {
      const shape = { place: 1, minutes: 60, among: null, withPeople: true, withPlaces };
      const found = await foundBy(aroundStatement(shape, tenant.id));
      assert.match(found, /effective_end > .*effective_start < /);
      if (withPlaces) assert.match(found, /id = CASE WHEN \(\w+\.location_id IS NULL\)/);
    });

  /** Returns the last query of some work: those that it is made of come before. */
  const lastOf = async (work: (transaction: Transaction) => Promise<unknown>): Promise<Planned> => {
    const sent: Planned[] = [];
    await database.forTenant(tenant).transaction(async ({ kysely }) => {
      const executor = kysely.getExecutor();
      const watched = kysely.withPlugin({
        transformQuery: ({ node, queryId }) => {
          const { sql: text, parameters } = executor.compileQuery(executor.transformQuery(node, queryId), queryId);
          sent.push({ text, values: parameters });
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      await work({ kysely: watched } as Transaction);
    });
    return sent.at(-1) as Planned;
  };

  it('the approved work beside that of a person, by the person', async () => {
    const work = { id: null, assignment_id: 1, start: '2026-05-01T08:00:00Z', end: '2026-05-01T16:00:00Z' };
    assert.match(
      await foundBy(await lastOf(transaction => approvedBeside([{ employeeId: 1, works: [work] }], transaction))),
      /\(employee_id = ANY.*event_function_employee_id = ANY|event_function_employee_id = ANY.*\(employee_id = ANY/s,
    );
  });

  it('the event functions that are about to start, by their start or that of their event', async () => {
    const due = { id: 1, since: new Date().toISOString(), minutes: 60 };
    const found = await foundBy(await lastOf(transaction => dueFunctions(due, new Date(), transaction)));
    assert.equal(found.match(/start > .*start <= /g)?.length, 2, found);
  });

  for (const resource of ['assignments', 'clients', 'employees', 'event-functions', 'events', 'work-times'] as const) {
    const { table, fields, key }: Resource = resources[resource];
    const changed = fields.filter(({ access, computed }) => !computed && ['update', 'write'].includes(access));
    it(`records of ${resource} that are changed together by their ids`, async () => {
      const { sql, parameters } = updateEach(table, key, changed, {}).compile();
      assert.match(await foundBy({ text: sql, values: parameters }), /id = e\.v1/);
    });
  }
});
