import type { Document } from './compare/document.ts';

// biome-ignore lint/suspicious/noExplicitAny: parts of every kind of an OpenAPI document
type Part = any;

const schemaUrl = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/**
 * Returns the document's operations as a collection of Postman 2.1, which Bruno imports, too.
 * It has a folder for each tag, and a request for each operation with the document's examples. Optional parameters are
 * there, but not sent. The variables are `baseUrl` and `token`.
 */
export const collectionOf = (document: Document): object => {
  const { info, tags = [], paths } = document as Part;
  const resolve = (part: Part): Part => {
    const [, , kind, name] = part?.$ref?.split('/') ?? [];
    return name === undefined ? part : (document as Part).components[kind][name];
  };
  const requests = Object.entries<Part>(paths).flatMap(([path, item]) =>
    Object.entries<Part>(item).map(([method, operation]) => ({ path, method, operation })),
  );
  return {
    info: { name: info.title, version: info.version, schema: schemaUrl },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'https://localhost:8443/api/v1' },
      { key: 'token', value: '' },
    ],
    item: tags.map(({ name, description }: Part) => ({
      name,
      description,
      item: requests
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ path, method, operation }) => requestOf(path, method, operation, resolve)),
    })),
  };
};

const requestOf = (path: string, method: string, operation: Part, resolve: (part: Part) => Part): object => {
  const parameters = (operation.parameters ?? []).map(resolve);
  const valuesIn = (place: string) =>
    parameters
      .filter((parameter: Part) => parameter.in === place)
      .map(({ name, required, description, schema }: Part) => ({
        key: name,
        value: String(schema.examples?.[0] ?? resolve(schema).examples?.[0] ?? ''),
        ...(required ? {} : { disabled: true }),
        description,
      }));
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const [query, variable] = [valuesIn('query'), valuesIn('path')];
  const sent = query.filter(({ disabled }: Part) => !disabled).map(({ key, value }: Part) => `${key}=${value}`);
  const { mediaType, body } = bodyOf(operation.requestBody, resolve);
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: operation.description,
      header: mediaType ? [{ key: 'Content-Type', value: mediaType }] : [],
      url: {
        raw: `{{baseUrl}}/${segments}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        ...(query.length > 0 && { query }),
        ...(variable.length > 0 && { variable }),
      },
      ...(body && { body }),
    },
  };
};

const bodyOf = (requestBody: Part, resolve: (part: Part) => Part): { mediaType?: string; body?: object } => {
  const [mediaType, content] = Object.entries<Part>(requestBody?.content ?? {})[0] ?? [];
  if (mediaType === undefined) return {};
  const isJson = mediaType === 'application/json';
  const example = isJson ? (resolve(content.schema).examples ?? content.schema.examples)?.[0] : content.example;
  if (example === undefined) return { mediaType, body: { mode: 'file', file: {} } };
  const raw = isJson ? JSON.stringify(example, null, 2) : example;
  return { mediaType, body: { mode: 'raw', raw, options: { raw: { language: isJson ? 'json' : 'text' } } } };
};
