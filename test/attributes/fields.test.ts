import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { forAnyDatabase } from '../support/database.ts';
import { addAttribute, collection } from './scene.ts';

forAnyDatabase((_, getDatabase) => {
  let app: App;
  let other: App;
  let client: Client;
  /** The same tenant at another instance. */
  let elsewhere: Client['call'];

  const remove = async (field: string) => {
    const response = await client.call('DELETE', `/attributes/${field.slice('dynamic_field_'.length)}`);
    assert.equal(response.status, 204, response.text);
  };
  const make = async (body: object, of = client) => of.call('POST', '/clients', { body: { company: 'C', ...body } });
  const codes = (response: { body: { errors: { code: string; field: string }[] } }) =>
    Object.fromEntries(response.body.errors.map(({ code, field }) => [field, code]));

  before(async () => {
    const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
    app = await startApp(getDatabase(), { keys });
    other = await startApp(getDatabase(), { keys });
    client = await app.newClient();
    elsewhere = (method, path, asked) => other.callAs(client, method, path, asked);
  });
  after(async () => {
    await app.close();
    await other.close();
  });

  it('takes, shows, filters by and sorts by a value of every type', async () => {
    const { id: collection_id, values } = await collection(client, 'Choices', 3);
    const samples: [type: string, value: unknown, filter: string][] = [
      ['text', 'Ünï %_\\ "x"', '~ÜNÏ'],
      ['number', -12.25, '<0'],
      ['boolean', 1, 'true'],
      ['date', '2026-02-28', '>2026-02-27'],
      ['email', 'a@b.example', '*a@'],
      ['phone', '+49 40 123', '-null'],
      ['select', values[0], `${values[0]},7`],
      ['level_select', values[1], `${values[1]}`],
      ['multi_select', [values[2], values[0]], `*${values[2]}*`],
    ];
    const body: Record<string, unknown> = {};
    const filters: [field: string, filter: string][] = [];
    for (const [type, value, filter] of samples) {
      const field = await addAttribute(client, type, type.includes('select') ? { collection_id } : {});
      body[field] = value;
      filters.push([field, filter]);
    }
    const made = await make(body);
    assert.equal(made.status, 201, made.text);
    const { body: empty } = await make({});
    for (const [field, value] of Object.entries(body)) {
      assert.deepEqual(made.body[field], value);
      assert.equal(empty[field], null);
    }
    const read = await elsewhere('GET', `/clients/${made.body.id}?fields=${Object.keys(body)}`);
    assert.deepEqual(read.body, body);
    for (const [field, filter] of filters) {
      const ids = async (query: string) => {
        const response = await client.call('GET', `/clients?fields=id&${query}`);
        assert.equal(response.status, 200, response.text);
        return response.body.map(({ id }: { id: number }) => id);
      };
      assert.deepEqual(await ids(`${field}=${encodeURIComponent(filter)}`), [made.body.id]);
      assert.deepEqual(await ids(`${field}=null`), [empty.id]);
      if (Array.isArray(body[field])) continue;
      assert.deepEqual(await ids(`sort=${field}`), [made.body.id, empty.id]);
      assert.deepEqual(await ids(`sort=-${field}`), [empty.id, made.body.id]);
    }
    const cleared = Object.fromEntries(Object.keys(body).map(field => [field, null]));
    const put = await client.call('PUT', `/clients/${made.body.id}`, { body: cleared });
    for (const field of Object.keys(body)) assert.equal(put.body[field], null, put.text);
    const back = await client.call('PUT', `/clients/${made.body.id}`, { body: { ...put.body, ...body } });
    for (const [field, value] of Object.entries(body)) assert.deepEqual(back.body[field], value);
    const embedded = await client.call('POST', '/projects', { body: { name: 'P', client_id: made.body.id } });
    const [first = ''] = Object.keys(body);
    const { body: project } = await client.call('GET', `/projects/${embedded.body.id}?embed=client.${first}`);
    assert.deepEqual(project.client, { [first]: body[first] });
  });

  it('tells all that is wrong with values at once', async () => {
    const { id: collection_id, values } = await collection(client, 'Some', 1);
    const { values: foreign } = await collection(client, 'Others', 1);
    const cases: [type: string, value: unknown, code: string][] = [
      ['text', 5, 'invalid_type'],
      ['text', 'x'.repeat(501), 'too_long'],
      ['number', '5', 'invalid_type'],
      ['boolean', 2, 'invalid_type'],
      ['date', '2026-02-30', 'invalid_format'],
      ['email', 'nobody', 'invalid_format'],
      ['phone', 'call me', 'invalid_format'],
      ['select', foreign[0], 'not_in_collection'],
      ['multi_select', [values[0], foreign[0]], 'not_in_collection'],
      ['multi_select', 'x', 'invalid_type'],
    ];
    const body: Record<string, unknown> = {};
    const expected: Record<string, string> = {};
    for (const [type, value, code] of cases) {
      const field = await addAttribute(client, type, type.includes('select') ? { collection_id } : {});
      body[field] = value;
      expected[field] = code;
    }
    const missing = await addAttribute(client, 'text', { required: 1 });
    const response = await make(body);
    assert.equal(response.status, 422, response.text);
    // Of a list, the item is named.
    const chosen = Object.keys(expected).find(field => Array.isArray(body[field])) ?? '';
    const { [chosen]: code = '', ...others } = expected;
    assert.deepEqual(codes(response), { ...others, [`${chosen}.1`]: code, [missing]: 'not_empty' });
    await client.call('PUT', `/attributes/${missing.slice('dynamic_field_'.length)}`, { body: { required: 0 } });
    const country = await make({ country: values[0] });
    assert.deepEqual(codes(country), { country: 'not_in_collection' });
  });

  it('knows a new field at once on every instance, and that it is gone as soon as it is deleted', async () => {
    await elsewhere('GET', '/clients');
    const field = await addAttribute(client, 'text');
    const made = await elsewhere('POST', '/clients', { body: { company: 'C', [field]: 'here' } });
    assert.equal(made.body[field], 'here', made.text);
    assert.equal((await elsewhere('GET', `/clients?${field}=here`)).body.length, 1);
    await remove(field);
    for (const call of [elsewhere, client.call]) {
      for (const path of [
        `/clients?${field}=here`,
        `/clients?sort=${field}`,
        `/clients?fields=${field}`,
        `/clients/${made.body.id}?fields=${field}`,
        `/projects?embed=client.${field}`,
      ]) {
        const response = await call('GET', path);
        assert.deepEqual([response.status, response.body.code], [410, 'field_deleted'], path);
      }
      const response = await call('POST', '/clients', { body: { company: 'C', [field]: 'x' } });
      assert.deepEqual([response.status, response.body.code], [410, 'field_deleted']);
      assert.ok(!(field in (await call('GET', `/clients/${made.body.id}`)).body));
    }
  });

  it('keeps a field to its tenant', async () => {
    const stranger = await app.newClient();
    const field = await addAttribute(client, 'text');
    for (const path of [`/clients?${field}=x`, `/clients?sort=${field}`, `/clients?fields=${field}`]) {
      const response = await stranger.call('GET', path);
      assert.deepEqual([response.status, response.body.code], [400, 'unknown_field']);
    }
    const response = await make({ [field]: 'x' }, stranger);
    assert.deepEqual(codes(response), { [field]: 'unknown_field' });
    const theirs = await addAttribute(stranger, 'text');
    await make({ [theirs]: 'theirs' }, stranger);
    await make({ [field]: 'ours' });
    assert.deepEqual((await client.call('GET', `/clients?${field}=theirs`)).body, []);
  });

  it('goes on where no slot is left', async () => {
    const crowded = await app.newClient();
    const fields: string[] = [];
    for (let index = 0; index < 26; index++) fields.push(await addAttribute(crowded, 'number'));
    const last = fields.at(-1) as string;
    for (const value of [3, 1, 2]) await make({ [last]: value, [fields[0] as string]: value }, crowded);
    const { body } = await crowded.call('GET', `/clients?sort=-${last}&${last}=>1&fields=${last},${fields[0]}`);
    assert.deepEqual(
      body,
      [3, 2].map(value => ({ [last]: value, [fields[0] as string]: value })),
    );
  });

  it('demands a value where a predefined attribute does, and always where the spec does', async () => {
    const strict = await app.newClient();
    const refusal = async (body: object) => codes(await strict.call('POST', '/clients', { body }));
    const demand = (id: number, required: number) => strict.call('PUT', `/attributes/${id}`, { body: { required } });
    assert.equal((await demand(15, 1)).body.required, 1);
    assert.deepEqual(await refusal({ company: 'C' }), { city: 'not_empty' });
    const { body: made } = await make({ city: 'Kiel' }, strict);
    assert.deepEqual(codes(await strict.call('PUT', `/clients/${made.id}`, { body: { city: null } })), {
      city: 'not_empty',
    });
    const { body: document } = await strict.call('GET', '/openapi.json');
    assert.deepEqual(document.components.schemas.ClientCreate.required, ['company', 'city']);
    assert.equal((await demand(15, 0)).body.required, 0);
    assert.equal((await make({}, strict)).status, 201);
    assert.deepEqual(codes(await demand(11, 0)), { required: 'read_only' });
    assert.deepEqual(await refusal({}), { company: 'not_empty' });
  });

  it('keeps a deleted choice that a record has among others, and takes none anew', async () => {
    const { id: collection_id, values } = await collection(client, 'Kept', 3);
    const [first, second, third] = values;
    const field = await addAttribute(client, 'multi_select', { collection_id });
    const { body: made } = await make({ [field]: [first, second] });
    await client.call('PUT', `/collections/${collection_id}/value/${second}`, { body: { deleted: 1 } });
    const choose = (...chosen: (number | undefined)[]) =>
      client.call('PUT', `/clients/${made.id}`, { body: { [field]: chosen } });
    assert.deepEqual((await choose(third, second)).body[field], [third, second]);
    assert.deepEqual((await choose(third)).body[field], [third]);
    assert.deepEqual(codes(await choose(third, second)), { [`${field}.1`]: 'reference_inactive' });
  });

  it('has a category of sensitive data, or none', async () => {
    const field = await addAttribute(client, 'text', { category: 'health' });
    const path = `/attributes/${field.slice('dynamic_field_'.length)}`;
    assert.equal((await client.call('GET', path)).body.category, 'health');
    assert.equal((await client.call('PUT', path, { body: { category: null } })).body.category, null);
    const wrong = await client.call('PUT', path, { body: { category: 'secret' } });
    assert.deepEqual(codes(wrong), { category: 'not_in_enumeration' });
  });

  it('does not delete a predefined attribute', async () => {
    const { status } = await client.call('DELETE', '/attributes/11');
    assert.ok(status >= 400);
    assert.equal((await client.call('GET', '/clients?company=x')).status, 200);
  });
});
