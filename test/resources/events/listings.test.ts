import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Staffing } from '../../domain/staffing/scene.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

/** Three functions with open places, of which the second starts first, and one without. */
const makeGaps = async (client: Client) => {
  const staffing = new Staffing(client);
  const event = (name: string, day: number) =>
    staffing.event(`2036-06-${day}T16:00:00Z`, `2036-06-${day}T22:00:00Z`, { name });
  const [ball, fair] = [await event('ball', 14), await event('Ärgernis', 12)];
  const places = [await staffing.place(ball, { quantity: 2 }), await staffing.place(fair, { quantity: 9 })];
  places.push(await staffing.place(ball, { quantity: 7 }));
  const full = await staffing.place(ball, { quantity: 1 });
  await staffing.assignment(await staffing.employee(), full, 6);
  await staffing.place(await staffing.event('2020-06-12T16:00:00Z', '2020-06-12T22:00:00Z'), { quantity: 3 });
  return places;
};

/** Five candidates for a function: two who have said that they can, one who is busy. */
const makeCandidates = async (client: Client) => {
  const staffing = new Staffing(client);
  const span = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;
  const place = await staffing.shift(...span);
  const employees: number[] = [];
  for (const lastname of ['Öz', 'Abel', 'Zorn', 'Berg', 'abt']) employees.push(await staffing.employee({ lastname }));
  await staffing.assignment(employees[2] as number, await staffing.shift(...span), 6);
  for (const employee_id of employees.slice(3)) {
    const availability_request_id = await staffing.create('availability-requests', { employee_id, name: 'June' });
    const time_slots = [{ id: 1, name: 'Day', category: null, week_days: [], from: '08:00', to: '23:00' }];
    const availabilities = [{ date: '2036-06-12', time_slot_id: 1, available: 1 }];
    for (const [resource, body] of [
      ['availability-requests-definitions', { time_slots }],
      ['availability-requests-availabilities', { availabilities }],
    ] as const)
      await client.call('POST', `/${resource}`, { body: { availability_request_id, ...body } });
  }
  return { place, employees };
};

forAnyApp((_, app) => {
  const valuesOf = async (client: Client, path: string, name: string) => {
    const response = await client.call('GET', path);
    assert.equal(response.status, 200, response.text);
    return response.body.map((record: Record<string, unknown>) => record[name]);
  };

  describe('gaps', () => {
    it('are a listing by start, of the own tenant only, with filters, sorts, fields, embeds and counts', async () => {
      const client = await app.newClient();
      const [first, second, third] = await makeGaps(client);
      const ids = (query: string) => valuesOf(client, `/events/gaps${query}`, 'event_function_id');
      assert.deepEqual(await ids(''), [second, first, third]);
      assert.deepEqual(await ids('?sort=-open'), [second, third, first]);
      assert.deepEqual(await ids('?sort=event.name,-open'), [second, third, first]);
      assert.deepEqual(await ids('?event.name=~BALL'), [first, third]);
      assert.deepEqual(await ids('?start=>2036-06-13&open=>2'), [third]);
      assert.deepEqual(await ids(`?event_function_id=${first},${third}`), [first, third]);
      const { body, headers } = await client.call('GET', '/events/gaps?fields=open,event.name&limit=1&count=true');
      assert.deepEqual([body, headers['x-total-count']], [[{ open: 9, 'event.name': 'Ärgernis' }], '3']);
      assert.deepEqual(await valuesOf(client, '/events/gaps?embed=event.status&limit=1', 'event'), [{ status: 2 }]);
      assert.deepEqual((await (await app.newClient()).call('GET', '/events/gaps')).body, []);
    });

    it('come in pages, in every format, and unchanged with 304', async () => {
      const client = await app.newClient();
      const places = await makeGaps(client);
      const seen: number[] = [];
      for (let path: string | undefined = '/events/gaps?limit=1'; path; ) {
        const { body, headers } = await client.call('GET', path);
        seen.push(body[0].event_function_id);
        path = /<\/api\/v1([^>]+)>/.exec(String(headers.link ?? ''))?.[1];
      }
      assert.deepEqual(seen, [places[1], places[0], places[2]]);
      const csv = await client.call('GET', '/events/gaps.csv?fields=event_function_id,open');
      assert.equal(csv.text, `event_function_id,open\r\n${places[1]},9\r\n${places[0]},2\r\n${places[2]},7\r\n`);
      assert.equal((await client.call('GET', '/events/gaps.ndjson')).text.trim().split('\n').length, 3);
      assert.match((await client.call('GET', '/events/gaps.xml')).text, /<gaps>\s*<gap>\s*<event_id>/);
      const etag = String((await client.call('GET', '/events/gaps')).headers.etag);
      const again = await client.call('GET', '/events/gaps', { headers: { 'If-None-Match': etag } });
      assert.equal(again.status, 304);
    });

    it('reject what no listing takes', async () => {
      const client = await app.newClient();
      const code = async (query: string) => (await client.call('GET', `/events/gaps?${query}`)).body.code;
      assert.equal(await code('opne=1'), 'unknown_field');
      assert.equal(await code('open=many'), 'invalid_filter');
      assert.equal(await code('limit=0'), 'invalid_parameter');
    });
  });

  describe('candidates', () => {
    it('are a listing by score, with filters, sorts, fields, embeds and counts', async () => {
      const client = await app.newClient();
      const { place, employees } = await makeCandidates(client);
      const [oez, abel, zorn, berg, abt] = employees;
      const ids = (query: string) => valuesOf(client, `/event-functions/${place}/candidates${query}`, 'employee_id');
      assert.deepEqual(await ids(''), [berg, abt, oez, abel, zorn]);
      assert.deepEqual(await ids('?sort=lastname'), [abel, abt, berg, oez, zorn]);
      assert.deepEqual(await ids('?availability=available&lastname=~*a'), [abt]);
      assert.deepEqual(await ids('?score=<4'), [zorn]);
      const path = `/event-functions/${place}/candidates?fields=lastname&limit=2&count=true&embed=employee.status`;
      const { body, headers } = await client.call('GET', path);
      assert.deepEqual(body, [
        { lastname: 'Berg', employee: { status: 4 } },
        { lastname: 'abt', employee: { status: 4 } },
      ]);
      assert.equal(headers['x-total-count'], '5');
      const next = /<\/api\/v1([^>]+)>/.exec(String(headers.link))?.[1] as string;
      assert.deepEqual(await valuesOf(client, next, 'lastname'), ['Öz', 'Abel']);
    });

    it('of one function are not those of another, and of none that exists 404', async () => {
      const client = await app.newClient();
      const { place } = await makeCandidates(client);
      const page = await client.call('GET', `/event-functions/${place}/candidates?limit=1`);
      assert.equal(page.body[0].event_function_id, place);
      assert.equal((await client.call('GET', `/event-functions/${place + 999}/candidates`)).status, 404);
      const other = await app.newClient();
      assert.equal((await other.call('GET', `/event-functions/${place}/candidates`)).status, 404);
    });
  });
});
