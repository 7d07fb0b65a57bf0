import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { settle } from '../../../src/domain/pay/settle.ts';
import { anyDatabase } from '../../support/database.ts';
import { useApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { Payroll, wageTypes } from '../work/scene.ts';

const { client } = useApp(anyDatabase);
const payroll = new Payroll(client);

/** How many statements it takes to derive the wages of the assignments. */
const statementsOf = (ids: readonly number[]): Promise<number> =>
  client.database.forTenant(client.tenant).transaction(async transaction => {
    let count = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        count++;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { tenant, kysely } = transaction;
    await settle(ids, {
      tenant,
      kysely: kysely.withPlugin(counting),
      send: transaction.send.bind(transaction),
      run: (...queries) => {
        count += queries.length;
        return transaction.run(...queries);
      },
      defer: (...queries) => {
        count += queries.length;
        return transaction.defer(...queries);
      },
      finish: transaction.finish.bind(transaction),
      together: transaction.together.bind(transaction),
      newIds: transaction.newIds.bind(transaction),
      afterwards: transaction.afterwards.bind(transaction),
    });
    return count;
  });

it('deriving costs as many statements for many assignments as for one', async () => {
  const onHolidays = { id: 6, name: 'Holiday', type: '2', value: 14.5, windows: [{ holidays: 1 }] };
  const profile = await payroll.profile([...wageTypes, onHolidays]);
  const ids: number[] = [];
  for (let index = 0; index < 8; index++) {
    const id = await payroll.assignment({ profile });
    ids.push(id);
    await payroll.work(id);
  }
  const [first, ...others] = ids as [number, ...number[]];
  const one = await statementsOf([first]);
  assert.ok(one >= 5, 'profiles, public holidays, work, wages and their change are statements');
  assert.equal(await statementsOf(others), one);
  for (const id of ids) assert.equal((await payroll.wages(id)).length, 3);
});

it('an assignment has 500 work times at most, and its wages are of all of them', async () => {
  const id = await payroll.assignment({ profile: await payroll.profile([{ id: 1, name: 'Base', value: 10 }]) });
  const times = Array.from({ length: 499 }, (_, index) => Date.UTC(2026, 0, 1, 12 * index));
  await client.database.asOwner(client.tenant.id, async ({ kysely }) => {
    const { event_function_id } = await kysely
      .selectFrom('assignments')
      .select('event_function_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const works = times.map((time, index) => ({
      id: 1000 + index,
      event_function_employee_id: id,
      event_function_id,
      start: new Date(time).toISOString(),
      end: new Date(time + 3_600_000).toISOString(),
    }));
    await kysely.insertInto('work_times').values(works).execute();
  });
  const body = { event_function_employee_id: id, start: '2027-06-12T16:00:00Z', end: '2027-06-12T17:00:00Z' };
  assert.equal((await payroll.client.call('POST', '/work-times?force=true', { body })).status, 201);
  assert.deepEqual(await payroll.wages(id), [['Base', 10, 500, 5000]]);
  assertErrors(
    await payroll.client.call('POST', '/work-times?force=true', { body }),
    'too_many_items event_function_employee_id',
  );
  const proposal = await payroll.propose(id, { start: '2026-06-12T16:00:00Z', end: '2026-06-12T17:00:00Z' });
  assertErrors(await payroll.accept(proposal), 'too_many_items status');
});
