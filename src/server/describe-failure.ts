import { ApiError, type FieldError } from '../core/errors.ts';
import { DatabaseError } from '../db/errors.ts';
import { InputError } from '../tenancy/names.ts';
import { ConfigError } from './config/config.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An AggregateError (a host name of which all IP addresses fail) has no message of its own. */
const causeOf = (error: unknown): string =>
  error instanceof AggregateError ? [...new Set(error.errors.map(messageOf))].join('; ') : messageOf(error);

const isPortInUse = (error: unknown): error is { readonly port: number } =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;

/** Some messages begin with their field. */
const lineOf = ({ field, message }: FieldError): string =>
  `- ${message.startsWith(`${field}:`) ? message : `${field}: ${message}`}`;

/** A message for the person who ran the command or started the server; never a stack trace. */
export const describeFailure = (error: unknown): string => {
  if (error instanceof ConfigError || error instanceof InputError) return error.message;
  if (error instanceof DatabaseError) {
    return error.cause === undefined ? error.message : `${error.message} (${causeOf(error.cause)})`;
  }
  if (error instanceof ApiError && error.errors) return [error.message, ...error.errors.map(lineOf)].join('\n');
  if (isPortInUse(error))
    return `Port ${error.port} is in use: stop the process that uses it, or set PORT or INTERNAL_PORT`;
  return messageOf(error);
};
