import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import type { Statement, Transaction } from '../../src/db/database.ts';
import { lock } from '../../src/engine/writing/lock.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';

forEachDatabase((kind, getDatabase) => {
  describe('a record that is added', () => {
    test('between the two statements that lock and read it is not found: it is not locked', async () => {
      const db = getDatabase().forTenant(await newTenant(getDatabase()));
      const text = `insert into languages (tenant_id, id, code, name) values ($1, 1, 'fr', 'French') returning id as journal_id`;
      const adding: Statement = { name: null, text, values: [String(db.tenant.id)] };
      const found = await db.transaction(transaction => {
        const send = async (locking: Statement, reading: Statement) => {
          const locked = await transaction.send(locking);
          // The embedded database has one connection.
          await (kind === 'embedded' ? transaction.send(adding) : db.transaction(other => other.send(adding)));
          return [...locked, ...(await transaction.send(reading))];
        };
        return lock(fieldsOf(resources.languages), 1, { tenant: db.tenant, send } as unknown as Transaction);
      });
      assert.equal(found, null);
    });
  });
});
