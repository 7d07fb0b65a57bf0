import { sql } from 'kysely';
import type { Definitions } from '../schema.ts';

/** One livestamp of a type at a moment: what comes again is the one that is there, as with check-ins. */
export const up = async (db: Definitions): Promise<void> => {
  await sql`alter table livestamps add constraint livestamps__assignment_id__type__timestamp__key
    unique (tenant_id, assignment_id, type, timestamp)`.execute(db);
  // The constraint's own serves.
  await sql`drop index livestamps_assignment_id_idx`.execute(db);
};
