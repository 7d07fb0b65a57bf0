import type { Selectable } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';

/** What stands against the work of an employee, as it is stored without what the store adds. */
export type FoundConflict = Readonly<Omit<Selectable<Tables['conflicts']>, 'tenant_id' | 'id' | 'opened_at'>>;

/** The names of its fields, in the order of the columns. */
export const conflictFields = [
  'type',
  'severity',
  'basis',
  'rule_id',
  'kind',
  'employee_id',
  'assignment_id',
  'other_assignment_id',
  'assignment_ids',
  'busy_date_id',
  'event_id',
  'client_id',
  'start',
  'end',
  'actual',
  'limit',
  'unit',
  'overridden',
  'category',
] as const satisfies readonly (keyof FoundConflict)[];

/**
 * Returns what a conflict is the same by, whatever else changes.
 * See docs/decisions.md, "Conflicts".
 */
export const identityOf = (conflict: FoundConflict): string => {
  const { type, rule_id, employee_id, assignment_id, other_assignment_id, busy_date_id, unit } = conflict;
  return [type, rule_id, employee_id, assignment_id, other_assignment_id, busy_date_id, unit].join(' ');
};
