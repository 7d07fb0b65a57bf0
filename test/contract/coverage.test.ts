import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Field, Resource } from '../../src/resource/resource.ts';
import { deprecated, endpoints, enumerations, fields, referenced, relations } from './specification.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly const?: number;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

const document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly deprecated?: boolean }>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<
      Record<string, { readonly name: string; readonly schema: { readonly default?: unknown } }>
    >;
  };
} = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));
const table: Readonly<Record<string, Resource>> = resources;
const schemas = document.components.schemas;

const nameOf = (resource: string): string =>
  (table[resource] as Resource).singular.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/** The schema of a resource's record: by itself or, where it is only read, with its relations. */
const recordOf = (resource: string): Schema =>
  schemas[`${nameOf(resource)}WithRelations`] ?? schemas[nameOf(resource)] ?? {};

/** The schema that is meant, without null. */
const resolve = (schema: Schema): Schema => {
  if (schema.$ref) return resolve(schemas[schema.$ref.split('/').at(-1) as string] as Schema);
  if (schema.allOf?.length === 1) return { ...resolve(schema.allOf[0] as Schema), ...schema };
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  return others?.length === 1 ? resolve(others[0] as Schema) : schema;
};

const numbers = { id: 'integer', key: 'integer', int: 'integer', bool: 'integer', float: 'number' } as const;

const typeProblems = (schema: Schema, type: string): string | null => {
  if (type === 'any') return null;
  const { type: found, format } = resolve(schema);
  if (type === 'date-time') return found === 'string' && format === 'date-time' ? null : `${found} ${format}`;
  return found === (numbers[type as keyof typeof numbers] ?? type) ? null : `${found}, not ${type}`;
};

/** What bodies take, as the tables write it. */
const accessOf = ({ access }: Field): string => ({ read: 'RO', create: 'RO c', write: 'RO cu' })[access];

describe('the document has what the specification lists', () => {
  for (const [resource, list] of Object.entries(fields)) {
    test(`the fields of ${resource}, with their types and access`, () => {
      const schema = recordOf(resource);
      const problems = list.flatMap(line => {
        const [name = '', type = '', ...access] = line.split(' ');
        const field = table[resource]?.fields.find(candidate => candidate.name === name);
        const property = schema.properties?.[name];
        if (!field || !property) return [`${name} is missing`];
        const wrong = typeProblems(property, type);
        const told = access.join(' ').replace('RW', 'RO cu');
        return [
          ...(wrong ? [`${name} is ${wrong}`] : []),
          ...(accessOf(field) === told ? [] : [`${name} is ${accessOf(field)}, not ${told}`]),
          ...(type === 'bool' && field.type !== 'flag' ? [`${name} is no flag`] : []),
        ];
      });
      assert.deepEqual(problems, []);
    });
  }

  for (const [resource, list] of Object.entries(relations)) {
    test(`the relations of ${resource}, under both names`, () => {
      const properties = recordOf(resource).properties ?? {};
      const found = table[resource]?.relations ?? [];
      const told = found.map(({ name, resource: target, from, to }) => `${name} ${target} ${from} ${to}`);
      assert.deepEqual(
        list.filter(line => !told.includes(line)),
        [],
      );
      for (const { name, short } of found) assert.ok(properties[name] && properties[short], name);
    });
  }

  test('every operation', () => {
    const there = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      [...endpoints, ...referenced].filter(operation => !there.includes(operation)),
      [],
    );
  });

  test('as deprecated what is', () => {
    const marked = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        operation.deprecated ? `${method.toUpperCase()} ${path}` : [],
      ),
    );
    assert.deepEqual(marked.toSorted(), deprecated.toSorted());
  });

  test('the values of enumerations, with their labels', () => {
    for (const [name, told] of Object.entries(enumerations)) {
      const [resource = '', field = ''] = name.split('.');
      const values = table[resource]?.fields.find(candidate => candidate.name === field)?.values;
      assert.deepEqual(values, Object.keys(told).map(Number), name);
      const text = JSON.stringify(resolve(recordOf(resource).properties?.[field] as Schema));
      for (const label of Object.values(told)) assert.ok(text.includes(`"${label}"`), `${name}: ${label}`);
    }
  });

  test('return_values on both operations of change requests', () => {
    const { ValueParameters } = document.components.parameters;
    assert.deepEqual([ValueParameters?.name, ValueParameters?.schema.default], ['return_values', true]);
    for (const path of ['/change-requests', '/change-requests/{id}'])
      assert.match(JSON.stringify(document.paths[path]?.get), /ValueParameters/);
  });
});
