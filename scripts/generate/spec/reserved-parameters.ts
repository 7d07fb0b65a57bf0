import type { Program } from '@typespec/compiler';
import { namespaceOf } from './program.ts';

/** The query parameters of listings that are not filters, by purpose; fields can't have these names. */
export interface ReservedParameters {
  /** Parameters that the HTTP layer reads. */
  readonly http: readonly string[];
  /** Parameters of reads of one record. */
  readonly read: readonly string[];
  /** Parameters that only listings have. */
  readonly list: readonly string[];
  /** Headers that the HTTP layer reads, in lower case. */
  readonly headers: readonly string[];
}

/** Returns the reserved parameters that the spec's conventions declare. */
export const reservedParameters = (program: Program): ReservedParameters => {
  const namesOf = (model: string) => [...(namespaceOf(program).models.get(model)?.properties.keys() ?? [])];
  const read = namesOf('ReadParameters');
  const list = namesOf('ListParameters').filter(name => !read.includes(name));
  const headers = ['RequestHeaders', 'CacheHeaders', 'PreconditionHeaders', 'IdempotencyHeaders'].flatMap(namesOf);
  return { http: namesOf('FormParameters'), read, list, headers: headers.map(name => name.toLowerCase()) };
};
