import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import type { Client } from '../support/app.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { Hostile, hostileProblems } from '../support/hostile.ts';
import { type Operation, operations } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';

const table: Readonly<Record<string, Resource>> = resources;

/** The seed of the requests; FUZZ_SEED replaces it, and FUZZ_ROUNDS repeats the test with more requests. */
const seed = Number(process.env.FUZZ_SEED ?? 20_260_401);
const rounds = Number(process.env.FUZZ_ROUNDS ?? 1);

forEachApp((client, _, name) => {
  const ids = new Map<string, number>();

  before(async () => {
    const scene = new Scene(client);
    for (const { resource, verb } of operations) if (verb === 'create') ids.set(resource, await scene.idOf(resource));
  });

  /** Asserts that a response, or the response inside an envelope, is documented and no internal error. */
  const check = (operation: Operation, request: object, response: Awaited<ReturnType<Client['call']>>) => {
    const says = () =>
      `seed ${seed}: ${JSON.stringify({ operation: operation.operationId, ...request })}\n${response.text.slice(0, 2000)}`;
    assert.deepEqual(hostileProblems(operation, response), [], says());
    assert.match(String(response.headers['x-rate-limit-remaining']), /^\d+$/);
  };

  describe('hostile requests', () => {
    it('get documented responses, and none is an internal error', async () => {
      const hostile = new Hostile(seed + (name === 'embedded' ? 0 : 1));
      for (let round = 0; round < rounds; round++) {
        for (const operation of operations) {
          const fields = table[operation.resource]?.fields ?? [];
          const requests = Array.from({ length: 4 }, () =>
            hostile.request(operation, fields, ids.get(operation.resource) ?? 1),
          );
          const responses = await Promise.all(
            requests.map(({ method, path, headers, body }) =>
              client.call(method, path, { headers, ...(body !== undefined && { body }) }),
            ),
          );
          for (const [index, response] of responses.entries()) check(operation, requests[index] ?? {}, response);
        }
      }
    });
  });
});
