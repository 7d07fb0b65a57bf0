import type { Facts } from './facts.ts';
import { header, print } from './print.ts';

/** generated/modules.ts: the modules that a tenant can have. */
export const emitModules = ({ modules }: Facts): string => `${header}
/** Every module that a tenant can have; the rest of the API is core. */
export const modules = ${print(modules, 0, 23)} as const;

export type Module = (typeof modules)[number];
`;
