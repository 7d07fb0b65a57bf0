import { resources } from '../../../generated/resources.ts';
import type { Category } from '../../../src/core/resource/categories.ts';
import type { Resource } from '../../../src/core/resource/resource.ts';
import type { ApiResponse } from '../../support/app.ts';
import { type Node, type Parameter, resolve } from '../../support/conformance/document.ts';
import { type Example, examples } from '../../support/examples.ts';

/** A request of a walk. */
export interface Step {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a client sees of a response, without the headers that differ between two requests anyway. */
export interface Seen {
  readonly step: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const table: Readonly<Record<string, Resource>> = resources;
/** Times, ids and names that are given anew in each request; the length of a compressed body with a request id. */
const changing = /^(date|connection|keep-alive|content-length|x-request-id|x-rate-limit-.*)$/;
const given =
  /"request_id": ?"[^"]+"|<request_id>[^<]+|(?:\b|msg_)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b/g;
/** Headers of a write, which shows what it has given itself. */
const written = /^(etag|location)$/;
const start = new Date().toISOString().slice(0, 19);

const seenOf = (step: Step, { status, headers, text }: ApiResponse): Seen => {
  const isRead = step.method === 'GET';
  const own = Object.entries(headers).filter(([name]) => !changing.test(name) && (isRead || !written.test(name)));
  return {
    step: `${step.method} ${step.target}${step.body === undefined ? '' : ` ${JSON.stringify(step.body)}`}`,
    status,
    headers: Object.fromEntries(own),
    text: isRead ? text : withoutId(text, headers.location),
  };
};

const withoutId = (text: string, location: string | undefined): string => {
  const id = /\d+$/.exec(location ?? '')?.[0];
  return id === undefined ? text : text.replace(`"id": ${id}`, '"id": given');
};

/** Returns what was seen without the ids and times in its text that are given anew in each request. */
export const anonymous = (seen: Seen): Seen => {
  const text = seen.text.replaceAll(given, 'given');
  const isRead = seen.step.startsWith('GET ');
  const timeless = (time: string) => (time >= start ? 'now' : time);
  return { ...seen, text: isRead ? text : text.replaceAll(/20\d\d-[\d-]{5}T[\d:]{8}Z/g, timeless) };
};

/** Sends a request of a walk. */
export type Send = (step: Step) => Promise<ApiResponse>;

/** Sends the requests, some at once, and returns what is seen of each response. */
export const walk = async (steps: readonly Step[], send: Send): Promise<readonly Seen[]> => {
  const seen: Seen[] = [];
  for (const step of steps) seen.push(seenOf(step, await send(step)));
  return seen;
};

const resourceOf = ({ operation }: Example): Resource | undefined =>
  table[(operation as { 'x-resource'?: string })['x-resource'] ?? ''];

const filtersOf = ({ operation }: Example): readonly Parameter[] =>
  (operation.parameters ?? [])
    .map(parameter => resolve<Parameter>(parameter))
    .filter(parameter => 'x-filter' in parameter);

const joined = (target: string, query: string): string =>
  target.endsWith('?') ? target + query : `${target}${target.includes('?') ? '&' : '?'}${query}`;
const inFormat = (target: string, format: string): string => target.replace(/(?=\?|$)/, `.${format}`);

/** Returns the example's body without what the categories hide. */
const visibleBody = (example: Example, hidden: readonly Category[]): unknown => {
  const { body, operation } = example;
  if (typeof body !== 'object' || body === null || body instanceof Buffer) return body;
  const schema = resolve<Node>(operation.requestBody?.content['application/json']?.schema ?? {});
  const members = (schema.properties ?? {}) as Readonly<Record<string, { readonly 'x-sensitive'?: Category }>>;
  const isHidden = (name: string): boolean => hidden.some(category => category === members[name]?.['x-sensitive']);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isHidden(name)));
};

/** Requests of every operation: formats, relations, counts and unknown fields of listings; writes as dry runs. */
export const broadly = (hidden: readonly Category[]): readonly Step[] =>
  examples.flatMap(example => {
    const { method, target, body } = example;
    if (method !== 'GET') {
      const rehearsed = target.includes('dry_run') ? target : joined(target, 'dry_run=true');
      const visible = visibleBody(example, hidden);
      const bodies = JSON.stringify(visible) === JSON.stringify(body) ? [body] : [body, visible];
      return bodies.map(given => ({ method, target: rehearsed, body: given }));
    }
    const relations = resourceOf(example)?.relations ?? [];
    const embeds = relations.map(({ short }) => ({ method, target: joined(target, `embed=${short}`) }));
    if (filtersOf(example).length === 0)
      return [{ method, target }, { method, target: inFormat(target, 'xml') }, ...embeds];
    const isSensitive = resourceOf(example)?.fields.some(field => field.sensitive ?? field.sensitiveParts);
    return [
      { method, target: joined(target, 'count=true&limit=100') },
      ...(isSensitive ? ['xml', 'csv', 'ndjson'] : []).map(format => ({
        method,
        target: inFormat(joined(target, 'limit=5'), format),
      })),
      ...embeds.map(step => ({ method, target: joined(step.target, 'limit=20') })),
    ];
  });

/** Pages of the resources that have stored fields of the category. */
export const tellingOf = (category: Category): readonly Step[] =>
  examples.flatMap(example => {
    const { method, target } = example;
    const isTold = resourceOf(example)?.fields.some(({ sensitive, computed }) => sensitive === category && !computed);
    return isTold && filtersOf(example).length > 0 ? [{ method, target: joined(target, 'limit=100') }] : [];
  });

/** Requests that filter every listing, sort it and restrict it to every field. */
export const closely = (): readonly Step[] =>
  examples.flatMap(example =>
    filtersOf(example).flatMap(({ name, schema }) => {
      const { method, target } = example;
      const field = encodeURIComponent(name);
      const [value = 'x'] = (schema.examples as readonly string[] | undefined) ?? [];
      return [
        `${field}=${encodeURIComponent(value)}`,
        `sort=-${field}&${field}=-null&fields=${field}`,
        `${field}x=1`,
      ].map(query => ({ method, target: joined(target, `${query}&limit=5&count=true`) }));
    }),
  );
