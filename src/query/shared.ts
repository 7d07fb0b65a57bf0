import { type QueryCreator, type RawBuilder, type SqlBool, sql } from 'kysely';
import { fieldsOf, sourceField } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import { lowestWith, type Selection } from './source.ts';
import { type AnyTables, column, compiler, place } from './statement.ts';

/** Other records that have values of the records, and where the ids of these are. */
interface Owners {
  readonly name: string;
  readonly resource: Resource;
  readonly id: ColumnPlace;
  readonly fields: Set<string>;
}

/** A column of the records, or of their owners. */
interface ColumnPlace {
  readonly of: string;
  readonly column: string;
}

/** A selection, and the key of its records to order it by. */
interface Shared {
  readonly selection: Selection;
  readonly key: RawBuilder<unknown>;
}

/**
 * Selects columns of records; reads each owner record once, because records of a page share owners.
 * Derived fields are computed from these values.
 * @param recordsOf selects fields of the records from their source
 */
export const selectShared = (
  resource: Resource,
  columns: readonly Field[],
  resources: Readonly<Record<string, Resource>>,
  recordsOf: (fields: readonly Field[]) => Selection,
): Shared => {
  const { own, owners, placeOf, valueFrom } = sharing(resource, resources);
  const key = sourceField(fieldsOf(resource), resource.key);
  const from = at(placeOf(key));
  const values = columns.map(field => sql`${valueFrom(field)}`.as(place(field)));
  if (owners.size === 0) return { selection: recordsOf(columns), key: column(key) };
  const fields = [...own.values()];
  let query: QueryCreator<AnyTables> = compiler.with(
    cte => cte('records').materialized(),
    () => recordsOf(fields),
  );
  for (const { name, resource, id, fields } of owners.values())
    query = query.with(
      cte => cte(name).materialized(),
      db => {
        const ids = db.selectFrom(id.of).select(sql`${sql.id(id.column)}`.as('id'));
        const set = fieldsOf(resource);
        const read = [...fields].map(name => sourceField(set, name));
        return db
          .selectFrom(`${lowestWith(set, read)} as r`)
          .select([...fields].map(name => sql`${sql.id('r', name)}`.as(name)))
          .where(sql<SqlBool>`${sql.id('r', resource.key)} = any(array(${ids}))`);
      },
    );
  let selection: Selection = query.selectFrom('records');
  // Not a left join: Postgres expects one owner, and may look through all of them for each record. A full join is hashed or merged.
  for (const { name, resource, id } of owners.values())
    selection = selection.fullJoin(name, join =>
      join.on(sql<SqlBool>`${at({ of: name, column: resource.key })} = ${at(id)}`),
    );
  return { selection: selection.select(values), key: from };
};

/** Returns what finds the places and values of fields, and what must be read for them. */
const sharing = (resource: Resource, resources: Readonly<Record<string, Resource>>) => {
  const set = fieldsOf(resource);
  const own = new Map<string, Field>();
  const owners = new Map<string, Owners>();
  const placeOf = (field: Field): ColumnPlace => {
    const { owner } = field;
    if (!owner) {
      own.set(place(field), field);
      return { of: 'records', column: place(field) };
    }
    const from = owners.get(owner.by) ?? ownersBy(owner.by, resources[owner.resource] as Resource);
    from.fields.add(owner.field);
    return { of: from.name, column: owner.field };
  };
  const ownersBy = (by: string, of: Resource): Owners => {
    const id = placeOf(sourceField(set, by));
    const from = { name: `owners_${owners.size}`, resource: of, id, fields: new Set([of.key]) };
    owners.set(by, from);
    return from;
  };
  const valueFrom = (field: Field): RawBuilder<unknown> => {
    const { firstOf, computedBy } = field;
    if (firstOf) return sql`coalesce(${valuesOf(firstOf)})`;
    return computedBy ? sql`${sql.raw(computedBy.function)}(${valuesOf(computedBy.of)})` : at(placeOf(field));
  };
  const valuesOf = (names: readonly string[]) => sql.join(names.map(name => valueFrom(sourceField(set, name))));
  return { own, owners, placeOf, valueFrom };
};

const at = ({ of, column }: ColumnPlace): RawBuilder<unknown> => sql.id(of, column);
