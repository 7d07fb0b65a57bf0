import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { operations, pathOf, sampleBody } from '../support/operations.ts';
import { some } from '../support/runs.ts';

const invalid = (name: string): readonly string[] => [
  `${name}=AAA`,
  `${name}=`,
  `${name}=2`,
  `${name}=-1`,
  `${name}=TRUE`,
  `${name}=1&${name}=1`,
  `${name}[]=1`,
];

describe('boolean query parameters', () => {
  // A sandbox has more operations than a live tenant.
  const { client } = useApp(anyDatabase, {}, { sandbox: true });

  it('include dry_run on every write', () => {
    const without = operations.filter(({ method, switches }) => method !== 'GET' && !switches.includes('dry_run'));
    assert.deepEqual(without, []);
  });

  it('are all recognised as such', () => {
    const flags = new Set(['anonymize', 'count', 'create', 'dry_run', 'force', 'return_values']);
    // A read is never a dry run: the parameter of that name is a filter of imports.
    const isFilter = (method: string, name: string) => method === 'GET' && name === 'dry_run';
    for (const { operationId, method, queries, switches } of operations)
      assert.deepEqual(
        switches,
        queries.filter(name => flags.has(name) && !isFilter(method, name)),
        operationId,
      );
  });

  for (const [index, operation] of operations.entries()) {
    if (operation.switches.length === 0) continue;
    it(`${operation.operationId} takes 0, 1, true or false once for ${operation.switches.join(', ')}`, async () => {
      const path = pathOf(operation, 1);
      const body = operation.method === 'GET' || operation.method === 'DELETE' ? undefined : sampleBody(operation);
      const call = async (query: string) => {
        const asked = `${path}${path.includes('?') ? '&' : '?'}${query}`;
        const response = await client.call(operation.method, asked, body === undefined ? {} : { body });
        return response.body?.status_code === undefined ? response.body : response.body.response;
      };
      for (const name of operation.switches) {
        for (const query of some(invalid(name), 3, index)) {
          const failure = await call(query);
          assert.equal(failure?.code, 'invalid_parameter', query);
          assert.ok(failure.message.startsWith(`${name} `), failure.message);
        }
        for (const value of some(['0', '1', 'true', 'false'], 2, index))
          assert.doesNotMatch(String((await call(`${name}=${value}`))?.message), new RegExp(`^${name} `), value);
      }
    });
  }
});
