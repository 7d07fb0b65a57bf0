import type { Field } from '../core/resource/resource.ts';
import type { Result, Statement } from '../db/database.ts';
import type { ReadPlan } from './plan.ts';
import type { Condition } from './predicate.ts';

/**
 * Whether the best plan of a listing's statement depends on its values, which the server's generic plan does not know: it estimates that a
 * filter keeps some records, walks an index in the order asked for and joins row by row, and where none is kept it never stops. Not so for
 * records by their key and for listings in the order of the key without filters.
 */
export const isVarying = ({ set: { resource }, conditions, order }: ReadPlan): boolean =>
  !conditions.some(condition => isOne(condition, resource.key)) &&
  (resource.called === true || conditions.length > 0 || order[0]?.field.name !== resource.key);

const isOne = ({ field, any: [first, ...others] }: Condition, key: string): boolean =>
  field.name === key && others.length === 0 && first?.kind === 'equal' && !first.not;

/**
 * Whether a page's keys are read first, with only the joins that its filters and order need, and its records then by their keys: Postgres
 * would otherwise join everything for each record that it filters or sorts, and plan those joins again for each request.
 */
export const isKeysFirst = (plan: ReadPlan, columns: readonly Field[]): boolean => {
  const { source, table, called } = plan.set.resource;
  const isJoined = source !== table || columns.some(({ storage }) => storage !== undefined);
  return plan.limit !== null && !called && isJoined && isVarying(plan);
};

/** Returns the statements to send in order that the server plans these anew for their values, and later ones of the transaction as usual. */
export const plannedAnew = (statements: readonly Statement[]): readonly Statement[] => [
  setting('force_custom_plan'),
  ...statements,
  setting('auto'),
];

/** Returns those of the results of `plannedAnew` that are its statements' own. */
export const ownResults = (results: readonly Result[]): readonly Result[] => results.slice(1, -1);

const setting = (mode: string): Statement => ({ name: null, text: `set local plan_cache_mode = ${mode}`, values: [] });
