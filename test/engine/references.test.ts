import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { forAnyApp } from '../support/for-each-app.ts';

forAnyApp(client => {
  let gender: number;
  let country: number;

  before(async () => {
    const firstOf = async (identifier: string) => {
      const [collection] = (await client.call('GET', `/collections?identifier=${identifier}`)).body;
      const [value] = (await client.call('GET', `/collections/${collection.id}/values`)).body;
      return { value: value.id, collection: collection.id };
    };
    ({ value: gender } = await firstOf('gender'));
    ({ value: country } = await firstOf('country'));
  });

  const create = (body: object) =>
    client.call('POST', '/employees', { body: { firstname: 'A', lastname: 'B', ...body } });

  test('a select takes values of its collection', async () => {
    const response = await create({ gender, country });
    assert.equal(response.status, 201, response.text);
    assert.deepEqual([response.body.gender, response.body.country], [gender, country]);
  });

  test('a select takes the identifier of a value and stores its id', async () => {
    const { body: made } = await create({ gender: 'female', country: 'DE' });
    assert.deepEqual([made.gender, made.country], [gender, country]);
    const path = `/employees/${made.id}`;
    const { body: other } = await client.call('PUT', path, { body: { gender: 'diverse' } });
    assert.ok(Number.isInteger(other.gender) && other.gender !== gender);
    const place = await client.call('POST', '/locations', { body: { name: 'L', city: 'Rostock', country: 'DE' } });
    assert.deepEqual([place.body.country, place.body.address], [country, 'Rostock, DE'], place.text);
    const wrong = await client.call('PUT', `/locations/${place.body.id}`, { body: { country: gender } });
    assert.equal(wrong.body.errors[0].code, 'not_in_collection', wrong.text);
  });

  test('selects of several kinds take identifiers, too, alone or among ids', async () => {
    const { body: sizes } = await client.call('POST', '/collections', { body: { name: 'Sizes' } });
    const add = async (name: string) =>
      (await client.call('POST', `/collections/${sizes.id}/value`, { body: { name, identifier: `size-${name}` } })).body
        .id;
    const [m, l] = [await add('M'), await add('L')];
    const [form] = (await client.call('GET', '/forms?entity=employees')).body;
    const field = async (type: string) => {
      const body = { name: type, type, collection_id: sizes.id };
      return `dynamic_field_${(await client.call('POST', `/forms/${form.id}/attributes`, { body })).body.id}`;
    };
    const [one, several, level] = [await field('select'), await field('multi_select'), await field('level_select')];
    const made = await create({ [one]: 'size-M', [several]: [l, 'size-M'], [level]: 'size-L' });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.body[one], made.body[several], made.body[level]], [m, [l, m], l]);
    const { body: refused } = await create({ [one]: 'size-S', [several]: [m, 'size-XL'], [level]: 7 });
    assert.deepEqual(
      refused.errors.map(({ code, field }: Record<string, string>) => [field, code]),
      [one, `${several}.1`, level].map(name => [name, 'not_in_collection']),
    );
    assert.match(
      refused.errors[0].message,
      /collection Sizes has no value size-S \(by id, a number, or by identifier\)\. The nearest value is \d+, size-[ML]/,
    );
    assert.match(refused.errors[1].message, /The nearest value is \d+, size-L, L\./);
  });

  test('the identifier of the value that a record has is no change', async () => {
    const { body: made } = await create({ gender: 'female' });
    await client.database
      .forTenant(client.tenant)
      .transaction(({ kysely }) =>
        kysely.updateTable('employees').set({ updated_at: '2026-01-01T00:00:00Z' }).where('id', '=', made.id).execute(),
      );
    const { body } = await client.call('PUT', `/employees/${made.id}`, { body: { gender: 'female' } });
    assert.equal(body.updated_at, '2026-01-01T00:00:00Z');
  });

  test('a select refuses values of another collection', async () => {
    const response = await create({ gender: country });
    assert.equal(response.status, 422, response.text);
    assert.deepEqual(
      response.body.errors.map(({ code, field }: { code: string; field: string }) => [field, code]),
      [['gender', 'not_in_collection']],
    );
    assert.match(
      response.body.errors[0].message,
      /the collection Gender has no value \d+ \(.*\)\. The nearest value is \d+, \w+/,
    );
  });

  test('a deleted value stays where it is and takes no new references', async () => {
    const { body: kept } = await create({ gender });
    // The API leaves the values of this collection as they are.
    await client.database
      .forTenant(client.tenant)
      .transaction(({ kysely }) =>
        kysely.updateTable('collection_values').set({ deleted: true }).where('id', '=', gender).execute(),
      );
    const response = await create({ gender });
    assert.equal(response.body.errors[0].code, 'reference_inactive');
    assert.equal((await client.call('GET', `/employees/${kept.id}`)).body.gender, gender);
    assert.equal((await client.call('PUT', `/employees/${kept.id}`, { body: { gender, zip: '1' } })).status, 200);
  });
});
