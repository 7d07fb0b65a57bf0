import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Principal, Tenant } from '../../src/core/principal.ts';
import type { Confirmation } from '../../src/db/database.ts';
import type { Database } from '../../src/db/open.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import type { Callers, Identity } from '../../src/tenancy/caller/callers.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { revokeToken } from '../../src/tenancy/token-register.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { forAnyDatabase, newTenant } from '../support/database.ts';
import { callersOf, identify } from './identify.ts';

const keys = parseKeySet(generateKeySet('HS256'), 'HS256');

/** Returns what confirms a presumed caller with the first read. */
const confirmationOf = ({ confirmation }: Identity): Confirmation =>
  confirmation ?? assert.fail('The caller is not presumed.');

forAnyDatabase((_name, getDatabase) => {
  let tenant: Tenant;
  let userId: number;

  before(async () => {
    tenant = await newTenant(getDatabase());
    userId = (await createApiUser(getDatabase(), tenant, { name: 'integration', readOnly: false })).id;
  });

  const issue = (of = tenant, apiUserId = userId, database: Pick<Database, 'asOwner'> = getDatabase()) =>
    createTokens({ database, keys, issuer: 'staffing' }).issueToken(of, apiUserId, 60);

  /** An instance that remembers nobody yet. */
  const newCallers = ({ ask = getDatabase().ask, clock }: { ask?: Database['ask']; clock?: () => number } = {}) => {
    const timed = clock ? { clock } : {};
    const { read } = createTokens({ database: getDatabase(), keys, issuer: 'staffing', ...timed });
    return callersOf({ ask }, { readToken: read, ...timed });
  };
  /** Returns the principal of a request, whose tenant is found first. */
  const authenticate = async (token: string, callers: Callers = newCallers(), of = tenant): Promise<Principal> =>
    (await identify(callers, `${of.slug}.staffing.test`, token)).authenticate();
  /** The database's look-ups, counted. */
  const counting = () => {
    const counted = { asked: 0 };
    const ask: Database['ask'] = statement => {
      counted.asked += 1;
      return getDatabase().ask(statement);
    };
    return { counted, ask };
  };
  /** A token that is signed but not stored. */
  const unstored = () => issue(tenant, userId, { asOwner: async <T>() => [] as T });

  describe('a token', () => {
    test('identifies its API user', async () => {
      const reader = await createApiUser(getDatabase(), tenant, { name: 'reports', readOnly: true });
      const { token, tokenId } = await issue(tenant, reader.id);
      assert.deepEqual(await authenticate(token), {
        tenant,
        apiUser: { id: reader.id, name: 'reports', readOnly: true, scopes: [], hidden: [] },
        tokenId,
      });
    });

    test('of another tenant is invalid, also if that tenant has an API user with the same id', async () => {
      const { token } = await issue();
      const other = await newTenant(getDatabase());
      await assert.rejects(authenticate(token, newCallers(), other), { code: 'invalid_token', status: 401 });
      const { id } = await createApiUser(getDatabase(), other, { name: 'integration', readOnly: false });
      const foreign = await issue({ ...other, slug: tenant.slug }, id);
      await assert.rejects(authenticate(foreign.token), { code: 'invalid_token' });
    });

    test('of another tenant than its audience is invalid', async () => {
      const { token } = await issue({ ...tenant, slug: 'another' });
      await assert.rejects(authenticate(token), { code: 'invalid_token' });
    });

    test('that the database does not know is invalid, however well it is signed', async () => {
      const { token } = await unstored();
      await assert.rejects(authenticate(token), { code: 'invalid_token' });
    });

    test('that has been revoked is rejected by an instance that has not seen it yet, and within a second by one that has', async () => {
      let now = Date.now();
      const seen = newCallers({ clock: () => now });
      const { token, tokenId } = await issue();
      await authenticate(token, seen);
      await revokeToken(getDatabase(), tokenId);
      const revoked = { code: 'token_revoked', headers: { 'WWW-Authenticate': 'Bearer' } };
      await assert.rejects(authenticate(token), revoked);
      await authenticate(token, seen);
      now += 1_000;
      await assert.rejects(authenticate(token, seen), revoked);
    });

    test('of an inactive API user is rejected', async () => {
      const user = await createApiUser(getDatabase(), tenant, { name: 'former', readOnly: false });
      const { token } = await issue(tenant, user.id);
      await getDatabase().asOwner(tenant.id, ({ kysely }) =>
        kysely.updateTable('api_users').set({ active: false }).where('id', '=', user.id).execute(),
      );
      await assert.rejects(authenticate(token), { code: 'token_revoked' });
    });

    test('that has expired is rejected as expired, also while a request waits', async () => {
      let now = Date.now();
      const callers = newCallers({ clock: () => now });
      const { token } = await issue();
      const identity = await identify(callers, `${tenant.slug}.staffing.test`, token);
      assert.equal(identity.authenticate().apiUser.id, userId);
      now += 91_000;
      const again = await identity.again();
      assert.throws(() => again.authenticate(), { code: 'token_expired' });
      await assert.rejects(authenticate(token, callers), { code: 'token_expired' });
    });

    test('of a disabled tenant is not called invalid', async () => {
      const off = await newTenant(getDatabase());
      const user = await createApiUser(getDatabase(), off, { name: 'integration', readOnly: false });
      const { token } = await issue(off, user.id);
      await getDatabase().system.updateTable('tenants').set({ active: false }).where('id', '=', off.id).execute();
      await assert.rejects(authenticate(token, newCallers(), off), { code: 'tenant_disabled', status: 403 });
    });
  });

  describe('looking a caller up', () => {
    test('takes one query for the tenant and the token, and one for concurrent requests', async () => {
      const { counted, ask } = counting();
      const callers = newCallers({ ask });
      const { token } = await issue();
      await Promise.all(Array.from({ length: 50 }, () => authenticate(token, callers)));
      assert.equal(counted.asked, 1);
      const lost = await unstored();
      await assert.rejects(authenticate(lost.token, callers), { code: 'invalid_token' });
      assert.equal(counted.asked, 2);
    });

    test('takes no query of its own for forged tokens: that of their host is shared', async () => {
      const { counted, ask } = counting();
      const callers = newCallers({ ask });
      for (const token of ['a.b.c', 'd.e.f', `${(await issue()).token}x`])
        await assert.rejects(authenticate(token, callers), { code: 'invalid_token' });
      assert.equal(counted.asked, 1);
    });

    test('is tried again after it failed', async () => {
      const { token } = await issue();
      let failing = true;
      const callers = newCallers({
        ask: async statement => {
          if (failing) throw new Error('down');
          return getDatabase().ask(statement);
        },
      });
      await assert.rejects(authenticate(token, callers), /down/);
      failing = false;
      assert.equal((await authenticate(token, callers)).apiUser.id, userId);
    });

    test('has a result as old as its statement: a second after it was sent, the caller is looked up again', async () => {
      let now = Date.now();
      const { token, tokenId } = await issue();
      const { counted, ask } = counting();
      const callers = newCallers({
        // The statement takes almost a second, and reads at its beginning.
        ask: async statement => {
          const result = await ask(statement);
          now += 800;
          return result;
        },
        clock: () => now,
      });
      await authenticate(token, callers);
      await revokeToken(getDatabase(), tokenId);
      now += 200;
      await assert.rejects(authenticate(token, callers), { code: 'token_revoked' });
      assert.equal(counted.asked, 2);
    });

    test('confirms a presumed caller without replacing a newer result', async () => {
      let now = Date.now();
      const callers = newCallers({ clock: () => now });
      const { token, tokenId } = await issue();
      await authenticate(token, callers);
      now += 1_000;
      const reading = async (identity: Identity) => {
        const confirmation = confirmationOf(identity);
        const early = await getDatabase().ask(confirmation.statement ?? assert.fail());
        await revokeToken(getDatabase(), tokenId);
        await assert.rejects(authenticate(token, callers), { code: 'token_revoked' });
        confirmation.take(early);
        return identity.authenticate();
      };
      const host = `${tenant.slug}.staffing.test`;
      assert.equal((await callers.serve({ host, token }, true, reading, () => {})).apiUser.id, userId);
      await assert.rejects(authenticate(token, callers), { code: 'token_revoked' });
    });
  });
});
