import { catalogue, fieldCatalogue } from '../../generated/errors.ts';
import type { Json } from './call/reply.ts';

/** Machine-readable error codes of responses. */
export type ErrorCode = keyof typeof catalogue;
/** Returns whether the code is one of a response. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(catalogue, code);

/** Machine-readable error codes of fields, in the responses of failed validations. */
export type FieldErrorCode = keyof typeof fieldCatalogue;

/** Returns the catalogue's message of a code. */
export const messageOf = (code: string): string => messages[code]?.message ?? code;

const messages: Readonly<Record<string, { readonly message: string }>> = { ...catalogue, ...fieldCatalogue };

/** An error of one field of a body. Further members, such as `conflicts`, are sent as they are. */
export interface FieldError {
  readonly code: FieldErrorCode;
  readonly field: string;
  readonly message: string;
  readonly [member: string]: Json;
}

/** Details of an error; all are optional. */
export interface ApiErrorOptions {
  /** What is wrong, in one line; default: the catalogue's message. */
  readonly message?: string;
  /** What to do about it; default: the catalogue's description. */
  readonly description?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly FieldError[];
  /** Further members of the response body. */
  readonly extra?: Readonly<Record<string, Json>>;
  /** Logged, never sent. */
  readonly cause?: unknown;
}

/** An error that is sent to the client. Status, message and description default to the catalogue's. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly FieldError[] | null;
  readonly extra: Readonly<Record<string, Json>>;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    const { status, message, description } = catalogue[code];
    super(options.message ?? message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = status;
    this.description = options.description ?? description;
    this.headers = options.headers ?? {};
    this.errors = options.errors ?? null;
    this.extra = options.extra ?? {};
  }
}

/** An entry of a validation error; the message defaults to the catalogue's. */
export const fieldError = (
  code: FieldErrorCode,
  field: string,
  message: string = fieldCatalogue[code].message,
  extra: Readonly<Record<string, Json>> = {},
): FieldError => ({ code, field, message, ...extra });

/** The error (422) with everything that prevents a write. See docs/decisions.md, "Errors". */
export const validationFailed = (errors: readonly FieldError[]): ApiError =>
  new ApiError('validation_failed', { errors: capped(errors) });

/** The same with the error of one field. */
export const invalidField = (...error: Parameters<typeof fieldError>): ApiError =>
  validationFailed([fieldError(...error)]);

/** Maximum number of field errors in a response, before the one that counts them. */
const most = 100;

const capped = (errors: readonly FieldError[]): readonly FieldError[] =>
  errors.length <= most
    ? errors
    : [...errors.slice(0, most), fieldError('too_many_errors', '', tooMany(errors.length), { count: errors.length })];

/** Checking stops early in a value with very many errors. */
const tooMany = (count: number): string => `There are at least ${count} errors, of which ${most} are listed.`;
