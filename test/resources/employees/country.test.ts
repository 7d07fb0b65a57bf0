import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachApp } from '../../support/for-each-app.ts';

forEachApp(client => {
  it('an empty country of an employee is none', async () => {
    const body = { firstname: 'A', lastname: 'B', country: '' };
    const { status, body: made, text } = await client.call('POST', '/employees', { body });
    assert.equal(status, 201, text);
    assert.equal(made.country, null);
  });
});
