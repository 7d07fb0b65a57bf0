import { document, type PathOperation } from './document.ts';

/** An operation, the media type that the path's extension requests, and the values of the path's placeholders. */
export interface Found {
  readonly operation: PathOperation;
  readonly mediaType: string;
  readonly placeholders: Readonly<Record<string, string>>;
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** The path templates as expressions; those with fewer placeholders first. */
const templates = Object.entries(document.paths)
  .map(([path, item]) => ({
    item,
    names: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string),
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`),
  }))
  .toSorted((a, b) => a.names.length - b.names.length);

/** Returns the operation of a method and a path below the API's root; null if there is none. */
export const findOperation = (method: string, path: string): Found | null => {
  const [, bare = path, extension = 'json'] = /^(.*)\.(json|xml|csv|ndjson)$/.exec(path) ?? [];
  for (const { item, names, pattern } of templates) {
    const values = pattern.exec(bare)?.slice(1);
    if (!values) continue;
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = Object.hasOwn(item, name) ? item[name] : null;
    if (!operation) return null;
    const placeholders = Object.fromEntries(names.map((name, index) => [name, decoded(values[index] ?? '')]));
    return { operation, mediaType: mediaTypes[extension] as string, placeholders };
  }
  return null;
};

/** A hostile path may not be decodable: its operation is not found, whatever the value. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
