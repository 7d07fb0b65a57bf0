import type { App } from './app.ts';
import { document } from './conformance/document.ts';
import { exampleTarget, hasQuery } from './conformance/example-targets.ts';

/** Every GET of the document, with the ids of its examples, and the first 200 records of every listing; but for a clock, which goes on. */
export const everyGet: readonly string[] = Object.entries(document.paths).flatMap(([path, { get }]) => {
  if (!get || path === '/sandbox/clock') return [];
  const target = exampleTarget(path, get);
  return hasQuery(get, 'limit') && target === path ? [target, `${path}?limit=200`] : [target];
});

/** A response: its status, and its body's bytes as text. */
interface ReadResponse {
  readonly status: number;
  readonly text: string;
}

/** Returns the response to a GET. A cursor of changes is left out: it has the epoch of the journal, which a restore changes. */
export const readBytes = async (
  app: App,
  client: Parameters<App['callAs']>[0],
  path: string,
): Promise<ReadResponse> => {
  const { status, text, bytes } = await app.callAs(client, 'GET', path);
  return { status, text: path.startsWith('/changes') ? text.replace(/"next": .*/, '') : bytes.toString('base64') };
};

/** Returns the responses to all GETs of the document on the demo data, by URL below the API's. */
export const readEverything = async (
  app: App,
  client: Parameters<App['callAs']>[0],
): Promise<ReadonlyMap<string, ReadResponse>> => {
  const responses = new Map<string, ReadResponse>();
  for (const path of everyGet) responses.set(path, await readBytes(app, client, path));
  return responses;
};
