import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors } from '../../domain/staffing/scene.ts';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp((client, app) => {
  const create = async (path: string, body: object): Promise<number> => {
    const response = await client.call('POST', path, { body });
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  };
  const newCollection = () => create('/collections', { name: 'Sizes' });

  describe('an identifier', () => {
    it('is unique among the values of a collection that are not deleted, also when one is undeleted', async () => {
      const [collection, other] = [await newCollection(), await newCollection()];
      const path = `/collections/${collection}/value`;
      const value = { name: 'M', identifier: 'm' };
      const id = await create(path, value);
      assertErrors(await client.call('POST', path, { body: value }), 'not_unique identifier');
      await create(`/collections/${other}/value`, value);
      await create(path, { name: 'None', identifier: null });
      const renamed = await create(path, { name: 'None' });
      const put = (body: object) => client.call('PUT', path, { body });
      assertErrors(await put({ id: renamed, identifier: 'm' }), 'not_unique identifier');
      assert.equal((await client.call('DELETE', `${path}/${id}`)).status, 204);
      const second = await create(path, value);
      assertErrors(await put({ id, deleted: 0 }), 'not_unique identifier');
      assert.equal((await put({ id: second, identifier: 'l' })).status, 200);
      assert.equal((await put({ id, deleted: 0 })).status, 200);
    });

    it('of forms is unique, null excepted', async () => {
      const form = { name: 'Report', identifier: `report-${Date.now()}` };
      await create('/forms', form);
      assertErrors(await client.call('POST', '/forms', { body: form }), 'not_unique identifier');
      const other = await create('/forms', { name: 'Report' });
      await create('/forms', { name: 'Report', identifier: null });
      assertErrors(await client.call('PUT', `/forms/${other}`, { body: form }), 'not_unique identifier');
    });

    it('of eight values, or forms, created at once with the same one, one has it', async () => {
      const path = `/collections/${await newCollection()}/value`;
      for (const target of [path, '/forms']) {
        const body = { name: 'M', identifier: `of ${target}` };
        const responses = await Promise.all(Array.from({ length: 8 }, () => client.call('POST', target, { body })));
        assertOne(responses, 'not_unique identifier');
      }
    });
  });

  describe('the default language', () => {
    it('is one at most', async () => {
      const own = await app.newClient();
      const { body: languages } = await own.call('GET', '/languages');
      for (const { id } of languages) await own.call('PUT', `/languages/${id}`, { body: { is_default: 0 } });
      const body = { name: 'English', is_default: 1 };
      const responses = await Promise.all(Array.from({ length: 8 }, () => own.call('POST', '/languages', { body })));
      assertOne(responses, 'not_unique is_default');
      const other = await own.call('PUT', `/languages/${languages[0].id}`, { body: { is_default: 1 } });
      assertErrors(other, 'not_unique is_default');
    });
  });
});

/** That one of the requests has created a record, and the others have this error. */
const assertOne = (responses: readonly ApiResponse[], error: string): void => {
  const others = responses.filter(({ status }) => status !== 201);
  assert.equal(others.length, responses.length - 1);
  for (const response of others) assertErrors(response, error);
};
