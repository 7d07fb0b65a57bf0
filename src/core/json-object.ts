import { setImmediate } from 'node:timers/promises';
import type { Json } from './call/reply.ts';
import { ApiError } from './errors.ts';
import { findJsonDefect, markInexactNumbers } from './strict-json.ts';

export type JsonObject = Readonly<Record<string, Json>>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes beyond which each step of the processing lets others go first. */
const large = 65_536;

/**
 * Parses a JSON object in UTF-8.
 * @param depth maximum levels of nesting
 * @param what the subject of the messages
 * @throws ApiError malformed_json (400)
 */
export const parseObject = async (bytes: Buffer, depth: number, what = 'The body'): Promise<JsonObject> => {
  const pause = async () => void (bytes.length > large && (await setImmediate()));
  const text = decodeText(bytes, what);
  const defect = findJsonDefect(text, depth);
  if (defect)
    throw malformed(
      defect === 'depth' ? `${what} is nested too deeply.` : `An object in ${lower(what)} has the same member twice.`,
    );
  await pause();
  const exact = markInexactNumbers(text);
  await pause();
  const value = parse(exact, what);
  await pause();
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(`${what} is not a JSON object.`);
  return value as JsonObject;
};

const lower = (what: string): string => what.charAt(0).toLowerCase() + what.slice(1);

const malformed = (message: string, cause?: unknown): ApiError => new ApiError('malformed_json', { message, cause });

const decodeText = (bytes: Buffer, what: string): string => {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw malformed(`${what} is not UTF-8.`, error);
  }
};

const parse = (text: string, what: string): Json => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`${what} is not valid JSON.`, error);
  }
};
