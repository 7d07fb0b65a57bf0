import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { anyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { type Operation, operations } from '../support/operations.ts';
import { flippedRequests, type RawRequest, rawRequests } from '../support/raw-requests.ts';
import { rawProblems } from '../support/raw-responses.ts';
import { runs, some } from '../support/runs.ts';

/** The seed of the requests; FUZZ_SEED replaces it. */
const seed = Number(process.env.FUZZ_SEED ?? 20_260_401);
/** The id of a record that does not exist, so that accepted requests change nothing. */
const never = 9_007_199_254_740_991;

/** Returns a generator of pseudorandom numbers from 0 to 1 (mulberry32). */
const randomFrom = (start: number) => {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

describe('requests as bytes that no client library sends', () => {
  const times = { silence: 200, headers: 200, whole: 200, keepAlive: 200, check: 20 };
  const { client, app } = useApp(anyDatabase, { times });
  const random = randomFrom(seed);

  /** Sends bytes and returns everything received until the server closes the connection. */
  const exchange = (bytes: Buffer): Promise<string> =>
    new Promise(resolve => {
      const chunks: Buffer[] = [];
      const socket = connect(app.port, '127.0.0.1', () => socket.write(bytes));
      socket.on('data', chunk => chunks.push(chunk)).on('error', () => {});
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    });

  const check = async (operation: Operation, { label, bytes }: RawRequest): Promise<void> => {
    const response = await exchange(bytes);
    const says = () => `seed ${seed}, ${operation.operationId}, ${label}:\n${response.slice(0, 1500)}`;
    assert.deepEqual(rawProblems(operation, response), [], says());
    if (response === '' || response.startsWith('HTTP/1.1 100')) return;
    assert.match(response, /^x-rate-limit-remaining: \d+\r$/im, says());
    assert.match(response, /^x-content-type-options: nosniff\r$/im, says());
  };

  describe('get documented responses, or none', { concurrency: 8 }, () => {
    for (const [index, operation] of operations.entries()) {
      it(operation.operationId, { timeout: 30_000 }, async () => {
        const target = { host: `${client.tenant.slug}.test`, token: client.token };
        const requests = [
          ...some(rawRequests(operation, target, never), 20, index),
          ...flippedRequests(operation, target, never, runs(6), random),
        ];
        await Promise.all(requests.map(request => check(operation, request)));
      });
    }
  });

  it('leave the server running, execute no smuggled request, and log no error', async () => {
    assert.equal((await client.call('GET', '/clients')).status, 200);
    const logs = app.logs.map(line => JSON.parse(line));
    assert.deepEqual(
      logs.filter(({ path }) => String(path).includes('smuggled')),
      [],
    );
    assert.deepEqual(
      logs.filter(({ level }) => level >= 50),
      [],
    );
  });
});
