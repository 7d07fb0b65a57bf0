import type { Facts } from '../spec/facts.ts';
import type { Column, Table } from '../spec/table.ts';
import { header, key, print } from './print.ts';

/** Returns generated/tables.ts: the table types for Kysely, and the columns that must exist. */
export const emitTables = ({
  tables,
  document,
}: Facts): string => `${header}import type { ColumnType, Generated } from 'kysely';
import type { components } from './api.ts';

type Schemas = components['schemas'];
/** JSON: parsed when read, written as a string. */
type Json<T> = ColumnType<T, string, string>;
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
type GeneratedJson<T> = ColumnType<T, string | undefined, string>;
/** A value of an enumeration; writes are checked against the fields of the resource, not by this type. */
type OneOf<T extends string | number> = ColumnType<T, Wide<T>, Wide<T>>;
type NullableOneOf<T extends string | number> = ColumnType<T | null, Wide<T> | null | undefined, Wide<T> | null>;
type GeneratedOneOf<T extends string | number> = ColumnType<T, Wide<T> | undefined, Wide<T>>;
type Wide<T extends string | number> = T extends number ? number : string;
/** A decimal: read as a string, to keep its precision. */
type Decimal = ColumnType<string, string | number, string | number>;
type GeneratedDecimal = ColumnType<string, string | number | undefined, string | number>;
type NullableDecimal = ColumnType<string | null, string | number | null | undefined, string | number | null>;

export interface Tables {
${tables.map(table => tableType(table, new Set(Object.keys(document.components?.schemas ?? {})))).join('')}}

export const columns = {
${tables.map(columnsOf).join('')}} as const satisfies Record<string, Record<string, { type: string; nullable: boolean }>>;

/** The tables that are views; of their columns, the database reports only the types. */
export const views = ${print(
  tables.filter(({ isView }) => isView).map(({ name }) => name),
  0,
  24,
)} as const;
`;

const tableType = ({ name, columns }: Table, schemas: ReadonlySet<string>): string =>
  `  ${key(name)}: {\n${columns.map(column => `    ${key(column.name)}: ${columnType(column, schemas)};\n`).join('')}  };\n`;

const columnType = ({ type, nullable, generated, values, holds }: Column, schemas: ReadonlySet<string>): string => {
  if (type === 'jsonb') {
    const { schema, many } = holds ?? { schema: '', many: false };
    const item = schemas.has(schema) ? `Schemas['${schema}']` : (plain[schema] ?? 'unknown');
    const held = many ? `readonly ${item}[]` : item;
    return `${nullable ? 'NullableJson' : generated ? 'GeneratedJson' : 'Json'}<${held}>`;
  }
  if (type.startsWith('numeric')) return nullable ? 'NullableDecimal' : generated ? 'GeneratedDecimal' : 'Decimal';
  if (values) return enumerated(values.map(value => print(value)).join(' | '), nullable, generated);
  const base = types[type] ?? 'string';
  const full = nullable ? `${base} | null` : base;
  return generated ? `Generated<${full}>` : full;
};

const plain: Readonly<Record<string, string>> = { string: 'string', Record: 'Readonly<Record<string, unknown>>' };

const enumerated = (values: string, nullable: boolean, generated: boolean): string =>
  `${nullable ? 'NullableOneOf' : generated ? 'GeneratedOneOf' : 'OneOf'}<${values}>`;

const types: Record<string, string> = { bigint: 'number', integer: 'number', boolean: 'boolean' };

const columnsOf = ({ name, columns }: Table): string =>
  `  ${key(name)}: {\n${columns
    .map(({ name: column, type, nullable }) => `    ${key(column)}: ${print({ type, nullable })},\n`)
    .join('')}  },\n`;
