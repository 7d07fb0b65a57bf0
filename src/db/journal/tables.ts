import { resources } from '../../../generated/resources.ts';
import { columns } from '../../../generated/tables.ts';
import type { Resource } from '../../core/resource/resource.ts';
import { slotTableOf } from '../slots.ts';

/** A table whose changes are entered in the journal. */
export interface JournalTable {
  /** The name of the resource whose records it holds. */
  readonly resource: string;
  /** The column with the record's id. */
  readonly key: string;
  /** The fields of the resource that are columns of the table, under the same name. */
  readonly fields: ReadonlySet<string>;
  readonly hasExternalId: boolean;
  /** Whether it holds a part of each record only: the fields that tenants define. */
  readonly beside: boolean;
}

const tableOf = ({ name, table, key, fields }: Resource): [string, JournalTable] => {
  const names = new Set(fields.map(field => field.name).filter(field => Object.hasOwn(columnsOf[table] ?? {}, field)));
  return [table, { resource: name, key, fields: names, hasExternalId: names.has('external_id'), beside: false }];
};

const columnsOf: Readonly<Record<string, object>> = columns;

const slotTable = ({ name, table }: Resource): [string, JournalTable] => [
  slotTableOf(table),
  { resource: name, key: 'id', fields: new Set(), hasExternalId: false, beside: true },
];

const journalled = (Object.values(resources) as readonly Resource[]).filter(({ unjournalled }) => !unjournalled);

/** The tables whose changes are entered in the journal, by name. */
export const journalTables: ReadonlyMap<string, JournalTable> = new Map([
  ...journalled.map(tableOf),
  ...journalled.filter(({ dynamic }) => dynamic).map(slotTable),
]);
