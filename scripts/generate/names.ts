import type { Program } from '@typespec/compiler';
import type { Facts } from './facts.ts';
import { header, print } from './print.ts';
import { namespaceOf } from './program.ts';

/** generated/modules.ts: the modules that a tenant can have. */
export const emitModules = ({ modules }: Facts): string => `${header}
/** Every module that a tenant can have; the rest of the API is core. */
export const modules = ${print(modules, 0, 23)} as const;

export type Module = (typeof modules)[number];
`;

/** The query parameters of listings that are not filters, by their purpose: no field may have one of these names. */
export interface ReservedParameters {
  /** Those that the HTTP layer reads. */
  readonly http: readonly string[];
  /** Those of reads of one record. */
  readonly read: readonly string[];
  /** Those that only listings have. */
  readonly list: readonly string[];
}

/** The reserved parameters, as spec/conventions/parameters.tsp declares them. */
export const reservedParameters = (program: Program): ReservedParameters => {
  const namesOf = (model: string) => [...(namespaceOf(program).models.get(model)?.properties.keys() ?? [])];
  const http = [...namesOf('ResponseParameters'), ...namesOf('CallbackParameters')];
  const read = namesOf('ReadParameters').filter(name => !http.includes(name));
  return { http, read, list: namesOf('ListParameters').filter(name => ![...http, ...read].includes(name)) };
};

/** generated/parameters.ts: the reserved query parameters. */
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
