import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { operationOf } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';

const table: Readonly<Record<string, Resource>> = resources;

forEachApp(client => {
  const scene = new Scene(client);

  describe('If-Match', () => {
    for (const { name, keepsDeleted } of Object.values(table)) {
      if (!operationOf(name, 'create') || !operationOf(name, 'update')) continue;

      it(`allows a change of ${name} with the current tag only`, async () => {
        const path = await scene.recordPath(name, await scene.create(name));
        const { headers, body } = await client.call('GET', path);
        const put = (tag: string) => client.call('PUT', path, { headers: { 'If-Match': tag }, body });
        const refused = await put('"0000"');
        assert.deepEqual([refused.status, refused.body.code], [412, 'precondition_failed']);
        const passed = await put(String(headers.etag));
        assert.equal(passed.status, 200, passed.text);
        assert.equal(passed.headers.etag, headers.etag);
        if (!operationOf(name, 'delete')) return;
        const remove = (tag: string) => client.call('DELETE', path, { headers: { 'If-Match': tag } });
        assert.equal((await remove('"0000"')).status, 412);
        assert.equal((await client.call('GET', path)).text, passed.text);
        assert.equal((await remove(String(headers.etag))).status, 204);
        assert.equal((await client.call('GET', path)).status, keepsDeleted ? 200 : 404);
      });

      it(`of ${name} is checked after the parameters and the record’s existence and before the body’s fields`, async () => {
        const path = await scene.recordPath(name, await scene.create(name));
        const missing = await scene.recordPath(name, 999_999_999);
        const tag = String((await client.call('GET', path)).headers.etag);
        const [wrong, right] = [{ 'If-Match': '"x"' }, { 'If-Match': tag }];
        const steps: [target: string, headers: Record<string, string>, want: number][] = [
          [`${missing}?nonsense=1`, wrong, 400],
          [missing, wrong, 404],
          [path, wrong, 412],
          [path, right, 422],
        ];
        for (const [target, headers, want] of steps)
          assert.equal(
            (await client.call('PUT', target, { headers, body: { nonsense: 1 } })).status,
            want,
            `PUT ${want}`,
          );
        if (!operationOf(name, 'delete')) return;
        for (const [target, headers, want] of steps.slice(0, 3))
          assert.equal((await client.call('DELETE', target, { headers })).status, want, `DELETE ${want}`);
      });
    }

    it('accepts the tag of the same format, gzipped or not, weak or not, in a list, and *', async () => {
      const path = `/clients/${await scene.create('clients')}`;
      const tagOf = async (address: string) =>
        String((await client.call('GET', address, { headers: { 'Accept-Encoding': 'identity' } })).headers.etag);
      const put = async (address: string, tag: string) =>
        (await client.call('PUT', address, { headers: { 'If-Match': tag }, body: {} })).status;
      const [json, xml] = [await tagOf(path), await tagOf(`${path}.xml`)];
      for (const tag of [json, `W/${json}`, `${json.slice(0, -1)}-gzip"`, `"x", ${json}`, '*'])
        assert.equal(await put(path, tag), 200, tag);
      assert.equal(await put(`${path}.json?envelope=false`, json), 200);
      assert.equal(await put(`${path}.xml`, xml), 200);
      for (const tag of [xml, '', 'x', '"x"', 'W/"x"', json.slice(1)]) assert.equal(await put(path, tag), 412, tag);
    });

    it('allows only one of several changes with the same tag', async () => {
      const path = `/clients/${await scene.create('clients')}`;
      const { headers } = await client.call('GET', path);
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          client.call('PUT', path, {
            headers: { 'If-Match': String(headers.etag) },
            body: { company: `Company ${index}` },
          }),
        ),
      );
      const statuses = responses.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, ...Array(7).fill(412)]);
      const passed = responses.find(({ status }) => status === 200);
      assert.equal((await client.call('GET', path)).text, passed?.text);
    });
  });
});
