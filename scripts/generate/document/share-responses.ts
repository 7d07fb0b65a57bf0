import { STATUS_CODES } from 'node:http';
import type { OpenAPI3Document } from '@typespec/openapi3';

/** The part of an operation that matters here. */
interface RespondingOperation {
  readonly responses: Record<string, object>;
}

/** Moves each error response that occurs repeatedly to `components.responses`, named after its status. */
export const shareResponses = (document: OpenAPI3Document): OpenAPI3Document => {
  const operations = operationsOf(document);
  const shared = commonResponses(operations);
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const name = shared.get(JSON.stringify(response));
      if (name) responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  const responses = Object.fromEntries([...shared].map(([text, name]) => [name, JSON.parse(text)]));
  return { ...document, components: { ...document.components, responses } } as OpenAPI3Document;
};

const operationsOf = ({ paths }: OpenAPI3Document): readonly RespondingOperation[] =>
  Object.values(paths as Record<string, Record<string, RespondingOperation>>).flatMap(item => Object.values(item));

/** Returns the names of the error responses that occur more than once, by their JSON. */
const commonResponses = (operations: readonly RespondingOperation[]): ReadonlyMap<string, string> => {
  const uses = new Map<string, { readonly status: string; count: number }>();
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const text = JSON.stringify(response);
      const use = uses.get(text) ?? { status, count: 0 };
      use.count++;
      uses.set(text, use);
    }
  }
  const shared = new Map<string, string>();
  const names = new Set<string>();
  for (const [text, { status, count }] of uses) {
    const name = (STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z]/g, '');
    // A response that occurs once stays in its operation, as does a different response with the same status.
    if (count < 2 || Number(status) < 300 || names.has(name)) continue;
    names.add(name);
    shared.set(text, name);
  }
  return shared;
};
