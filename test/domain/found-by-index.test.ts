import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Tenant } from '../../src/core/principal.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import type { TenantQuery, Transaction } from '../../src/db/database.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { aroundStatement } from '../../src/domain/rules/around.ts';
import type { Rulebook } from '../../src/domain/rules/rulebook.ts';
import { loadObstacles } from '../../src/domain/staffing/workers.ts';
import { updateEach } from '../../src/engine/writing/each.ts';
import { forEachDatabase } from '../support/database.ts';
import { rule } from './rules/scene.ts';

/** A statement, and as many values as it has. */
interface Planned {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Row security applies no condition before its own whose function Postgres does not know to reveal nothing: such a condition uses no index. */
forEachDatabase((name, getDatabase) => {
  let tenant: Tenant;
  before(async () => {
    const database = await getDatabase();
    ({ tenant } = await fillDemo(database, { size: 'small', baseDomain: 'test', slug: `found-${name}` }));
    await database.analyze();
  });

  /** Returns the conditions that a statement finds records by, in the tenant's role. */
  const foundBy = async ({ text, values }: Planned): Promise<string> =>
    (await getDatabase()).forTenant(tenant).transaction(async transaction => {
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

  describe(`what row security applies to is found by an index, on ${name}`, () => {
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

    for (const resource of [
      'assignments',
      'clients',
      'employees',
      'event-functions',
      'events',
      'work-times',
    ] as const) {
      const { table, fields, key }: Resource = resources[resource];
      const changed = fields.filter(({ access, computed }) => !computed && ['update', 'write'].includes(access));
      it(`records of ${resource} that are changed together by their ids`, async () => {
        const { sql, parameters } = updateEach(table, key, changed, {}).compile();
        assert.match(await foundBy({ text: sql, values: parameters }), /id = e\.v1/);
      });
    }
  });
});
