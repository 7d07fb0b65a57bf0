import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../../src/core/call/call.ts';
import type { TenantDb } from '../../../src/db/database.ts';
import type { Verbs } from '../../../src/engine/verb.ts';
import type { HandlerDependencies } from '../../../src/http/operation/handlers.ts';
import type { ApiDocument } from '../../../src/http/operation/operation.ts';
import { createPut } from '../../../src/http/operation/put.ts';

const schema = { $ref: '#/components/schemas/CrateUpdate' };
const document = {
  openapi: '3.1.0',
  info: { title: 'Crates', version: '1' },
  components: {
    schemas: {
      CrateUpdate: { type: 'object', properties: { label: { $ref: '#/components/schemas/Label' } } },
      Label: { type: 'string', pattern: '^[A-Z]+$' },
    },
  },
  paths: {
    '/crates/{id}': {
      put: {
        operationId: 'crates_update',
        'x-resource': 'crates',
        'x-verb': 'update',
        requestBody: { content: { 'application/json': { schema } } },
        responses: {},
      },
    },
  },
} as unknown as ApiDocument;

test('a PUT within a request addresses its record, is checked by the document and has no conditions of the request', async () => {
  const calls: Call[] = [];
  const update: Verbs['update'] = () => async call => {
    calls.push(call);
    return { status: 200, headers: {}, body: null };
  };
  const put = createPut(document, { resources: { crates: {} }, verbs: { update } } as unknown as HandlerDependencies);
  const call = {
    id: 3,
    parent: { resource: 'forms' },
    parameters: [['dry_run', 'true']],
    headers: { ifMatch: '"x"', idempotencyKey: 'k', declared: {} },
    findings: [],
  } as unknown as Call;
  for (const label of ['A', 'a']) await put({ resource: 'crates', id: 7, body: { label } }, call, {} as TenantDb);
  assert.deepEqual(
    calls.map(({ operation, id, parent, parameters, body, headers }) => [
      operation,
      id,
      parent,
      parameters,
      body.label,
      headers.ifMatch,
      headers.idempotencyKey,
    ]),
    [
      ['crates_update', 7, null, [], 'A', null, null],
      ['crates_update', 7, null, [], 'a', null, null],
    ],
  );
  assert.deepEqual(
    calls.map(({ findings }) => findings.map(({ code, field }) => `${code} ${field}`)),
    [[], ['invalid_format label']],
  );
  await assert.rejects(put({ resource: 'lids', id: 7, body: {} }, call, {} as TenantDb), /lids can't be updated/);
});
