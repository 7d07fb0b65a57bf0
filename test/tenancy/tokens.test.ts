import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Tenant } from '../../src/core/principal.ts';
import type { Database } from '../../src/db/open.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { revokeToken } from '../../src/tenancy/token-register.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';

const keys = parseKeySet(generateKeySet('HS256'), 'HS256');

/** The database, with a counter of reads for tenants. */
const counting = (database: Database) => {
  const counted = { reads: 0 };
  const forTenant: Database['forTenant'] = tenant => {
    counted.reads += 1;
    return database.forTenant(tenant);
  };
  return { counted, database: { ...database, forTenant } };
};

forEachDatabase((_name, getDatabase) => {
  let tenant: Tenant;
  let userId: number;
  const tokensOf = (database: Pick<Database, 'forTenant' | 'asOwner'> = getDatabase()) =>
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
      assert.equal(counted.reads, 1);
    });

    test('takes no query for a forged token', async () => {
      const { counted, database } = counting(getDatabase());
      const tokens = tokensOf(database);
      await assert.rejects(tokens.verifyToken(tenant, 'a.b.c'), { code: 'invalid_token' });
      assert.equal(counted.reads, 0);
    });

    test('is tried again after it failed', async () => {
      const { token } = await tokensOf().issueToken(tenant, userId, 60);
      let failing = true;
      const tokens = tokensOf({
        ...getDatabase(),
        forTenant: of => {
          if (failing) throw new Error('down');
          return getDatabase().forTenant(of);
        },
      });
      await assert.rejects(tokens.verifyToken(tenant, token), /down/);
      failing = false;
      assert.equal((await tokens.verifyToken(tenant, token)).apiUser.id, userId);
    });
  });
});
