import type { Model, ModelProperty, Program, Type } from '@typespec/compiler';
import { kindOf } from '../../../spec/conventions/kinds.ts';
import { markOf } from '../../../spec/conventions/marks.ts';
import { isIn } from '../../../spec/conventions/schemas.ts';

/** A column of a table or view. */
export interface Column {
  readonly name: string;
  /** The name of the type in Postgres (`format_type`). */
  readonly type: string;
  readonly nullable: boolean;
  /** Whether the database sets the value if an insert omits it. */
  readonly generated: boolean;
  /** The values of an enumeration. */
  readonly values?: readonly (string | number)[] | undefined;
  /** The content of a JSON column: a schema of the document or a list of its instances. */
  readonly holds?: { readonly schema: string; readonly many: boolean } | undefined;
}

/** A table or view, named after its resource. */
export interface Table {
  readonly name: string;
  readonly isView: boolean;
  readonly columns: readonly Column[];
}

const tenant: Column = { name: 'tenant_id', type: 'bigint', nullable: false, generated: true };

/** Returns the table of a resource or of a `@table` model: all properties except calculated ones. */
export const tableOf = (program: Program, model: Model): Table => ({
  name: nameOf(program, model),
  isView: false,
  columns: [
    tenant,
    ...[...model.properties.values()]
      .filter(property => isOfTable(program, property))
      .map(property => columnOf(program, property)),
  ],
});

/** Returns the view of a resource: all fields of its responses, and the hidden ones. */
export const viewOf = (program: Program, model: Model): Table => ({
  name: `${nameOf(program, model)}_view`,
  isView: true,
  columns: [
    tenant,
    ...[...model.properties.values()]
      .filter(property => isIn(program, property, 'Read') || isHidden(program, property))
      .map(property => ({
        ...columnOf(program, property),
        ...(markOf(program, 'unparsed', property) && { type: 'text' }),
        generated: false,
      })),
  ],
});

/** Whether the property is a column of the resource's table. */
export const isOfTable = (program: Program, property: ModelProperty): boolean =>
  (['derived', 'computed'] as const).every(mark => markOf(program, mark, property) === undefined);

/** Whether the property is a column of the view only: neither of the table nor of the records. */
export const isHidden = (program: Program, property: ModelProperty): boolean =>
  !isIn(program, property, 'Read') && markOf(program, 'computed', property) !== undefined;

/** Returns the database name of a resource or of a `@table` model. */
export const tableName = (name: string): string => name.replaceAll('-', '_');

const nameOf = (program: Program, model: Model): string =>
  tableName(markOf(program, 'table', model) ?? markOf(program, 'resource', model) ?? '');

const columnOf = (program: Program, property: ModelProperty): Column => {
  const kind = kindOf(program, property.type);
  if (!kind) throw new Error(`${property.model?.name}.${property.name} has a type that can't be stored in a column.`);
  const { name } = property;
  const isStamp = name === 'created_at' || name === 'updated_at';
  const isKept = isStamp || markOf(program, 'serverKept', property) !== undefined;
  const generated = isKept || property.defaultValue !== undefined;
  return {
    name,
    type: kind.column,
    nullable: kind.nullable,
    generated,
    values: kind.values,
    holds: kind.type === 'json' ? holdsOf(kind.of) : undefined,
  };
};

const holdsOf = (type: Type): Column['holds'] => {
  const many = type.kind === 'Model' && type.name === 'Array';
  const item = many ? type.indexer?.value : type;
  return item?.kind === 'Model' || item?.kind === 'Scalar' ? { schema: item.name, many } : undefined;
};
