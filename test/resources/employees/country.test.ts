import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  it('an empty country of an employee is none', async () => {
    const body = { firstname: 'A', lastname: 'B', country: '' };
    const { status, body: made, text } = await client.call('POST', '/employees', { body });
    assert.equal(status, 201, text);
    assert.equal(made.country, null);
  });
});
