import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { modules } from '../../../src/core/resource/modules.ts';
import { keptFor, removeOld } from '../../../src/server/jobs/retention.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

interface Entry {
  readonly position: number;
  readonly resource: string;
  readonly id: number;
  readonly change: string;
  readonly fields: readonly string[];
}

/** Reads changes with the given query string. */
const changesOf = async (client: Client, query = '') => {
  const { status, body, text } = await client.call('GET', `/changes?${query}`);
  assert.equal(status, 200, text);
  return body as { readonly changes: readonly Entry[]; readonly next: string; readonly caught_up: number };
};

const brief = (entries: readonly Entry[]) => entries.map(({ resource, id, change }) => `${resource} ${id} ${change}`);

forAnyApp((_, app) => {
  describe('the changes', () => {
    test('have the external id of each record, also where no path has it', async () => {
      const client = await app.newClient();
      const { body: before } = await client.call('GET', '/changes?after=now');
      const profile = { name: 'A', is_default: 1, external_id: 'profile' };
      const { body: made } = await client.call('POST', '/billing-profiles', { body: profile });
      const component = { billing_profile_id: made.id, name: 'A', unit: 'hour', rate: 1, external_id: 'component' };
      const { body: part, text } = await client.call('POST', '/billing-components', { body: component });
      const path = `/billing-components/${part.id}`;
      assert.equal((await client.call('PUT', path, { body: { name: 'B' } })).status, 200, text);
      await client.call('PUT', path, { body: { external_id: 'other' } });
      const { body: later } = await client.call('GET', `/changes?after=${before.next}`);
      assert.deepEqual(
        later.changes.map((entry: { external_id: string }) => entry.external_id),
        ['profile', 'component', 'component', 'other'],
      );
    });

    test('are numbered from 1 without gaps, from the oldest, and read on from a cursor', async () => {
      const client = await app.newClient();
      const all = await changesOf(client, 'limit=1000');
      assert.deepEqual(
        all.changes.map(({ position }) => position),
        all.changes.map((_, index) => index + 1),
      );
      assert.equal(all.caught_up, 1);
      assert.deepEqual(await changesOf(client, `after=${all.next}`), { changes: [], next: all.next, caught_up: 1 });

      const { body: made } = await client.call('POST', '/clients', { body: { company: 'A' } });
      await client.call('PUT', `/clients/${made.id}`, { body: { company: 'B' } });
      await client.call('PUT', `/clients/${made.id}`, { body: { company: 'B' } });
      await client.call('DELETE', `/clients/${made.id}`);
      const { body: language } = await client.call('POST', '/languages', { body: { code: 'fr', name: 'French' } });
      await client.call('DELETE', `/languages/${language.id}`);
      const later = await changesOf(client, `after=${all.next}`);
      assert.deepEqual(brief(later.changes), [
        `clients ${made.id} created`,
        `clients ${made.id} updated`,
        `clients ${made.id} updated`,
        `languages ${language.id} created`,
        `languages ${language.id} deleted`,
      ]);
      assert.deepEqual(
        later.changes.map(({ position }) => position),
        [1, 2, 3, 4, 5].map(step => all.changes.length + step),
      );
      const renamed = later.changes[1]?.fields.filter(name => name !== 'updated_at');
      assert.deepEqual(renamed?.toSorted(), ['company', 'name']);

      const read: Entry[] = [];
      for (let { next, changes, caught_up } = await changesOf(client, `after=${all.next}&limit=2`); ; ) {
        read.push(...changes);
        if (caught_up === 1) break;
        ({ next, changes, caught_up } = await changesOf(client, `after=${next}&limit=2`));
      }
      assert.deepEqual(read, later.changes);
    });

    test('can be restricted to resources and kinds, and what is left out is passed over', async () => {
      const client = await app.newClient();
      const { next } = await changesOf(client, 'after=now');
      const { body } = await client.call('POST', '/clients', { body: { company: 'A' } });
      await client.call('POST', '/languages', { body: { code: 'fr', name: 'French' } });
      const languages = await changesOf(client, `after=${next}&resource=languages,planners&change=created,deleted`);
      assert.deepEqual(
        languages.changes.map(({ resource }) => resource),
        ['languages'],
      );
      const none = await changesOf(client, `after=${next}&change=deleted`);
      assert.deepEqual([none.changes, none.caught_up], [[], 1]);
      assert.deepEqual((await changesOf(client, `after=${none.next}`)).changes, []);
      assert.deepEqual(brief((await changesOf(client, `after=${next}&limit=1`)).changes), [
        `clients ${body.id} created`,
      ]);
    });

    test('show who made them, in which request', async () => {
      const client = await app.newClient();
      const { next } = await changesOf(client, 'after=now');
      await client.call('POST', '/clients', { body: { company: 'A' }, headers: { 'x-request-id': 'my-request' } });
      const { api_user } = (await client.call('GET', '/me')).body;
      const [entry] = (await changesOf(client, `after=${next}`)).changes as unknown as Record<string, unknown>[];
      assert.deepEqual(entry?.by, { type: 'api_user', id: api_user.id });
      assert.equal(entry?.request_id, 'my-request');
    });

    test('of a new tenant are made by the administration', async () => {
      const { changes } = await changesOf(await app.newClient(), 'limit=1000');
      const made = changes as unknown as { readonly by: object; readonly resource: string }[];
      for (const { by } of made) assert.deepEqual(by, { type: 'administration', id: null });
      for (const resource of ['attributes', 'collections', 'collection-values', 'languages', 'wage-profiles'])
        assert.ok(
          made.some(entry => entry.resource === resource),
          resource,
        );
    });

    test('include the record as a GET shows it now, or null', async () => {
      const client = await app.newClient();
      const { next } = await changesOf(client, 'after=now');
      const ids: number[] = [];
      for (const company of ['A', 'B'])
        ids.push((await client.call('POST', '/clients', { body: { company } })).body.id);
      const { body: language } = await client.call('POST', '/languages', { body: { code: 'fr', name: 'French' } });
      await client.call('DELETE', `/languages/${language.id}`);
      await client.call('PUT', `/clients/${ids[0]}`, { body: { company: 'C' } });
      const { changes } = await changesOf(client, `after=${next}&include=record`);
      const shown = changes as unknown as {
        readonly resource: string;
        readonly id: number;
        readonly record: unknown;
      }[];
      assert.equal(shown.length, 5);
      for (const { resource, id, record } of shown) {
        const { status, body } = await client.call('GET', `/${resource}/${id}`);
        assert.deepEqual(record, status === 200 ? body : null);
      }
    });

    test('leave out those of modules that the tenant does not have', async () => {
      const without = modules.filter(name => name !== 'automations');
      const client = await app.newClient({ modules: new Set(without) });
      const rejected = await client.call('GET', '/changes?resource=automations');
      assert.deepEqual([rejected.status, rejected.body.code], [400, 'invalid_parameter']);
    });

    test('are those of the tenant: the cursor of another is invalid', async () => {
      const [client, other] = [await app.newClient(), await app.newClient()];
      const { next } = await changesOf(other, 'after=now');
      for (const cursor of [next, 'x', Buffer.from('a.1.b').toString('base64url'), `${next}A`]) {
        const { status, body } = await client.call('GET', `/changes?after=${cursor}`);
        assert.deepEqual([status, body.code], [400, 'invalid_cursor'], cursor);
      }
    });

    test('have expired cursors where what follows is not kept, or the data were replaced', async () => {
      const client = await app.newClient();
      const { next } = await changesOf(client, 'limit=1');
      const expired = async () => {
        const { status, body } = await client.call('GET', `/changes?after=${next}`);
        return [status, body.code];
      };
      await client.database.asOwner(client.tenant.id, ({ send }) =>
        send({
          name: null,
          text: 'update journal_heads set forgotten = 2 where tenant_id = $1',
          values: [String(client.tenant.id)],
        }),
      );
      assert.deepEqual(await expired(), [410, 'cursor_expired']);
      await client.database.asOwner(client.tenant.id, ({ send }) =>
        send({
          name: null,
          text: 'update journal_heads set forgotten = 0, epoch = gen_random_uuid() where tenant_id = $1',
          values: [String(client.tenant.id)],
        }),
      );
      assert.deepEqual(await expired(), [410, 'cursor_expired']);
      assert.equal((await changesOf(client, 'limit=1')).changes.length, 1);
    });

    test('are forgotten after the time for which they are kept: older cursors have expired, later ones have not', async () => {
      const client = await app.newClient();
      const { next, changes } = await changesOf(client, 'limit=3');
      const { next: last } = await changesOf(client, 'after=now');
      await client.database.asOwner(client.tenant.id, ({ send }) =>
        send({
          name: null,
          text: `update journal set at = now() - interval '10 days' where tenant_id = $1 and position <= 5`,
          values: [String(client.tenant.id)],
        }),
      );
      const forget = (days: number) => removeOld(keptFor(days).slice(0, 1), client.database);
      assert.deepEqual(await forget(11), {});
      assert.deepEqual(Object.values(await forget(9)), [5]);
      assert.deepEqual([changes.length, (await client.call('GET', `/changes?after=${next}`)).status], [3, 410]);
      assert.equal((await changesOf(client, 'limit=1')).changes[0]?.position, 6);
      assert.deepEqual((await changesOf(client, `after=${last}`)).changes, []);
    });

    test('are waited for without a connection: a change that is made meanwhile ends the wait', async () => {
      const client = await app.newClient();
      const { next } = await changesOf(client, 'after=now');
      const waiting = changesOf(client, `after=${next}&wait=30`);
      const { body } = await client.call('POST', '/clients', { body: { company: 'A' } });
      assert.deepEqual(brief((await waiting).changes), [`clients ${body.id} created`]);
    });

    test('reject what is not a parameter or has no such value', async () => {
      const client = await app.newClient();
      for (const query of ['limit=0', 'limit=1001', 'wait=31', 'wait=x', 'include=all', 'change=x', 'resource=client'])
        assert.equal((await client.call('GET', `/changes?${query}`)).status, 400, query);
      assert.match((await client.call('GET', '/changes?resource=client')).body.message, /clients/);
    });
  });
});
