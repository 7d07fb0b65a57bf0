import type { Facts } from '../spec/facts.ts';
import { header, print } from './print.ts';

/** Returns generated/modules.ts: the modules that a tenant can have. */
export const emitModules = ({ modules }: Facts): string => `${header}
/** The modules that can be enabled for a tenant; everything else is available to all tenants. */
export const modules = ${print(modules, 0, 23)} as const;

export type Module = (typeof modules)[number];
`;

/** Returns generated/categories.ts: the categories of sensitive fields. */
export const emitCategories = ({ categories }: Facts): string => `${header}
/** The categories of sensitive fields, which can be hidden from API users. */
export const categories = ${print(categories, 0, 26)} as const;

export type Category = (typeof categories)[number];
`;

/** Returns generated/parameters.ts: the reserved query parameters. */
export const emitParameters = ({ parameters: { http, read, list, headers } }: Facts): string => `${header}
/** The query parameters that the HTTP layer reads. */
export const httpParameters = ${print(http)} as const;

/** The query parameters of reads of one record. */
export const readParameters = ${print(read)} as const;

/** The query parameters of listings that are not filters. */
export const listParameters = [...readParameters, ${list.map(name => print(name)).join(', ')}] as const;

/** The request headers that the HTTP layer reads, in lower case. */
export const httpHeaders = ${print(headers)} as const;

export type HttpParameter = (typeof httpParameters)[number];
export type ListParameter = (typeof listParameters)[number];
`;
