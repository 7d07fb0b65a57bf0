import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OpenAPI3Document } from '@typespec/openapi3';
import type { Json } from '../../src/core/call/reply.ts';
import { llmsText } from '../../src/http/documents/explorer/llms.ts';
import { explorerFiles, explorerPage } from '../../src/http/documents/explorer/page.ts';
import { toYaml } from '../../src/http/documents/yaml.ts';
import { clientDocument } from '../generate/output/client-document.ts';
import { collectionOf } from './collection.ts';
import type { Document } from './compare/document.ts';

/**
 * Writes the files of a version.
 * They are the document as JSON and YAML, its part for clients, a collection of requests, llms.txt, the explorer, which shows it
 * (index.html), and the changelog.
 */
export const writeBundle = (folder: string, document: Document, changes: string): void => {
  const pages = [...explorerFiles(document, '../index.html')].map(([path, { read }]) => [`docs/${path}`, read()]);
  const files: Record<string, string | Uint8Array> = {
    'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'openapi.client.json': `${JSON.stringify(clientDocument(document as unknown as OpenAPI3Document), null, 2)}\n`,
    'openapi.yaml': toYaml(document as unknown as Json),
    'postman.json': `${JSON.stringify(collectionOf(document), null, 2)}\n`,
    'llms.txt': llmsText(document, {
      guide: 'docs/guide.md',
      json: 'openapi.json',
      yaml: 'openapi.yaml',
      explorer: 'index.html',
    }),
    'CHANGELOG.md': changes,
    'index.html': explorerPage('openapi.json'),
    ...Object.fromEntries(pages),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
};
