import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Session } from '../../../src/db/pool/session.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { until } from '../../support/until.ts';

/** Looks at the transactions in progress. */
let looks = 0;

const { send } = Session.prototype;
forEachApp((client, app, name) => {
  describe('the cursor of the present', () => {
    before(() => {
      Session.prototype.send = function (this: Session, statements) {
        if (statements.some(statement => statement.name === 'journal_present')) looks++;
        return send.call(this, statements);
      };
    });
    after(() => {
      Session.prototype.send = send;
    });

    const present = () => client.call('GET', '/changes?after=now');
    const changesAfter = async (cursor: string) => (await client.call('GET', `/changes?after=${cursor}`)).body.changes;

    it('is behind every write whose response has come', async () => {
      for (let round = 0; round < 5; round++) {
        await client.call('POST', '/clients', { body: { company: 'Before' } });
        const { body } = await present();
        assert.deepEqual(await changesAfter(body.next), []);
        assert.equal(body.caught_up, 1);
      }
    });

    // The embedded database has one connection, which no other transaction has meanwhile.
    if (name === 'postgres')
      it('is so while a transaction is in progress that began before the write', async () => {
        const older = await app.newClient();
        const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const transaction = app.database.forTenant(older.tenant).transaction(async transaction => {
          const [id] = await transaction.newIds('clients', 1);
          await transaction.kysely
            .insertInto('clients')
            .values({ id, company: 'Older' } as never)
            .execute();
          begun.resolve();
          await ended.promise;
        });
        await begun.promise;
        assert.equal((await client.call('POST', '/clients', { body: { company: 'Between' } })).status, 201);
        let responded = false;
        const [seen, cursor] = [looks, present()];
        void cursor.finally(() => {
          responded = true;
        });
        await until('the journal is looked at', () => responded || looks > seen);
        ended.resolve();
        await transaction;
        assert.deepEqual(await changesAfter((await cursor).body.next), []);
      });
  });
});
