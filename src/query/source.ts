import type { SelectQueryBuilder } from 'kysely';
import type { Field, Resource } from '../core/resource.ts';
import { compiler } from './statement.ts';

// biome-ignore lint/suspicious/noExplicitAny: tables and columns come from the resource table, not from a static type
export type Selection = SelectQueryBuilder<any, any, any>;

/**
 * What the fields are read from: the resource's source as `r` and, if one of them lies beside it, that table as `d`. Each record has a
 * row there, so the join keeps them all and an index of either side can be entered; where no such field is asked for, planning does
 * not meet that table and its many indexes at all.
 */
export const sourceOf = ({ source, key }: Resource, fields: readonly Field[]): Selection => {
  const query: Selection = compiler.selectFrom(`${source} as r`);
  const [beside] = fields.flatMap(({ storage }) => storage?.table ?? []);
  return beside ? query.innerJoin(`${beside} as d`, 'd.id', `r.${key}`) : query;
};
