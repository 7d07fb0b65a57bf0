import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachDatabase } from '../support/database.ts';
import { violations } from '../support/statement-watch.ts';

/** Sends a statement as the service does: nothing of a test is among its callers. */
const script = `export const send = (queue, text) => new Promise((resolve, reject) =>
  setImmediate(() => queue.executeSql(text).then(() => resolve(), reject)))`;

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
});
