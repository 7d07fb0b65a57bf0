import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';

forEachApp(client => {
  it('the name of a client is its company: shown, filtered, sorted, embedded, and not written', async () => {
    const scene = new Scene(client);
    const made = await client.call('POST', '/clients', { body: { company: 'Zum Anker' } });
    assert.deepEqual([made.status, made.body.name], [201, 'Zum Anker']);
    const { id } = made.body;
    await scene.create('clients', { company: 'Alster' });
    const found = await client.call('GET', '/clients?name=~anker&sort=-name&fields=id,name');
    assert.deepEqual(found.body, [{ id, name: 'Zum Anker' }]);
    const contact = await scene.create('contacts', { client_id: id, lastname: 'Lang' });
    const embedded = await client.call('GET', `/contacts/${contact}?fields=id&embed=client.id,client.name,events`);
    assert.deepEqual(embedded.body, { id: contact, client: { id, name: 'Zum Anker' }, events: [] });
    const put = await client.call('PUT', `/clients/${id}`, { body: { ...made.body, company: 'Neu' } });
    assert.deepEqual([put.status, put.body.company, put.body.name], [200, 'Neu', 'Neu']);
    const refused = await client.call('POST', '/clients', { body: { company: 'A', name: 'B' } });
    assert.deepEqual([refused.status, refused.body.errors[0].code], [422, 'read_only']);
  });

  it('an embedded field that does not exist is unknown_field with the nearest one; embed_too_deep names a second relation', async () => {
    const unknown = await client.call('GET', '/contacts?embed=client.compny');
    assert.deepEqual([unknown.status, unknown.body.code], [400, 'unknown_field']);
    assert.match(unknown.body.message, /compny is not a field of clients\. Did you mean company\?/);
    for (const path of ['client.events', 'client.events.id', 'client.clientEvents']) {
      const deep = await client.call('GET', `/contacts?embed=${path}`);
      assert.deepEqual([deep.status, deep.body.code], [400, 'embed_too_deep'], path);
    }
  });
});
