import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../../support/app.ts';
import { operations, violations } from '../../support/operations.ts';

/** Returns the response to GET, after checking that it is as the document describes it. */
export const getDocumented = async (client: Client, path: string): Promise<ApiResponse> => {
  const response = await client.call('GET', path);
  const pattern = path.replace(/\?.*/, '').replaceAll(/\/\d+/g, '/{id}');
  const operation = operations.find(candidate => candidate.method === 'GET' && candidate.path === pattern);
  assert.ok(operation, pattern);
  assert.deepEqual(violations(operation, response.status, response.body), [], response.text);
  return response;
};
