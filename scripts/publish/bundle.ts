import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Json } from '../../src/core/call/reply.ts';
import { explorer } from '../../src/http/documents/explorer.ts';
import { toYaml } from '../../src/http/documents/yaml.ts';
import type { TenantRequest } from '../../src/http/request/state.ts';
import type { Document } from './compare/document.ts';

/** Writes the files of a version: the document as JSON and YAML, the explorer, which shows it (index.html), and the changelog. */
export const writeBundle = async (folder: string, document: Document, changes: string): Promise<void> => {
  const { 'x-generated': _, ...published } = document as Document & { readonly 'x-generated'?: string };
  const files: Record<string, string | Uint8Array> = {
    'openapi.json': `${JSON.stringify(published, null, 2)}\n`,
    'openapi.yaml': toYaml(published as unknown as Json),
    'CHANGELOG.md': changes,
    ...(await explorerFiles()),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
};

/** Returns the pages of the explorer as the server sends them; their links are relative to the page. */
const explorerFiles = async (): Promise<Record<string, Uint8Array>> => {
  const pages = explorer({ countAddress: async () => {} });
  const request = { exchange: { method: 'GET', state: {} } } as TenantRequest;
  const files: Record<string, Uint8Array> = {};
  for (const [path, serve] of Object.entries(pages)) {
    const { body } = await serve(request);
    if (body?.kind !== 'bytes') throw new Error(`The page ${path} is not a file.`);
    files[path === '/docs' ? 'index.html' : path.slice(1)] = body.bytes;
  }
  return files;
};
