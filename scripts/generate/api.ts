import type { OpenAPI3Document } from '@typespec/openapi3';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import type { Facts } from './facts.ts';
import { header } from './print.ts';

/** generated/api.ts: types of the schemas and of the actions; the five verbs need none. */
export const emitApi = async ({ document }: Facts): Promise<string> => {
  const ast = await openapiTypescript(actionsOnly(document) as unknown as OpenAPI3, { alphabetize: false });
  return `${header}${astToString(ast)}`;
};

/** The engine serves the verbs, and with them most records that have their relations inside. */
const actionsOnly = ({ components, ...document }: OpenAPI3Document): OpenAPI3Document => {
  const paths: Record<string, object> = {};
  for (const [path, item] of Object.entries(document.paths as Record<string, Record<string, object>>)) {
    const operations = Object.entries(item).filter(([, operation]) => !('x-verb' in operation));
    if (operations.length > 0) paths[path] = Object.fromEntries(operations);
  }
  const used = JSON.stringify(paths);
  const schemas = Object.entries(components?.schemas ?? {}).filter(
    ([name]) => !name.endsWith('WithRelations') || used.includes(`/${name}"`),
  );
  return {
    ...document,
    paths,
    components: { ...components, schemas: Object.fromEntries(schemas) },
  } as OpenAPI3Document;
};
