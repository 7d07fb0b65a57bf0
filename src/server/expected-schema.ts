import { resources as generated } from '../../generated/resources.ts';
import { columns, views } from '../../generated/tables.ts';
import { hasKey, referencesOf } from '../core/resource/references.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { ExpectedSchema } from '../db/schema/compare.ts';
import { slotKinds, slotsOf, slotTableOf } from '../db/slots.ts';

const resources: Readonly<Record<string, Resource>> = generated;

/** The columns that store tenant-defined fields, the same in each table of such fields. */
const slotColumns = {
  ...Object.fromEntries(
    slotKinds.flatMap(kind => slotsOf(kind).map(slot => [slot, { type: kind.type, nullable: true }])),
  ),
  more: { type: 'jsonb', nullable: true },
};

const dynamicTables = Object.values(resources)
  .filter(({ dynamic }) => dynamic)
  .map(({ table }) => [slotTableOf(table), slotColumns] as const);

const references = Object.values(resources).flatMap(({ table, fields }) =>
  fields.flatMap(field =>
    referencesOf(field).flatMap(reference => {
      const target = resources[reference.resource]?.table;
      return target && hasKey(field, reference) ? [{ table, column: field.name, target }] : [];
    }),
  ),
);

/** The columns, views and references that the generated resources require in the database. */
export const expectedSchema: ExpectedSchema = {
  columns: { ...columns, ...Object.fromEntries(dynamicTables) },
  views,
  references,
};
