import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import { creation, furtherFields } from './further-fields.ts';
import { kinds } from './kinds.ts';
import { relations, single } from './relations.ts';
import { specialActions } from './special-actions.ts';
import { deprecated, endpoints, enumerations, fields, referenced, upload } from './specification.ts';
import { specified } from './specified.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface Operation {
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: object }>>;
  readonly requestBody?: { readonly content: object };
}

const document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
} = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));
const table: Readonly<Record<string, Resource>> = resources;
const schemas = document.components.schemas;

const nameOf = (resource: string): string =>
  (table[resource] as Resource).singular.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the schema of a resource's record; for resources that are only read, the schema with relations. */
const recordOf = (resource: string): Schema =>
  schemas[`${nameOf(resource)}WithRelations`] ?? schemas[nameOf(resource)] ?? {};

/** Returns the schema of a create's body; if there is no top-level create, that of the nested one. */
const createOf = (resource: string): Schema => {
  const name = `${nameOf(resource)}Create`;
  return schemas[name] ?? Object.entries(schemas).find(([other]) => other.startsWith(`${name}By`))?.[1] ?? {};
};

/** Resolves references and removes null from a schema. */
const resolve = (schema: Schema): Schema => {
  if (schema.$ref) return resolve(schemas[schema.$ref.split('/').at(-1) as string] as Schema);
  if (schema.allOf?.length === 1) return { ...resolve(schema.allOf[0] as Schema), ...schema };
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  return others?.length === 1 ? resolve(others[0] as Schema) : schema;
};

const numbers = { id: 'integer', key: 'integer', int: 'integer', bool: 'integer', float: 'number' } as const;

const typeProblems = (schema: Schema, told: string): string | null => {
  if (told === 'any') return null;
  const [type = '', wanted] = told === 'date-time' ? ['string', told] : told.split(':');
  const { type: found, format } = resolve(schema);
  if (found !== (numbers[type as keyof typeof numbers] ?? type)) return `${found}, not ${type}`;
  return wanted === undefined || format === wanted ? null : `of the format ${format}, not ${wanted}`;
};

/** Returns a field's access in the notation of specification.ts. */
const accessOf = ({ access }: Field): string =>
  ({ read: 'RO', create: 'RO c', update: 'RO u', write: 'RO cu' })[access];

/** Whether a word describes a create: `!` for a required field, `=value` for a default. */
const isCreation = (word: string): boolean => /^(!|=.*)$/.test(word);

/** Returns the documented operation and its parameters by name. */
const operationOf = (
  line: string,
): { operation: Operation | undefined; parameters: ReadonlyMap<string, Parameter> } => {
  const [method = '', path = ''] = line.split(' ');
  const operation = document.paths[path]?.[method.toLowerCase()];
  const parameters = (operation?.parameters ?? []).map(parameter =>
    parameter.$ref
      ? (document.components.parameters[parameter.$ref.split('/').at(-1) as string] as Parameter)
      : parameter,
  );
  return { operation, parameters: new Map(parameters.map(parameter => [parameter.name, parameter])) };
};

describe('the document has what the specification lists', () => {
  for (const [resource, list] of [...Object.entries(fields), ...Object.entries(furtherFields)]) {
    test(`the fields of ${resource}, with their types and access${resource in fields ? '' : ', beyond its tables'}`, () => {
      const schema = recordOf(resource);
      const problems = list.flatMap(line => {
        const [name = '', type = '', ...words] = line.split(' ');
        const access = words.filter(word => !isCreation(word));
        const field = table[resource]?.fields.find(candidate => candidate.name === name);
        const property = schema.properties?.[name];
        if (!field || !property) return [`${name} is missing`];
        const wrong = typeProblems(property, type);
        const told = access.join(' ').replace('RW', 'RO cu');
        return [
          ...(wrong ? [`${name} is ${wrong}`] : []),
          ...(accessOf(field) === told ? [] : [`${name} is ${accessOf(field)}, not ${told}`]),
          ...(type === 'bool' && field.type !== 'flag' ? [`${name} is not a flag`] : []),
        ];
      });
      assert.deepEqual(problems, []);
    });
  }

  for (const [resource, list] of [...Object.entries(creation), ...Object.entries(furtherFields)]) {
    test(`the required fields and the defaults of a new record of ${resource}`, () => {
      const schema = createOf(resource);
      for (const line of list) {
        const [name = '', ...words] = line.split(' ');
        for (const word of words.filter(isCreation)) {
          const told =
            schema.required?.includes(name) ||
            table[resource]?.fields.some(field => field.name === name && field.required);
          if (word === '!') assert.ok(told, `${name} is not required`);
          else {
            const [, preset] = / Default: `"?(.*?)"?`\.$/.exec(schema.properties?.[name]?.description ?? '') ?? [];
            assert.equal(preset, word.slice(1), `${name} has another default`);
          }
        }
      }
    });
  }

  for (const [resource, list] of Object.entries(relations)) {
    test(`the relations of ${resource}, in both directions and under both names`, () => {
      for (const line of list) {
        const [name = '', target = '', from = '', to = '', , back = ''] = line.split(' ');
        const many = from === 'id' && !single.has(name);
        const there = table[resource]?.relations.find(relation => relation.name === name);
        assert.deepEqual(there && { ...there, short: '' }, { name, short: '', resource: target, from, to, many });
        const found = table[target]?.relations.find(relation => relation.name === back);
        assert.deepEqual([found?.resource, found?.from, found?.to], [resource, to, from], `${target}.${back}`);
      }
      const properties = recordOf(resource).properties ?? {};
      for (const { name, short } of table[resource]?.relations ?? [])
        assert.ok(properties[name] && properties[short], name);
    });
  }

  test('the statuses of each kind of operation, and Location for a new record', () => {
    const problems = [...endpoints, ...referenced].flatMap(line => {
      const kind = kinds.find(({ form }) => form.test(line));
      const { operation } = operationOf(line);
      const missing = kind?.statuses.filter(status => !operation?.responses[status]) ?? [];
      const headers = Object.keys(operation?.responses[201]?.headers ?? {}).map(name => name.toLowerCase());
      const unlocated = kind?.statuses.includes(201) && !headers.includes('location');
      return [...missing.map(status => `${line} ${status}`), ...(unlocated ? [`${line} Location`] : [])];
    });
    assert.deepEqual(problems, []);
  });

  test('Location with every 201, of whatever operation', () => {
    const unlocated = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).filter(method => {
        const created = operationOf(`${method.toUpperCase()} ${path}`).operation?.responses[201];
        return created && !Object.hasOwn(created.headers ?? {}, 'Location');
      }),
    );
    assert.deepEqual(unlocated, []);
  });

  test('the parameters of listings and reads, and a filter for every field of a listing', () => {
    const problems = [...endpoints, ...referenced].flatMap(line => {
      const kind = kinds.find(({ form }) => form.test(line));
      const { parameters } = operationOf(line);
      const [, resource = ''] = /^GET \/([^/]+)$/.exec(line) ?? [];
      const filters = table[resource]?.fields.map(({ name }) => name) ?? [];
      const wanted = [...(kind?.parameters ?? []), ...filters];
      return wanted.filter(name => !parameters.has(name)).map(name => `${line} ${name}`);
    });
    assert.deepEqual(problems, []);
  });

  test('the parameters that change the form of every response, once and as parameters of no operation', () => {
    const options = Object.values(document.components.parameters).map(({ name }) => name);
    const forms = ['envelope', 'callback', 'authorization_bearer', 'X-HTTP-Method-Override'];
    const declaring = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).filter(method => {
        const { parameters } = operationOf(`${method.toUpperCase()} ${path}`);
        return forms.some(name => parameters.has(name));
      }),
    );
    assert.deepEqual(
      forms.filter(name => !options.includes(name)),
      [],
    );
    assert.deepEqual(declaring, []);
  });

  test('the special actions of assignments, with the response 200', () => {
    const problems = specialActions.flatMap(line =>
      [200, 401].filter(status => !operationOf(line).operation?.responses[status]).map(status => `${line} ${status}`),
    );
    assert.deepEqual(problems, []);
  });

  test('the upload of files, with its headers', () => {
    const { operation, parameters } = operationOf(upload.operation);
    assert.deepEqual(Object.keys(operation?.requestBody?.content ?? {}), ['*/*']);
    for (const [name, told] of Object.entries(upload.headers)) {
      const header = parameters.get(name);
      assert.equal(header?.in, 'header', name);
      const { type, oneOf, default: preset } = { ...resolve(header.schema), ...header.schema };
      const values = oneOf?.map(variant => variant.const);
      const found = { type, ...(values && { values }), ...(preset !== undefined && { preset }) };
      assert.deepEqual(found, told, name);
    }
    assert.match(JSON.stringify(operation?.responses[201]?.content), /schemas\/File"/);
  });

  test('one JSON type for each field', () => {
    const untyped = [...specified].flatMap(resource =>
      (table[resource]?.fields ?? [])
        .filter(({ name }) => typeof resolve(recordOf(resource).properties?.[name] ?? {}).type !== 'string')
        .map(({ name }) => `${resource}.${name}`),
    );
    assert.deepEqual(untyped, []);
  });

  test('every operation', () => {
    const there = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      [...endpoints, ...specialActions, ...referenced].filter(operation => !there.includes(operation)),
      [],
    );
  });

  test('every deprecated operation, marked as such', () => {
    const marked = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        operation.deprecated ? `${method.toUpperCase()} ${path}` : [],
      ),
    );
    const own = marked.filter(line => specified.has(line.split('/')[1] ?? ''));
    assert.deepEqual(own.toSorted(), deprecated.toSorted());
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
