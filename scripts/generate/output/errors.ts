import type { Facts } from '../spec/facts.ts';
import { header, key, print } from './print.ts';

/** Returns generated/errors.ts: the error catalogue with codes, statuses and texts. */
export const emitErrors = ({ codes, errorReferences }: Facts): string => {
  const entry = (name: string, value: object) => `  ${key(name)}: ${print(value, 2, name.length + 4)},\n`;
  const general = codes.flatMap(({ name, status, ...code }) =>
    status === null ? [] : entry(name, { status, ...code }),
  );
  const field = codes.flatMap(({ name, status, description: _, ...code }) =>
    status === null ? entry(name, code) : [],
  );
  return `${header}
/** The error codes of requests: the HTTP status, what is wrong and what to do. */
export const catalogue = {
${general.join('')}} as const;

/** The error codes of fields: what is wrong with the value. */
export const fieldCatalogue = {
${field.join('')}} as const;

/** The members of field errors that refer to records, with their resources. */
export const errorReferences = ${print(errorReferences)} as const;
`;
};
