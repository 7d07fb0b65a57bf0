import { sql } from 'kysely';
import type { Field } from '../core/resource.ts';
import type { Statement } from '../db/database.ts';
import { bind, compiler, Slot, template } from './statement.ts';

/** The fields among the given ones that are columns of their resource's source. */
export const columnsOf = (fields: readonly Field[]): readonly Field[] =>
  fields.some(isGathered) ? fields.filter(field => !isGathered(field)) : fields;

/** The functions of the database that give the values of the others, in the order of the fields. */
export const gatherersOf = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ gathered }) => gathered ?? []);

export const isGathered = ({ gathered }: Field): boolean => gathered !== undefined;

/**
 * The values of a gathered field for the given keys: rows of a key and a value. A statement of its own, since a distributed database
 * cannot route one that reads tables beside the call of a function that reads tables.
 */
export const gatherStatement = (gatherer: string, keys: readonly string[], tenantId: number): Statement => {
  const made = template(`gather|${gatherer}`, () => {
    // The name is the text's own, so that the call can be told from a table (see tenant-binding.ts).
    const call = [`${gatherer}(`, '::bigint, ', '::bigint[])'] as unknown as TemplateStringsArray;
    return compiler
      .selectFrom(sql(call, new Slot(0), new Slot(1)).as('g'))
      .select([sql`g.id`.as('id'), sql`g.value`.as('value')])
      .compile();
  });
  return bind(made, [String(tenantId), `{${keys.join(',')}}`]);
};
