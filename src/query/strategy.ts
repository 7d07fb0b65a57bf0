import type { FieldSet } from '../core/resource/fields.ts';
import type { Field } from '../core/resource/resource.ts';
import { isOfTwo } from './others/parts.ts';
import type { ReadPlan } from './plan.ts';
import { isOfNull, isOfValues } from './predicate.ts';
import { layerOf } from './source.ts';

/**
 * How the records of a plan are read.
 *
 * | Strategy | When | Why | Gain, in ms of CPU |
 * |---|---|---|---|
 * | `once` | one record; a listing in the order of the key, whole or from one table | One statement, planned once: the plan suits all values. | one record: 0.08 for 1.16 planned each time |
 * | `keys within` | a page in the order of the key, with joins | One statement, planned once, with the page's keys as a subquery: no plan joins more records than these. | page of 50: 0.53 for 1.86 planned each time |
 * | `anew` | filters or another order, of a whole listing or of records from one table | One statement, planned for its values. | a filter that matches nothing: 4 for 5,000 with one plan for all values |
 * | `keys first` | filters or another order, of a page of records with joins | Keys from the lowest layer, planned for the values; then, in the same trip, the records by their keys, planned once. | `sort=created_at`: 43 for 641; `sort=event.end`: 87 for 648; keys of `event_function_id=` by the layer: 0.14 for 1.63 |
 * | `by value` | a page in the order of the key, with or without one value that is the first of several | As `keys first`, but the keys are looked for among the next ones, planned once: how many have the value is not known. | `break_start=null`: 3 for 75; a value that no record has: 17 for 64 |
 * | `by owner` | a page in the order of a value that records have from others, and may lack | As `by value`: no index has the order, and sorting joins all records. | `sort=client_id`: 9 for 65; `sort=event.auto_assign_enabled`: 4 for 84; least: `sort=event_function.is_locked`: 46 for 60 |
 * | `in two parts` | a page in the order of a tenant's own field that has a column, and may be lacking | As `keys first`, of the records with a value and, unless they fill the page, of those without: the index of the column has no nulls. | `sort=-dynamic_field_…`: 2 for 162 where half of the records have a value, 2 for 520 where none has |
 *
 * Measured with 200,000 assignments (docs/speed.md). A plan for the values is needed where the best one depends on them: a generic plan estimates that a filter keeps some records, walks an
 * index in the order asked for and joins row by row, and where none is kept it never stops.
 */
export type Strategy = 'once' | 'keys within' | 'anew' | 'keys first' | 'by value' | 'by owner' | 'in two parts';

/** Chooses how the records of a plan are read. @param columns all fields to read */
export const strategyOf = (plan: ReadPlan, columns: readonly Field[]): Strategy => {
  const { set, conditions, limit } = plan;
  if (!isSearch(plan))
    return limit !== null && conditions.length === 0 && isJoined(set, columns) ? 'keys within' : 'once';
  if (limit === null || set.resource.called) return 'anew';
  if (isByValue(plan)) return 'by value';
  if (isByOwner(plan)) return 'by owner';
  if (isInTwoParts(plan)) return 'in two parts';
  return isJoined(set, columns) ? 'keys first' : 'anew';
};

/** Whether records have some of the fields from others, or from a separate table. */
export const isJoined = (set: FieldSet, fields: readonly Field[]): boolean =>
  layerOf(set, fields) > 0 || fields.some(({ storage }) => storage);

/** Whether filters may keep several records, or the order is another one than that of the key. */
const isSearch = ({ set, conditions, order }: ReadPlan): boolean => {
  const { called, key, externalKey } = set.resource;
  const isOne = conditions.some(
    ({ field: { name }, any: [first, ...others] }) =>
      (name === key || name === externalKey) && others.length === 0 && first?.kind === 'equal' && !first.not,
  );
  if (isOne) return false;
  return called === true || conditions.length > 0 || order[0]?.field.name !== key;
};

/** Whether one condition selects by a value that is the first of several, most of them of others. */
const isByValue = ({ set, order, conditions: [condition, ...others] }: ReadPlan): boolean => {
  if (!condition?.field.firstOf || others.length > 0) return false;
  return order[0]?.field.name === set.resource.key && (isOfValues(condition) || isOfNull(condition));
};

/**
 * Whether the order is that of a value from others that may be missing, or is one of two.
 * An index can provide the order of other values (see `select`). Not with conditions, which could leave none of the records that are
 * looked through.
 */
const isByOwner = ({ order, conditions }: ReadPlan): boolean => {
  const [term, , ...others] = order;
  if (!term || conditions.length > 0 || order.some(({ field }) => field.storage)) return false;
  const { owner, firstOf, nullable } = term.field;
  return Boolean(others.length > 0 ? owner && nullable : (owner ?? firstOf) && (nullable || isOfTwo(term.field)));
};

/** Whether the page can have records with and without a first value, of which an index has the former. */
const isInTwoParts = ({ order: [term], conditions, after }: ReadPlan): boolean => {
  const { storage, nullable } = term?.field ?? {};
  if (!term || !storage || storage.member !== undefined || !nullable) return false;
  if (conditions.some(({ field }) => field === term.field)) return false;
  // The cursor is behind the first part.
  return !after || (after[0] === null) === term.descending;
};
