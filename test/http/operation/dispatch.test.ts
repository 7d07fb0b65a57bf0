import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Reply } from '../../../src/core/call/reply.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { Principal } from '../../../src/core/principal.ts';
import { unrestricted } from '../../../src/core/resource/access.ts';
import { createDispatch } from '../../../src/http/operation/dispatch.ts';
import type { ApiDocument } from '../../../src/http/operation/operation.ts';
import type { Admission, Steps } from '../../../src/http/operation/steps.ts';
import { demo } from '../support/api.ts';

const known: Principal = {
  tenant: demo,
  apiUser: { id: 7, name: 'Known', readOnly: false, ...unrestricted },
  tokenId: 't',
};
const anonymous: Principal = { ...known, apiUser: { id: 0, name: 'anonymous', readOnly: true, ...unrestricted } };

const document = (security: object[]): ApiDocument =>
  ({
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    security: [{ Bearer: [] }],
    paths: {
      '/notes': {
        post: {
          operationId: 'notes_create',
          security,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { type: 'object', properties: { stars: { $ref: '#/components/schemas/Stars' } } },
              },
            },
          },
          responses: {},
        },
      },
    },
    components: {
      schemas: { Stars: { type: 'integer', maximum: 5 } },
      securitySchemes: { Bearer: { type: 'http', scheme: 'bearer' } },
    },
  }) as unknown as ApiDocument;

/** Returns the outcome of a request and the steps that it took. */
const ask = async (
  method: string,
  path: string,
  { security = [{ Bearer: [] }] as object[], stars = 1, valid = true } = {},
) => {
  const taken: string[] = [];
  const steps: Steps<null, Principal, Admission, () => void, Reply> = {
    authenticate: async () => {
      taken.push('authenticate');
      if (!valid) throw new ApiError('token_expired');
      return known;
    },
    anonymous: async () => {
      taken.push('anonymous');
      return anonymous;
    },
    admit: async (_, { operation }, principal) => {
      taken.push(`admit ${principal.apiUser.name} to ${operation.operationId}`);
      const caller = { confirm: async () => principal };
      return { value: { stars }, inexact: [], principal, caller };
    },
    handle: async ({ principal, body, findings }) => {
      taken.push(
        `handle for ${principal.apiUser.name}: ${body.stars} ${findings.map(({ field, code }) => `${field} ${code}`)}`,
      );
      return { status: 200, headers: {}, body: null };
    },
  };
  const handlers = new Map([['notes_create', () => assert.fail('handle calls it')]]);
  const dispatch = createDispatch({ document: document(security), handlers }, steps);
  const result = await dispatch(null, { method, path }).catch((error: unknown) => error);
  return [result instanceof ApiError ? result.code : 'served', ...taken];
};

describe('dispatch', () => {
  const token = [{ Bearer: [] }];
  const cases: [label: string, asked: ReturnType<typeof ask>, want: string[]][] = [
    [
      'authenticates, admits and handles',
      ask('POST', '/notes'),
      ['served', 'authenticate', 'admit Known to notes_create', 'handle for Known: 1 '],
    ],
    [
      'passes schema violations of the body to the handler',
      ask('POST', '/notes', { stars: 6 }),
      ['served', 'authenticate', 'admit Known to notes_create', 'handle for Known: 6 stars out_of_range'],
    ],
    [
      'throws what the security handler threw',
      ask('POST', '/notes', { valid: false }),
      ['token_expired', 'authenticate'],
    ],
    ['authenticates before 404', ask('POST', '/nothing'), ['not_found', 'authenticate']],
    ['authenticates before 405', ask('GET', '/notes'), ['method_not_allowed', 'authenticate']],
    ['throws 401 before 404', ask('POST', '/nothing', { valid: false }), ['token_expired', 'authenticate']],
    ['throws 401 before 405', ask('GET', '/notes', { valid: false }), ['token_expired', 'authenticate']],
    ...([[], [{}], [{}, ...token]] as object[][]).map((security): [string, ReturnType<typeof ask>, string[]] => [
      `requires no token where security is ${JSON.stringify(security)}`,
      ask('POST', '/notes', { security, valid: false }).then(steps => steps.filter(step => step !== 'authenticate')),
      ['served', 'anonymous', 'admit anonymous to notes_create', 'handle for anonymous: 1 '],
    ]),
  ];
  for (const [label, asked, want] of cases) it(label, async () => assert.deepEqual(await asked, want));
});
