import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Tenant } from '../../src/core/principal.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { lookUp } from '../../src/tenancy/caller/look-up.ts';
import { inMemory, migratedUrl, newTenant, onServer } from '../support/database.ts';

const jti = 'one-token';

/** The look-up of callers where one of its two walls between tenants is missing, or where only a reduced role is refused. */
describe('the look-up of a caller', () => {
  let url: string;
  let database: Database;
  let own: Tenant;
  let other: Tenant;
  let apiUserId: number;

  before(async () => {
    url = await migratedUrl();
    database = openDatabase({ ...inMemory, url });
    [own, other] = [await newTenant(database), await newTenant(database)];
    // Both tenants have an API user with this id.
    await createApiUser(database, own, { name: 'own', readOnly: false });
    apiUserId = (await createApiUser(database, other, { name: 'other', readOnly: false })).id;
    const [issued_at, expires_at] = ['2026-01-01T00:00:00Z', '2036-01-01T00:00:00Z'];
    await database.asOwner(other.id, ({ kysely }) =>
      kysely.insertInto('tokens').values({ jti, api_user_id: apiUserId, issued_at, expires_at }).execute(),
    );
  });
  after(() => database.close());

  const find = ({ slug }: Tenant) => lookUp(database, { host: slug, slug, token: { tokenId: jti, apiUserId } });

  it('finds a token among those of the tenant of the host, also without row security', async () => {
    await onServer(
      'alter table tokens disable row level security; alter table api_users disable row level security',
      url,
    );
    assert.equal((await find(other))?.apiUser?.name, 'other');
    assert.equal((await find(own))?.apiUser, null);
    await onServer(
      'alter table tokens enable row level security; alter table api_users enable row level security',
      url,
    );
  });

  it('is made in the role that row security binds', async () => {
    await onServer('revoke select on tokens from staffing_tenant', url);
    await assert.rejects(find(other), ({ cause }: Error) => /permission denied for table tokens/.test(String(cause)));
    await onServer('grant select on tokens to staffing_tenant', url);
    assert.equal((await find(other))?.apiUser?.name, 'other');
  });
});
