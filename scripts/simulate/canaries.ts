import { resources } from '../../generated/resources.ts';
import { type Category, categories } from '../../src/core/resource/categories.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';

const all: readonly Resource[] = Object.values(resources);

/** The texts that mark a hidden value, by its category. */
export const markOf = (category: Category): string => `zq${category}`;

/** The names that only fields of the category have, and that are no everyday words. */
export const namesOf = (category: Category): readonly string[] => names.get(category) ?? [];

/** Names of fields that payroll formats have as values. */
const spoken = new Set(['wage_types', ...resources['pay-run-lines'].fields.map(({ name }) => name as string)]);
const everyday = /^[a-z]+$/;
const telling = new Set(['birthday', 'mobile']);
const fields = Map.groupBy(
  all.flatMap(({ fields }) => fields),
  ({ name }) => name,
);
const names = new Map(
  categories.map(category => [
    category,
    [...fields]
      .filter(([name, same]) => same.every(({ sensitive }) => sensitive === category) && isTelling(name))
      .map(([name]) => name),
  ]),
);

function isTelling(name: string): boolean {
  return !spoken.has(name) && (!everyday.test(name) || telling.has(name));
}

/** Puts marks into the sensitive texts of a body, so that they are found wherever they are shown. */
export const marked = (body: unknown, resource: string, number: number): unknown => {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || Buffer.isBuffer(body)) return body;
  const known = (resources as Readonly<Record<string, Resource>>)[resource]?.fields ?? [];
  const changed = known.flatMap(field => {
    const value = (body as Record<string, unknown>)[field.name];
    const mark = typeof value === 'string' ? markIn(field, number) : undefined;
    return mark === undefined ? [] : [[field.name, mark]];
  });
  return { ...body, ...Object.fromEntries(changed) };
};

const markIn = ({ type, sensitive, format, values, pattern, lines }: Field, number: number): string | undefined => {
  if (!sensitive || type !== 'text' || values) return undefined;
  if (format === 'email') return `${markOf(sensitive)}${number}@example.com`;
  return format === undefined && (pattern === undefined || lines) ? `${markOf(sensitive)} ${number}` : undefined;
};
