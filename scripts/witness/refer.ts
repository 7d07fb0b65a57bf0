import type { StepResult } from './step.ts';

/**
 * Returns a reference to a part of an earlier result.
 * A part is `token`, `cursor`, `header:<name>`, `body` or `body:<JSON pointer>`.
 */
export const refer = (number: number, part: string): string => `{{${number}.${part}}}`;

const reference = /\{\{(\d+)\.([^}]+)\}\}/g;
const token = /[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/;

/** Replaces each reference in the text by its value, or by `missing` if the result has no such part. */
export const resolve = (text: string, results: readonly (StepResult | undefined)[]): string =>
  text.replace(reference, (_, number: string, part: string) => {
    const result = results[Number(number)];
    return (result && partOf(result, part)) ?? 'missing';
  });

/** Returns the value of the header, whose name is given in lower case. */
const headerOf = ({ headers }: StepResult, name: string): string | undefined =>
  headers.find(([other]) => other.toLowerCase() === name)?.[1];

const partOf = (result: StepResult, part: string): string | undefined => {
  const [kind = '', argument = ''] = [part.split(':', 1)[0], part.split(':').slice(1).join(':')];
  if (kind === 'token') return token.exec(result.body)?.[0];
  if (kind === 'cursor') return /[?&]cursor=([^&>]+)/.exec(headerOf(result, 'link') ?? '')?.[1];
  if (kind === 'header') return headerOf(result, argument);
  if (argument === '') return result.body;
  const found = at(parse(result.body), argument.split('/').slice(1));
  return found === undefined || typeof found === 'object' ? undefined : String(found);
};

/** Parses JSON; returns undefined if the text is invalid. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (parent, key) =>
      parent !== null && typeof parent === 'object' ? (parent as Readonly<Record<string, unknown>>)[key] : undefined,
    value,
  );
