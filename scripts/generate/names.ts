import type { Program } from '@typespec/compiler';
import type { Facts } from './facts.ts';
import { header, print } from './print.ts';
import { namespaceOf } from './program.ts';

/** Returns generated/modules.ts: the modules that a tenant can have. */
export const emitModules = ({ modules }: Facts): string => `${header}
/** The modules that can be enabled for a tenant; everything else is available to all tenants. */
export const modules = ${print(modules, 0, 23)} as const;

export type Module = (typeof modules)[number];
`;

/** The query parameters of listings that are not filters, by purpose; fields can't have these names. */
export interface ReservedParameters {
  /** Parameters that the HTTP layer reads. */
  readonly http: readonly string[];
  /** Parameters of reads of one record. */
  readonly read: readonly string[];
  /** Parameters that only listings have. */
  readonly list: readonly string[];
}

/** Returns the reserved parameters that spec/conventions/parameters.tsp declares. */
export const reservedParameters = (program: Program): ReservedParameters => {
  const namesOf = (model: string) => [...(namespaceOf(program).models.get(model)?.properties.keys() ?? [])];
  const http = [...namesOf('ResponseParameters'), ...namesOf('CallbackParameters')];
  const read = namesOf('ReadParameters').filter(name => !http.includes(name));
  return { http, read, list: namesOf('ListParameters').filter(name => ![...http, ...read].includes(name)) };
};

/** Returns generated/parameters.ts: the reserved query parameters. */
export const emitParameters = ({ parameters: { http, read, list } }: Facts): string => `${header}
/** The query parameters that the HTTP layer reads. */
export const httpParameters = ${print(http)} as const;

/** The query parameters of reads of one record. */
export const readParameters = ${print(read)} as const;

/** The query parameters of listings that are not filters. */
export const listParameters = [...readParameters, ${list.map(name => print(name)).join(', ')}] as const;

export type HttpParameter = (typeof httpParameters)[number];
export type ListParameter = (typeof listParameters)[number];
`;
