import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { today } from '../../src/core/time.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { Scene } from '../support/scene.ts';

forAnyApp((client, app) => {
  const scene = new Scene(client);

  const get = async (path: string) => (await client.call('GET', path)).body;

  test('a nested record belongs to its parent, and to no other', async () => {
    const [one, other] = [await scene.create('forms'), await scene.create('forms')];
    const made = await client.call('POST', `/forms/${one}/attributes`, { body: { name: 'Size' } });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.entity_id, one);
    assert.ok(made.body.id > 1000);
    const path = String(made.headers.location).replace('/api/v1', '');
    assert.equal(path, `/forms/${one}/attributes/${made.body.id}`);
    assert.deepEqual(await get(path), made.body);
    assert.deepEqual(await get(`/forms/${one}/attributes`), [made.body]);
    assert.deepEqual(await get(`/forms/${other}/attributes`), []);
    const elsewhere = `/forms/${other}/attributes/${made.body.id}`;
    for (const method of ['GET', 'PUT', 'DELETE'])
      assert.equal((await client.call(method, elsewhere, method === 'PUT' ? { body: { name: 'X' } } : {})).status, 404);
    assert.equal(
      (await client.call('PUT', path, { body: { ...made.body, name: 'Shoe size' } })).body.name,
      'Shoe size',
    );
    assert.equal((await client.call('DELETE', path)).status, 204);
    assert.equal((await client.call('GET', path)).status, 404);
    const moved = await client.call('POST', `/forms/${one}/attributes`, { body: { name: 'X', entity_id: other } });
    assert.deepEqual([moved.status, moved.body.errors[0].code], [422, 'read_only']);
  });

  test('a predefined attribute cannot be deleted', async () => {
    assert.equal((await client.call('DELETE', '/attributes/11')).status, 403);
    assert.equal((await get('/attributes/11')).identifier, 'company');
  });

  test('a value of a collection is addressed in the path, the query string or the body', async () => {
    const collection = await scene.create('collections', { name: 'Sizes' });
    const made = await client.call('POST', `/collections/${collection}/value`, { body: { name: 'S' } });
    const { id } = made.body;
    assert.equal(made.headers.location, `/api/v1/collections/${collection}/value/${id}`);
    const value = `/collections/${collection}/value`;
    assert.deepEqual(await get(`${value}?value_id=${id}`), await get(`${value}/${id}`));
    assert.equal((await client.call('PUT', value, { body: { id, name: 'M' } })).body.name, 'M');
    assert.equal((await client.call('GET', value)).status, 400);
    assert.equal((await client.call('PUT', value, { body: { name: 'M' } })).status, 422);
    const removed = await client.call('DELETE', `${value}?value_id=${id}`);
    assert.deepEqual([removed.status, removed.headers.deprecation !== undefined], [204, true]);
    assert.equal((await get(`${value}/${id}`)).deleted, 1);
    assert.equal((await get(`/collections/${collection}/values?deleted=0`)).length, 0);
    await client.call('DELETE', `/collections/${collection}`);
    const late = await client.call('POST', value, { body: { name: 'L' } });
    assert.equal(late.body.errors[0].code, 'reference_inactive');
  });

  test('the objects of a collection are the attributes that choose from it', async () => {
    const [{ id }] = await get('/collections?identifier=gender');
    const objects = await get(`/collections/${id}/objects`);
    assert.deepEqual(
      objects.map(({ data }: { data: { entity: string } }) => data.entity),
      ['contacts', 'employees'],
    );
  });

  test('an alias is its listing with the own parameters on top, and its pages stay good', async () => {
    const project_id = await scene.idOf('projects');
    const day = today(client.tenant);
    for (const hour of [12, 9]) {
      const body = {
        project_id,
        name: `At ${hour}`,
        start: `${day} ${hour}:00:00`.replace(' 9', ' 09'),
        end: `${day} 23:00:00`,
      };
      assert.equal((await client.call('POST', '/events', { body })).status, 201);
    }
    const names = async (query: string) =>
      (await get(`/events/today${query}`)).map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(''), ['At 9', 'At 12']);
    assert.deepEqual(await names('?sort=-start'), ['At 12', 'At 9']);
    assert.deepEqual(await names('?name=*At+1'), ['At 12']);
    const { start: _, ...later } = { start: 0, project_id, end: '2126-01-01T00:00:00Z' };
    for (const name of ['A', 'B'])
      await client.call('POST', '/events', { body: { ...later, name, start: '2125-01-01T00:00:00Z' } });
    const page = await client.call('GET', '/events/upcoming?limit=1&start=>2124-01-01');
    const next = /<\/api\/v1([^>]+)>/.exec(String(page.headers.link))?.[1] as string;
    assert.deepEqual(
      (await get(next)).map(({ name }: { name: string }) => name),
      ['B'],
    );
  });

  test('an alias has the day of the tenant, wherever that is', async () => {
    // At no moment is it the same date in both.
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const far = await app.newClient({ timeZone });
      const { body: project } = await far.call('POST', '/projects', { body: { name: 'P' } });
      for (const days of [-1, 0, 1]) {
        const day = today(far.tenant, days);
        for (const [start, end] of [
          ['00:00:00', '00:30:00'],
          ['23:30:00', '23:59:59'],
        ]) {
          const body = { project_id: project.id, name: String(days), start: `${day} ${start}`, end: `${day} ${end}` };
          assert.equal((await far.call('POST', '/events', { body })).status, 201);
        }
      }
      const { body } = await far.call('GET', '/events/today?fields=name');
      assert.deepEqual(body, [{ name: '0' }, { name: '0' }], timeZone);
    }
  });

  test("today's events are those of some time of today, but for aborted ones", async () => {
    const far = await app.newClient({ timeZone: 'Pacific/Apia' });
    const { body: project } = await far.call('POST', '/projects', { body: { name: 'P' } });
    const day = (days: number) => today(far.tenant, days);
    const events: readonly [name: string, start: string, end: string, status: number][] = [
      ['ends as today begins', `${day(-1)} 20:00:00`, `${day(0)} 00:00:00`, 2],
      ['goes on for a second', `${day(-1)} 21:00:00`, `${day(0)} 00:00:01`, 2],
      ['goes on for days', `${day(-3)} 21:00:00`, `${day(2)} 01:00:00`, 1],
      ['is over', `${day(0)} 00:00:00`, `${day(0)} 01:00:00`, 3],
      ['begins late', `${day(0)} 23:59:59`, `${day(1)} 05:00:00`, 2],
      ['is aborted', `${day(0)} 12:00:00`, `${day(0)} 18:00:00`, 5],
      ['begins tomorrow', `${day(1)} 00:00:00`, `${day(1)} 05:00:00`, 2],
    ];
    for (const [name, start, end, status] of events) {
      const body = { project_id: project.id, name, start, end, status };
      assert.equal((await far.call('POST', '/events', { body })).status, 201);
    }
    const { body } = await far.call('GET', '/events/today?fields=name');
    assert.deepEqual(
      body.map(({ name }: { name: string }) => name),
      ['goes on for days', 'goes on for a second', 'is over', 'begins late'],
    );
  });

  test('a listing of change requests that is too long for one batch shows labels in all of it', async () => {
    const many = await app.newClient();
    const [{ id: collection }] = (await many.call('GET', '/collections?identifier=gender')).body;
    const [{ id: gender, name: label }] = (await many.call('GET', `/collections/${collection}/values`)).body;
    const changes = [
      { attribute_id: null, field: 'gender', name: 'Gender', type: 'select', old_value: null, new_value: gender },
    ];
    await client.database.asOwner(many.tenant.id, ({ system }) =>
      sql`
        insert into change_requests (tenant_id, id, entity, entity_id, requested_at, changes)
        select ${many.tenant.id}, 1000 + n, 'employees', n, now(), ${JSON.stringify(changes)}::text::jsonb from generate_series(1, 1100) n
      `.execute(system),
    );
    const shown = async (query: string) => {
      const { body } = await many.call('GET', `/change-requests?fields=changes${query}`);
      assert.equal(body.length, 1100);
      return [...new Set(body.map((row: { changes: { new_value: unknown }[] }) => row.changes[0]?.new_value))];
    };
    assert.deepEqual(await shown(''), [label]);
    assert.deepEqual(await shown('&return_values=false'), [gender]);
  });

  test('change requests show labels and details of files, or ids', async () => {
    const [{ id: collection }] = await get('/collections?identifier=gender');
    const [{ id: gender, name: label }] = await get(`/collections/${collection}/values`);
    const file = await scene.idOf('files');
    const change = (type: string, new_value: unknown) => ({
      attribute_id: null,
      field: type,
      name: type,
      type,
      old_value: null,
      new_value,
    });
    const changes = [
      change('select', gender),
      change('multi_select', [gender]),
      change('level_select', gender),
      change('file', file),
      change('number', gender),
    ];
    const id = await scene.create('change-requests');
    await client.database.asOwner(client.tenant.id, ({ system }) =>
      sql`update change_requests set changes = ${JSON.stringify(changes)}::text::jsonb where id = ${id}`.execute(
        system,
      ),
    );
    const shown = async (query: string) =>
      (await get(`/change-requests/${id}${query}`)).changes.map((item: { new_value: unknown }) => item.new_value);
    const { path, name, mime, status, user_id } = await get(`/files/${file}`);
    assert.deepEqual(await shown(''), [label, [label], label, { id: file, path, name, mime, status, user_id }, gender]);
    assert.deepEqual(await shown('?return_values=false'), [gender, [gender], gender, file, gender]);
    assert.deepEqual((await get('/change-requests?return_values=true&limit=1'))[0].changes[0].new_value, label);
    assert.equal((await client.call('GET', '/change-requests?return_values=perhaps')).status, 400);
  });
});
