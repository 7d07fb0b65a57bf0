import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachDatabase, newTenant } from '../support/database.ts';
import { violations } from '../support/statement-watch.ts';

/** Sends a statement as the service does: nothing of a test is among its callers. */
const script = `export const within = (db, texts, value) => new Promise((resolve, reject) => setImmediate(() => db.transaction(
  transaction => transaction.send(...texts.map(text => ({ name: null, text, values: [value] })))).then(() => resolve(), reject)))
export const send = (queue, text) => new Promise((resolve, reject) =>
  setImmediate(() => queue.executeSql(text).then(() => resolve(), reject)))`;

/** Returns what has been noticed of statements, which is forgotten then. */
const noticed = (...texts: readonly string[]): string[] =>
  texts.flatMap(text => {
    const found = violations.get(text);
    violations.delete(text);
    return found === undefined ? [] : [found];
  });

forEachDatabase((name, getDatabase) => {
  test('a statement of the service that breaks the rules is noticed, and one of a test is not', async () => {
    const { send } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
    const text = `select id from clients where false and '${name}' <> ''`;
    await getDatabase().queue.executeSql(`${text} -- of a test`);
    await send(getDatabase().queue, text);
    const found = [...violations.keys()].filter(violation => violation.startsWith(text));
    for (const violation of found) violations.delete(violation);
    assert.deepEqual(found, [text]);
  });

  test('a transaction of the service that writes a tenant and the job queue is noticed', async () => {
    const { within } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
    const database = getDatabase();
    const db = database.forTenant(await newTenant(database));
    const [change, enqueue] = [
      `delete from clients where tenant_id = $1 and id = 0 and '${name}' <> '' returning id as journal_id`,
      `select enqueue_import($1::bigint), '${name}'`,
    ];
    await within(db, [change], String(db.tenant.id));
    await within(db, [enqueue], '0');
    assert.deepEqual(noticed(change, enqueue), []);
    await within(db, [change, enqueue], String(db.tenant.id));
    assert.deepEqual(noticed(change, enqueue), ['tenant: clients and enqueue_import in one transaction']);
  });

  test('a function that enters tenants without a transaction is noticed', async () => {
    const { send } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
    const database = getDatabase();
    const text = `select moving_clocks(), '${name}'`;
    await database.ask({ name: null, text, values: [] });
    assert.deepEqual(noticed(text), []);
    await send(database.queue, text);
    assert.deepEqual(noticed(text), ['system: moving_clocks without a transaction']);
  });
});
