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
  /** The fields that show each column, first the one of the same name. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The fields of those that show a value of another record while their column is null. */
  readonly inheriting: ReadonlySet<string>;
  /** The fields that the database computes, and the columns of the record that they are computed from. */
  readonly generated: ReadonlyMap<string, readonly string[]>;
  /** The columns that new records have values in without being given one: defaults, computed. */
  readonly filled: readonly string[];
  readonly hasExternalId: boolean;
  /** Whether it holds a part of each record only: the fields that tenants define. */
  readonly beside: boolean;
}

const tableOf = ({ name, table, key, fields: all }: Resource): [string, JournalTable] => {
  const stored = all.filter(field => Object.hasOwn(columnsOf[table] ?? {}, field.name));
  const showing = (column: string) =>
    all.filter(
      field =>
        field.derivedFrom?.length === 1 && field.derivedFrom[0] === `${name}.${column}` && !stored.includes(field),
    );
  const fields = new Map(
    stored.map(field => [field.name, [field.name, ...showing(field.name).map(shown => shown.name)]]),
  );
  const inheriting = new Set(stored.filter(({ sources }) => sources !== undefined).map(field => field.name));
  const generated = new Map(
    stored
      .filter(({ derivedFrom }) => derivedFrom?.every(source => source.startsWith(`${name}.`)))
      .map(field => [field.name, (field.derivedFrom ?? []).map(source => source.slice(name.length + 1))]),
  );
  const defaulted = stored.filter(field => field.default !== undefined).map(field => field.name);
  return [
    table,
    {
      resource: name,
      key,
      fields,
      inheriting,
      generated,
      filled: [...defaulted, ...generated.keys()],
      hasExternalId: fields.has('external_id'),
      beside: false,
    },
  ];
};

const columnsOf: Readonly<Record<string, object>> = columns;

const slotTable = ({ name, table }: Resource): [string, JournalTable] => [
  slotTableOf(table),
  {
    resource: name,
    key: 'id',
    fields: new Map(),
    inheriting: new Set(),
    generated: new Map(),
    filled: [],
    hasExternalId: false,
    beside: true,
  },
];

const journalled = (Object.values(resources) as readonly Resource[]).filter(({ unjournalled }) => !unjournalled);

/** The tables whose changes are entered in the journal, by name. */
export const journalTables: ReadonlyMap<string, JournalTable> = new Map([
  ...journalled.map(tableOf),
  ...journalled.filter(({ dynamic }) => dynamic).map(slotTable),
]);
