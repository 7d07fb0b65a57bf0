import { changesContact, checkEventContacts, checkProjectContact } from '../../domain/staffing/contacts.ts';
import type { Rules } from '../../engine/rules.ts';

/** The contacts of a project and of its events belong to their clients. */
export const projects: Rules = {
  follow: async ({ before, after }, transaction) => {
    if (!after || !changesContact(before, after)) return;
    const id = Number(after.id);
    await checkProjectContact(id, transaction);
    if (before) await checkEventContacts({ field: 'project_id', id }, 'client_id', transaction);
  },
};
