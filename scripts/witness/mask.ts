import type { StepResult } from './step.ts';

/** Random values that differ from run to run, and their placeholders. */
const random: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/\bey[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/(cursor=)[\w%.~-]+/g, '$1<cursor>'],
];

/** Replaces random values in the text by placeholders. */
export const mask = (text: string): string =>
  random.reduce((masked, [pattern, placeholder]) => masked.replace(pattern, placeholder), text);

/**
 * Returns the headers by lower-case name, without those that depend on time or connection.
 * Repeated ones are joined in order.
 */
export const headersOf = ({ headers, body }: StepResult): Readonly<Record<string, string>> => {
  const isRandom = mask(body) !== body;
  const compressed = headers.some(([name]) => name.toLowerCase() === 'content-encoding');
  const kept: Record<string, string> = {};
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (name === 'date' || (name === 'etag' && isRandom)) continue;
    if (name === 'content-length' && (isRandom || compressed)) continue;
    kept[name] = name in kept ? `${kept[name]}, ${mask(value)}` : mask(value);
  }
  return kept;
};
