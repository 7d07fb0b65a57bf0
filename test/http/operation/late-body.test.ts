import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { type ApiResponse, type App, startApp } from '../../support/app.ts';
import { forEachDatabase } from '../../support/database.ts';
import { newRestricted, type Restricted, restrictions } from '../../support/restrictions.ts';
import { until } from '../../support/until.ts';

/** A write, by its path and body. */
interface Write {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly type: string;
  /** The listing that it would add to. */
  readonly listing: string;
}

const json = 'application/json';
const writes: readonly Write[] = [
  {
    name: 'a record',
    method: 'POST',
    path: '/employees',
    body: JSON.stringify({ firstname: 'Ada', lastname: 'Late', email: 'ada@late.example' }),
    type: json,
    listing: '/employees?lastname=Late',
  },
  {
    name: 'an upload',
    method: 'POST',
    path: '/files',
    body: 'late',
    type: 'text/plain',
    listing: '/files',
  },
  {
    name: 'an import',
    method: 'POST',
    path: '/employees/import',
    body: '{"lastname":"Late"}\n{"lastname":"Later"}\n',
    type: 'application/x-ndjson',
    listing: '/imports',
  },
  {
    name: 'a bulk body',
    method: 'PUT',
    path: '/assignments/status',
    body: '{"assignment_ids":[1],"status":6}',
    type: json,
    listing: '/assignments',
  },
  {
    name: 'a record of a module',
    method: 'POST',
    path: '/checkins',
    body: '{"type":1}',
    type: json,
    listing: '/checkins',
  },
];

const revoked = restrictions.find(({ name }) => name.includes('revoked')) as (typeof restrictions)[number];

forEachDatabase((_, getDatabase) => {
  describe('a request whose caller is restricted while its body arrives', () => {
    const clock = { now: Date.now() };
    let app: App;
    let lookUps = 0;
    before(async () => {
      const database = getDatabase();
      const counting: typeof database = {
        ...database,
        ask: (...asked) => {
          lookUps++;
          return database.ask(...asked);
        },
      };
      app = await startApp(counting, { clock: () => clock.now });
    });
    after(() => app.close());

    /** Sends the first half of the body, calls `meanwhile` once the caller has been looked up, and sends the rest. */
    const sendSlowly = async (
      user: Restricted,
      write: Write,
      meanwhile: () => Promise<unknown>,
    ): Promise<ApiResponse> => {
      const { method, path, body: text, type } = write;
      user.pass(1_000);
      const body = new PassThrough();
      const before = lookUps;
      const response = app.callAs(user, method, path, {
        headers: { 'Content-Type': type, 'Transfer-Encoding': 'chunked' },
        body,
      });
      const half = Math.floor(text.length / 2);
      body.write(text.slice(0, half));
      await until('the caller is looked up', () => lookUps > before);
      await meanwhile();
      body.end(text.slice(half));
      return response;
    };
    const send = (user: Restricted, { method, path, body, type }: Write) =>
      app.callAs(user, method, path, { headers: { 'Content-Type': type }, body: Buffer.from(body) });

    /** What two responses to one request have in common. */
    const shown = ({ status, text }: ApiResponse) => [
      status,
      text.replace(/"(request_id|id|path|name|\w+_at)": [^,\n]*/g, ''),
    ];

    for (const write of writes)
      for (const { name, set } of restrictions)
        it(`gets what a new request gets: ${write.name}, after ${name}`, async () => {
          const user = await newRestricted(app, clock);
          const late = await sendSlowly(user, write, () => set(user));
          assert.deepEqual(shown(late), shown(await send(user, write)));
        });

    it('writes nothing if it is rejected', async () => {
      for (const write of writes) {
        const user = await newRestricted(app, clock);
        const { body, status } = await sendSlowly(user, write, () => revoked.set(user));
        assert.deepEqual([status, body.code], [401, 'token_revoked']);
        assert.deepEqual((await user.other.call('GET', write.listing)).body, []);
      }
    });

    it('gets what a new request gets of its body, too: the token precedes it', async () => {
      const user = await newRestricted(app, clock);
      const broken = { ...(writes[0] as Write), body: '{"firstname":' };
      const { body, status } = await sendSlowly(user, broken, () => revoked.set(user));
      assert.deepEqual([status, body.code], [401, 'token_revoked']);
    });

    it('is confirmed without a further statement if its body is there at once', async () => {
      const user = await newRestricted(app, clock);
      for (const write of writes.slice(0, 3)) {
        user.pass(1_000);
        lookUps = 0;
        const { status, text } = await send(user, write);
        assert.ok(status < 300, text);
        assert.equal(lookUps, 1, write.name);
      }
    });
  });
});
