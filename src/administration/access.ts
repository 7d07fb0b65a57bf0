import { resources } from '../../generated/resources.ts';
import { suggestion } from '../core/names.ts';
import { type Category, categories } from '../core/resource/categories.ts';
import type { Resource } from '../core/resource/resource.ts';
import { InputError } from '../tenancy/names.ts';

const own = Object.values<Resource>(resources).flatMap(({ name, scopes }) => (scopes ? [] : [name]));

/** All scopes that an API user can have. */
export const scopes: readonly string[] = ['*', ...own, 'sandbox'].flatMap(name => [`${name}:read`, `${name}:write`]);

/**
 * Parses a scope such as `clients:read`, `*:read` or `clients:write`.
 * @throws InputError with the nearest scope
 */
export const parseScope = (text: string): string => {
  if (scopes.includes(text)) return text;
  throw new InputError(
    `"${text}" is not a scope: use <resource>:read or <resource>:write, with * for all resources.${suggestion(text, scopes)}`,
  );
};

/**
 * Parses a category of sensitive fields.
 * @throws InputError with the nearest category
 */
export const parseCategory = (text: string): Category => {
  const found = categories.find(category => category === text);
  if (found) return found;
  throw new InputError(
    `"${text}" is not a category: use ${categories.join(', ')}.${suggestion(text, [...categories])}`,
  );
};

/** Returns the resources with write access only: every request for them would be rejected. */
export const unreadable = (given: readonly string[]): readonly string[] =>
  given
    .filter(scope => scope.endsWith(':write'))
    .map(scope => scope.slice(0, -':write'.length))
    .filter(name => !given.includes(`${name}:read`) && !given.includes('*:read'));
