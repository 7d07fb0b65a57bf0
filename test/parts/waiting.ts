import { createServer } from 'node:http';
import { after, test } from 'node:test';

/** Tests that never end by themselves, for the test that a run of them does. */
const forever = new Promise<void>(() => {});

createServer().listen(0, '127.0.0.1');
after(() => console.log('The last hook.'));
test('a test that waits forever', () => forever);
test('a test after it', () => {});
after(() => forever);
