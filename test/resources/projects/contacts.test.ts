import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertErrors, Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const span = { start: '2026-06-12T16:00:00Z', end: '2026-06-12T22:00:00Z' };

forAnyApp(client => {
  const staffing = new Staffing(client);
  const send = (method: string, path: string, body: object) => client.call(method, path, { body });
  let [own, other, contact, stranger] = [0, 0, 0, 0];

  before(async () => {
    own = await staffing.create('clients', { company: 'Own' });
    other = await staffing.create('clients', { company: 'Other' });
    contact = await staffing.create('contacts', { client_id: own, lastname: 'A' });
    stranger = await staffing.create('contacts', { client_id: other, lastname: 'B' });
  });

  it('a project takes a contact of its client, or any contact without a client', async () => {
    const foreign = { name: 'P', client_id: own, contact_id: stranger };
    assertErrors(await send('POST', '/projects', foreign), 'reference_mismatch contact_id');
    await staffing.create('projects', { name: 'P', contact_id: stranger });
    const id = await staffing.create('projects', { name: 'P', client_id: own, contact_id: contact });
    assertErrors(await send('PUT', `/projects/${id}`, { contact_id: stranger }), 'reference_mismatch contact_id');
    assertErrors(await send('PUT', `/projects/${id}`, { client_id: other }), 'reference_mismatch contact_id');
    const both = await send('PUT', `/projects/${id}`, { client_id: other, contact_id: stranger });
    assert.equal(both.status, 200, both.text);
  });

  it("an event takes a contact of its own client or else of its project's", async () => {
    const project_id = await staffing.create('projects', { name: 'P', client_id: own, contact_id: contact });
    const event = { project_id, name: 'E', ...span };
    const foreign = await send('POST', '/events', { ...event, contact_id: stranger });
    assertErrors(foreign, 'reference_mismatch contact_id');
    await staffing.create('events', { ...event, client_id: other, contact_id: stranger });
    const id = await staffing.create('events', { ...event, contact_id: contact });
    assertErrors(await send('PUT', `/events/${id}`, { contact_id: stranger }), 'reference_mismatch contact_id');
    assertErrors(await send('PUT', `/events/${id}`, { client_id: other }), 'reference_mismatch contact_id');
    const elsewhere = await staffing.create('projects', { name: 'P', client_id: other });
    assertErrors(await send('PUT', `/events/${id}`, { project_id: elsewhere }), 'reference_mismatch contact_id');
    assert.equal((await send('PUT', `/events/${id}`, { contact_id: null })).status, 200);
  });

  it('a project changes its client only if the contacts of its events fit', async () => {
    const project_id = await staffing.create('projects', { name: 'P', client_id: own });
    const id = await staffing.create('events', { project_id, name: 'E', contact_id: contact, ...span });
    const change = () => send('PUT', `/projects/${project_id}`, { client_id: other });
    assertErrors(await change(), 'reference_mismatch client_id');
    await send('PUT', `/events/${id}`, { contact_id: null });
    assert.equal((await change()).status, 200);
  });
});
