import { sql } from 'kysely';
import type { Field } from '../core/resource/resource.ts';
import type { Statement } from '../db/database.ts';
import { bind, compiler, Slot, template } from './statement.ts';

/** Those of the fields that are columns of their resource's source. */
export const columnsOf = (fields: readonly Field[]): readonly Field[] =>
  fields.some(isGathered) ? fields.filter(field => !isGathered(field)) : fields;

/** The database functions that compute the gathered fields, in the order of the fields. */
export const gatherersOf = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ gathered }) => gathered ?? []);

/** Whether a field is computed by a database function instead of being a column. */
export const isGathered = ({ gathered }: Field): boolean => gathered !== undefined;

/**
 * A statement for the values of a gathered field of the given keys: rows of a key and a value. Separate from the read, because
 * a distributed database cannot route a query that joins tables with a function that reads tables.
 */
export const gatherStatement = (gatherer: string, keys: readonly string[], tenantId: number): Statement => {
  const made = template(`gather|${gatherer}`, () => {
    // The name is part of the SQL string, not an identifier node, so that it is not taken for a table (see tenant-binding.ts).
    const call = [`${gatherer}(`, '::bigint, ', '::bigint[])'] as unknown as TemplateStringsArray;
    return compiler
      .selectFrom(sql(call, new Slot(0), new Slot(1)).as('g'))
      .select([sql`g.id`.as('id'), sql`g.value`.as('value')])
      .compile();
  });
  return bind(made, [String(tenantId), `{${keys.join(',')}}`]);
};
