import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const get = async (path: string) => (await client.call('GET', path)).body;

  test('a collection that is not editable refuses every write of it and of its values', async () => {
    const [collection] = await get('/collections?identifier=country');
    assert.equal(collection.editable, 0);
    const [value] = await get(`/collections/${collection.id}/values`);
    const path = `/collections/${collection.id}`;
    const writes: [method: string, path: string, body?: object][] = [
      ['PUT', path, { name: 'Lands' }],
      ['PUT', path, { deleted: 1 }],
      ['DELETE', path],
      ['POST', `${path}/value`, { name: 'Atlantis' }],
      ['PUT', `${path}/value`, { id: value.id, name: 'Atlantis' }],
      ['PUT', `${path}/value/${value.id}`, { deleted: 1 }],
      ['DELETE', `${path}/value?value_id=${value.id}`],
      ['DELETE', `${path}/value/${value.id}`],
    ];
    const before = [await get(path), await get(`${path}/values`)];
    for (const [method, at, body] of writes) {
      const response = await client.call(method, at, body ? { body } : {});
      assert.deepEqual([response.status, response.body?.code], [403, 'forbidden'], `${method} ${at}`);
    }
    assert.deepEqual([await get(path), await get(`${path}/values`)], before);
    assert.equal((await client.call('PUT', path, { body: collection })).status, 200);
  });

  test('one value is addressed in the query, in the body or in the path', async () => {
    const { body: collection } = await client.call('POST', '/collections', { body: { name: 'Sizes' } });
    const at = `/collections/${collection.id}/value`;
    const { body: value } = await client.call('POST', at, { body: { name: 'M' } });
    const inBody = await client.call('PUT', at, { body: { id: value.id, name: 'L' } });
    assert.deepEqual([inBody.status, inBody.body.name], [200, 'L'], inBody.text);
    const whole = await client.call('PUT', at, { body: { ...inBody.body, name: 'XL' } });
    assert.deepEqual([whole.status, whole.body.name], [200, 'XL'], whole.text);
    const without = await client.call('PUT', at, { body: { name: 'S' } });
    assert.deepEqual(
      [without.status, without.body.errors[0].code, without.body.errors[0].field],
      [422, 'not_empty', 'id'],
    );
    const inPath = await client.call('PUT', `${at}/${value.id}`, { body: { name: 'XXL' } });
    assert.equal(inPath.body.name, 'XXL', inPath.text);
    for (const path of [`${at}?value_id=${value.id}`, `${at}/${value.id}`])
      assert.deepEqual(await get(path), inPath.body);
    const { paths, components } = await get('/openapi.json');
    const name = paths['/collections/{id}/value'].put.requestBody.content['application/json'].schema.$ref
      .split('/')
      .at(-1);
    assert.deepEqual(components.schemas[name].required, ['id']);
    assert.equal((await client.call('DELETE', `${at}?value_id=${value.id}`)).status, 204);
    assert.equal((await get(`${at}/${value.id}`)).deleted, 1);
  });

  test('a deleted collection, and a deleted value, stay readable and are refused as references', async () => {
    const { body: collection } = await client.call('POST', '/collections', { body: { name: 'Sizes' } });
    const { body: value } = await client.call('POST', `/collections/${collection.id}/value`, { body: { name: 'M' } });
    const [form] = await get('/forms?entity=clients');
    const attribute = { name: 'Size', type: 'select', collection_id: collection.id };
    const made = await client.call('POST', `/forms/${form.id}/attributes`, { body: attribute });
    const field = `dynamic_field_${made.body.id}`;
    const { body: holder } = await client.call('POST', '/clients', { body: { company: 'C', [field]: value.id } });
    assert.equal(holder[field], value.id);
    const refusal = async (body: object) => {
      const response = await client.call('POST', '/clients', { body: { company: 'C', ...body } });
      return response.body.errors?.map(({ code }: { code: string }) => code);
    };
    await client.call('PUT', `/collections/${collection.id}/value`, { body: { id: value.id, deleted: true } });
    assert.deepEqual(await refusal({ [field]: value.id }), ['reference_inactive']);
    assert.equal((await get(`/clients/${holder.id}`))[field], value.id);
    assert.equal(
      (await client.call('PUT', `/clients/${holder.id}`, { body: { ...holder, city: 'Kiel' } })).status,
      200,
    );
    await client.call('PUT', `/collections/${collection.id}/value`, { body: { id: value.id, deleted: 0 } });
    assert.equal(await refusal({ [field]: value.id }), undefined);
    assert.equal(
      (await client.call('PUT', `/collections/${collection.id}`, { body: { deleted: true } })).body.deleted,
      1,
    );
    assert.deepEqual(await refusal({ [field]: value.id }), ['reference_inactive']);
    assert.equal((await get(`/collections?id=${collection.id}`)).length, 1);
    assert.equal((await get(`/collections?id=${collection.id}&deleted=0`)).length, 0);
    const late = await client.call('POST', `/forms/${form.id}/attributes`, { body: { ...attribute, name: 'Late' } });
    assert.equal(late.body.errors[0].code, 'reference_inactive');
    assert.deepEqual(
      (await get(`/collections/${collection.id}/objects`)).map(({ id }: { id: number }) => id),
      [made.body.id],
    );
  });

  test('the selects that every tenant has take values of their own collection only', async () => {
    const firstOf = async (identifier: string) => {
      const [{ id }] = await get(`/collections?identifier=${identifier}`);
      return (await get(`/collections/${id}/values`))[0].id;
    };
    const [country, gender] = [await firstOf('country'), await firstOf('gender')];
    const bodies: [resource: string, required: object, field: string, right: number, wrong: number][] = [
      ['clients', { company: 'C' }, 'country', country, gender],
      ['employees', { firstname: 'A', lastname: 'B' }, 'country', country, gender],
      ['employees', { firstname: 'A', lastname: 'B' }, 'gender', gender, country],
    ];
    for (const [resource, required, field, right, wrong] of bodies) {
      const made = await client.call('POST', `/${resource}`, { body: { ...required, [field]: right } });
      assert.equal(made.body[field], right, made.text);
      for (const value of [wrong, 9_007_199_254_740_991]) {
        const { body } = await client.call('PUT', `/${resource}/${made.body.id}`, { body: { [field]: value } });
        assert.deepEqual([body.errors[0].code, body.errors[0].field], ['not_in_collection', field]);
      }
    }
  });

  test('values moved at the same time never end up below themselves', async () => {
    const { body: collection } = await client.call('POST', '/collections', { body: { name: 'Places' } });
    const add = async (parent_id: number | null): Promise<number> =>
      (await client.call('POST', `/collections/${collection.id}/value`, { body: { name: 'V', parent_id } })).body.id;
    const move = (id: number, parent_id: number) =>
      client.call('PUT', `/collections/${collection.id}/value/${id}`, { body: { parent_id } });
    for (let round = 0; round < 10; round++) {
      const [top, other] = [await add(null), await add(null)];
      const [below, otherBelow] = [await add(top), await add(other)];
      const moved = await Promise.all([move(top, otherBelow), move(other, below)]);
      assert.deepEqual(moved.map(({ status }) => status).toSorted(), [200, 422], `round ${round}`);
      assert.equal(moved.find(({ status }) => status === 422)?.body.errors[0].code, 'not_in_collection');
    }
  });
});
