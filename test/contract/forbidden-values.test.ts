import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { anyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { bodyFor, type Operation, operations, pathOf } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly object[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly readOnly?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly 'x-lines'?: 'one' | 'many';
  readonly 'x-scale'?: number;
}

const document = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));

const resolve = (schema: Schema): Schema =>
  schema.$ref
    ? { ...resolve(document.components.schemas[schema.$ref.split('/').at(-1) ?? '']), ...schema, $ref: '' }
    : schema;

const bodySchema = ({ path, method }: Operation): Schema =>
  resolve(document.paths[path][method.toLowerCase()].requestBody.content['application/json'].schema);

/** Stands for `1e-400`, which JavaScript can't write. */
const tiny = '1e-400';

/** Values of the right type that the schema forbids. */
const forbidden = (schema: Schema): unknown[] => {
  const { type, minimum, maximum, minLength, maxLength } = schema;
  if (schema.enum || schema.oneOf) return [];
  if (type === 'integer' || type === 'number') {
    const values: unknown[] = [1e300, tiny];
    if (minimum !== undefined) values.push(minimum - 1);
    if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) values.push(maximum + 1);
    if (type === 'integer') values.push(1.5);
    const { 'x-scale': scale } = schema;
    if (scale !== undefined) values.push(Number(`0.${'12345678901234567'.slice(0, scale + 1)}`));
    return values;
  }
  if (type !== 'string') return [];
  const values: unknown[] = ['a\0b', 'a\ud800'];
  const lines = schema['x-lines'];
  if (lines) values.push('a\u0007b', 'a\u009fb', 'a\u202eb', 'a\u2066b', 'a\r\nb');
  if (lines === 'one') values.push('a\nb', 'a\n', 'a\tb', '\n');
  if (minLength && lines) values.push('', '  ', '\u00a0\u3000');
  if (maxLength !== undefined) values.push('a'.repeat(maxLength + 1));
  return values;
};

/** The forbidden values of each writable member of a body, with the paths of their fields in errors. */
const mistakes = (given: Schema, value: unknown): { readonly path: string; readonly value: unknown }[] => {
  const schema = resolve(given);
  if (schema.readOnly) return [];
  // Beside a reference by external id there can be a read-only field of the same name.
  const references = (schema.anyOf ?? []).filter(({ $ref }) => $ref?.endsWith('/ExternalReference'));
  const variants = [schema, ...(references.length > 0 ? references : (schema.anyOf ?? [])).map(resolve)];
  const found = variants.flatMap(forbidden).map(value => ({ path: '', value }));
  const inside = (name: string, member: Schema, rebuild: (value: unknown) => unknown, old: unknown) =>
    mistakes(member, old).map(({ path, value }) => ({ path: `.${name}${path}`, value: rebuild(value) }));
  for (const { properties = {}, items } of variants) {
    const known = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
    for (const [name, member] of Object.entries(properties))
      found.push(
        ...inside(name, member, changed => ({ ...known, [name]: changed }), (known as Record<string, unknown>)[name]),
      );
    if (items) found.push(...inside('0', items, changed => [changed], Array.isArray(value) ? value[0] : undefined));
  }
  return found;
};

const textOf = (body: unknown): string => JSON.stringify(body).replaceAll(`"${tiny}"`, tiny);

describe('what the document forbids', () => {
  const { client } = useApp(anyDatabase, undefined, { sandbox: true });
  const ids = new Map<string, number>();

  before(async () => {
    const scene = new Scene(client);
    for (const { resource, method } of operations)
      if (method === 'POST' || method === 'PUT') ids.set(resource, await scene.idOf(resource));
  });

  for (const operation of operations) {
    if (operation.raw || (operation.method !== 'POST' && operation.method !== 'PUT')) continue;
    if (!document.paths[operation.path][operation.method.toLowerCase()].requestBody) continue;
    it(`${operation.operationId} rejects forbidden values of every field, and names the field`, async () => {
      const id = ids.get(operation.resource) ?? 1;
      const { parent } = operation;
      const own = parent && (await client.call('GET', `/${operation.resource}/${id}`));
      const path = pathOf(operation, id, own?.body[parent?.field ?? ''] ?? ids.get(parent?.resource ?? '') ?? id);
      const wrong = mistakes(bodySchema(operation), bodyFor(operation, id));
      for (const { path: field, value } of wrong) {
        const headers = { 'Content-Type': 'application/json' };
        const { status, body } = await client.call(operation.method, path, { headers, body: textOf(value) });
        const says = `${field}: ${textOf(value).slice(0, 500)}\n${JSON.stringify(body).slice(0, 500)}`;
        assert.equal(status, 422, says);
        const wanted = field.slice(1);
        const named = body.errors.map((error: { readonly field: string }) => error.field);
        assert.ok(
          named.some((name: string) => wanted === name || wanted.startsWith(`${name}.`)),
          says,
        );
      }
    });
  }
});
