import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { createRandom } from '../../../src/demo/random.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import { type Client, startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { countTrips } from '../../support/proxies/trips.ts';

const employees = 30;
const work = ['2036-06-13T08:00:00Z', '2036-06-13T14:00:00Z'] as const;
const near = ['2036-06-12T18:00:00Z', '2036-06-12T23:00:00Z'] as const;
const at = ['2036-06-13T09:00:00Z', '2036-06-13T10:00:00Z'] as const;

/** Fills a tenant with candidates of all scores for an event function, and returns its id. */
const fill = async (staffing: Staffing): Promise<number> => {
  const random = createRandom(11);
  const skill = await staffing.qualification();
  const [evening, same] = [
    await staffing.shift(...near, { quantity: 50 }),
    await staffing.shift(...at, { quantity: 50 }),
  ];
  for (let index = 0; index < employees; index++) {
    const employee = await staffing.employee({
      firstname: random.pick(['Ada', 'Bo', 'Cy']),
      qualifications: random.chance(0.5) ? [skill] : [],
      birthday: random.pick([null, '2000-01-01', '2019-05-05']),
    });
    if (random.chance(0.5)) await staffing.assignment(employee, evening, 6);
    else if (random.chance(0.2)) await staffing.assignment(employee, same, 6);
    if (random.chance(0.4)) await staffing.create('busy-dates', { employee_id: employee, start: at[0], end: at[1] });
  }
  return staffing.shift(...work, { required_qualifications: [skill] });
};

const orders = ['', 'sort=score', 'sort=firstname,-score', 'sort=-firstname'];
const filters = ['', 'score=3', 'firstname=Ada', 'rules=-null'];

forAnyApp((_, app) => {
  describe('pages of candidates, of whom some break a rule', () => {
    let client: Client;
    let path: string;
    before(async () => {
      client = await app.newClient();
      const staffing = new Staffing(client);
      path = `/event-functions/${await fill(staffing)}/candidates`;
      const rules = [
        { kind: 'hours_per_day', parameters: { minutes: 300 }, applies_to: { age_below: 18 } },
        { kind: 'average_hours', parameters: { minutes: 180, weeks: 1 } },
      ];
      for (const rule of rules) await staffing.create('work-rules', { name: rule.kind, ...rule });
    });

    for (const order of orders)
      it(`have the records of the whole listing, ${order || 'in the default order'}`, async () => {
        for (const filter of filters) {
          const query = [order, filter].filter(Boolean).join('&');
          const { body: whole } = await client.call('GET', `${path}?${query}`);
          assert.ok(whole.length > 0);
          for (const limit of [1, 2, 3, 5, 8, 11, employees - 1, employees]) {
            const shown = `${query}&limit=${limit}`;
            const page = await client.call('GET', `${path}?${shown}`);
            assert.deepEqual(page.body, whole.slice(0, limit), shown);
            assert.equal(page.headers.link !== undefined, whole.length > limit, shown);
            const counted = await client.call('GET', `${path}?${shown}&count=true`);
            assert.deepEqual(counted.body, page.body, shown);
            assert.equal(counted.headers['x-total-count'], String(whole.length), shown);
          }
          let next = `${path}?${query}&limit=9`;
          const followed: unknown[] = [];
          while (next) {
            const { body, headers } = await client.call('GET', next);
            followed.push(...body);
            next = /<\/api\/v1([^>]+)>/.exec(String(headers.link))?.[1] ?? '';
          }
          assert.deepEqual(followed, whole, query);
        }
      });
  });
});

it('a first page of the best judges those who come first, and all only if too many break a rule; one by name its own', async () => {
  await using proxy = await countTrips(await migratedUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
  const app = await startApp(database);
  const client = await app.newClient();
  const staffing = new Staffing(client);
  for (let index = 0; index < 6; index++) await staffing.employee();
  const path = `/event-functions/${await staffing.shift(...work)}/candidates?`;
  const statementsOf = async (query: string) => {
    const counts: number[] = [];
    // The first one may read changed rules.
    for (let round = 0; round < 3; round++) {
      const before = proxy.statements;
      assert.equal((await client.call('GET', path + query)).status, 200);
      counts.push(proxy.statements - before);
    }
    return Math.min(...counts);
  };
  const listed = await statementsOf('sort=-score');
  const { id } = (await client.call('GET', '/work-rules')).body[0];
  await client.call('PUT', `/work-rules/${id}`, { body: { mode: 'off' } });
  const unjudged = await statementsOf('sort=-score&limit=2');
  await client.call('PUT', `/work-rules/${id}`, { body: { mode: 'warn' } });
  // Without verdicts the times are read; they come with the work that is judged. Who comes first is planned for the values, with two settings.
  assert.equal(listed, unjudged);
  assert.equal(await statementsOf('sort=-score&limit=2'), unjudged + 4);
  await client.call('POST', '/work-rules', {
    body: { name: 'Never', kind: 'hours_per_day', parameters: { minutes: 60 } },
  });
  assert.equal(await statementsOf('sort=-score&limit=2'), unjudged + 5);
  assert.equal(await statementsOf('sort=lastname&limit=2'), unjudged + 4);
  const { headers } = await client.call('GET', `${path}sort=lastname&limit=2`);
  assert.equal(await statementsOf(/[?]([^>]+)>/.exec(String(headers.link))?.[1] ?? ''), unjudged + 4);
  await app.close();
  await database.close();
});
