/** A small document in the shape of the published one. */

const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const body = (schema: object, required = true) => ({ required, content: { 'application/json': { schema } } });
const responses = { 200: { description: 'OK' } };
const clients = { responses, 'x-resource': 'clients' };
const text = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });

const times = {
  type: 'object',
  properties: {
    start: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    remarks: { type: 'string', minLength: 1, maxLength: 5 },
    kind: { type: 'string', enum: ['a', 'b'] },
    minutes: { type: 'integer', minimum: 0, maximum: 10 },
    ids: { type: 'array', items: { type: 'integer' }, maxItems: 2 },
  },
  required: ['start', 'kind'],
  additionalProperties: false,
};

export const document = {
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  servers: [{ url: 'https://{tenant}.example/api/v1' }],
  security: [{ Bearer: [] }],
  paths: {
    '/clients': {
      get: { ...clients, operationId: 'clients_list', 'x-verb': 'list' },
      post: { ...clients, operationId: 'clients_create', 'x-verb': 'create', requestBody: body({ type: 'object' }) },
    },
    '/clients/today': {
      get: { ...clients, operationId: 'clients_today', 'x-verb': 'list', 'x-alias': 'today' },
    },
    '/clients/{id}': {
      get: { ...clients, operationId: 'clients_read', 'x-verb': 'read', parameters: [id] },
      put: {
        ...clients,
        operationId: 'clients_update',
        'x-verb': 'update',
        parameters: [id, text('f')],
        requestBody: body({ type: 'object' }),
      },
      delete: {
        ...clients,
        operationId: 'clients_delete',
        'x-verb': 'delete',
        parameters: [id],
        deprecated: true,
        'x-deprecated-since': '2026-01-01',
        'x-successor': '/clients/{id}',
      },
    },
    '/clients/{id}/time': {
      put: {
        ...clients,
        operationId: 'clients_setTime',
        parameters: [id, text('force')],
        requestBody: body({ $ref: '#/components/schemas/Times' }),
      },
    },
    '/clients/{id}/apply': {
      post: {
        ...clients,
        operationId: 'clients_apply',
        parameters: [id, { ...text('needed'), required: true }],
        requestBody: body({ type: 'object', properties: { maybe: { type: 'integer' } } }, false),
      },
    },
    '/clients/{id}/old': {
      get: {
        ...clients,
        operationId: 'clients_old',
        parameters: [id],
        deprecated: true,
        'x-deprecated-since': '2026-01-01',
        'x-successor': '/clients/{id}',
        'x-withdrawn': true,
      },
    },
    '/clients/status': { put: { ...clients, operationId: 'clients_setStatus', requestBody: body({ type: 'object' }) } },
    '/paysheets': {
      get: { responses, operationId: 'paysheets_list', 'x-verb': 'list', 'x-resource': 'paysheets' },
      post: {
        responses,
        operationId: 'paysheets_create',
        'x-verb': 'create',
        'x-resource': 'paysheets',
        'x-module': 'payroll',
        requestBody: body({ type: 'object' }),
      },
    },
  },
  components: {
    schemas: { Times: times },
    securitySchemes: { Bearer: { type: 'http', scheme: 'bearer' } },
  },
};
