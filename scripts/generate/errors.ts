import type { Facts } from './facts.ts';
import { header, key, print } from './print.ts';

/** Returns generated/errors.ts: the error catalogue with codes, statuses and texts. */
export const emitErrors = ({ codes }: Facts): string => {
  const entry = (name: string, value: object) => `  ${key(name)}: ${print(value, 2, name.length + 4)},\n`;
  const general = codes.flatMap(({ name, status, message, description }) =>
    status === null ? [] : entry(name, { status, message, description }),
  );
  const field = codes.flatMap(({ name, status, message }) => (status === null ? entry(name, { message }) : []));
  return `${header}
/** The error codes of requests: the HTTP status, what is wrong and what to do. */
export const catalogue = {
${general.join('')}} as const;

/** The error codes of fields: what is wrong with the value. */
export const fieldCatalogue = {
${field.join('')}} as const;
`;
};
