import { changesContact, checkEventContacts, checkProjectContact } from '../../domain/staffing/contacts.ts';
import { changedOf, projectValues, touchAssignments, touchEvents } from '../../domain/staffing/heirs.ts';
import type { Rules } from '../../engine/rules.ts';

/** The contacts of a project and of its events belong to their clients. Its events and assignments inherit from it. */
export const projects: Rules = {
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
