import type { Facts } from './facts.ts';
import { header, print } from './print.ts';

/** Returns generated/modules.ts: the modules that a tenant can have. */
export const emitModules = ({ modules }: Facts): string => `${header}
/** The modules that can be enabled for a tenant; everything else is available to all tenants. */
export const modules = ${print(modules, 0, 23)} as const;

export type Module = (typeof modules)[number];
`;
