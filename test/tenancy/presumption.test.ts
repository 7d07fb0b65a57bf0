import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Result } from '../../src/db/database.ts';
import { DatabaseError } from '../../src/db/errors.ts';
import type { Database } from '../../src/db/open.ts';
import { fillDemoFiles } from '../../src/demo/files.ts';
import { type Demo, fillDemo } from '../../src/demo/fill.ts';
import { memoryCounter } from '../../src/http/request/rate-limit.ts';
import { Presumption } from '../../src/tenancy/caller/presumption.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { type ApiResponse, type App, startApp } from '../support/app.ts';
import { forAnyDatabase, newTenant, ownDatabase } from '../support/database.ts';
import { everyGet } from '../support/every-get.ts';
import { replaceForTenants } from '../support/replace.ts';

/** Requests of every kind: one record, listings, long ones, of several trips, without the database, kept replies, errors. */
const requests: readonly (readonly [path: string, headers?: Record<string, string>])[] = [
  ['/assignments/1'],
  ['/assignments?limit=3&embed=employee'],
  ['/assignments?limit=5000'],
  ['/employees.csv?fields=id,lastname,birthday&sort=id'],
  ['/employees?envelope=true&limit=2'],
  ['/clients?limit=2', { 'Accept-Encoding': 'identity' }],
  ['/clients?limit=2', { 'If-None-Match': '*' }],
  ['/changes?limit=5'],
  ['/wage-profiles?limit=2'],
  ['/me'],
  ['/openapi.json'],
  ['/assignments/999999999'],
  ['/nothing'],
  ['/assignments?nothing=1'],
  ['/assignments?limit=x'],
];

/** Something about a caller that changes while an instance remembers how it was. */
interface Change {
  readonly name: string;
  /** The code of each response; undefined: it is that of an instance that remembers nothing, whatever that is. */
  readonly code?: string;
  set(changed: boolean): Promise<unknown>;
}

forAnyDatabase(name => {
  describe(`a caller whom an instance remembers from long ago`, () => {
    let database: Database;
    let demo: Demo;
    /** An instance that remembers callers, and one that reads them for each request. */
    let remembering: App;
    let forgetful: App;
    let caller: { tenant: Demo['tenant']; token: string };
    let now = Date.now();
    const later = () => {
      now += 1_000;
    };
    /** Statements that were sent alone, and results that were taken; those which told of a change. */
    const counts = { asked: 0, taken: 0, refuted: 0 };
    const reset = () => Object.assign(counts, { asked: 0, taken: 0, refuted: 0 });
    let down = false;
    let tooSlow = false;

    class Counted extends Presumption {
      override take(result: Result): void {
        counts.taken++;
        super.take(result);
      }
      override async settle<T>(work: (presumption: Presumption) => Promise<T>, undo: () => void): Promise<T | null> {
        const outcome = await super.settle(work, undo);
        if (outcome === null) counts.refuted++;
        return outcome;
      }
    }

    before(async () => {
      database = await ownDatabase(name);
      const counting: Database = {
        ...database,
        ask: (...asked) => {
          counts.asked++;
          if (down) return Promise.reject(new DatabaseError('unavailable', new Error('down')));
          return database.ask(...asked);
        },
      };
      // Reads that end like those of a client that does not wait for them.
      const timeout = () => Promise.reject(new DatabaseError('timeout', new Error('too slow')));
      const impatient = replaceForTenants(counting, () => (tooSlow ? { read: timeout } : {}));
      const shared = {
        keys: parseKeySet(generateKeySet('HS256'), 'HS256'),
        clock: () => now,
        // What a request that begins anew leaves in progress would be one too many.
        concurrency: 1,
        rateLimit: { counter: memoryCounter(86_400), requests: 1_000_000, period: 86_400 },
      };
      remembering = await startApp(impatient, { ...shared, Presuming: Counted });
      forgetful = await startApp(database, { ...shared, Presuming: null });
      demo = await fillDemo(database, { size: 'small', baseDomain: 'test' });
      await fillDemoFiles(database, remembering.files, demo);
      caller = { tenant: demo.tenant, token: await remembering.tokenOf(demo.tenant, demo.apiUser.id) };
    });
    after(async () => {
      await remembering.close();
      await forgetful.close();
      await database.close();
    });

    const get = (app: App, path: string, headers: Record<string, string> = {}): Promise<ApiResponse> => {
      later();
      return app.callAs(caller, 'GET', path, { headers });
    };
    /** Lets the instance read who calls. */
    const meet = async () => {
      const { status } = await get(remembering, '/functions?limit=1');
      assert.equal(status, 200);
    };
    /** What two responses to one request have in common. */
    const shown = ({ status, text }: ApiResponse) => [
      status,
      text.replace(/"(request_id|x_request_id|x_rate_limit_\w+)": [^,\n]*/g, ''),
    ];

    const asOwner = (table: 'tokens' | 'api_users', values: object) =>
      database.asOwner(demo.tenant.id, ({ kysely }) => kysely.updateTable(table).set(values).execute());
    const ofTenant = (values: object) =>
      database.system.updateTable('tenants').set(values).where('id', '=', demo.tenant.id).execute();
    const host = () => `${demo.tenant.slug}.test`;
    const json = (value: readonly unknown[]) => JSON.stringify(value);

    const revoked: Change = {
      name: 'whose token is revoked',
      code: 'token_revoked',
      set: changed => asOwner('tokens', { revoked_at: changed ? '2026-01-01T00:00:00Z' : null }),
    };
    const changes: readonly Change[] = [
      revoked,
      { name: 'who is inactive', code: 'token_revoked', set: changed => asOwner('api_users', { active: !changed }) },
      {
        name: 'whose scopes are fewer',
        set: changed => asOwner('api_users', { scopes: json(changed ? ['clients:read'] : []) }),
      },
      {
        name: 'from whom more is hidden',
        set: changed => asOwner('api_users', { hidden: json(changed ? ['personal', 'contact'] : []) }),
      },
      { name: 'whose tenant is disabled', code: 'tenant_disabled', set: changed => ofTenant({ active: !changed }) },
      {
        name: 'whose host is that of another tenant',
        code: 'invalid_token',
        async set(changed) {
          await ofTenant({ active: !changed });
          await database.system.deleteFrom('tenant_hosts').where('host', '=', host()).execute();
          if (!changed) return;
          const { id } = await newTenant(database);
          await database.system.insertInto('tenant_hosts').values({ host: host(), tenant_id: id }).execute();
        },
      },
      {
        name: 'whose tenant has another time zone',
        set: changed => ofTenant({ time_zone: changed ? 'Asia/Tokyo' : demo.tenant.timeZone }),
      },
      {
        name: 'whose tenant has fewer modules',
        set: changed => ofTenant({ modules: json(changed ? [] : [...demo.tenant.modules]) }),
      },
    ];

    /** Sends a request of one whom the instance remembers, and who has changed since; compares its response with that of one that does not. */
    const compare = async ({ set, code }: Change, path: string, headers: Record<string, string> = {}) => {
      await meet();
      await set(true);
      reset();
      try {
        const response = await get(remembering, path, headers);
        assert.equal(counts.refuted, 1, path);
        // Nothing of what was presumed is logged.
        if (response.status === 401) assert.match(remembering.logs.at(-1) ?? '', /"user":null/);
        assert.deepEqual(shown(response), shown(await get(forgetful, path, headers)), path);
        if (code) assert.ok(response.text.includes(`"${code}"`), `${path}: ${response.text}`);
      } finally {
        await set(false);
      }
    };

    it('has responses after as many trips as one whom it has just met: who calls is asked with the first read', async () => {
      await meet();
      const [plain, filtered] = ['/assignments?limit=4', '/assignments?status=7&sort=-start&count=true&limit=4'];
      const [byOwner, byValue] = ['/assignments?sort=client_id&limit=4', '/assignments?break_start=null&limit=4'];
      const fields = '/employees?limit=3&fields=id,lastname';
      for (const path of ['/assignments/1', plain, filtered, byOwner, byValue, fields]) {
        reset();
        const { status, text } = await get(remembering, path);
        assert.equal(status, 200, `${path}: ${text}`);
        assert.deepEqual(counts, { asked: 0, taken: 1, refuted: 0 }, path);
        // It is known then, for a moment.
        assert.equal((await remembering.callAs(caller, 'GET', '/assignments/1?fields=id')).status, 200);
        assert.deepEqual(counts, { asked: 0, taken: 1, refuted: 0 }, path);
      }
    });

    for (const change of changes)
      it(`${change.name} by now gets what it would get of an instance that does not remember it`, async () => {
        for (const [path, headers] of requests) {
          // What is kept, too.
          await get(remembering, path, headers);
          await compare(change, path, headers);
        }
      });

    it('whose token is revoked by now gets nothing else from any GET', async () => {
      for (const path of everyGet.filter(path => !path.startsWith('/files/public/'))) await compare(revoked, path);
    });

    it('writes nothing before it is known again', async () => {
      for (const [method, path, body] of [
        ['POST', '/clients', { company: 'Unwanted' }],
        ['PUT', '/clients/1', { company: 'Unwanted' }],
        ['DELETE', '/clients/1', undefined],
      ] as const) {
        await meet();
        await revoked.set(true);
        later();
        reset();
        const response = await remembering.callAs(caller, method, path, { body });
        await revoked.set(false);
        assert.deepEqual([response.status, response.body.code], [401, 'token_revoked']);
        assert.deepEqual(counts, { asked: 1, taken: 0, refuted: 0 });
      }
      assert.deepEqual((await get(remembering, '/clients?company=Unwanted')).body, []);
    });

    it('is told that the service is not available if the database does not say who calls', async () => {
      await meet();
      down = true;
      for (const path of ['/me', '/nothing', '/clients?envelope=perhaps']) {
        const { status, body } = await get(remembering, path);
        assert.deepEqual([status, body.code], [503, 'service_unavailable'], path);
      }
      down = false;
      assert.equal((await get(remembering, '/me')).status, 200);
    });

    it('is refused at the next request, if nothing has confirmed the one before', async () => {
      await meet();
      await revoked.set(true);
      tooSlow = true;
      const codes: string[] = [];
      for (const _ of [1, 2]) codes.push((await get(remembering, '/assignments?limit=7')).body.code);
      tooSlow = false;
      await revoked.set(false);
      assert.deepEqual(codes, ['service_unavailable', 'token_revoked']);
    });

    it('is counted once, though the request begins anew', async () => {
      const left = async (path: string, token: string) => {
        later();
        const { headers } = await remembering.callAs({ ...caller, token }, 'GET', path);
        return Number(headers['x-rate-limit-remaining']);
      };
      for (const [name, path, token] of [
        ['time zone', '/assignments/1', caller.token],
        ['disabled', '/clients', ''],
      ] as const) {
        const { set } = changes.find(change => change.name.includes(name)) as Change;
        await meet();
        const before = await left(path, token);
        await set(true);
        reset();
        const after = await left(path, token);
        await set(false);
        assert.deepEqual([counts.refuted, after], [1, before - 1], name);
      }
    });

    it('is looked up once for many requests at once that read nothing', async () => {
      await meet();
      later();
      reset();
      const nothing = () => remembering.callAs({ ...caller, token: '' }, 'GET', '/clients');
      for (const { body } of await Promise.all(Array.from({ length: 50 }, nothing)))
        assert.equal(body.code, 'missing_token');
      assert.deepEqual(counts, { asked: 1, taken: 0, refuted: 0 });
    });

    it('is read for each request if the tenant is a sandbox, whose clock may have moved', async () => {
      const { tenant, token } = await remembering.newClient({ sandbox: true });
      for (const ahead of [0, 3_600_000]) {
        await database.system.updateTable('tenants').set({ clock_ahead: ahead }).where('id', '=', tenant.id).execute();
        later();
        reset();
        const { body } = await remembering.callAs({ tenant, token }, 'GET', '/sandbox/clock');
        assert.ok(Math.abs(Date.parse(body.now) - Date.now() - ahead) < 60_000, body.now);
        assert.equal(counts.refuted, 0);
      }
    });

    it('that has expired is not taken for granted', async () => {
      await meet();
      now += 3_700_000;
      reset();
      const { status, body } = await remembering.callAs(caller, 'GET', '/assignments/1');
      assert.deepEqual([status, body.code], [401, 'token_expired']);
      now -= 3_700_000;
    });
  });
});
