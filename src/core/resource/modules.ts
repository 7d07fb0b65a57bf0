import { type Module, modules } from '../../../generated/modules.ts';

export { type Module, modules };

/** Returns a tenant's stored modules, in the order of the spec, without those unknown to this version. */
export const modulesOf = (stored: readonly string[]): ReadonlySet<Module> =>
  new Set(modules.filter(module => stored.includes(module)));
