import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachApp } from '../support/for-each-app.ts';
import { Scene } from '../support/scene.ts';

const limits = { embedRows: 3 };

forEachApp(
  (client, app) => {
    /** Returns a client of the API whose clients have these numbers of contacts each. */
    const having = async (...counts: readonly number[]) => {
      const own = await app.newClient();
      const ids: number[] = [];
      for (const count of counts) {
        const { body } = await own.call('POST', '/clients', { body: { company: 'C' } });
        ids.push(body.id);
        for (let index = 0; index < count; index++)
          await own.call('POST', '/contacts', { body: { client_id: body.id, lastname: `L${index}` } });
      }
      return { own, ids };
    };

    describe('embedded records of relations to many', () => {
      it('are as many as are allowed in all, and one more is 400 that names the listing to use', async () => {
        const { own, ids } = await having(2, 1, 4);
        const embed = async (query: string) => {
          const { status, body } = await own.call('GET', query);
          return status === 200 ? status : [status, body.code, body.message];
        };
        const message =
          'embed=contacts has more than 3 records here: list them with GET /api/v1/contacts?client_id=… instead.';
        const tooLarge = [400, 'embed_too_large', message];
        assert.equal(await embed('/clients?embed=contacts&limit=2'), 200);
        assert.deepEqual(await embed('/clients?embed=contacts&limit=3'), tooLarge);
        assert.deepEqual(await embed(`/clients/${ids[2]}?embed=contacts`), tooLarge);
        assert.deepEqual(await embed(`/clients?embed=contacts.id&sort=-id&limit=1`), tooLarge);
        assert.deepEqual(await embed('/clients?embed=contacts'), tooLarge);
        assert.equal(await embed(`/clients?embed=contacts&id=<${ids[2]}`), 200);
        const { text } = await own.call('GET', '/clients.xml?embed=contacts');
        assert.match(text, /embed_too_large/);
      });

      it('count together, each as often as it is embedded, and those of relations to one do not count', async () => {
        const scene = new Scene(client);
        const event = await scene.create('events');
        for (let index = 0; index < 3; index++) await scene.create('event-functions', { event_id: event });
        const path = `/event-functions?event_id=${event}`;
        const one = await client.call('GET', `${path}&embed=event`);
        assert.deepEqual([one.status, one.body.length], [200, 3]);
        const { own, ids } = await having(2);
        for (const name of ['A', 'B']) {
          const made = await own.call('POST', '/projects', { body: { client_id: ids[0], name } });
          assert.equal(made.status, 201, made.text);
        }
        for (const embed of ['contacts', 'projects'])
          assert.equal((await own.call('GET', `/clients?embed=${embed}`)).status, 200);
        const both = await own.call('GET', '/clients?embed=contacts,projects');
        assert.deepEqual([both.status, both.body.code], [400, 'embed_too_large']);
      });

      it('of a listing that is sent while it is read are counted before its first byte', async () => {
        const own = await app.newClient();
        const rows = Array.from({ length: 1001 }, (_, index) => ({ id: index + 1, company: `C${index}` }));
        await own.database.asOwner(own.tenant.id, async ({ kysely }) => {
          await kysely.insertInto('clients').values(rows).execute();
          await kysely
            .insertInto('contacts')
            .values([1, 500, 1001].map(id => ({ id, client_id: id, lastname: 'L' })))
            .execute();
        });
        const allowed = await own.call('GET', '/clients?embed=contacts&fields=id');
        assert.deepEqual([allowed.status, allowed.body.length], [200, 1001]);
        assert.equal(allowed.body.flatMap(({ contacts }: { contacts: object[] }) => contacts).length, 3);
        await own.call('POST', '/contacts', { body: { client_id: 700, lastname: 'L' } });
        const { status, body } = await own.call('GET', '/clients?embed=contacts&fields=id');
        assert.deepEqual([status, body.code], [400, 'embed_too_large']);
        assert.equal((await own.call('GET', '/clients?embed=contacts&fields=id&id=<700')).status, 200);
      });
    });
  },
  { limits },
);
