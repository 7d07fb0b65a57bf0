import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachApp } from '../support/for-each-app.ts';

forEachApp(client => {
  it('a cursor continues only the listing that returned it, whatever the resource, the parent or the predefined listing', async () => {
    for (const name of ['A', 'B']) {
      await client.call('POST', '/languages', { body: { name, code: name.toLowerCase() } });
      const { body } = await client.call('POST', '/collections', { body: { name } });
      for (const value of ['x', 'y'])
        await client.call('POST', `/collections/${body.id}/value`, { body: { name: value, identifier: value } });
    }
    const { body: collections } = await client.call('GET', '/collections?sort=-id&limit=2&fields=id');
    const [first, second] = collections.map(({ id }: { id: number }) => `/collections/${id}/values`);
    const cursorOf = async (path: string) => {
      const { headers, text } = await client.call('GET', `${path}?limit=1`);
      const cursor = /cursor=([^&>]+)/.exec(String(headers.link))?.[1];
      assert.ok(cursor, `${path}: ${text}`);
      return cursor;
    };
    const go = async (path: string, cursor: string) => {
      const { status, body } = await client.call('GET', `${path}?limit=1&cursor=${cursor}`);
      return status === 200 ? status : `${status} ${body.code}`;
    };
    for (const [path, others] of [
      ['/collections', ['/clients', '/forms', first]],
      [first, [second, '/collections']],
    ] as const) {
      const cursor = await cursorOf(path);
      assert.equal(await go(path, cursor), 200);
      for (const other of others) assert.equal(await go(other, cursor), '400 invalid_cursor', `${path} ${other}`);
    }
    assert.equal(await go('/events/today', await cursorOf('/collections')), '400 invalid_cursor');
  });

  it('a forged cursor is invalid if the database could not read its number', async () => {
    const { body: forms } = await client.call('GET', '/forms?entity=clients');
    const attribute = { entity_id: forms[0].id, name: 'Size', type: 'number' };
    const { id } = (await client.call('POST', '/attributes', { body: attribute })).body;
    const field = `dynamic_field_${id}`;
    for (const value of [0.000001, 1e12, null])
      await client.call('POST', '/clients', { body: { company: 'Alba', [field]: value } });
    const path = `/clients?sort=${field}&limit=1`;
    const { headers } = await client.call('GET', path);
    const cursor = /cursor=([^&>]+)/.exec(String(headers.link))?.[1] ?? '';
    const [bound, value, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    assert.equal(value, '1e-06');
    const go = async (forged: string) => {
      const text = Buffer.from(JSON.stringify([bound, forged, key])).toString('base64url');
      const { status, body } = await client.call('GET', `${path}&cursor=${text}`);
      return status === 200 ? body.length : `${status} ${body.code}`;
    };
    for (const [forged, want] of [
      ['1e+999', '400 invalid_cursor'],
      ['-1e-999', '400 invalid_cursor'],
      ['NaN', '400 invalid_cursor'],
      ['-0', 1],
      ['1.5e-300', 1],
    ] as const)
      assert.equal(await go(forged), want, forged);
  });

  it('a name of a noncharacter is invalid, on writes and in attributes', async () => {
    for (const character of ['\ufffe', 'a\ufdd0', '\u{1ffff}']) {
      const { status, body } = await client.call('POST', '/clients', { body: { company: character } });
      assert.deepEqual([status, body.errors?.[0].code], [422, 'invalid_character']);
    }
  });
});
