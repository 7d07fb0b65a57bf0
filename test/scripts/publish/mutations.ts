import { type Api, readGenerated, readPublished, writePublished } from '../../../scripts/publish/published.ts';
import { temporaryFolder } from '../generate/support.ts';

// biome-ignore lint/suspicious/noExplicitAny: mutations write into documents of every shape
type Any = any;

/** One change of the API, made in place. */
export interface Change {
  /** What the finding must name. */
  readonly where: string;
  readonly make: () => void;
}

/** A kind of change, and the places where the API can be changed so. */
export interface Mutation {
  readonly name: string;
  readonly changes: (api: { document: Any; resources: Any }) => readonly Change[];
}

const folder = temporaryFolder();
writePublished(readGenerated(), folder);
/** The API as generated, without its descriptions. */
export const generated = readPublished(folder) as Api;
const text = JSON.stringify(generated);

/** Returns a copy of the generated API that can be changed. */
export const copyOfGenerated = (): { document: Any; resources: Any; digest: string } => JSON.parse(text);

/** Returns the generated API as another version, with one change if a mutation is given. */
export const versionOf = (version: string, mutation?: Mutation): Api => {
  const api = copyOfGenerated();
  mutation?.changes(api)[0]?.make();
  api.document.info.version = version;
  return { ...api, digest: JSON.stringify(api.document) };
};

const operations = ({ document }: { document: Any }): { where: string; item: Any; method: string; operation: Any }[] =>
  Object.entries<Any>(document.paths).flatMap(([path, item]) =>
    Object.entries<Any>(item).map(([method, operation]) => ({
      where: `${method.toUpperCase()} ${path}`,
      item,
      method,
      operation,
    })),
  );

/** The named schemas whose names match, with each of their properties. */
const properties = ({ document }: { document: Any }, pattern: RegExp) =>
  Object.entries<Any>(document.components.schemas).flatMap(([name, schema]) =>
    pattern.test(name)
      ? Object.entries<Any>(schema.properties ?? {}).map(([property, value]) => ({
          where: `schema ${name}.${property}`,
          schema,
          property,
          value,
        }))
      : [],
  );

const requests = /(Create|Update|Upsert)$/;
const responses = /WithRelations$/;
/** A property that clients can write. */
const written = ({ value }: { value: Any }) => !value.readOnly;

const each = <T extends { where: string }>(places: readonly T[], make: (place: T) => void): readonly Change[] =>
  places.map(place => ({ where: place.where, make: () => make(place) }));

const enumerations = ({ document }: { document: Any }) =>
  Object.entries<Any>(document.components.schemas).flatMap(([name, schema]) =>
    schema.oneOf?.length > 2 && 'const' in schema.oneOf[0] && !/Error|Trigger|Routine/.test(name)
      ? [{ where: `schema ${name}`, schema }]
      : [],
  );

const withParameter = (api: { document: Any }, matches: (parameter: Any) => boolean) =>
  operations(api).flatMap(({ where, operation }) =>
    (operation.parameters as Any[]).flatMap((parameter, index) =>
      matches(parameter)
        ? [{ where: `${where} ${parameter.in} parameter ${parameter.name}`, operation, parameter, index }]
        : [],
    ),
  );

const resourceFields = ({ resources }: { resources: Any }) =>
  Object.entries<Any>(resources).flatMap(([name, { fields }]) =>
    Object.keys(fields).map(field => ({ where: `resource ${name} ${field}`, fields, field })),
  );

const nullable = (value: Any): boolean => value.anyOf?.some(({ type }: Any) => type === 'null');

/** Changes that can make a program fail. */
export const breaking: readonly Mutation[] = [
  {
    name: 'an operation is removed',
    changes: api => each(operations(api), ({ item, method }) => delete item[method]),
  },
  {
    name: 'an operationId is changed',
    changes: api =>
      each(operations(api), ({ operation }) => {
        operation.operationId += '_again';
      }),
  },
  {
    name: 'an operation needs a module',
    changes: api =>
      each(operations(api), ({ operation }) => {
        operation['x-module'] = 'another';
      }),
  },
  {
    name: 'an open operation needs a token',
    changes: api =>
      each(
        operations(api).filter(({ operation }) => operation.security?.some((one: object) => !Object.keys(one).length)),
        ({ operation }) => delete operation.security,
      ),
  },
  {
    name: 'a parameter is removed',
    changes: api =>
      each(
        withParameter(api, ({ name }) => name),
        ({ operation, index }) => operation.parameters.splice(index, 1),
      ),
  },
  {
    name: 'a filter is of another type',
    changes: api =>
      each(
        withParameter(api, parameter => parameter['x-filter']),
        ({ parameter }) => {
          parameter['x-filter'].type = 'other';
        },
      ),
  },
  {
    name: 'a parameter becomes required',
    changes: api =>
      each(
        withParameter(api, ({ name, required }) => name && !required),
        ({ parameter }) => {
          parameter.required = true;
        },
      ),
  },
  {
    name: 'a required parameter is added',
    changes: api =>
      each(operations(api), ({ operation }) =>
        operation.parameters.push({ name: 'new', in: 'query', required: true, schema: { type: 'string' } }),
      ),
  },
  {
    name: 'the values of a path parameter are narrowed',
    changes: api =>
      each(
        withParameter(api, parameter => parameter.in === 'path'),
        ({ parameter }) => {
          parameter.schema = { type: 'boolean' };
        },
      ),
  },
  {
    name: 'a body becomes required',
    changes: api =>
      each(
        operations(api).filter(({ operation }) => operation.requestBody && !operation.requestBody.required),
        ({ operation }) => {
          operation.requestBody.required = true;
        },
      ),
  },
  {
    name: 'a body is no longer accepted',
    changes: api =>
      each(
        operations(api).filter(({ operation }) => operation.requestBody),
        ({ operation }) => delete operation.requestBody,
      ),
  },
  {
    name: 'a media type of responses is removed',
    changes: api =>
      each(
        operations(api).filter(({ operation }) => operation.responses[200]?.content?.['application/xml']),
        ({ operation }) => delete operation.responses[200].content['application/xml'],
      ),
  },
  {
    name: 'a status changes',
    changes: api =>
      each(operations(api), ({ operation }) => {
        const [status = ''] = Object.keys(operation.responses);
        operation.responses[299] = operation.responses[status];
        delete operation.responses[status];
      }),
  },
  {
    name: 'an error has another status',
    changes: api =>
      each(
        operations(api).filter(({ operation }) => operation.responses[409]),
        ({ operation }) => {
          operation.responses[418] = operation.responses[409];
          delete operation.responses[409];
        },
      ),
  },
  {
    name: 'a header of a response is removed',
    changes: api =>
      each(
        operations(api).filter(({ operation }) => operation.responses[201]?.headers?.Location),
        ({ operation }) => delete operation.responses[201].headers.Location,
      ),
  },
  {
    name: 'a field of requests is removed',
    changes: api =>
      each(properties(api, requests).filter(written), ({ schema, property }) => delete schema.properties[property]),
  },
  {
    name: 'a field of requests becomes required',
    changes: api =>
      each(
        properties(api, requests).filter(
          ({ schema, property, value }) => written({ value }) && !schema.required?.includes(property),
        ),
        ({ schema, property }) => {
          schema.required = [...(schema.required ?? []), property];
        },
      ),
  },
  {
    name: 'a new field of requests is required',
    changes: api =>
      each(
        properties(api, requests).map(place => ({ ...place, where: place.where.replace(/\.[^ ]+$/, '.brand_new') })),
        ({ schema }) => {
          schema.properties.brand_new = { type: 'string' };
          schema.required = [...(schema.required ?? []), 'brand_new'];
        },
      ),
  },
  {
    name: 'a field can no longer be written',
    changes: api =>
      each(properties(api, requests).filter(written), ({ value }) => {
        value.readOnly = true;
      }),
  },
  {
    name: 'a field of requests no longer accepts null',
    changes: api =>
      each(
        properties(api, requests).filter(({ value }) => written({ value }) && nullable(value)),
        ({ value }) => {
          value.anyOf = value.anyOf.filter(({ type }: Any) => type !== 'null');
        },
      ),
  },
  {
    name: 'the values of a field of requests are narrowed to another type',
    changes: api =>
      each(properties(api, requests).filter(written), ({ schema, property }) => {
        schema.properties[property] = { type: 'array', items: { type: 'boolean' }, maxItems: 0 };
      }),
  },
  {
    name: 'a string of requests must be shorter',
    changes: ({ document }) =>
      ['Line', 'Text', 'Name', 'ExternalId', 'Phone'].map(name => ({
        where: `schema ${name}`,
        make: () => {
          document.components.schemas[name].maxLength -= 1;
        },
      })),
  },
  {
    name: 'a number of requests must be lower or higher',
    changes: ({ document }) =>
      ['minimum', 'maximum'].map(bound => ({
        where: 'schema Id',
        make: () => {
          document.components.schemas.Id[bound] += bound === 'minimum' ? 1 : -1;
        },
      })),
  },
  {
    name: 'a value of an enumeration is removed',
    changes: api => each(enumerations(api), ({ schema }) => schema.oneOf.pop()),
  },
  {
    name: 'a field of responses is removed',
    changes: api => each(properties(api, responses), ({ schema, property }) => delete schema.properties[property]),
  },
  {
    name: 'a field of responses can be null',
    changes: api =>
      each(
        properties(api, responses).filter(({ value }) => !nullable(value)),
        ({ schema, property, value }) => {
          schema.properties[property] = { anyOf: [value, { type: 'null' }] };
        },
      ),
  },
  {
    name: 'a field of responses has another type',
    changes: api =>
      each(properties(api, responses), ({ schema, property }) => {
        schema.properties[property] = { type: 'boolean' };
      }),
  },
  {
    name: 'a field that responses always had can be missing',
    changes: ({ document }) =>
      ['Change', 'Changes', 'StatusMap', 'Me'].map(name => ({
        where: `schema ${name}.`,
        make: () => document.components.schemas[name].required.pop(),
      })),
  },
  {
    name: 'a webhook is no longer sent',
    changes: ({ document }) =>
      Object.keys(document.webhooks).map(name => ({
        where: `webhook ${name}`,
        make: () => delete document.webhooks[name],
      })),
  },
  {
    name: 'a field can no longer be sorted by',
    changes: api =>
      each(
        resourceFields(api).filter(({ fields, field }) => fields[field].sorts),
        ({ fields, field }) => {
          fields[field].sorts = false;
        },
      ),
  },
  {
    name: 'a default value changes',
    changes: api =>
      each(resourceFields(api), ({ fields, field }) => {
        fields[field].default = 'another';
      }),
  },
  {
    name: 'a relation can no longer be embedded',
    changes: ({ resources }) =>
      Object.entries<Any>(resources).flatMap(([name, { relations }]) =>
        Object.keys(relations).map(relation => ({
          where: `resource ${name} ${relation}`,
          make: () => delete relations[relation],
        })),
      ),
  },
  {
    name: 'a predefined listing has other records',
    changes: ({ resources }) =>
      Object.entries<Any>(resources).flatMap(([name, { aliases }]) =>
        Object.keys(aliases).map(alias => ({
          where: `resource ${name} ${alias}`,
          make: () => aliases[alias].push({ name: 'status', value: '1' }),
        })),
      ),
  },
];

/** Changes that programs do not notice. */
export const compatible: readonly Mutation[] = [
  {
    name: 'an operation is added',
    changes: ({ document }) => [
      {
        where: 'GET /new',
        make: () => {
          document.paths['/new'] = { get: { operationId: 'new_list', parameters: [], responses: {} } };
        },
      },
    ],
  },
  {
    name: 'an operation is deprecated',
    changes: api =>
      each(
        operations(api).filter(({ operation }) => !operation.deprecated),
        ({ operation }) => {
          operation.deprecated = true;
        },
      ),
  },
  {
    name: 'an optional parameter is added',
    changes: api =>
      each(operations(api), ({ operation }) =>
        operation.parameters.push({ name: 'new', in: 'query', required: false, schema: { type: 'string' } }),
      ),
  },
  {
    name: 'an error status is added',
    changes: api =>
      each(operations(api), ({ operation }) => {
        operation.responses[418] = { $ref: '#/components/responses/BadRequest' };
      }),
  },
  {
    name: 'a header of a response is added',
    changes: api =>
      each(
        operations(api).filter(({ operation }) => operation.responses[201]?.headers),
        ({ operation }) => {
          operation.responses[201].headers['X-New'] = { schema: { type: 'string' } };
        },
      ),
  },
  {
    name: 'an optional field of requests is added',
    changes: api =>
      each(
        properties(api, requests).map(place => ({ ...place, where: place.where.replace(/\.[^ ]+$/, '.brand_new') })),
        ({ schema }) => {
          schema.properties.brand_new = { type: 'string' };
        },
      ),
  },
  {
    name: 'a field of requests also accepts null',
    changes: api =>
      each(
        properties(api, requests).filter(({ value }) => written({ value }) && !nullable(value) && !value.anyOf),
        ({ schema, property, value }) => {
          schema.properties[property] = { anyOf: [value, { type: 'null' }] };
        },
      ),
  },
  {
    name: 'a string of requests can be longer',
    changes: ({ document }) =>
      ['Line', 'Text', 'Name', 'ExternalId', 'Phone'].map(name => ({
        where: `schema ${name}`,
        make: () => {
          document.components.schemas[name].maxLength += 1;
        },
      })),
  },
  {
    name: 'a value of an enumeration is added',
    changes: api =>
      each(enumerations(api), ({ schema }) =>
        schema.oneOf.push({ const: typeof schema.oneOf[0].const === 'number' ? 99 : 'new' }),
      ),
  },
  {
    name: 'a field of responses is added',
    changes: api =>
      each(
        properties(api, responses).map(place => ({ ...place, where: place.where.replace(/\.[^ ]+$/, '.brand_new') })),
        ({ schema }) => {
          schema.properties.brand_new = { type: 'string' };
        },
      ),
  },
  {
    name: 'a field of responses is never null any more',
    changes: api =>
      each(
        properties(api, responses).filter(({ value }) => nullable(value)),
        ({ value }) => {
          value.anyOf = value.anyOf.filter(({ type }: Any) => type !== 'null');
        },
      ),
  },
  {
    name: 'a webhook is added',
    changes: ({ document }) => [
      {
        where: 'webhook new',
        make: () => {
          document.webhooks.new = document.webhooks['record.changed'];
        },
      },
    ],
  },
  {
    name: 'a relation can be embedded',
    changes: ({ resources }) =>
      Object.entries<Any>(resources).map(([name, { relations }]) => ({
        where: `resource ${name} fresh`,
        make: () => {
          relations.fresh = { resource: name, from: 'id', to: 'id', many: false };
        },
      })),
  },
];
