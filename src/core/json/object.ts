import type { Json } from '../call/reply.ts';
import { ApiError, type FieldError } from '../errors.ts';
import { inTurns } from '../turns.ts';
import { findInexactNumbers } from '../violations.ts';
import { parseInParts } from './parts.ts';
import { findJsonDefect, markInexactNumbers } from './strict.ts';

export type JsonObject = Readonly<Record<string, Json>>;

/** A JSON object, and what is wrong with the numbers in it. */
export interface ParsedObject {
  readonly value: JsonObject;
  readonly inexact: readonly FieldError[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON object in UTF-8, a long one in turns with other requests.
 * @param depth maximum levels of nesting
 * @param what the subject of the messages, in lower case
 * @throws ApiError malformed_json (400)
 */
export const parseObject = async (bytes: Uint8Array, depth: number, what = 'body'): Promise<ParsedObject> => {
  const text = decodeText(bytes, what);
  const defect = await inTurns(findJsonDefect(text, depth));
  if (defect === 'depth') throw malformed(`The ${what} is nested too deeply.`);
  if (defect === 'duplicate') throw malformed(`An object in the ${what} has the same member twice.`);
  const exact = await inTurns(markInexactNumbers(text));
  const value = await parse(exact, what);
  return { value, inexact: exact === text ? [] : await inTurns(findInexactNumbers(value)) };
};

const malformed = (message: string, cause?: unknown): ApiError => new ApiError('malformed_json', { message, cause });

const parse = async (text: string, what: string): Promise<JsonObject> => {
  try {
    return (await inTurns(parseInParts(text))) as JsonObject;
  } catch (error) {
    throw malformed(`The ${what} is not one valid JSON object.`, error);
  }
};

const decodeText = (bytes: Uint8Array, what: string): string => {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw malformed(`The ${what} is not UTF-8.`, error);
  }
};
