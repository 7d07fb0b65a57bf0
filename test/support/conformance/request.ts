import { document, mismatches, type Node, type Parameter, resolve } from './document.ts';
import type { Found } from './find.ts';
import { textMismatches } from './response.ts';

/** A request as it was sent. */
export interface Sent {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined if there is none or it is not JSON. */
  readonly body: unknown;
}

/** The parameters that every operation has and none declares. */
const options = Object.entries(document.components.parameters ?? {})
  .filter(([name]) => /^(Form|Override)/.test(name))
  .map(([, parameter]) => (parameter as unknown as Parameter).name);

/** Returns how a request that succeeded differs from what its operation documents. */
export const requestProblems = (
  { operation, placeholders }: Found,
  { query, headers, body }: Sent,
): readonly string[] => {
  const declared = (operation.parameters ?? []).map(parameter => resolve<Parameter>(parameter));
  const parameters = new Map(declared.map(parameter => [`${parameter.in} ${parameter.name.toLowerCase()}`, parameter]));
  const given = new URLSearchParams(query);
  const valueProblems = (place: string, name: string, value: string): readonly string[] => {
    const parameter = parameters.get(`${place} ${name.toLowerCase()}`);
    if (!parameter) return [`the ${place} parameter ${name} is not documented`];
    return textMismatches(parameter.schema, value).map(problem => `the ${place} parameter ${name}: ${problem}`);
  };
  return [
    ...declared
      .filter(({ in: place, name, required }) => place === 'query' && required && !given.has(name))
      .map(({ name }) => `the query parameter ${name} is missing`),
    ...[...given].flatMap(([name, value]) =>
      isFree(name, given)
        ? []
        : valueProblems('query', parameters.has(`query ${name}`) ? name : otherForm(name), value),
    ),
    ...Object.entries(placeholders).flatMap(([name, value]) => valueProblems('path', name, value)),
    ...Object.entries(headers)
      .filter(([name]) => parameters.has(`header ${name.toLowerCase()}`))
      .flatMap(([name, value]) => valueProblems('header', name, value)),
    ...bodyProblems(operation.requestBody?.content['application/json']?.schema, body),
  ];
};

/** Whether a query parameter needs no declaration: options, cache busters, and filters of fields that the tenant has defined. */
const isFree = (name: string, given: URLSearchParams): boolean =>
  options.includes(name) || (name === '_' && given.has('callback')) || /^dynamic_field_\d+(\[\])?$/.test(name);

/** Returns the other of the two equivalent names of a filter: `status` and `status[]`. */
const otherForm = (name: string): string => (name.endsWith('[]') ? name.slice(0, -2) : `${name}[]`);

const bodyProblems = (schema: Node | undefined, body: unknown): readonly string[] =>
  schema && body !== undefined ? mismatches(schema, body).map(problem => `the request body: ${problem}`) : [];
