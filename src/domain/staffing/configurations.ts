import { sql } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';

/** Selects the configurations of assignments, parsed: their view returns a string, which takes less. */
export const parsedConfigurations = sql<Tables['assignments_view']['configurations']>`configurations::json`.as(
  'configurations',
);
