import { catalogue, fieldCatalogue } from '../../generated/errors.ts';
import type { Json } from './reply.ts';

export type ErrorCode = keyof typeof catalogue;
export type FieldErrorCode = keyof typeof fieldCatalogue;

/** What is wrong with one field of a body. Further members, such as `conflicts`, go out as they are. */
export interface FieldError {
  readonly code: FieldErrorCode;
  readonly field: string;
  readonly message: string;
  readonly [member: string]: Json;
}

export interface ApiErrorOptions {
  /** What is wrong, in one line, where the catalogue's text can be more precise. */
  readonly message?: string;
  /** What to do about it. */
  readonly description?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly FieldError[];
  /** Further members of the answer. */
  readonly extra?: Readonly<Record<string, Json>>;
  /** For the log, never for the answer. */
  readonly cause?: unknown;
}

/** A failure that the client is told of: its status and texts are the catalogue's unless given. */
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

/** One entry of a validation error; the message is the catalogue's unless given. */
export const fieldError = (
  code: FieldErrorCode,
  field: string,
  message: string = fieldCatalogue[code].message,
  extra: Readonly<Record<string, Json>> = {},
): FieldError => ({ code, field, message, ...extra });

/** 422 with everything that stands against a write. */
export const validationFailed = (errors: readonly FieldError[]): ApiError =>
  new ApiError('validation_failed', { errors });
