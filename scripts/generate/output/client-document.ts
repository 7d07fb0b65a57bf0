import type { OpenAPI3Document } from '@typespec/openapi3';
import { type Members, mapMembers } from './members.ts';

interface MessageWithContent {
  readonly content?: Members;
}

interface ConvertedOperation {
  readonly requestBody?: MessageWithContent;
  readonly responses: Readonly<Record<string, MessageWithContent>>;
}

const json = 'application/json';
/** Bytes of any type: files. */
const bytes = '*/*';

/**
 * Returns the document that clients are generated from.
 * It has the operations on JSON and on files, without other formats.
 * An operation whose requests have another format, as imports do, is left out.
 */
export const clientDocument = (document: OpenAPI3Document): OpenAPI3Document => {
  const paths = mapMembers(
    document.paths as Readonly<Record<string, Readonly<Record<string, ConvertedOperation>>>>,
    item => {
      const operations = mapMembers(item, withJson);
      return Object.keys(operations).length > 0 ? operations : undefined;
    },
  );
  const { schemas, ...others } = document.components ?? {};
  const responses = mapMembers((others.responses ?? {}) as Readonly<Record<string, MessageWithContent>>, onlyJson);
  const shown = { ...document, paths, components: { ...others, responses } };
  return {
    ...shown,
    components: { ...shown.components, schemas: usedSchemas(shown, schemas as Members) },
  } as unknown as OpenAPI3Document;
};

const withJson = ({ requestBody, responses, ...operation }: ConvertedOperation): object | undefined => {
  const { content } = requestBody ?? {};
  if (content && !(json in content || bytes in content)) return undefined;
  return {
    ...operation,
    ...(requestBody && { requestBody: onlyJson(requestBody) }),
    responses: mapMembers(responses, onlyJson),
  };
};

const onlyJson = (message: MessageWithContent): MessageWithContent =>
  json in (message.content ?? {}) ? { ...message, content: { [json]: message.content?.[json] } } : message;

/** Returns the schemas that the parts of a document refer to. */
const usedSchemas = (parts: object, schemas: Members): Members => {
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit(parts);
  return mapMembers(schemas, (schema, name) => (used.has(name) ? schema : undefined));
};
