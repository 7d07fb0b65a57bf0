import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { renewStatement } from '../../src/attributes/registration.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { ApiError } from '../../src/core/errors.ts';
import { forAnyApp } from '../support/for-each-app.ts';

forAnyApp(client => {
  /** Runs a read before which the fields change so often; resolves with how often it was begun. */
  const readDuring = async (changes: number): Promise<number> => {
    const { database, tenant } = client;
    const other = database.forTenant(tenant);
    let begun = 0;
    await createTenantFields(resources).run(database.forTenant(tenant), async (_fields, db) => {
      if (begun++ < changes) await other.transaction(transaction => transaction.send(renewStatement(tenant.id)));
      await db.read({ name: null, text: 'select 1', values: [] });
    });
    return begun;
  };

  describe('a request while the fields of its tenant change', () => {
    it('is served once they hold still, however often others have changed them before', async () => {
      assert.equal(await readDuring(12), 13);
    });

    it('is not attempted for ever', async () => {
      const endless = readDuring(Number.POSITIVE_INFINITY);
      await assert.rejects(
        endless,
        (error: unknown) => error instanceof ApiError && error.code === 'service_unavailable',
      );
    });
  });
});
