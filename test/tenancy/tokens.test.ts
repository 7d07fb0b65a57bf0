import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Tenant } from '../../src/core/principal.ts';
import type { Database } from '../../src/db/open.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { type Caller, readCaller } from '../../src/tenancy/caller.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTenants } from '../../src/tenancy/tenants.ts';
import { revokeToken } from '../../src/tenancy/token-register.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';

const keys = parseKeySet(generateKeySet('HS256'), 'HS256');

/** The database, with a counter of the statements that it is asked. */
const counting = (database: Database) => {
  const counted = { asked: 0 };
  const ask: Database['ask'] = statement => {
    counted.asked += 1;
    return database.ask(statement);
  };
  return { counted, database: { ...database, ask } };
};

forEachDatabase((_name, getDatabase) => {
  let tenant: Tenant;
  let userId: number;
  const tokensOf = (database: Pick<Database, 'ask' | 'asOwner'> = getDatabase()) =>
    createTokens({ database, keys, issuer: 'staffing' });

  before(async () => {
    tenant = await newTenant(getDatabase());
    userId = (await createApiUser(getDatabase(), tenant, { name: 'integration', readOnly: false })).id;
  });

  describe('a token', () => {
    test('identifies its API user', async () => {
      const tokens = tokensOf();
      const reader = await createApiUser(getDatabase(), tenant, { name: 'reports', readOnly: true });
      const { token, tokenId } = await tokens.issueToken(tenant, reader.id, 60);
      assert.deepEqual(await tokens.verifyToken(tenant, token), {
        tenant,
        apiUser: { id: reader.id, name: 'reports', readOnly: true, scopes: [], hidden: [] },
        tokenId,
      });
    });

    test('of another tenant is invalid, also if that tenant has an API user with the same id', async () => {
      const tokens = tokensOf();
      const { token } = await tokens.issueToken(tenant, userId, 60);
      const other = await newTenant(getDatabase());
      await assert.rejects(tokens.verifyToken(other, token), { code: 'invalid_token', status: 401 });
      const renamed = { ...other, slug: tenant.slug };
      await assert.rejects(tokens.verifyToken(renamed, token), { code: 'tenant_not_found', status: 404 });
    });

    test('that the database does not know is invalid, however well it is signed', async () => {
      const forgetful = { ...getDatabase(), asOwner: async <T>() => [] as T };
      const { token } = await tokensOf(forgetful).issueToken(tenant, userId, 60);
      await assert.rejects(tokensOf().verifyToken(tenant, token), { code: 'invalid_token' });
    });

    test('that has been revoked is rejected by an instance that has not seen it yet, and within a second by one that has', async () => {
      let now = Date.now();
      const seen = createTokens({ database: getDatabase(), keys, issuer: 'staffing', clock: () => now });
      const { token, tokenId } = await seen.issueToken(tenant, userId, 60);
      await seen.verifyToken(tenant, token);
      await revokeToken(getDatabase(), tokenId);
      const revoked = { code: 'token_revoked', headers: { 'WWW-Authenticate': 'Bearer' } };
      await assert.rejects(tokensOf().verifyToken(tenant, token), revoked);
      now += 1_000;
      await assert.rejects(seen.verifyToken(tenant, token), revoked);
    });

    test('of an inactive API user is rejected', async () => {
      const user = await createApiUser(getDatabase(), tenant, { name: 'former', readOnly: false });
      const { token } = await tokensOf().issueToken(tenant, user.id, 60);
      await getDatabase().asOwner(tenant.id, ({ kysely }) =>
        kysely.updateTable('api_users').set({ active: false }).where('id', '=', user.id).execute(),
      );
      await assert.rejects(tokensOf().verifyToken(tenant, token), { code: 'token_revoked' });
    });

    test('that has expired is rejected as expired', async () => {
      const { token } = await tokensOf().issueToken(tenant, userId, 60);
      const later = createTokens({
        database: getDatabase(),
        keys,
        issuer: 'staffing',
        clock: () => Date.now() + 91_000,
      });
      await assert.rejects(later.verifyToken(tenant, token), { code: 'token_expired' });
    });
  });

  describe('looking a token up', () => {
    test('takes one query for concurrent requests', async () => {
      const { counted, database } = counting(getDatabase());
      const tokens = tokensOf(database);
      const { token } = await tokens.issueToken(tenant, userId, 60);
      await Promise.all(Array.from({ length: 50 }, () => tokens.verifyToken(tenant, token)));
      assert.equal(counted.asked, 1);
    });

    test('takes no query for a forged token', async () => {
      const { counted, database } = counting(getDatabase());
      const tokens = tokensOf(database);
      await assert.rejects(tokens.verifyToken(tenant, 'a.b.c'), { code: 'invalid_token' });
      assert.equal(counted.asked, 0);
    });

    test('is tried again after it failed', async () => {
      const { token } = await tokensOf().issueToken(tenant, userId, 60);
      let failing = true;
      const tokens = tokensOf({
        ...getDatabase(),
        ask: async statement => {
          if (failing) throw new Error('down');
          return getDatabase().ask(statement);
        },
      });
      await assert.rejects(tokens.verifyToken(tenant, token), /down/);
      failing = false;
      assert.equal((await tokens.verifyToken(tenant, token)).apiUser.id, userId);
    });
  });

  describe('a token that comes with a host whose tenant is not known yet', () => {
    /** Looks a tenant up with a token, and then the token. */
    const callOf = async (token: string, of = tenant) => {
      const { counted, database } = counting(getDatabase());
      const tokens = createTokens({ database, keys, issuer: 'staffing' });
      const tenants = createTenants(database, 'test', { present: tokens.present });
      const found = (await tenants.findTenant(`${of.slug}.test`, token)) as Tenant;
      return { counted, found, verify: () => tokens.verifyToken(found, token) };
    };

    test('is looked up with it, in one query', async () => {
      const { token, tokenId } = await tokensOf().issueToken(tenant, userId, 60);
      const { counted, found, verify } = await callOf(token);
      assert.deepEqual(found, tenant);
      const apiUser = { id: userId, name: 'integration', readOnly: false, scopes: [], hidden: [] };
      assert.deepEqual(await verify(), { tenant, apiUser, tokenId });
      assert.equal(counted.asked, 1);
    });

    test('is rejected for what it is: revoked, of another tenant, not stored', async () => {
      const { token, tokenId } = await tokensOf().issueToken(tenant, userId, 60);
      await revokeToken(getDatabase(), tokenId);
      await assert.rejects((await callOf(token)).verify(), { code: 'token_revoked' });
      const other = await newTenant(getDatabase());
      const user = await createApiUser(getDatabase(), other, { name: 'integration', readOnly: false });
      const foreign = await tokensOf().issueToken(other, user.id, 60);
      await assert.rejects((await callOf(foreign.token)).verify(), { code: 'invalid_token' });
      const forgetful = { ...getDatabase(), asOwner: async <T>() => [] as T };
      const { token: lost } = await tokensOf(forgetful).issueToken(tenant, userId, 60);
      const { counted, verify } = await callOf(lost);
      await assert.rejects(verify(), { code: 'invalid_token' });
      assert.equal(counted.asked, 1);
    });

    test('is as old as the statement: a second after it was sent, it is looked up again', async () => {
      let now = Date.now();
      const { token, tokenId } = await tokensOf().issueToken(tenant, userId, 60);
      const { counted, database } = counting(getDatabase());
      // The statement takes almost a second, and reads at its beginning.
      const ask: Database['ask'] = async statement => {
        const result = await database.ask(statement);
        now += 800;
        return result;
      };
      const tokens = createTokens({ database: { ...database, ask }, keys, issuer: 'staffing', clock: () => now });
      const found = await createTenants({ ...database, ask }, 'test', { present: tokens.present }).findTenant(
        `${tenant.slug}.test`,
        token,
      );
      await revokeToken(getDatabase(), tokenId);
      now += 200;
      await assert.rejects(tokens.verifyToken(found as Tenant, token), { code: 'token_revoked' });
      assert.equal(counted.asked, 2);
    });

    test('does not get back what it has lost: an answer that comes late changes nothing that is known since', async () => {
      const tokens = tokensOf();
      const { token, tokenId } = await tokens.issueToken(tenant, userId, 60);
      const early = tokens.present(token);
      const standing = await readCaller(getDatabase(), { slug: tenant.slug, host: null }, early);
      await revokeToken(getDatabase(), tokenId);
      await assert.rejects(tokens.verifyToken(tenant, token), { code: 'token_revoked' });
      early?.learn(tenant, standing as Caller);
      await assert.rejects(tokens.verifyToken(tenant, token), { code: 'token_revoked' });
    });

    test('of a tenant that has just been disabled is not called invalid', async () => {
      const off = await newTenant(getDatabase());
      const user = await createApiUser(getDatabase(), off, { name: 'integration', readOnly: false });
      const { token } = await tokensOf().issueToken(off, user.id, 60);
      await getDatabase().system.updateTable('tenants').set({ active: false }).where('id', '=', off.id).execute();
      assert.equal((await tokensOf().verifyToken(off, token)).apiUser.id, user.id);
      await assert.rejects(callOf(token, off), { code: 'tenant_disabled' });
    });

    test('leaves the tenant of a forged one to be found', async () => {
      const { found, verify } = await callOf('a.b.c');
      assert.deepEqual(found, tenant);
      await assert.rejects(verify(), { code: 'invalid_token' });
    });
  });
});
