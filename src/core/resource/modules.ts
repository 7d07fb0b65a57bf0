import { type Module, modules } from '../../../generated/modules.ts';

export { type Module, modules };

/** Returns the stored modules of a tenant, in the order of the spec and without those that this version does not know. */
export const modulesOf = (stored: readonly string[]): ReadonlySet<Module> =>
  new Set(modules.filter(module => stored.includes(module)));
