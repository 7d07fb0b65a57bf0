import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Tenant } from '../../src/core/principal.ts';
import { ajv } from '../../src/core/validator.ts';
import type { DocumentNode } from '../../src/http/documents/parts.ts';
import { anyDatabase } from '../support/database.ts';
import { type AdministrationServer, type Response, startAdministration } from './server.ts';

const document: DocumentNode = JSON.parse(readFileSync('generated/administration.json', 'utf8'));
const resolve = (node: DocumentNode): DocumentNode =>
  node.$ref
    ? resolve(
        node.$ref
          .slice(2)
          .split('/')
          .reduce((found: DocumentNode, name: string) => found[name], document),
      )
    : node;

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body: DocumentNode;
  readonly responses: DocumentNode;
}

const operations: readonly Operation[] = Object.entries<DocumentNode>(document.paths).flatMap(([path, item]) =>
  Object.entries<DocumentNode>(item).map(([method, { operationId, requestBody, responses }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path,
    body: requestBody && resolve(requestBody.content['application/json'].schema),
    responses,
  })),
);
const found = (id: string): Operation => {
  const operation = operations.find(candidate => candidate.id === id);
  assert.ok(operation, id);
  return operation;
};
/** Returns the path of an operation; a parameter that is not given is 7, which is both an id and a name. */
const pathOf = ({ path }: Operation, params: Record<string, string | number> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => String(params[name] ?? 7));
const validatorOf = (schema: DocumentNode) => ajv.compile({ ...schema, components: document.components });

describe('the document of the administration API', () => {
  let server: AdministrationServer;
  let tenant: Tenant;
  let other: Tenant;
  let operator: string;
  let own: string;
  before(async () => {
    server = await startAdministration(await anyDatabase());
    [tenant, other] = [await server.newTenant(), await server.newTenant()];
    [operator, own] = [await server.issue(), await server.issue(tenant)];
  });
  after(() => server.close());

  const problem = (response: Response, status: number, code: string, what: string): void => {
    assert.deepEqual([response.status, response.body?.code], [status, code], `${what}: ${response.text}`);
    const validate = validatorOf(document.components.schemas.Problem);
    assert.ok(validate(response.body), `${what}: ${JSON.stringify(validate.errors)}`);
  };

  test('has examples that its schemas accept', () => {
    let examples = 0;
    for (const [name, schema] of Object.entries<DocumentNode>(document.components.schemas))
      for (const example of schema.examples ?? []) {
        const validate = validatorOf(schema);
        assert.ok(validate(example), `${name}: ${JSON.stringify(validate.errors)}`);
        examples++;
      }
    assert.ok(examples >= 30);
  });

  test('has everything that it refers to, in extensions too: generators of clients follow all references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
    assert.ok(references.length > 0);
    assert.deepEqual(
      references.filter($ref => resolve({ $ref }) === undefined),
      [],
    );
  });

  test('has the attribute types of the tenants’ API', () => {
    const tenants = JSON.parse(readFileSync('generated/openapi.json', 'utf8'));
    const typesOf = (given: DocumentNode) =>
      given.components.schemas.AttributeType.oneOf?.map((one: DocumentNode) => one.const) ??
      given.components.schemas.AttributeType.enum;
    assert.deepEqual(typesOf(document), typesOf(tenants));
  });

  test('has the count that closes a list of too many errors', async () => {
    const scopes = Array.from({ length: 150 }, () => 0);
    const response = await server.call(operator, 'POST', `/tenants/${tenant.slug}/api-users`, { name: 'many', scopes });
    problem(response, 422, 'validation_failed', 'scopes');
    assert.deepEqual(
      [response.body.errors.at(-1).code, typeof response.body.errors.at(-1).count],
      ['too_many_errors', 'number'],
    );
  });

  test('names the operations that reject requests without a token, or with another one: all of them', async () => {
    const user = await server.call(operator, 'POST', `/tenants/${tenant.slug}/api-users`, { name: 'one' });
    const jwt = await server.app.tokenOf(tenant, user.body.id);
    for (const operation of operations) {
      const { method, body } = operation;
      const path = pathOf(operation, { tenant: tenant.slug });
      const example = body?.examples?.[0];
      problem(await server.send(method, path, {}, example), 401, 'missing_token', operation.id);
      for (const token of [
        jwt,
        `${operator}x`,
        `adm_${'0'.repeat(16)}_${'A'.repeat(43)}`,
        `${operator.slice(0, -4)}AAAA`,
      ]) {
        const response = await server.call(token, method, path, example);
        problem(response, 401, 'invalid_token', operation.id);
        assert.equal(response.headers['www-authenticate'], 'Bearer');
      }
    }
  });

  test('names the operations on a tenant that another tenant’s administrator does not find: all of them', async () => {
    const before = await server.call(operator, 'GET', `/tenants/${other.slug}`);
    const missing = await server.call(own, 'GET', '/tenants/no-such-tenant');
    let checked = 0;
    for (const operation of operations.filter(({ path }) => path.includes('{tenant}'))) {
      const path = pathOf(operation, { tenant: other.slug });
      const response = await server.call(own, operation.method, path, operation.body?.examples?.[0]);
      problem(response, 404, 'not_found', operation.id);
      const { request_id: _, ...rest } = response.body;
      const { request_id: __, ...same } = missing.body;
      assert.deepEqual(rest, same);
      assert.deepEqual(Object.keys(rest), ['code', 'message', 'description']);
      checked++;
    }
    assert.ok(checked >= 30);
    assert.deepEqual((await server.call(operator, 'GET', `/tenants/${other.slug}`)).body, before.body);
    assert.deepEqual(
      (await server.call(own, 'GET', '/tenants')).body.map(({ slug }: { slug: string }) => slug),
      [tenant.slug],
    );
  });

  test('names what only operators do', async () => {
    const slug = tenant.slug;
    const refused: [method: string, path: string, body?: object][] = [
      ['POST', '/tenants', found('tenants_create').body.examples[0]],
      ['GET', '/log'],
      ['POST', `/tenants/${slug}/disable`],
      ['POST', `/tenants/${slug}/enable`],
      ['PUT', `/tenants/${slug}`, { hosts: [] }],
      ['PUT', `/tenants/${slug}`, { modules: ['billing'] }],
      ['PUT', `/tenants/${slug}`, { rate_limit: null }],
    ];
    for (const [method, path, body] of refused)
      problem(await server.call(own, method, path, body), 403, 'forbidden', `${method} ${path}`);
    const renamed = await server.call(own, 'PUT', `/tenants/${slug}`, { name: 'Own' });
    assert.equal(renamed.body.name, 'Own', renamed.text);
  });

  test('tells all fields and parameters: others are rejected', async () => {
    for (const operation of operations) {
      const path = pathOf(operation, { tenant: tenant.slug });
      const { method, body, id } = operation;
      const example = body?.examples?.[0];
      const rejected = await server.call(operator, method, `${path}?bogus=1`, example);
      problem(rejected, 400, 'unknown_field', `${id} with a parameter`);
      assert.match(rejected.body.message, /^bogus is not a parameter/);
      if (!body) {
        problem(await server.call(operator, method, path, { bogus: 1 }), 400, 'unknown_field', `${id} with a body`);
        continue;
      }
      for (const member of ['bogus', 'id', 'tenant_id', '__proto__', 'constructor']) {
        const text = JSON.stringify(example).replace('{', `{"${member}": 1, `);
        const response = await server.call(operator, method, path, text);
        problem(response, 422, 'validation_failed', `${id} with ${member}`);
        const [{ field, code }] = response.body.errors;
        assert.deepEqual([field, code], [member, 'unknown_field']);
      }
      problem(await server.call(operator, method, path, '[]'), 400, 'malformed_json', id);
      problem(await server.call(operator, method, path, '{'), 400, 'malformed_json', id);
      const invalid = Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]);
      problem(await server.call(operator, method, path, invalid), 400, 'malformed_json', `${id} with invalid UTF-8`);
      const text = await server.send(
        method,
        path,
        { Authorization: `Bearer ${operator}`, 'Content-Type': 'text/plain' },
        '{}',
      );
      problem(text, 415, 'unsupported_media_type', id);
      const large = await server.call(operator, method, path, `{"name": "${'x'.repeat(70_000)}"}`);
      problem(large, 413, 'payload_too_large', id);
      for (const status of ['413', '415', '503']) assert.ok(operation.responses[status], `${id} names ${status}`);
    }
  });

  test('takes gzip bodies as the API of tenants does, and no other coding', async () => {
    const send = (coding: string, body: Uint8Array) =>
      server.send(
        'PUT',
        `/tenants/${tenant.slug}`,
        { Authorization: `Bearer ${operator}`, 'Content-Type': 'application/json', 'Content-Encoding': coding },
        body,
      );
    const renamed = await send('gzip', gzipSync('{"name": "Compressed"}'));
    assert.equal(renamed.body.name, 'Compressed', renamed.text);
    problem(await send('br', gzipSync('{}')), 415, 'unsupported_media_type', 'br');
    problem(await send('gzip', Buffer.from('{}')), 400, 'malformed_json', 'plain');
    const large = gzipSync(`{"name": "${'x'.repeat(70_000)}"}`);
    problem(await send('gzip', large), 413, 'payload_too_large', 'large after decompression');
  });

  test('names ids that are parsed strictly, and methods', async () => {
    for (const id of ['0', '1e3', '0x10', '-1', '01', '99999999999999999999', '1.0', '%2031', "1'"]) {
      const path = `/tenants/${tenant.slug}/api-users/${id}/disable`;
      assert.equal((await server.call(operator, 'POST', path)).status, 404, id);
    }
    const response = await server.call(operator, 'DELETE', '/tenants');
    problem(response, 405, 'method_not_allowed', 'DELETE /tenants');
    assert.equal(response.headers.allow, 'GET, HEAD, POST');
    problem(await server.call(operator, 'GET', '/nothing'), 404, 'not_found', 'unknown path');
    problem(await server.call(operator, 'GET', '/log?limit=0'), 400, 'invalid_parameter', 'limit');
    problem(await server.call(operator, 'GET', '/log?limit=x'), 400, 'invalid_parameter', 'limit');
    problem(await server.call(operator, 'GET', '/log?limit=1&limit=2'), 400, 'invalid_parameter', 'limit');
  });

  test('asks for the access of the API user that an automation is written for', async () => {
    const path = `/tenants/${tenant.slug}`;
    const userWith = async (name: string, access: object): Promise<number> =>
      (await server.call(operator, 'POST', `${path}/api-users`, { name, ...access })).body.id;
    const written = {
      trigger_type: 'checkin.created',
      trigger_configuration: '{}',
      routine_type: 'assignment.set_status',
      routine_configuration: '{"status": 7}',
    };
    const write = (api_user_id: number, more: object = {}) =>
      server.call(own, 'POST', `${path}/automations`, { ...written, ...more, api_user_id });

    problem(await write(await userWith('a', { scopes: ['assignments:write'] })), 403, 'scope_missing', 'trigger');
    problem(await write(await userWith('b', { scopes: ['checkins:read'] })), 403, 'scope_missing', 'routine');
    problem(await write(await userWith('c', { read_only: true })), 405, 'read_only_user', 'read-only');
    const able = await userWith('d', { scopes: ['checkins:read', 'assignments:write'] });
    const made = await write(able);
    assert.deepEqual([made.status, made.body.api_user_id], [201, able], made.text);

    const at = `${path}/automations/${made.body.id}`;
    const less = await userWith('e', { scopes: ['checkins:read'] });
    problem(await server.call(own, 'PUT', at, { ...written, api_user_id: less }), 403, 'scope_missing', 'change');
    const webhook = { routine_type: 'webhook.post', routine_configuration: '{"url": "https://hooks.example/"}' };
    const moved = await server.call(own, 'PUT', at, { ...written, ...webhook, api_user_id: less });
    assert.deepEqual([moved.status, moved.body.api_user_id, moved.body.api_user], [200, less, 'e'], moved.text);

    await server.call(own, 'POST', `${path}/api-users/${able}/disable`);
    for (const [id, code] of [
      [able, 'reference_inactive'],
      [999_999, 'reference_not_found'],
    ] as const) {
      const rejected = await write(id);
      problem(rejected, 422, 'validation_failed', code);
      assert.deepEqual([rejected.body.errors[0].field, rejected.body.errors[0].code], ['api_user_id', code]);
    }
    const unfit = await write(less, { ...webhook, trigger_configuration: '{"to": [7]}' });
    problem(unfit, 422, 'validation_failed', 'configuration');
    assert.equal((await server.call(own, 'DELETE', at)).status, 204);
    assert.ok(!JSON.stringify((await server.call(own, 'GET', `${path}/automations`)).body).includes('checkin.created'));
  });

  test('describes the responses of all operations, which succeed with its examples', async () => {
    const succeeded = new Set<string>();
    const perform = async (
      id: string,
      params: Record<string, string | number> = {},
      body?: object,
    ): Promise<DocumentNode> => {
      const operation = found(id);
      const given = body ?? operation.body?.examples?.[0];
      const response = await server.call(
        operator,
        operation.method,
        pathOf(operation, { tenant: tenant.slug, ...params }),
        given,
      );
      const described = operation.responses[response.status];
      assert.ok(response.status < 300 && described, `${id}: ${response.status} ${response.text}`);
      const schema = described.content?.['application/json'].schema;
      if (schema) {
        const validate = validatorOf(schema);
        assert.ok(validate(response.body), `${id}: ${JSON.stringify(validate.errors)} ${response.text}`);
      } else assert.equal(response.text, '');
      succeeded.add(id);
      return response.body;
    };
    await perform('me_read');
    assert.ok((await perform('scopes_list')).includes('clients:read'));
    await perform(
      'tenants_create',
      {},
      { ...found('tenants_create').body.examples[0], slug: `c-${process.pid}`, hosts: [`c-${process.pid}.example`] },
    );
    for (const id of ['tenants_list', 'tenants_read', 'tenants_update', 'tenants_disable', 'tenants_enable'])
      await perform(id);
    const { secret } = await perform('webhookSecrets_read');
    assert.notEqual((await perform('webhookSecrets_rotate')).secret, secret);

    const user = await perform('apiUsers_create');
    assert.deepEqual((await perform('apiUsers_update', { id: user.id })).hidden, ['pay']);
    assert.equal((await perform('apiUsers_disable', { id: user.id })).active, false);
    assert.equal((await perform('apiUsers_enable', { id: user.id })).active, true);
    assert.ok((await perform('apiUsers_list')).length > 0);
    const { jti, token } = await perform('apiUsers_issueToken', { id: user.id });
    const headers = { Host: `${tenant.slug}.test`, Authorization: `Bearer ${token}` };
    const refused = await server.app.send('GET', '/clients?bogus=1', headers);
    assert.equal(refused.status, 400);
    assert.ok((await perform('tokens_list')).some((one: DocumentNode) => one.jti === jti));
    await perform('tokens_revoke', { jti });

    const form = await perform('forms_create');
    await perform('forms_update', { id: form.id });
    const [{ id: clients }] = (await perform('forms_list')).filter((one: DocumentNode) => one.entity === 'clients');
    const attribute = await perform(
      'attributes_create',
      {},
      { ...found('attributes_create').body.examples[0], entity_id: clients },
    );
    await perform('attributes_update', { id: attribute.id });
    assert.ok((await perform('attributes_list')).some((one: DocumentNode) => one.id === attribute.id));
    await perform('attributes_delete', { id: attribute.id });
    const { id } = await perform('collections_create');
    await perform('collections_update', { id });
    await perform('collections_list');
    const value = await perform('collections_createValue', { id });
    await perform('collections_updateValue', { id, value_id: value.id });
    assert.equal((await perform('collections_listValues', { id }))[0].name, 'Medium');

    const writer = await server.app.tokenOf(tenant, user.id);
    await perform('apiUsers_update', { id: user.id }, { scopes: [], hidden: [] });
    const made = await server.app.send(
      'POST',
      '/automations',
      { Host: `${tenant.slug}.test`, Authorization: `Bearer ${writer}`, 'Content-Type': 'application/json' },
      {
        trigger_type: 'assignment.status_changed',
        trigger_configuration: '{}',
        routine_type: 'webhook.post',
        routine_configuration: '{"url": "https://hooks.example/x"}',
      },
    );
    assert.equal(made.status, 201, made.text);
    const tested = await server.app.send('POST', `/automations/${made.body.id}/test`, {
      Host: `${tenant.slug}.test`,
      Authorization: `Bearer ${writer}`,
    });
    assert.equal(tested.status, 201, tested.text);
    const replayed = await perform('automations_replay', { id: made.body.id, delivery_id: tested.body.id });
    assert.equal(replayed.replay_of, tested.body.id);
    const [automation] = await perform('automations_list');
    assert.equal(automation.pending, 2);
    assert.deepEqual([automation.api_user_id, automation.api_user], [user.id, user.name]);
    assert.equal((await perform('automations_listDeliveries', { id: made.body.id })).length, 2);
    // The first one was given up without an attempt, and the second one failed later.
    const failed = `update automation_deliveries set status = 3, next_attempt_at = null,
      error = case id when $2 then 'loop_limit' else 'timeout' end, attempted_at = case when id <> $2 then now() end,
      created_at = case id when $2 then now() - interval '21 days' else now() end where tenant_id = $1`;
    const values = [String(tenant.id), String(tested.body.id)];
    await server.app.database.asOwner(tenant.id, ({ send }) => send({ name: null, text: failed, values }));
    assert.equal((await perform('automations_list'))[0].last_error, 'timeout');
    const written = { ...found('automations_create').body.examples[0], api_user_id: user.id };
    const further = await perform('automations_create', {}, written);
    assert.deepEqual([further.api_user_id, further.api_user, further.pending], [user.id, user.name, 0]);
    const changed = await perform(
      'automations_update',
      { id: further.id },
      { ...written, trigger_configuration: '{}' },
    );
    assert.deepEqual(changed, { ...further, trigger_configuration: '{}' });
    await perform('automations_delete', { id: further.id });
    assert.deepEqual(
      (await perform('automations_list')).map(({ id }: DocumentNode) => id),
      [made.body.id],
    );

    await server.activity.flush();
    const [first] = await perform('requests_listRefused');
    assert.deepEqual([first.operation, first.code, first.api_user], ['clients_list', 'unknown_field', 'payroll']);
    const own = await perform('apiUsers_listRequests', { id: user.id });
    assert.deepEqual(
      own.map(({ operation, path, status }: DocumentNode) => [operation, path, status]),
      [
        ['automations_test', '/automations/{id}/test', 201],
        ['automations_create', '/automations', 201],
        ['clients_list', '/clients', 400],
      ],
    );
    assert.equal((await perform('requests_readUsage')).length > 0, true);
    const [entry] = await perform('log_list');
    assert.deepEqual(
      [entry.operation, entry.tenant, entry.status, entry.administrator],
      ['automations_delete', tenant.slug, 204, 'Ada'],
    );
    assert.deepEqual(
      operations.map(operation => operation.id).filter(id => !succeeded.has(id)),
      [],
    );
  });
});
