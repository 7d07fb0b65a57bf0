import { ApiError } from '../errors.ts';
import type { Category } from './categories.ts';
import type { Resource } from './resource.ts';

/** What an API user may read and write, and what is hidden from it. */
export interface Access {
  /** `<resource>:read` and `<resource>:write`, with `*` for all resources; empty: everything. */
  readonly scopes: readonly string[];
  /** The categories whose fields do not exist for the API user. */
  readonly hidden: readonly Category[];
}

/** The access of an API user without restrictions. */
export const unrestricted: Access = { scopes: [], hidden: [] };

/** Whether there is something that the API user may not read or write. */
export const isRestricted = ({ scopes, hidden }: Access): boolean => scopes.length + hidden.length > 0;

/**
 * Whether the API user may read, or write, the records of a resource.
 * See docs/decisions.md, "Modules and scopes".
 */
export const isAllowed = ({ scopes }: Access, resource: string, right: 'read' | 'write'): boolean =>
  scopes.length === 0 || scopes.includes(`${resource}:${right}`) || scopes.includes(`*:${right}`);

/** The names of a resource's scopes: its own, or those of the resources that its records are made of. */
export const scopesOf = ({ name, scopes }: Pick<Resource, 'name' | 'scopes'>): readonly string[] => scopes ?? [name];

/** Whether the API user may read the records of a resource: it has all of their scopes. */
export const canRead = (access: Access, resource: Pick<Resource, 'name' | 'scopes'>): boolean =>
  scopesOf(resource).every(scope => isAllowed(access, scope, 'read'));

/** The error of a request that needs a scope which the API user does not have. */
export const scopeMissing = (resource: string, right: 'read' | 'write' = 'read'): ApiError =>
  new ApiError('scope_missing', { message: `The API user does not have the scope ${resource}:${right}.` });
