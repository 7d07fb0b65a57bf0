import { ApiError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { changesContact, checkEventContacts, checkProjectContact } from '../../domain/staffing/contacts.ts';
import { changedOf, projectValues, touchAssignments, touchEvents } from '../../domain/staffing/heirs.ts';
import type { Rules } from '../../engine/rules.ts';

/**
 * Checks that no billing and no paysheet of a pay run names a project.
 * They have copies without foreign keys, which would lock the project after its assignments, against the order of locks.
 * @throws ApiError still_referenced (409)
 */
const requireUnnamed = async (id: number, { kysely }: Transaction): Promise<void> => {
  for (const table of ['assignment_billings', 'paysheets'] as const) {
    const named = await kysely.selectFrom(table).select('id').where('project_id', '=', id).limit(1).executeTakeFirst();
    if (named) throw new ApiError('still_referenced');
  }
};

/**
 * The contacts of a project and of its events belong to their clients.
 * Its events and assignments inherit from it. It is kept while bills or pay runs name it.
 */
export const projects: Rules = {
  independent: true,
  check: async ({ before, after }, transaction) => {
    if (before && !after) await requireUnnamed(Number(before.id), transaction);
    return { errors: [] };
  },
  follow: async ({ before, after }, transaction) => {
    if (!after) return;
    const id = Number(after.id);
    const isPaired = changesContact(before, after);
    if (isPaired) await checkProjectContact(id, transaction);
    if (!before) return;
    if (isPaired) await checkEventContacts({ field: 'project_id', id }, 'client_id', transaction);
    await touchEvents(id, changedOf(projectValues, before, after), transaction);
    await touchAssignments('projects', before, after, transaction);
  },
};
