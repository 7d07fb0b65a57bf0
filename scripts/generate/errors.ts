import type { Facts } from './facts.ts';
import { header, key, print } from './print.ts';

/** generated/errors.ts: the catalogue of codes, their statuses and texts. */
export const emitErrors = ({ codes }: Facts): string => {
  const entry = (name: string, value: object) => `  ${key(name)}: ${print(value, 2, name.length + 4)},\n`;
  const general = codes.flatMap(({ name, status, message, description }) =>
    status === null ? [] : entry(name, { status, message, description }),
  );
  const field = codes.flatMap(({ name, status, message }) => (status === null ? entry(name, { message }) : []));
  return `${header}
/** Why a request fails: its status, what is wrong, what to do. */
export const catalogue = {
${general.join('')}} as const;

/** What is wrong with one field of a body. */
export const fieldCatalogue = {
${field.join('')}} as const;
`;
};
