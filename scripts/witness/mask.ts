import type { Result } from './step.ts';

/** What differs from run to run without meaning anything. */
const random: readonly (readonly [pattern: RegExp, stand: string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/\bey[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/(cursor=)[\w%.~-]+/g, '$1<cursor>'],
];

/** The text with stand-ins for what is random. */
export const mask = (text: string): string =>
  random.reduce((masked, [pattern, stand]) => masked.replace(pattern, stand), text);

/** The headers by name in lower case, several of a name in their order; without what the time or the connection makes of them. */
export const headersOf = ({ headers, body }: Result): Readonly<Record<string, string>> => {
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
