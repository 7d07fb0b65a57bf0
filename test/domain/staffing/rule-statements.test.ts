import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { countTrips } from '../../support/proxies/trips.ts';
import { shortRules } from '../../support/short-rules.ts';
import { Staffing } from './scene.ts';

const long = [
  { kind: 'average_hours', parameters: { minutes: 2880, weeks: 24 } },
  { kind: 'average_hours', parameters: { minutes: 2400, weeks: 53 } },
  { kind: 'hire_out', parameters: { months: 18, gap_months: 3 } },
];

it('short rules add no statement to a write, and any number of long ones at most one', async () => {
  await using proxy = await countTrips(await migratedUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
  const app = await startApp(database);
  const client = await app.newClient();
  for (const { id } of (await client.call('GET', '/work-rules')).body) await client.call('DELETE', `/work-rules/${id}`);
  const staffing = new Staffing(client);
  const ids: number[] = [];
  for (let day = 1; day <= 3; day++)
    ids.push(await staffing.newAssignment(`2036-06-0${day}T08:00:00Z`, `2036-06-0${day}T12:00:00Z`, 6));
  const [id] = ids;
  const statementsOf = async (path: string, more: object): Promise<number> => {
    const changed = async (status: number) => {
      const before = proxy.statements;
      const response = await client.call('PUT', path, { body: { status, ...more } });
      assert.equal(response.status, 200, response.text);
      return proxy.statements - before;
    };
    const counts: number[] = [];
    // Some of them claim ids as well, and the first read a changed rule.
    for (let round = 0; round < 4; round++) {
      await changed(1);
      counts.push(await changed(6));
    }
    return Math.min(...counts);
  };
  const measured = async () => [
    await statementsOf(`/assignments/${id}/status`, {}),
    await statementsOf('/assignments/status', { assignment_ids: ids }),
  ];
  const [one = 0, many = 0] = await measured();
  assert.ok(one > 5 && many > 5, `${one} and ${many}`);
  for (const rule of shortRules) await staffing.create('work-rules', { name: rule.kind, ...rule });
  assert.deepEqual(await measured(), [one, many]);
  for (const rule of long) await staffing.create('work-rules', { name: rule.kind, ...rule });
  const [oneLong = 0, manyLong = 0] = await measured();
  assert.ok(oneLong <= one + 1 && manyLong <= many + 1, `${oneLong} and ${manyLong} in place of ${one} and ${many}`);
  await app.close();
  await database.close();
});
