import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { type Reference, referencesOf } from '../../src/core/resource/references.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import { isSelect } from '../../src/engine/references/collection.ts';
import { createQualification } from '../domain/staffing/scene.ts';
import type { ApiResponse } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { type Operation, operationOf, operations } from '../support/operations.ts';
import { needsApproval, Scene } from '../support/scene.ts';

const table: Readonly<Record<string, Resource>> = resources;
const never = 9_007_199_254_740_991;

type Schema = { readonly $ref?: string; readonly [member: string]: unknown };
const document = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));

/** Ids in bodies that are no references to records: ids within the body or a record, or of the actions that have tests of their own. */
const others: readonly RegExp[] = [
  // Ids of other systems.
  /(^|\.)external_id$/,
  // The record's own id.
  /^id$/,
  // Defined by the same body, or by a record that is referred to: wage types of a wage profile, time slots of a definition.
  /^(rules|time_slots|wage_types)\[\]\.id$/,
  /(^|\.)(wage_type_id|time_slot_id)$/,
  // Of a line, that of its paysheet; and the name of a wage type in another system.
  /^lines\[\]\.(wage_profile_id|wage_type_external_id)$/,
  // Of actions, and of changes that are requested: foreign-ids.test.ts.
  /^(approver\.id|items\[\]\.assignment_id|assignment_ids|assignment_billing_ids|employee_ids|signature_file_id|changes\[\]\.attribute_id)$/,
];

/** Returns the paths of all members of a schema whose names say that they contain ids. */
const idsIn = (schema: Schema, path = '', seen: readonly string[] = []): string[] => {
  const name = schema.$ref?.split('/').at(-1);
  if (name) return seen.includes(name) ? [] : idsIn(document.components.schemas[name], path, [...seen, name]);
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap(key => (schema[key] ?? []) as Schema[]);
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  return [
    ...parts.flatMap(part => idsIn(part, path, seen)),
    ...(schema.items ? idsIn(schema.items as Schema, `${path}[]`, seen) : []),
    ...members.flatMap(([member, part]) => {
      const inside = path ? `${path}.${member}` : member;
      return [...(/(^|_)ids?$/.test(member) ? [inside] : []), ...idsIn(part, inside, seen)];
    }),
  ];
};

interface Referring {
  readonly operation: Operation;
  readonly field: Field;
  readonly reference: Reference;
}

/** Each reference that the body of a create may contain. */
const referring: readonly Referring[] = Object.values(table).flatMap(({ name, fields }) => {
  const operation = operationOf(name, 'create');
  if (operation?.verb !== 'create') return [];
  return fields
    .filter(field => field.access !== 'read' && field.name !== operation.parent?.field)
    .flatMap(field => referencesOf(field).map(reference => ({ operation, field, reference })));
});

const errorsOf = ({ status, body, text }: ApiResponse): string[][] => {
  assert.equal(status, 422, text);
  return body.errors.map(({ code, field }: { code: string; field: string }) => [code, field]);
};

describe('every id in a request body', () => {
  for (const operation of operations.filter(({ method, raw }) => !raw && (method === 'POST' || method === 'PUT'))) {
    const body = document.paths[operation.path][operation.method.toLowerCase()].requestBody;
    const ids = [...new Set(body ? idsIn(body.content['application/json'].schema) : [])];
    if (ids.length === 0) continue;
    it(`of ${operation.operationId} declares which records it refers to`, () => {
      const fields = new Map(table[operation.resource]?.fields.map(field => [field.name, field]));
      const loose = ids.filter(path => {
        const field = fields.get(path);
        const isRead = [...fields.values()].some(
          ({ name, access }) => access === 'read' && (path === name || path.startsWith(`${name}.`)),
        );
        const [name = '', member = ''] = path.split('.');
        const isMember = fields.get(name)?.memberReferences?.[member] !== undefined;
        const declared = isRead || isMember || (field && (referencesOf(field).length > 0 || isSelect(field)));
        return !declared && !others.some(pattern => pattern.test(path));
      });
      assert.deepEqual(loose, []);
    });
  }
});

forAnyApp((client, app) => {
  const scene = new Scene(client);
  let otherScene: Scene;

  before(async () => {
    otherScene = new Scene(await app.newClient());
  });

  /** Creates a record with that value; of a list, after an item that exists. `changes` are further fields. */
  const attempt = async ({ operation, field, reference }: Referring, value: number | string, changes: object = {}) => {
    const { resource, when } = reference;
    const given = field.type === 'json' ? [await scene.idOf(resource), value] : value;
    const others = await scene.bodyOf(operation.resource, { ...changes, ...(when && { [when.field]: when.value }) });
    // Afterwards: the records that the body refers to are created with the values of the body.
    const body: Record<string, unknown> = { ...others, [field.name]: given };
    delete body[operation.parent?.field ?? ''];
    return client.call('POST', await scene.pathOf(operation), { body });
  };

  /** Returns the references that a record and those that refer to it have in common: of a contact, its client. */
  const common = async ({ operation, field, reference }: Referring, id: number) => {
    const { body } = await client.call('GET', await scene.recordPath(reference.resource, id));
    const names = referring.filter(other => other.operation === operation && other.field !== field);
    const values = names.map(({ field: { name } }) => [name, body[name] ?? null] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== null));
  };

  describe('a reference', () => {
    for (const asked of referring) {
      const { operation, field, reference } = asked;
      const { resource, by, when } = reference;
      const title = `by ${field.name}${when ? ` (${when.value})` : ''} of ${operation.operationId}`;
      const place = field.type === 'json' ? `${field.name}.1` : field.name;

      it(`${title} needs a record that exists in the tenant`, async () => {
        const foreign = await otherScene.referenceTo(reference, await otherScene.idOf(resource));
        const [response, same] = [await attempt(asked, foreign), await attempt(asked, by ? 'never' : never)];
        assert.deepEqual(errorsOf(response), [['reference_not_found', place]]);
        const known = ({ body }: ApiResponse, value: unknown) =>
          JSON.stringify(body.errors)
            .replaceAll(String(value), '#')
            .replaceAll(/\d{3,}/g, '#');
        assert.equal(known(response, foreign), known(same, by ? 'never' : never));
      });

      const { inactive = null } = table[resource] ?? {};
      if (inactive && operationOf(resource, 'update')) {
        it(`${title} needs a record that is in use`, async () => {
          const id = await scene.create(resource);
          const path = await scene.pathOf(operationOf(resource, 'update') as Operation, id);
          const body = { id, [inactive.field]: Number(inactive.value) };
          const changed = await client.call('PUT', path, { body });
          assert.equal(changed.status, 200, changed.text);
          const response = await attempt(asked, await scene.referenceTo(reference, id));
          assert.deepEqual(errorsOf(response), [['reference_inactive', place]]);
        });
      }

      const removal =
        operationOf(resource, 'delete') ?? operations.find(({ operationId }) => operationId === `${resource}_remove`);
      if (removal && !table[resource]?.keepsDeleted) {
        it(`${title} keeps its record from being deleted`, async () => {
          const id = await scene.create(resource);
          const isApproved = needsApproval(operation.resource, field.name);
          if (isApproved) await scene.approve(id);
          const made = await attempt(asked, await scene.referenceTo(reference, id), await common(asked, id));
          assert.equal(made.status, 201, made.text);
          const response = await client.call('DELETE', await scene.pathOf(removal, id));
          assert.deepEqual(
            [response.status, response.body?.code],
            [409, isApproved ? 'assignment_approved' : 'still_referenced'],
            response.text,
          );
        });
      }
    }
  });

  it('an item that a list has already stays, although it is deleted meanwhile', async () => {
    const [old, more] = [await createQualification(client), await createQualification(client)];
    const id = await scene.create('employees', { qualifications: [old] });
    const put = (path: string, body: object) => client.call('PUT', path, { body });
    const [{ id: collection }] = (await client.call('GET', '/collections?identifier=qualifications')).body;
    const removed = await put(`/collections/${collection}/value/${old}`, { deleted: 1 });
    assert.equal(removed.status, 200, removed.text);
    assert.equal((await put(`/employees/${id}`, { qualifications: [more, old] })).status, 200);
    assert.equal((await put(`/employees/${id}`, { qualifications: [more] })).status, 200);
    assert.deepEqual(errorsOf(await put(`/employees/${id}`, { qualifications: [more, old] })), [
      ['reference_inactive', 'qualifications.1'],
    ]);
  });

  it('whose resource another field names needs that field, and is checked again when that field changes', async () => {
    let contact = await scene.create('contacts');
    while ((await client.call('GET', `/planners/${contact}`)).status === 200) contact = await scene.create('contacts');
    const send = (body: Record<string, unknown>) =>
      scene
        .bodyOf('work-time-proposals', body)
        .then(whole => client.call('POST', '/work-time-proposals', { body: whole }));
    assert.deepEqual(errorsOf(await send({ signed_by_type: null, signed_by_id: contact })), [
      ['not_empty', 'signed_by_type'],
    ]);
    const made = await send({ signed_by_type: 'contact', signed_by_id: contact });
    assert.equal(made.status, 201, made.text);
    const path = `/work-time-proposals/${made.body.id}`;
    const changed = await client.call('PUT', path, { body: { signed_by_type: 'planner' } });
    assert.deepEqual(errorsOf(changed), [['reference_not_found', 'signed_by_id']]);
    assert.equal((await client.call('PUT', path, { body: { remarks: 'R', signed_by_id: contact } })).status, 200);
  });
});
