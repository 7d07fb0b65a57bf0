import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { forEachApp } from '../support/for-each-app.ts';

forEachApp(client => {
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
    const answer = await create({ gender, country });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual([answer.body.gender, answer.body.country], [gender, country]);
  });

  test('a select refuses values of another collection', async () => {
    const answer = await create({ gender: country });
    assert.equal(answer.status, 422, answer.text);
    assert.deepEqual(
      answer.body.errors.map(({ code, field }: { code: string; field: string }) => [field, code]),
      [['gender', 'not_in_collection']],
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
    const answer = await create({ gender });
    assert.equal(answer.body.errors[0].code, 'reference_inactive');
    assert.equal((await client.call('GET', `/employees/${kept.id}`)).body.gender, gender);
    assert.equal((await client.call('PUT', `/employees/${kept.id}`, { body: { gender, zip: '1' } })).status, 200);
  });
});
