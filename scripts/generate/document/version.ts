import { readFileSync } from 'node:fs';
import type { OpenAPI3Document } from '@typespec/openapi3';

/** Names the version of the project in a document: server, documents, client and changelog have one. */
export const addVersion = (document: OpenAPI3Document): OpenAPI3Document => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const { title, version: _, ...info } = document.info;
  return { ...document, info: { title, version, ...info } };
};
