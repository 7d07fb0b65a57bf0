import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { freePort } from './free-port.ts';

test('a free port is none that Linux gives to outgoing connections, and none that fetch refuses', async () => {
  for (let time = 0; time < 20; time++) {
    const port = await freePort();
    assert.ok(port > 10_080 && port < 32_768, `${port}`);
  }
});

test('a free port is one that nothing listens on, and is given once', async context => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const { port: taken } = server.address() as AddressInfo;
  const [first, second] = [await freePort(), await freePort()];
  const tried = [taken, first, second];
  const third = await freePort(() => tried.shift() ?? randomInt(10_081, 32_768));
  assert.deepEqual(tried, []);
  assert.equal(new Set([taken, first, second, third]).size, 4);
});
