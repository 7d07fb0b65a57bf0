import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachApp } from '../support/for-each-app.ts';

forEachApp(client => {
  it('a body with very many errors gets a short response: 100 of them and their number', async () => {
    const body = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 1]));
    const { status, body: failure, text } = await client.call('POST', '/projects', { body: { ...body, name: 'P' } });
    assert.equal(status, 422);
    assert.equal(failure.errors.length, 101);
    const last = failure.errors.at(-1);
    assert.deepEqual([last.code, last.count], ['too_many_errors', 90_000]);
    assert.ok(text.length < 50_000, String(text.length));
  });
});
