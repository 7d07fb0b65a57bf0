import type { Facts } from './facts.ts';
import { header, key, print } from './print.ts';
import type { Column, Table } from './table.ts';

/** generated/tables.ts: Kysely's view of the database, and the columns that the migrated catalogue must have. */
export const emitTables = ({ tables }: Facts): string => `${header}import type { ColumnType, Generated } from 'kysely';

/** JSON: read parsed, written as a string. */
type Json = ColumnType<unknown, string, string>;
type NullableJson = ColumnType<unknown, string | null | undefined, string | null>;
type GeneratedJson = ColumnType<unknown, string | undefined, string>;
/** A decimal: read as a string, so that no digit is lost. */
type Decimal = ColumnType<string, string | number, string | number>;
type NullableDecimal = ColumnType<string | null, string | number | null | undefined, string | number | null>;

export interface Tables {
${tables.map(tableType).join('')}}

export const columns = {
${tables.map(columnsOf).join('')}} as const satisfies Record<string, Record<string, { type: string; nullable: boolean }>>;

/** Those of the tables that are views: of their columns, the database knows only the types. */
export const views = ${print(
  tables.filter(({ isView }) => isView).map(({ name }) => name),
  0,
  24,
)} as const;
`;

const tableType = ({ name, columns }: Table): string =>
  `  ${key(name)}: {\n${columns.map(column => `    ${key(column.name)}: ${columnType(column)};\n`).join('')}  };\n`;

const columnType = ({ type, nullable, generated }: Column): string => {
  if (type === 'jsonb') return nullable ? 'NullableJson' : generated ? 'GeneratedJson' : 'Json';
  if (type.startsWith('numeric')) return nullable ? 'NullableDecimal' : 'Decimal';
  const base = types[type] ?? 'string';
  const full = nullable ? `${base} | null` : base;
  return generated ? `Generated<${full}>` : full;
};

const types: Record<string, string> = { bigint: 'number', integer: 'number', boolean: 'boolean' };

const columnsOf = ({ name, columns }: Table): string =>
  `  ${key(name)}: {\n${columns
    .map(({ name: column, type, nullable }) => `    ${key(column)}: ${print({ type, nullable })},\n`)
    .join('')}  },\n`;
