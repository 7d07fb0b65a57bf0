import type { OpenAPI3Document } from '@typespec/openapi3';

interface LinkedContent {
  readonly schema?: { readonly $ref?: string };
}

interface LinkedOperation {
  readonly operationId: string;
  readonly responses: Record<string, { readonly content?: Readonly<Record<string, LinkedContent>> }>;
}

type LinkedItem = Readonly<Record<string, LinkedOperation>>;

/** The operations that a created record is followed by: name of the link and description, by method. */
const followed: Readonly<Record<string, readonly [name: string, description: string]>> = {
  get: ['read', 'Reads the record.'],
  put: ['update', 'Changes the record.'],
  delete: ['delete', 'Deletes the record.'],
};

/** Links responses with a created record to the operations that read, change and delete it. */
export const declareLinks = (document: OpenAPI3Document): OpenAPI3Document => {
  const paths = document.paths as Readonly<Record<string, LinkedItem>>;
  for (const [path, item] of Object.entries(paths)) {
    for (const { responses } of Object.values(item)) {
      for (const status of ['201', '202']) {
        const created = responses[status];
        const record = created && schemaOf(created.content);
        const place = record && placeOf(paths, path, record);
        if (created && place) responses[status] = Object.assign(created, { links: linksTo(place, paths[place] ?? {}) });
      }
    }
  }
  return document;
};

/** Returns the path of single records with the schema, first below the path that creates them. */
const placeOf = (paths: Readonly<Record<string, LinkedItem>>, origin: string, record: string): string | undefined => {
  const places = Object.entries(paths).flatMap(([path, { get }]) => {
    const isPlace = path.endsWith('id}') && !path.includes('/external/');
    return isPlace && schemaOf(get?.responses['200']?.content) === record ? [path] : [];
  });
  const isKnown = (path: string) =>
    parametersOf(path)
      .slice(0, -1)
      .every(name => origin.includes(`{${name}}`));
  return places.find(path => path.startsWith(`${origin}/`)) ?? places.find(isKnown);
};

const parametersOf = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** Returns the links: the own id is in the response, those of its parents are in the request. */
const linksTo = (place: string, item: LinkedItem): Readonly<Record<string, object>> => {
  const names = parametersOf(place);
  const parameters = Object.fromEntries([
    ...names.slice(0, -1).map(name => [name, `$request.path.${name}`]),
    [names.at(-1), '$response.body#/id'],
  ]);
  return Object.fromEntries(
    Object.entries(followed).flatMap(([method, [name, description]]) => {
      const { operationId } = item[method] ?? {};
      return operationId ? [[name, { operationId, parameters, description }]] : [];
    }),
  );
};

/** Returns the name of the record that a JSON response contains, with or without relations. */
const schemaOf = (content: Readonly<Record<string, LinkedContent>> | undefined): string | undefined =>
  content?.['application/json']?.schema?.$ref
    ?.split('/')
    .at(-1)
    ?.replace(/WithRelations$/, '');
