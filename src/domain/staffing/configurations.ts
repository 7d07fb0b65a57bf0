import { sql } from 'kysely';
import type { components } from '../../../generated/api.ts';

/** Selects the configurations of assignments, parsed: their view returns a string, which takes less. */
export const parsedConfigurations = sql<components['schemas']['AssignmentConfigurations']>`configurations::json`.as(
  'configurations',
);
