import { document, mismatches } from './document.ts';
import { textMismatches } from './response.ts';

/** A webhook as it was sent. */
export interface Sent {
  /** Null: not known. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>> | null;
  /** The body. */
  readonly payload: string;
}

/** Returns how a webhook contradicts the published document: its headers and its body. */
export const webhookContradictions = ({ headers, payload }: Sent): readonly string[] => {
  const { type } = JSON.parse(payload);
  const operation = document.webhooks[type]?.post;
  if (!operation) return [`The document has no webhook ${type}.`];
  const { parameters, requestBody } = operation;
  return [
    ...(headers === null ? [] : parameters).flatMap(({ name, schema }) => {
      const value = headers?.[name];
      return typeof value === 'string' ? textMismatches(schema, value) : [`the header ${name} is missing`];
    }),
    ...mismatches(requestBody.content['application/json'].schema, JSON.parse(payload)),
  ].map(problem => `${type}: ${problem}`);
};
