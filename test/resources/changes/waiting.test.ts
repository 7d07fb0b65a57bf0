import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Session } from '../../../src/db/pool/session.ts';
import { callerOf } from '../../replica/caller.ts';
import type { Client } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { until } from '../../support/until.ts';

/** Statements that read the journal of a tenant, by the tenant's id. */
const reads = new Map<string, number>();
const countOf = ({ tenant }: Client): number => reads.get(String(tenant.id)) ?? 0;

const { send } = Session.prototype;
forEachApp((_, app) => {
  describe('requests that wait for changes', () => {
    before(() => {
      Session.prototype.send = function (this: Session, statements) {
        for (const { text, values } of statements) {
          if (!text.includes('journal_heads h') && !text.includes('from journal')) continue;
          const tenant = String(values[0]);
          reads.set(tenant, (reads.get(tenant) ?? 0) + 1);
        }
        return send.call(this, statements);
      };
    });
    after(() => {
      Session.prototype.send = send;
    });

    it('cost no statement each while another tenant writes, and share one read when theirs does', async context => {
      const [client, other] = [await app.newClient(), await app.newClient()];
      const { call, close } = callerOf(client, () => app.port);
      context.after(close);
      const cursorOf = async (of: Client) => (await of.call('GET', '/changes?after=now')).body.next;
      const from = await cursorOf(client);
      const waiting = Array.from({ length: 1000 }, () => call('GET', `/changes?after=${from}&wait=30&include=record`));
      // Each has read once and waits: two statements each.
      const before = countOf(client);
      await until('all requests wait', () => countOf(client) >= before + 2000);
      await client.call('GET', '/clients');

      const idle = countOf(client);
      for (let round = 0; round < 3; round++) {
        const next = await cursorOf(other);
        const woken = other.call('GET', `/changes?after=${next}&wait=30`);
        await other.call('POST', '/clients', { body: { company: 'B' } });
        assert.equal((await woken).body.changes.length, 1);
      }
      assert.equal(countOf(client), idle, 'the other tenant’s changes cause no reads');

      const { body: made } = await client.call('POST', '/clients', { body: { company: 'A' } });
      for (const response of await Promise.all(waiting)) {
        assert.equal(response?.status, 200);
        assert.deepEqual(response?.body.changes[0].record, made);
      }
      const used = countOf(client) - idle;
      assert.ok(used <= 30, `${used} statements for 1,000 requests`);
    });

    it('end after their time without a further statement', async () => {
      const client = await app.newClient();
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const before = countOf(client);
      const ended = await Promise.all(
        Array.from({ length: 20 }, () => client.call('GET', `/changes?after=${next}&wait=1`)),
      );
      for (const { body } of ended) assert.deepEqual(body, { changes: [], next, caught_up: 1 });
      assert.equal(countOf(client), before + 2 * 20);
    });
  });
});
