import type { SelectQueryBuilder } from 'kysely';
import type { Field, Resource } from '../core/resource/resource.ts';
import { compiler } from './statement.ts';

// biome-ignore lint/suspicious/noExplicitAny: tables and columns come from the resource table, not from a static type
export type Selection = SelectQueryBuilder<any, any, any>;

/**
 * The source of the fields: the resource's table or view as `r` and, if a field is stored in a separate table, that table as `d`.
 * Each record has a row in `d`, so an inner join loses none and can use an index of either side. Without such a field the join is
 * left out, so that Postgres does not have to plan for that table's many indexes.
 */
export const sourceOf = ({ source, key }: Resource, fields: readonly Field[]): Selection => {
  const query: Selection = compiler.selectFrom(`${source} as r`);
  const [beside] = fields.flatMap(({ storage }) => storage?.table ?? []);
  return beside ? query.innerJoin(`${beside} as d`, 'd.id', `r.${key}`) : query;
};
